/** Rows and statements bound into a frame, and how rows count in a mode. */
import type { Frame, Slot } from "./body.ts";
import type { CompiledQuadAtom, CompiledRelationAtom } from "./compiled-literal.ts";
import { AT, EITHER, type Mode, NOW, OLD } from "./mode.ts";
import { BASE, WAS_STATED } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";

/** Binds the free positions of an atom from a statement; answers which, as bits, or -1 if it does not fit. */
export function bindStatement(frame: Frame, { slots, values }: CompiledQuadAtom, s: number, p: number, o: number, g: number): number {
  let bound = 0;
  for (let c = 0; c < 4; c++) {
    const value = c === 0 ? s : c === 1 ? p : c === 2 ? o : g;
    const slot = slots[c];
    const now = slot < 0 ? values[c] : frame[slot];
    if (now === value && (slot < 0 || value !== 0)) continue;
    // A free graph slot ranges over named graphs only.
    if (slot < 0 || now !== 0 || value === 0) {
      unbindRow(frame, slots, bound);
      return -1;
    }
    frame[slot] = value;
    bound |= 1 << c;
  }
  return bound;
}

/** Binds the free arguments of a relation's atom from a row; answers which, as bits, or -1 if the row does not agree. */
export function bindRow(frame: Frame, { args, relation }: CompiledRelationAtom, row: number): number {
  let bound = 0;
  for (let c = 0; c < args.length; c++) {
    const arg = args[c];
    const value = relation.columns[c][row];
    const now = arg.slot < 0 ? arg.value : frame[arg.slot];
    if (now === value || (value === 0 && relation.nullable && arg.slot >= 0)) continue;
    if (now !== 0 || arg.slot < 0) {
      for (let i = 0; i < c; i++) if (bound & (1 << i)) frame[args[i].slot] = 0;
      return -1;
    }
    frame[arg.slot] = value;
    bound |= 1 << c;
  }
  return bound;
}

/** Unbinds the slots whose bits are set. */
export function unbindRow(frame: Frame, slots: readonly Slot[], bound: number): void {
  for (let c = 0; bound >> c !== 0; c++) if (bound & (1 << c)) frame[slots[c]] = 0;
}

/** Weight of a row in a mode; in EITHER the largest it had in the transaction. */
export function weightOf(relation: Relation, row: number, mode: Mode, tick: number): number {
  const now = relation.weight[row];
  if (mode === NOW || mode === AT || relation.touched[row] !== tick) return now;
  const before = relation.before[row];
  if (mode === OLD) return before;
  const most = Math.max(now, before);
  return most <= 0 && relation.passedBy(row, tick) ? 1 : most;
}

/** Whether a row with these flags may start a transitivity rule, now or (EITHER) before the transaction. */
export function isBase(flags: number, mode: Mode): boolean {
  return (flags & (mode === EITHER ? BASE | WAS_STATED : BASE)) !== 0;
}
