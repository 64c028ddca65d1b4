/**
 * From what is derived to the rules that may derive it, and whether one does from premises of smaller rank: the test that a
 * row which lost a reason has to pass, and what explanations follow.
 */

import type { CompiledRule } from "./compiled-rule.ts";
import { Dispatch, dispatchKey } from "./dispatch.ts";
import type { Machine } from "./machine.ts";
import { DERIVED_TRANSITIVELY, QuadRelation } from "./quad-relation.ts";
import { ALIVE } from "./quad-rows.ts";
import type { Relation } from "./relation.ts";
import { append, without } from "./relation-lists.ts";

interface HeadRef {
  readonly rule: CompiledRule;
  readonly head: number;
}

/** Above every stage. */
const LAST_STAGE = Number.POSITIVE_INFINITY;

export class BackwardRules {
  readonly #machine: Machine;
  readonly #typePredicate: number;
  readonly #heads: Dispatch<HeadRef>;
  readonly #relationHeads = new Map<Relation, HeadRef[]>();
  readonly #refs = new Map<CompiledRule, HeadRef[]>();

  constructor(machine: Machine, typePredicate: number) {
    this.#machine = machine;
    this.#typePredicate = typePredicate;
    this.#heads = new Dispatch(typePredicate);
  }

  add(rule: CompiledRule): void {
    const refs = rule.heads.map((_, head) => ({ rule, head }));
    this.#refs.set(rule, refs);
    for (const ref of refs) {
      const { relation, args } = rule.heads[ref.head];
      if (relation instanceof QuadRelation) this.#heads.add(dispatchKey(args, rule.literals, this.#typePredicate), ref);
      else append(this.#relationHeads, relation, ref);
    }
  }

  remove(rule: CompiledRule): void {
    for (const ref of this.#refs.get(rule) ?? []) {
      const { relation } = rule.heads[ref.head];
      if (relation instanceof QuadRelation) this.#heads.remove(ref);
      else without(this.#relationHeads, relation, ref);
    }
    this.#refs.delete(rule);
  }

  /** Largest premise rank of a derivation of the quad whose premises all rank below `limit`, or -1. */
  deriveQuad(row: number, limit: number, kind: number, stage = LAST_STAGE): number {
    const { quads } = this.#machine;
    const values = [quads.rows.subject(row), quads.rows.predicate(row), quads.rows.object(row), quads.rows.graph(row)];
    for (const ref of this.headsOf(values[1], values[2])) {
      if (ref.rule.stage > stage || (ref.rule.heads[ref.head].transitive ?? false) !== (kind === DERIVED_TRANSITIVELY)) continue;
      const rank = this.#deriveBy(ref, values, limit);
      if (rank >= 0) return rank;
    }
    return -1;
  }

  deriveRow(relation: Relation, row: number, limit: number, stage = LAST_STAGE): number {
    const values = relation.values(row);
    for (const ref of this.#relationHeads.get(relation) ?? []) {
      if (ref.rule.stage > stage) continue;
      const rank = this.#deriveBy(ref, values, limit);
      if (rank >= 0) return rank;
    }
    return -1;
  }

  /** Rules that may derive this quad. */
  headsOf(p: number, o: number): readonly HeadRef[] {
    const byPredicate = this.#heads.forPredicate(p);
    const byClass = this.#heads.forClass(p, o);
    const any = this.#heads.forAny;
    if (!byClass && any.length === 0) return byPredicate ?? [];
    return [...(byPredicate ?? []), ...(byClass ?? []), ...any];
  }

  /** Enumerates the derivations of a head's values by one rule from premises ranking below `limit`. */
  solve(rule: CompiledRule, head: number, values: readonly number[], limit: number, visit: () => void): void {
    const machine = this.#machine;
    machine.ready(rule.slotCount);
    const { args, guard } = rule.heads[head];
    let agrees = true;
    for (let i = 0; i < args.length && agrees; i++) {
      const arg = args[i];
      if ("value" in arg) agrees = arg.value === values[i];
      else if (machine.frame[arg.slot] === 0) machine.frame[arg.slot] = values[i];
      else agrees = machine.frame[arg.slot] === values[i];
    }
    if (agrees) {
      machine.rankLimit = limit;
      rule.backward.solve(() => {
        if (!guard || guard(machine.frame)) visit();
      });
      machine.rankLimit = ALIVE;
      machine.stopped = false;
    }
    for (const arg of args) if ("slot" in arg) machine.frame[arg.slot] = 0;
  }

  #deriveBy(ref: HeadRef, values: readonly number[], limit: number): number {
    const machine = this.#machine;
    let found = -1;
    this.solve(ref.rule, ref.head, values, limit, () => {
      found = machine.rank;
      machine.stopped = true;
    });
    return found;
  }
}
