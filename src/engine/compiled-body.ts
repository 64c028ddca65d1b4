/**
 * Evaluation of bodies: nested-loop joins on the indexes, the next literal chosen anew at every step.
 *
 *     solve(B, frame) calls back once per solution, with the product of weights as multiplicity.
 *
 * Choosing at run time means that a join starts from whichever side is narrow for these very values (few parameters or
 * few rows), and that hubs are met last. It costs one index probe per remaining atom and step, which the chosen atom
 * needs anyway. Each literal is read in a *mode*: the state now, before the transaction, either of both, or at a past tick.
 * Depth of recursion = number of literals of a query, never data.
 */

import { bindQuadRow, expandedQuads, pathReader, quadRows } from "./atom-rows.ts";
import { bindRow, bindStatement, unbindRow, weightOf } from "./bindings.ts";
import type { Body, Slot } from "./body.ts";
import {
  argValue,
  type CompiledCall,
  type CompiledFilter,
  type CompiledLiteral,
  type CompiledQuadAtom,
  type CompiledRelationAtom,
  type CompiledSame,
  type CompiledValues,
  compileLiteral,
  type SubBody,
} from "./compiled-literal.ts";
import { isExpanded, LiteralCosts } from "./literal-costs.ts";
import type { Machine } from "./machine.ts";
import { type Mode, NOW } from "./mode.ts";
import { ALIVE } from "./quad-rows.ts";
import { allSlots, certainSlots, positiveSlots } from "./slots.ts";

type Continue = () => void;

/** A body ready to run. Holds per-evaluation marks, so one body is evaluated once at a time (bodies never nest in themselves). */
export class CompiledBody implements SubBody {
  readonly literals: readonly CompiledLiteral[];
  readonly modes: Uint8Array;
  /** Slots bound in every solution. */
  readonly certain: ReadonlySet<Slot>;
  /** Every slot that occurs, sub-bodies included. */
  readonly slots: ReadonlySet<Slot>;
  readonly #machine: Machine;
  readonly #done: Uint8Array;
  #left: number;
  readonly costs: LiteralCosts;

  constructor(machine: Machine, body: Body, outerSlots: ReadonlySet<Slot> = new Set(), outerCertain: ReadonlySet<Slot> = new Set()) {
    this.#machine = machine;
    this.costs = new LiteralCosts(machine);
    const certain = certainSlots(body);
    const known = new Set([...certain, ...outerCertain]);
    const here = new Set([...positiveSlots(body), ...outerSlots]);
    this.certain = certain;
    this.slots = allSlots(body);
    this.literals = body.literals.map((literal) =>
      compileLiteral(literal, here, known, (sub) => new CompiledBody(machine, sub, here, known)),
    );
    this.modes = new Uint8Array(body.literals.length);
    this.#done = new Uint8Array(body.literals.length);
    this.#left = body.literals.length;
  }

  /** Clears marks left by an exception. */
  reset(): void {
    this.#done.fill(0);
    this.#left = this.literals.length;
    for (const literal of this.literals) {
      if (literal.kind === "union") for (const branch of literal.branches) branch.reset();
      if (literal.kind === "filter" || literal.kind === "bind") for (const body of literal.exists) body.reset();
    }
  }

  /** Sets the mode of every literal, sub-bodies included. */
  setModes(mode: Mode): void {
    for (let i = 0; i < this.literals.length; i++) this.setMode(i, mode);
  }

  setMode(index: number, mode: Mode): void {
    this.modes[index] = mode;
    const literal = this.literals[index];
    if (literal.kind === "union") for (const branch of literal.branches) branch.setModes(mode);
    else if (literal.kind === "filter" || literal.kind === "bind") for (const body of literal.exists) body.setModes(mode);
  }

  markDone(index: number): void {
    this.#done[index] = 1;
    this.#left--;
  }

  unmarkDone(index: number): void {
    this.#done[index] = 0;
    this.#left++;
  }

  /** Nothing is left to evaluate. */
  get isComplete(): boolean {
    return this.#left === 0;
  }

  /** Whether a solution exists under the present frame, of whatever rank: what is negated is not a premise. */
  hasSolution(): boolean {
    const machine = this.#machine;
    const { weight, rank, rankLimit, stopped } = machine;
    let found = false;
    machine.stopped = false;
    machine.rankLimit = ALIVE;
    this.solve(() => {
      found = true;
      machine.stopped = true;
    });
    machine.stopped = stopped;
    machine.weight = weight;
    machine.rank = rank;
    machine.rankLimit = rankLimit;
    return found;
  }

