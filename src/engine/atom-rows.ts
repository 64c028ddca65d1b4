/** Which rows and statements an atom may match under the present frame, and how they are bound into it. */
import { bindStatement, isBase } from "./bindings.ts";
import { grown } from "./columns.ts";
import type { CompiledQuadAtom, CompiledRelationAtom } from "./compiled-literal.ts";
import type { LiteralCosts } from "./literal-costs.ts";
import type { Machine } from "./machine.ts";
import { type Mode, NOW, OLD } from "./mode.ts";
import type { QuadReader } from "./quad-relation.ts";
import type { EqualStatement, TermEquality } from "./term-equality.ts";

/** Rows of the narrowest postings for the atom under the present frame, in whatever state. */
export function quadRows(machine: Machine, literal: CompiledQuadAtom): Int32Array {
  const { frame, quads } = machine;
  const [s, p, o, g] = literal.slots.map((slot, i) => (slot < 0 ? literal.values[i] : frame[slot]));
  let rows = new Int32Array(machine.sliceRows);
  let count = 0;
  quads.rowsMatching(
    s,
    p,
    o,
    literal.slots[3] >= 0 && g === 0 ? undefined : g,
    (row) => {
      if (count === rows.length) rows = grown(rows, count + 1);
      rows[count++] = row;
      return true;
    },
    literal.base,
  );
  return rows.subarray(0, count);
}

/** Statements that an expanded atom may match under the present frame. */
export function expandedQuads(machine: Machine, literal: CompiledQuadAtom, mode: Mode): Iterable<EqualStatement> {
  const { frame, equality } = machine;
  const [s, p, o] = literal.slots.map((slot, i) => (slot < 0 ? literal.values[i] : frame[slot]));
  return (equality as TermEquality).statements.scan(s, p, o, mode);
}

/** Binds the free positions of the atom from a row visible in `mode`; answers which, as bits, or -1 if it does not fit. */
export function bindQuadRow(machine: Machine, literal: CompiledQuadAtom, row: number, mode: Mode): number {
  const { quads } = machine;
  if (!machine.sees(row, mode)) return -1;
  const rank = quads.rows.rank(row);
  if (rank >= machine.rankLimit || (literal.base && !isBase(quads.rows.flags(row), mode))) return -1;
  const bound = bindStatement(
    machine.frame,
    literal,
    quads.rows.subject(row),
    quads.rows.predicate(row),
    quads.rows.object(row),
    quads.rows.graph(row),
  );
  if (bound >= 0 && rank > machine.rank) machine.rank = rank;
  return bound;
}

/** Rows, in whatever state, that agree with the bound arguments. */
export function relationRows(costs: LiteralCosts, literal: CompiledRelationAtom): number[] {
  const { relation } = literal;
  const mask = costs.boundMask(literal);
  const rows: number[] = [];
  if (mask === 0) {
    for (let row = 0; row < relation.end; row++) if (relation.touched[row] !== -1) rows.push(row);
  } else if (mask === 2 ** relation.arity - 1) {
    const row = relation.find(costs.probe);
    if (row >= 0) rows.push(row);
  } else {
    const index = relation.index(mask);
    for (let row = index.first(costs.probe); row >= 0; row = index.next[row]) rows.push(row);
  }
  return rows;
}

/** What paths read: statements in a mode, modulo equality in the default graph. */
export function pathReader(machine: Machine, mode: Mode): QuadReader {
  const { quads, equality } = machine;
  const at = mode === NOW ? machine.tick : mode === OLD ? machine.tick - 1 : machine.at;
  return {
    match: (s, p, o, g, emit) => {
      machine.spend(1);
      if (g === 0 && equality?.active) {
        for (const found of equality.statements.scan(s, p, o, mode)) if (emit(found.s, found.p, found.o, 0) === false) return;
        return;
      }
      quads.match(s, p, o, g, at, (rs, rp, ro, rg) => {
        machine.spend(1);
        return emit(rs, rp, ro, rg);
      });
    },
  };
}
