/** How many rows each literal of a body offers under the present frame, and which is evaluated next for that. */

import type { Frame, Slot } from "./body.ts";
import {
  argValue,
  type CompiledCall,
  type CompiledLiteral,
  type CompiledQuadAtom,
  type CompiledRelationAtom,
  type CompiledSame,
  type CompiledUnion,
  type CompiledValues,
} from "./compiled-literal.ts";
import type { Machine } from "./machine.ts";
import type { TermEquality } from "./term-equality.ts";

export class LiteralCosts {
  readonly #machine: Machine;
  /** Values of the bound columns of the relation that was looked at last, in column order. */
  readonly probe: number[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** The next literal to evaluate, or -1 when an atom that is left can have no match. */
  cheapest(literals: readonly CompiledLiteral[], done: Uint8Array, left: number): number {
    const { frame } = this.#machine;
    let best = -1;
    let bestCost = Number.POSITIVE_INFINITY;
    let positiveBefore = true;
    let waiting = -1;
    for (let i = 0; i < literals.length; i++) {
      if (done[i] === 1) continue;
      const literal = literals[i];
      if (literal.kind === "filter" || literal.kind === "bind") {
        if (literal.early ? allBound(frame, literal.reads) : positiveBefore) return i;
        if (waiting < 0) waiting = i;
        if (literal.kind === "bind") positiveBefore = false;
        continue;
      }
      if (literal.kind === "union" && literal.reads.length > 0 && !(literal.early ? allBound(frame, literal.reads) : positiveBefore)) {
        if (waiting < 0) waiting = i;
        positiveBefore = false;
        continue;
      }
      positiveBefore = false;
      let cost: number;
      if (literal.kind === "same") {
        cost = this.same(literal);
        if (cost === 0) return i;
      } else if (left === 1) cost = 1;
      else if (literal.kind === "quad") cost = this.quad(literal);
      else if (literal.kind === "relation") cost = this.relation(literal);
      else cost = this.other(literal as CompiledUnion | CompiledValues | CompiledCall);
      if (cost === 0) return -1;
      if (cost < bestCost) {
        bestCost = cost;
        best = i;
      }
    }
    return best >= 0 ? best : waiting;
  }

  /** Rows that the narrowest literal offers now. */
  least(literals: readonly CompiledLiteral[]): number {
    let least = Number.POSITIVE_INFINITY;
    for (const literal of literals) {
      let cost = Number.POSITIVE_INFINITY;
      if (literal.kind === "quad") cost = this.quad(literal);
      else if (literal.kind === "relation") cost = this.relation(literal);
      else if (literal.kind === "union" || literal.kind === "values" || literal.kind === "call") cost = this.other(literal);
      if (cost < least) least = cost;
    }
    return least === Number.POSITIVE_INFINITY ? 1 : least;
  }

  other(literal: CompiledUnion | CompiledValues | CompiledCall): number {
    if (literal.kind === "values") return literal.rows.length;
    if (literal.kind === "union") {
      let sum = 0;
      for (const branch of literal.branches) sum += branch.estimate();
      return sum;
    }
    const { frame } = this.#machine;
    for (const slot of literal.source.reads) if (frame[slot] === 0) return 1e15;
    const ends = (argValue(literal.from, frame) === 0 ? 0 : 1) + (argValue(literal.to, frame) === 0 ? 0 : 1);
    return ends === 0 ? 1e12 : ends === 1 ? 1000 : 100;
  }

  /** 0: at once. */
  same({ left, right }: CompiledSame): number {
    const { frame, equality } = this.#machine;
    const a = argValue(left, frame);
    const b = argValue(right, frame);
    if (a === 0 && b === 0) return 1e15;
    if ((a !== 0 && b !== 0) || !equality?.active) return 0;
    return equality.estimate(a === 0 ? b : a);
  }

  quad(literal: CompiledQuadAtom): number {
    const { frame, quads } = this.#machine;
    const [ss, sp, so, sg] = literal.slots;
    const [vs, vp, vo, vg] = literal.values;
    const g = sg < 0 ? vg : frame[sg];
    if (isExpanded(this.#machine, literal)) {
      const equality = this.#machine.equality as TermEquality;
      const s = ss < 0 ? vs : frame[ss];
      const o = so < 0 ? vo : frame[so];
      const p = sp < 0 ? vp : frame[sp];
      const equals = (s === 0 ? 0 : equality.estimate(s)) + (o === 0 ? 0 : equality.estimate(o));
      if (equals > 0) return Math.max(1, quads.estimate(s, p, o, g)) + equals;
    }
    return quads.estimate(ss < 0 ? vs : frame[ss], sp < 0 ? vp : frame[sp], so < 0 ? vo : frame[so], g, literal.base);
  }

  relation(literal: CompiledRelationAtom): number {
    const { relation } = literal;
    if (relation.end === 0) return 0;
    const mask = this.boundMask(literal);
    if (mask === 0) return relation.end;
    if (mask === 2 ** relation.arity - 1) return relation.find(this.probe) < 0 ? 0 : 1;
    const index = relation.index(mask);
    const head = index.first(this.probe);
    return head < 0 ? 0 : index.countAt(head);
  }

  /** Which columns have a value; leaves the values in `probe`, in column order. */
  boundMask(literal: CompiledRelationAtom): number {
    const { frame } = this.#machine;
    if (literal.relation.nullable) return this.#boundMaskNullable(literal);
    let mask = 0;
    let n = 0;
    for (let c = 0; c < literal.args.length; c++) {
      const value = argValue(literal.args[c], frame);
      if (value !== 0) {
        mask |= 1 << c;
        this.probe[n++] = value;
      }
    }
    return mask;
  }

  /** Of a nullable relation only the first column (the instance) is never 0. */
  #boundMaskNullable(literal: CompiledRelationAtom): number {
    const value = argValue(literal.args[0], this.#machine.frame);
    if (value === 0) return 0;
    this.probe[0] = value;
    return literal.args.length === 1 ? 0 : 1;
  }
}

/** Whether the atom must be read through the classes of equal terms. */
export function isExpanded({ equality }: Machine, literal: CompiledQuadAtom): boolean {
  return literal.expanded && equality?.active === true;
}

function allBound(frame: Frame, slots: readonly Slot[]): boolean {
  for (let i = 0; i < slots.length; i++) if (frame[slots[i]] === 0) return false;
  return true;
}
