/**
 * Maintenance of non-recursive, bag-valued relations: the results of subscriptions and what stands between.
 *
 *     level 0 rules, aggregates, slices -> level 1 -> …       each reads lower levels, quads and parameters only
 *
 * Runs once in a transaction, when all inputs are final: for every changed row of every input the triggers it may concern
 * add signed weights to the heads (compiled-rule.ts). An aggregate is brought up to date per changed group, from an
 * accumulator where values can be taken back exactly and from the group's rows elsewhere; a slice per changed instance.
 * Cost: changed rows × their triggers and joins; nothing for queries that no changed row can concern.
 */
import type { AggregateShape, SliceShape } from "./body.ts";
import type { AtomTrigger, CompiledRule, FilterSite, Trigger } from "./compiled-rule.ts";
import {
  bindRelationRow,
  filterChange,
  forQuad,
  gatherKeys,
  gatherStatementKeys,
  headValues,
  solveSite,
  withStatement,
} from "./delta-join.ts";
import { Dispatch } from "./dispatch.ts";
import { GroupMaintainer } from "./group-maintainer.ts";
import type { Machine } from "./machine.ts";
import { QuadRelation } from "./quad-relation.ts";
import { Relation } from "./relation.ts";
import { SliceMaintainer } from "./slice-maintainer.ts";
import type { TransactionBudget } from "./transaction-budget.ts";

interface Level {
  readonly rules: Set<CompiledRule>;
  readonly quadTriggers: Dispatch<Trigger>;
  readonly relationTriggers: Map<Relation, Trigger[]>;
  /** Sites with gathered keys in the running transaction. */
  readonly dirtySites: Set<FilterSite>;
  readonly groups: Map<Relation, GroupMaintainer[]>;
  readonly slices: Map<Relation, SliceMaintainer[]>;
}

export class Levels {
  readonly #machine: Machine;
  readonly #typePredicate: number;
  readonly #budget: TransactionBudget;
  readonly #levels: Level[] = [];

  constructor(machine: Machine, typePredicate: number, budget: TransactionBudget) {
    this.#machine = machine;
    this.#typePredicate = typePredicate;
    this.#budget = budget;
  }

  addRule(level: number, rule: CompiledRule): void {
    const at = this.#level(level);
    at.rules.add(rule);
    for (const trigger of rule.triggers) {
      if (trigger.atom.relation instanceof QuadRelation) at.quadTriggers.add(trigger.key, trigger);
      else push(at.relationTriggers, trigger.atom.relation, trigger);
    }
  }

  removeRule(level: number, rule: CompiledRule): void {
    const at = this.#level(level);
    at.rules.delete(rule);
    for (const trigger of rule.triggers) {
      if (trigger.atom.relation instanceof QuadRelation) at.quadTriggers.remove(trigger);
      else pull(at.relationTriggers, trigger.atom.relation, trigger);
    }
  }

  addGroup(level: number, shape: AggregateShape, instances: Relation | undefined): GroupMaintainer {
    const maintainer = new GroupMaintainer(shape, instances);
    const at = this.#level(level);
    push(at.groups, shape.source, maintainer);
    if (shape.everyInstance && instances) push(at.groups, instances, maintainer);
    return maintainer;
  }

  addSlice(level: number, shape: SliceShape): SliceMaintainer {
    const maintainer = new SliceMaintainer(shape);
    push(this.#level(level).slices, shape.source, maintainer);
    return maintainer;
  }

  removeStep(level: number, maintainer: GroupMaintainer | SliceMaintainer): void {
    const at = this.#level(level);
    for (const [relation, list] of at.groups)
      if (list.includes(maintainer as GroupMaintainer)) pull(at.groups, relation, maintainer as GroupMaintainer);
    for (const [relation, list] of at.slices)
      if (list.includes(maintainer as SliceMaintainer)) pull(at.slices, relation, maintainer as SliceMaintainer);
  }

  /** Forgets what an exception left behind. */
  reset(): void {
    for (const level of this.#levels) {
      level.dirtySites.clear();
      for (const rule of level.rules) rule.reset();
    }
  }

  /** No query ever stood. */
  get isEmpty(): boolean {
    return this.#levels.length === 0;
  }

  get rules(): CompiledRule[] {
    return this.#levels.flatMap((level) => [...level.rules]);
  }

  /** `quadRows`: rows touched in this transaction, each once. `touched` learns of relations that change. */
  *run(quadRows: ArrayLike<number>, quadCount: number, touched: Set<Relation>): Generator<void, void> {
    for (const level of this.#levels) {
      yield* this.#runQuads(level, quadRows, quadCount, touched);
      yield* this.#runRelations(level, touched);
      for (const site of level.dirtySites) this.#runSite(site, touched);
      if (level.dirtySites.size > 0) level.dirtySites.clear();
      this.#runMaintainers(level, touched);
      yield;
    }
  }

  *#runQuads(level: Level, quadRows: ArrayLike<number>, quadCount: number, touched: Set<Relation>): Generator<void, void> {
    if (level.quadTriggers.size === 0) return;
    const { quads, tick, equality } = this.#machine;
    const modulo = equality?.active === true;
    const change = this.#change;
    change.level = level;
    change.touched = touched;
    change.expanded = modulo ? false : undefined;
    for (let i = 0; i < quadCount; i++) {
      const row = quadRows[i];
      const before = quads.wasVisible(row, tick);
      const now = quads.isAlive(row);
      if (before === now) continue;
      change.s = quads.rows.subject(row);
      change.p = quads.rows.predicate(row);
      change.o = quads.rows.object(row);
      change.g = quads.rows.graph(row);
      change.sign = now ? 1 : -1;
      forQuad(level.quadTriggers, change.p, change.o, this.#enter, row);
      if ((i & 63) === 63) yield;
    }
    if (!modulo) return;
    change.expanded = true;
    let changes = 0;
    for (const { s, p, o, sign } of equality.statements.changes(quadRows, quadCount, (p) => level.quadTriggers.concerns(p))) {
      Object.assign(change, { s, p, o, g: 0, sign });
      forQuad(level.quadTriggers, p, o, this.#enter, -1);
      if ((++changes & 63) === 0) yield;
    }
  }

  /** The statement that came (+1) or went (-1) and is looked at; one at a time, and a closure for each would be garbage. */
  readonly #change = {
    level: undefined as Level | undefined,
    touched: new Set<Relation>(),
    s: 0,
    p: 0,
    o: 0,
    g: 0,
    sign: 1,
    /** Only atoms that are read modulo equality, or only others; undefined: all. */
    expanded: undefined as boolean | undefined,
  };
  #entered: AtomTrigger | undefined;

  /** The present change may concern the trigger. */
  readonly #enter = (trigger: Trigger): void => {
    const machine = this.#machine;
    const { level, s, p, o, g, expanded } = this.#change;
    if (expanded !== undefined && (trigger.atom.expanded ?? false) !== expanded) return;
    if (trigger.kind === "filter") {
      gatherStatementKeys(machine, trigger, s, p, o, g);
      level?.dirtySites.add(trigger.site);
      return;
    }
    machine.charge(trigger.rule);
    machine.ready(trigger.rule.slotCount);
    this.#entered = trigger;
    withStatement(machine, trigger.body, trigger.index, s, p, o, g, this.#solveEntered);
  };

  readonly #solveEntered = (): void => {
    this.#entered?.body.solve(this.#emitEntered);
  };