  /** Enumerates the solutions of the literals not marked done. */
  solve(then: Continue): void {
    if (this.#left === 0) {
      then();
      return;
    }
    const index = this.choose();
    if (index < 0) return;
    this.#done[index] = 1;
    this.#left--;
    const literal = this.literals[index];
    switch (literal.kind) {
      case "quad":
        this.#quad(literal, this.modes[index] as Mode, then);
        break;
      case "relation":
        this.#relation(literal, this.modes[index] as Mode, then);
        break;
      case "filter":
        if (literal.test(this.#machine.frame, literal.check)) this.solve(then);
        break;
      case "bind":
        this.#bind(literal, then);
        break;
      case "union":
        for (const branch of literal.branches) {
          branch.solve(() => this.solve(then));
          if (this.#machine.stopped) break;
        }
        break;
      case "values":
        this.#values(literal, then);
        break;
      case "same":
        this.#same(literal, this.modes[index] as Mode, then);
        break;
      case "call":
        this.#call(literal, this.modes[index] as Mode, then);
        break;
    }
    this.#done[index] = 0;
    this.#left++;
  }

  /**
   * Like `solve`, but pauses between slices of the rows of the first literal: an axiom or subscription that concerns a
   * million rows must not hold up everything else. `afterSlice` runs before each pause.
   */
  *solveSliced(then: Continue, afterSlice: () => void): Generator<void, void> {
    const index = this.#left === 0 ? -1 : this.choose();
    const literal = index < 0 ? undefined : this.literals[index];
    if (literal?.kind !== "quad" || isExpanded(this.#machine, literal) || this.costs.quad(literal) < this.#machine.sliceRows) {
      this.solve(then);
      return;
    }
    const rows = quadRows(this.#machine, literal);
    this.markDone(index);
    for (let at = 0; at < rows.length; at++) {
      this.#visitQuadRow(literal, rows[at], this.modes[index] as Mode, then);
      if (this.#machine.stopped) break;
      if (at % this.#machine.sliceRows === this.#machine.sliceRows - 1) {
        afterSlice();
        yield;
      }
    }
    this.unmarkDone(index);
  }

  /** The next literal to evaluate, or -1 when an atom that is left can have no match. */
  choose(): number {
    return this.costs.cheapest(this.literals, this.#done, this.#left);
  }

  /** Rows the narrowest literal of this body offers now. */
  estimate(): number {
    return this.costs.least(this.literals);
  }

  // ---- literals ---------------------------------------------------------------------------------------------------

  #quad(literal: CompiledQuadAtom, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { quads, frame } = machine;
    const [ss, sp, so, sg] = literal.slots;
    const [vs, vp, vo, vg] = literal.values;
    const s = ss < 0 ? vs : frame[ss];
    const p = sp < 0 ? vp : frame[sp];
    const o = so < 0 ? vo : frame[so];
    const g = sg < 0 ? vg : frame[sg];
    // A free graph slot ranges over named graphs; constant 0 is the default graph.
    const anyGraph = sg >= 0 && g === 0;
    if (isExpanded(this.#machine, literal)) {
      this.#expandedQuad(literal, mode, then);
      return;
    }
    if (s !== 0 && p !== 0 && o !== 0 && !anyGraph) {
      machine.spend(1);
      this.#quadByKey(literal, s, p, o, g, mode, then);
      return;
    }
    let rows = 0;
    quads.rowsMatching(
      s,
      p,
      o,
      anyGraph ? undefined : g,
      (row) => {
        if ((++rows & 1023) === 0) machine.spend(1024);
        this.#visitQuadRow(literal, row, mode, then);
        return !machine.stopped;
      },
      literal.base,
    );
    machine.spend((rows & 1023) + 1);
  }

  #expandedQuad(literal: CompiledQuadAtom, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { rank } = machine;
    for (const found of expandedQuads(machine, literal, mode)) {
      const bound = bindStatement(machine.frame, literal, found.s, found.p, found.o, 0);
      if (bound < 0) continue;
      if (found.rank > rank) machine.rank = found.rank;
      this.solve(then);
      machine.rank = rank;
      unbindRow(machine.frame, literal.slots, bound);
      if (machine.stopped) return;
    }
  }

  /** One is bound: the other becomes the same term, and each equal one. */
  #same({ left, right }: CompiledSame, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { frame, equality, rank } = machine;
    const a = argValue(left, frame);
    const b = argValue(right, frame);
    if (a !== 0 && b !== 0) {
      const needed = a === b ? 0 : (equality?.rankOf(a, b, mode) ?? -1);
      if (needed < 0 || needed >= machine.rankLimit) return;
      if (needed > rank) machine.rank = needed;
      this.solve(then);
      machine.rank = rank;
      return;
    }
    if (a === 0 && b === 0) return;
    const slot = a === 0 ? left.slot : right.slot;
    const term = a === 0 ? b : a;
    frame[slot] = term;
    this.solve(then);
    const equals = equality?.active ? equality.equals(term, mode) : undefined;
    for (let i = 0; equals && i < equals.length && !machine.stopped; i += 2) {
      if (equals[i + 1] >= machine.rankLimit) continue;
      machine.spend(1);
      frame[slot] = equals[i];
      if (equals[i + 1] > rank) machine.rank = equals[i + 1];
      this.solve(then);
      machine.rank = rank;
    }
    frame[slot] = 0;
  }

  /** Goes on with a row if it is visible in `mode` and fits; answers whether it did. */
  #visitQuadRow(literal: CompiledQuadAtom, row: number, mode: Mode, then: Continue): boolean {
    const machine = this.#machine;
    const { rank } = machine;
    const bound = bindQuadRow(machine, literal, row, mode);
    if (bound < 0) return false;
    this.solve(then);
    machine.rank = rank;
    unbindRow(machine.frame, literal.slots, bound);
    return true;
  }

  /** With all positions known the newest row decides, unless the past is asked for. */
  #quadByKey(literal: CompiledQuadAtom, s: number, p: number, o: number, g: number, mode: Mode, then: Continue): void {
    const { quads } = this.#machine;
    if (mode === NOW) {
      const row = quads.find(s, p, o, g);
      if (row >= 0) this.#visitQuadRow(literal, row, mode, then);
      return;
    }
    // Two incarnations may both be visible in "either": one solution is enough.
    quads.rowsMatching(s, p, o, g, (row) => !this.#visitQuadRow(literal, row, mode, then));
  }

  #relation(literal: CompiledRelationAtom, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { relation } = literal;
    const mask = this.costs.boundMask(literal);
    if (mask !== 0 && mask === 2 ** relation.arity - 1) {
      const row = relation.find(this.costs.probe);
      machine.spend(1);
      if (row >= 0) this.visitRelationRow(literal, row, mode, then);
      return;
    }
    let visited = 0;
    if (mask === 0) {
      for (let row = 0; row < relation.end && !machine.stopped; row++) {
        if (relation.touched[row] === -1) continue;
        if ((++visited & 1023) === 0) machine.spend(1024);
        this.visitRelationRow(literal, row, mode, then);
      }
    } else {
      const index = relation.index(mask);
      for (let row = index.first(this.costs.probe); row >= 0 && !machine.stopped; row = index.next[row]) {
        if ((++visited & 1023) === 0) machine.spend(1024);
        this.visitRelationRow(literal, row, mode, then);
      }
    }
    machine.spend((visited & 1023) + 1);
  }

  visitRelationRow(literal: CompiledRelationAtom, row: number, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { relation } = literal;
    const weight = weightOf(relation, row, mode, machine.tick);
    if (weight <= 0) return;
    const rank = relation.rank[row];
    if (rank >= machine.rankLimit) return;
    this.withRow(literal, row, () => {
      const { weight: outer, rank: outerRank } = machine;
      if (literal.bag) machine.weight = outer * weight;
      if (rank > outerRank) machine.rank = rank;
      this.solve(then);
      machine.weight = outer;
      machine.rank = outerRank;
    });
  }

  /** Binds the free arguments from a row and calls back if all agree. */
  withRow(literal: CompiledRelationAtom, row: number, inner: Continue): void {
    const { frame } = this.#machine;
    const bound = bindRow(frame, literal, row);
    if (bound < 0) return;
    inner();
    for (let c = 0; c < literal.args.length; c++) if (bound & (1 << c)) frame[literal.args[c].slot] = 0;
  }

  #bind(literal: CompiledFilter, then: Continue): void {
    const { frame } = this.#machine;
    const value = literal.test(frame, literal.check) as number;
    if (value === 0) {
      this.solve(then);
      return;
    }
    const now = frame[literal.target];
    if (now !== 0) {
      if (now === value) this.solve(then);
      return;
    }
    frame[literal.target] = value;
    this.solve(then);
    frame[literal.target] = 0;
  }

  #values(literal: CompiledValues, then: Continue): void {
    const machine = this.#machine;
    const { frame } = machine;
    const { slots } = literal;
    for (const row of literal.rows) {
      if (machine.stopped) return;
      machine.spend(1);
      let bound = 0;
      let c = 0;
      for (; c < slots.length; c++) {
        const value = row[c];
        if (value === 0) continue;
        const now = frame[slots[c]];
        if (now === 0) {
          frame[slots[c]] = value;
          bound |= 1 << c;
        } else if (now !== value) break;
      }
      if (c === slots.length) this.solve(then);
      for (let i = 0; i < c; i++) if (bound & (1 << i)) frame[slots[i]] = 0;
    }
  }

  #call(literal: CompiledCall, mode: Mode, then: Continue): void {
    const machine = this.#machine;
    const { frame } = machine;
    const from = argValue(literal.from, frame);
    const to = argValue(literal.to, frame);
    literal.source.pairs(from, to, frame, pathReader(machine, mode), (f, t) => {
      const bindFrom = literal.from.slot >= 0 && from === 0;
      if (bindFrom) frame[literal.from.slot] = f;
      let bindTo = false;
      let fits = true;
      if (literal.to.slot >= 0 && to === 0) {
        if (frame[literal.to.slot] === 0) {
          frame[literal.to.slot] = t;
          bindTo = true;
        } else fits = frame[literal.to.slot] === t;
      }
      if (fits) this.solve(then);
      if (bindTo) frame[literal.to.slot] = 0;
      if (bindFrom) frame[literal.from.slot] = 0;
      return !machine.stopped;
    });
  }
}
