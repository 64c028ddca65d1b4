/**
 * Runs triggers: binds a changed row into a rule's body and enumerates what it joins with.
 */

import { bindRow, bindStatement, unbindRow } from "./bindings.ts";
import type { CompiledBody } from "./compiled-body.ts";
import type { CompiledFilter, CompiledQuadAtom, CompiledRelationAtom } from "./compiled-literal.ts";
import type { CompiledRule, FilterSite, FilterTrigger, Trigger } from "./compiled-rule.ts";
import type { Dispatch } from "./dispatch.ts";
import { isExpanded } from "./literal-costs.ts";
import type { Machine } from "./machine.ts";
import { EITHER, type Mode, NOW, OLD } from "./mode.ts";
import type { Relation } from "./relation.ts";

/** Calls `visit` with `row` for each trigger that a quad of this predicate and object may concern. */
export function forQuad(
  dispatch: Dispatch<Trigger>,
  p: number,
  o: number,
  visit: (trigger: Trigger, row: number) => void,
  row: number,
): void {
  const byPredicate = dispatch.forPredicate(p);
  if (byPredicate) for (let i = 0; i < byPredicate.length; i++) visit(byPredicate[i], row);
  const byClass = dispatch.forClass(p, o);
  if (byClass) for (let i = 0; i < byClass.length; i++) visit(byClass[i], row);
  const any = dispatch.forAny;
  for (let i = 0; i < any.length; i++) visit(any[i], row);
}

/**
 * Binds quad `row` to the atom at `index` of `body`, or each statement it stands for where the atom is read modulo
 * equality in `mode`; `then` runs with the atom marked done if it agrees.
 */
export function withQuad(machine: Machine, body: CompiledBody, index: number, row: number, mode: Mode, then: () => void): void {
  const { quads } = machine;
  if (!isExpanded(machine, body.literals[index] as CompiledQuadAtom)) {
    withStatement(
      machine,
      body,
      index,
      quads.rows.subject(row),
      quads.rows.predicate(row),
      quads.rows.object(row),
      quads.rows.graph(row),
      then,
    );
    return;
  }
  if (quads.rows.graph(row) !== 0) return;
  const { rank } = machine;
  for (const found of machine.equality?.statements.ofRow(row, mode) ?? []) {
    machine.rank = Math.max(rank, found.rank);
    withStatement(machine, body, index, found.s, found.p, found.o, 0, then);
  }
  machine.rank = rank;
}

/** Binds a statement to the atom at `index`; `then` runs with the atom marked done if it agrees. */
export function withStatement(
  machine: Machine,
  body: CompiledBody,
  index: number,
  s: number,
  p: number,
  o: number,
  g: number,
  then: () => void,
): void {
  const atom = body.literals[index] as CompiledQuadAtom;
  const bound = bindStatement(machine.frame, atom, s, p, o, g);
  if (bound < 0) return;
  body.markDone(index);
  then();
  body.unmarkDone(index);
  unbindRow(machine.frame, atom.slots, bound);
}

export function withRelationRow(body: CompiledBody, index: number, row: number, then: () => void): void {
  const atom = body.literals[index] as CompiledRelationAtom;
  body.withRow(atom, row, () => {
    body.markDone(index);
    then();
    body.unmarkDone(index);
  });
}

/** Binds a row of a relation to the atom at `index`, or answers undefined; the answer unbinds it again. */
export function bindRelationRow(machine: Machine, body: CompiledBody, index: number, row: number): (() => void) | undefined {
  const atom = body.literals[index] as CompiledRelationAtom;
  const bound = bindRow(machine.frame, atom, row);
  if (bound < 0) return undefined;
  body.markDone(index);
  return () => {
    body.unmarkDone(index);
    for (let c = 0; c < atom.args.length; c++) if (bound & (1 << c)) machine.frame[atom.args[c].slot] = 0;
  };
}

/** Gathers the keys of a filter site that a changed row may concern. */
export function gatherKeys(machine: Machine, trigger: FilterTrigger, relation: Relation | undefined, row: number): void {
  const { candidates, candidateIndex } = trigger;
  gatherWith(machine, trigger, (gather) => {
    if (relation) withRelationRow(candidates, candidateIndex, row, gather);
    else withQuad(machine, candidates, candidateIndex, row, EITHER, gather);
  });
}

/** As gatherKeys, for a statement that came or went. */
export function gatherStatementKeys(machine: Machine, trigger: FilterTrigger, s: number, p: number, o: number, g: number): void {
  const { candidates, candidateIndex } = trigger;
  gatherWith(machine, trigger, (gather) => withStatement(machine, candidates, candidateIndex, s, p, o, g, gather));
}

function gatherWith(machine: Machine, { site, candidates }: FilterTrigger, enter: (gather: () => void) => void): void {
  machine.charge(site.rule);
  machine.ready(site.rule.slotCount);
  enter(() => {
    candidates.solve(() => {
      const key = site.keySlots.map((slot) => machine.frame[slot]);
      site.keys.set(key.join(), key);
    });
  });
}

/** For each gathered key: the solutions of all literals but the filter itself; keys are forgotten. */
export function solveSite(machine: Machine, site: FilterSite, visit: () => void): void {
  if (site.keys.size === 0) return;
  const keys = [...site.keys.values()];
  machine.charge(site.rule);
  site.keys.clear();
  for (const key of keys) {
    machine.ready(site.rule.slotCount);
    for (let i = 0; i < key.length; i++) machine.frame[site.keySlots[i]] = key[i];
    site.body.markDone(site.index);
    site.body.solve(visit);
    site.body.unmarkDone(site.index);
    for (const slot of site.keySlots) machine.frame[slot] = 0;
  }
}

/**
 * Truth of the site's filter after and before the transaction as far as its sub-body goes: +1 it became true, -1 false.
 * Sub-bodies before it are read in the new state, those after it in the old one.
 */
export function filterChange(machine: Machine, site: FilterSite): number {
  const filter = site.body.literals[site.index] as CompiledFilter;
  for (let i = 0; i < filter.exists.length; i++) filter.exists[i].setModes(i < site.sub ? NOW : OLD);
  const before = filter.test(machine.frame, filter.check) ? 1 : 0;
  filter.exists[site.sub].setModes(NOW);
  const after = filter.test(machine.frame, filter.check) ? 1 : 0;
  return after - before;
}

/** Marks the filters over sub-bodies (and, with `undo`, unmarks them), so that they are not evaluated. */
export function skipNegation(body: CompiledBody, undo: boolean): void {
  for (let i = 0; i < body.literals.length; i++) {
    const literal = body.literals[i];
    if (literal.kind !== "filter" || literal.exists.length === 0) continue;
    if (undo) body.unmarkDone(i);
    else body.markDone(i);
  }
}

/** Values of a head under the present frame, into `out`. */
export function headValues(rule: CompiledRule, head: number, machine: Machine, out: number[]): void {
  const { args } = rule.heads[head];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    out[i] = "slot" in arg ? machine.frame[arg.slot] : arg.value;
  }
}