  readonly #emitEntered = (): void => {
    const { sign, touched } = this.#change;
    this.#emit((this.#entered as AtomTrigger).rule, sign * this.#machine.weight, touched);
  };

  *#runRelations(level: Level, touched: Set<Relation>): Generator<void, void> {
    if (level.relationTriggers.size === 0) return;
    const machine = this.#machine;
    const { tick } = machine;
    for (const relation of [...touched]) {
      const triggers = level.relationTriggers.get(relation);
      if (!triggers) continue;
      const count = relation.touchedCount(tick);
      for (let i = 0; i < count; i++) {
        const row = relation.touchedAt(i);
        const before = relation.before[row];
        const now = relation.weight[row];
        for (const trigger of triggers) {
          const bag = trigger.atom.reading === "bag";
          const change = bag ? Math.max(now, 0) - Math.max(before, 0) : (now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
          if (change === 0) continue;
          if (trigger.kind === "filter") {
            gatherKeys(machine, trigger, relation, row);
            level.dirtySites.add(trigger.site);
            continue;
          }
          machine.charge(trigger.rule);
          machine.ready(trigger.rule.slotCount);
          const unbind = bindRelationRow(machine, trigger.body, trigger.index, row);
          if (!unbind) continue;
          yield* trigger.body.solveSliced(
            () => this.#emit(trigger.rule, change * machine.weight, touched),
            () => {},
          );
          unbind();
        }
        if ((i & 63) === 63) yield;
      }
    }
  }

  #runSite(site: FilterSite, touched: Set<Relation>): void {
    const machine = this.#machine;
    solveSite(machine, site, () => {
      const change = filterChange(machine, site);
      if (change !== 0) this.#emit(site.rule, change * machine.weight, touched);
    });
  }

  #runMaintainers(level: Level, touched: Set<Relation>): void {
    const { tick } = this.#machine;
    // A group depends on its rows and on the instances: once for both.
    const concerned = new Set<GroupMaintainer | SliceMaintainer>();
    for (const relation of touched) {
      for (const maintainer of level.groups.get(relation) ?? []) concerned.add(maintainer);
      for (const maintainer of level.slices.get(relation) ?? []) concerned.add(maintainer);
    }
    for (const maintainer of concerned) if (maintainer.update(tick)) touched.add(maintainer.shape.target);
  }

  readonly #values: number[] = [];

  #emit(rule: CompiledRule, weight: number, touched: Set<Relation>): void {
    const machine = this.#machine;
    machine.spend(1);
    for (let h = 0; h < rule.heads.length; h++) {
      const { relation, guard } = rule.heads[h];
      if (guard && !guard(machine.frame)) continue;
      headValues(rule, h, machine, this.#values);
      if (relation instanceof Relation) {
        const { size } = relation;
        relation.change(this.#values, weight, machine.tick);
        touched.add(relation);
        if (relation.size > size) this.#budget.standingRow(rule);
      }
    }
  }

  #level(index: number): Level {
    while (this.#levels.length <= index) {
      this.#levels.push({
        rules: new Set(),
        quadTriggers: new Dispatch(this.#typePredicate),
        relationTriggers: new Map(),
        dirtySites: new Set(),
        groups: new Map(),
        slices: new Map(),
      });
    }
    return this.#levels[index];
  }
}

function push<K, T>(map: Map<K, T[]>, key: K, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function pull<K, T>(map: Map<K, T[]>, key: K, item: T): void {
  const list = map.get(key);
  const index = list?.indexOf(item) ?? -1;
  if (list && index >= 0) list.splice(index, 1);
  if (list?.length === 0) map.delete(key);
}
