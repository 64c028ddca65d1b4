/**
 * Maintenance of recursive, set-valued relations: quads under axioms, rules and continuous insertions.
 *
 *     deletion:  a row that lost a reason dies unless another derivation with smaller premises is left; what it derived
 *                is looked at next; when nothing more dies, dead rows that still follow from what is left are revived.
 *     insertion: semi-naive; each new row is joined once with everything present.
 *
 * Ranks make the first test sound. Every derived row keeps rank(row) > rank of all premises of at least one of its
 * present derivations. A row is kept only if such a derivation is found among present rows; by induction over ranks
 * every kept row then has a proof from stated rows, so no circle of rows holds itself up. The test fails for rows whose
 * only other proofs are longer; those die and are revived with a new rank (as in DRed).
 * State: none between transactions but flags and ranks of rows. Cost of a deletion: the derivations of the rows that die,
 * plus one backward look-up per row that loses a derivation.
 * Source: Gupta, Mumick, Subrahmanian, "Maintaining views incrementally", SIGMOD 1993 (DRed); Motik, Nenov, Piro,
 * Horrocks, "Maintenance of Datalog materialisations revisited", AIJ 2019; ranks after the well-founded support of
 * Kotowski, Bry, Brodt, "Reasoning as axioms change", RR 2011.
 */
import { isBase } from "./bindings.ts";
import type { AtomTrigger, CompiledRule, FilterSite, Trigger } from "./compiled-rule.ts";
import { bindRelationRow, forQuad, gatherKeys, headValues, skipNegation, solveSite, withQuad } from "./delta-join.ts";
import { type Emission, Emissions } from "./emissions.ts";
import { IntegerList } from "./integer-list.ts";
import type { Machine } from "./machine.ts";
import { EITHER, type Mode, NOW } from "./mode.ts";
import { DERIVED, DERIVED_ANY, DERIVED_TRANSITIVELY, QuadRelation, STATED } from "./quad-relation.ts";
import { ALIVE } from "./quad-rows.ts";
import { RecursiveRules } from "./recursive-rules.ts";
import type { Relation } from "./relation.ts";
import { emptied } from "./relation-lists.ts";
import type { TransactionBudget } from "./transaction-budget.ts";

export class Fixpoint {
  readonly #machine: Machine;
  readonly #quads: QuadRelation;
  readonly #budget: TransactionBudget;
  readonly rules: RecursiveRules;

  /** Work lists of the running transaction: quad rows, and rows of other relations. */
  readonly #lostQuads = new IntegerList();
  /** Pairs: the row, and how many made-up values it took to get there in this transaction. */
  readonly #gainedQuads = new IntegerList();
  #invention = 0;
  #lostRows: [Relation, number][] = [];
  #gainedRows: [relation: Relation, row: number, inventions: number][] = [];
  #killed: number[] = [];
  #killedRows: [Relation, number][] = [];
  readonly #emissions = new Emissions();
  #stage = 0;

  constructor(machine: Machine, typePredicate: number, budget: TransactionBudget) {
    this.#machine = machine;
    this.#quads = machine.quads;
    this.#budget = budget;
    this.rules = new RecursiveRules(machine, typePredicate);
  }

  // ---- a transaction ----------------------------------------------------------------------------------------------

  begin(): void {
    this.#lostQuads.clear();
    this.#gainedQuads.clear();
    this.#invention = 0;
    this.#lostRows = emptied(this.#lostRows);
    this.#gainedRows = emptied(this.#gainedRows);
    this.#killed = emptied(this.#killed);
    this.#killedRows = emptied(this.#killedRows);
    this.#emissions.clear();
    this.#stage = 0;
    this.rules.forgetKeys();
    this.#machine.equality?.begin();
  }

  /** A stated row that became visible. */
  gainQuad(row: number): void {
    this.#gainedQuads.push2(row, 0);
  }

  /** A row whose stated reasons are gone: it stays if it is still derived and its base-ness did not depend on them. */
  loseStatedQuad(row: number): void {
    if (this.#quads.rows.flags(row) & DERIVED) return;
    this.#killQuad(row);
  }

  /** A row of a stated or parameter relation changed presence. */
  rowChanged(relation: Relation, row: number, present: boolean): void {
    if (this.rules.triggersOf(relation).length === 0) return;
    if (present) this.#gainedRows.push([relation, row, 0]);
    else this.#lostRows.push([relation, row]);
  }

  /** Propagates everything pending, with rules of stages up to `stage`. Yields between pieces of work. */
  *run(stage: number): Generator<void, void> {
    this.#stage = stage;
    const { equality } = this.#machine;
    for (;;) {
      yield* this.#propagateLosses();
      this.#revive();
      equality?.regather();
      yield* this.#propagateGains();
      if (!equality?.hasGained) return;
      for (const { relation, row, present } of equality.merge()) this.rowChanged(relation, row, present);
    }
  }

  /**
   * Brings non-monotone rules of `stage` up to date with what changed since the transaction began: candidates of loss
   * from every dead or negated change, gains from every present change and every key whose negation may have changed.
   */
  *seed(
    stage: number,
    rules: readonly CompiledRule[],
    quadRows: Iterable<number>,
    relationRows: readonly (readonly [Relation, number])[],
  ): Generator<void, void> {
    this.#stage = stage;
    const own = new Set(rules);
    for (const row of quadRows) {
      // Also a row that died and came back may have a larger rank now than what was derived from it.
      const wasThere = this.#quads.wasVisible(row, this.#machine.tick) || this.#quads.rows.died(row) !== ALIVE;
      const seed = (trigger: Trigger): void => {
        if (!own.has(trigger.rule)) return;
        if (trigger.kind === "filter") gatherKeys(this.#machine, trigger, undefined, row);
        else if (wasThere) this.#enterQuad(trigger, row, EITHER, this.#loseHeads);
      };
      forQuad(this.rules.triggers, this.#quads.rows.predicate(row), this.#quads.rows.object(row), seed, row);
      yield;
    }
    for (const [relation, row] of relationRows) {
      for (const trigger of this.rules.triggersOf(relation)) {
        if (!own.has(trigger.rule)) continue;
        if (trigger.kind === "filter") gatherKeys(this.#machine, trigger, relation, row);
        else yield* this.#enterRow(trigger, row, EITHER, this.#loseHeads);
      }
    }
    const keyed: { site: FilterSite; keys: Map<string, readonly number[]> }[] = [];
    for (const rule of rules) {
      for (const site of this.rules.sitesOf(rule)) {
        keyed.push({ site, keys: new Map(site.keys) });
        site.body.setModes(EITHER);
        skipOthers(site, true);
        solveSite(this.#machine, site, () => this.#loseHeads(rule));
        skipOthers(site, false);
        this.#judge();
        yield;
      }
    }
    yield* this.#propagateLosses();
    this.#revive();
    for (const row of quadRows) {
      if (this.#quads.rows.died(row) !== ALIVE) continue;
      const seed = (trigger: Trigger): void => {
        if (own.has(trigger.rule) && trigger.kind === "atom") this.#enterQuad(trigger, row, NOW, this.#emitHeads);
      };
      forQuad(this.rules.triggers, this.#quads.rows.predicate(row), this.#quads.rows.object(row), seed, row);
      this.#flush();
      yield;
    }
    for (const [relation, row] of relationRows) {
      if (relation.weight[row] <= 0) continue;
      for (const trigger of this.rules.triggersOf(relation))
        if (own.has(trigger.rule) && trigger.kind === "atom") yield* this.#enterRow(trigger, row, NOW, this.#emitHeads);
    }
    for (const { site, keys } of keyed) {
      for (const [name, key] of keys) site.keys.set(name, key);
      site.body.setModes(NOW);
      solveSite(this.#machine, site, () => {
        const filter = site.body.literals[site.index];
        if (filter.kind === "filter" && filter.test(this.#machine.frame, filter.check)) this.#emitHeads(site.rule);
      });
      this.#flush();
      yield;
    }
    yield* this.#propagateGains();
  }

  // ---- deletion ---------------------------------------------------------------------------------------------------

  *#propagateLosses(): Generator<void, void> {
    for (;;) {
      const row = this.#lostQuads.pop();
      if (row !== undefined) {
        forQuad(this.rules.triggers, this.#quads.rows.predicate(row), this.#quads.rows.object(row), this.#loseBy, row);
        yield;
        continue;
      }
      const lost = this.#lostRows.pop();
      if (!lost) {
        const changes = this.#machine.equality?.split() ?? [];
        if (changes.length === 0) return;
        for (const change of changes) this.rowChanged(change.relation, change.row, change.present);
        continue;
      }
      for (const trigger of this.rules.triggersOf(lost[0]))
        if (trigger.kind === "atom" && trigger.rule.stage <= this.#stage) yield* this.#enterRow(trigger, lost[1], EITHER, this.#loseHeads);
      yield;
    }
  }

  readonly #values: number[] = [];

  /** The present solution of `rule` may have gone: its heads need another reason. Runs inside an enumeration. */
  readonly #loseHeads = (rule: CompiledRule): void => {
    for (let h = 0; h < rule.heads.length; h++) {
      const { relation } = rule.heads[h];
      headValues(rule, h, this.#machine, this.#values);
      const [s, p, o, g] = this.#values;
      if (relation instanceof QuadRelation) {
        const row = this.#quads.find(s, p, o, g);
        if (row >= 0 && this.#quads.rows.died(row) === ALIVE) this.#suspects.push(row);
      } else {
        const row = relation.find(this.#values);
        const last = this.#suspectRows.at(-1);
        if (last && last[0] === relation && last[1] === row) continue;
        if (row >= 0 && relation.weight[row] > 0) this.#suspectRows.push([relation, row]);
      }
    }
  };

  readonly #loseBy = (trigger: Trigger, row: number): void => {
    if (trigger.kind === "atom" && trigger.rule.stage <= this.#stage) this.#enterQuad(trigger, row, EITHER, this.#loseHeads);
  };

  #suspects: number[] = [];
  #suspectRows: [Relation, number][] = [];

  /** Decides on the suspects of the enumeration that just ended. */
  #judge(): void {
    const { rows } = this.#quads;
    for (let row = this.#suspects.pop(); row !== undefined; row = this.#suspects.pop()) {
      if (this.#quads.rows.died(row) !== ALIVE) continue;
      const reasons = rows.flags(row);
      if ((reasons & DERIVED_ANY) === 0) continue;
      const kind = reasons & DERIVED ? DERIVED : DERIVED_TRANSITIVELY;
      if (this.rules.backward.deriveQuad(row, rows.rank(row), kind) >= 0) continue;
      if (reasons & STATED) {
        this.#quads.removeReason(row, DERIVED_ANY, this.#machine.tick);
        rows.setRank(row, 0);
      } else this.#killQuad(row);
    }
    for (let next = this.#suspectRows.pop(); next; next = this.#suspectRows.pop()) {
      const [relation, row] = next;
      if (relation.weight[row] <= 0 || this.rules.backward.deriveRow(relation, row, relation.rank[row]) >= 0) continue;
      relation.change(relation.values(row), -1, this.#machine.tick);
      this.#killedRows.push(next);
      this.#lostRows.push(next);
      if (relation === this.#machine.equality?.links) this.#machine.equality.lose(row);
    }
  }

  #killQuad(row: number): void {
    this.#quads.kill(row, this.#machine.tick);
    this.#killed.push(row);
    this.#lostQuads.push(row);
  }

  /**
   * Dead rows that follow from what is left come back, by rules of stages that have begun: what a later stage derives may
   * itself rest on the dead row, which only that stage finds out. Rows that stay dead are tried again in later stages.
   */
  #revive(): void {
    if (this.#killed.length === 0 && this.#killedRows.length === 0) return;
    const quads = this.#quads;
    const killed = this.#killed;
    this.#killed = [];
    for (const row of killed) {
      if (quads.rows.died(row) === ALIVE) continue;
      let kind: number = DERIVED;
      let rank = this.rules.backward.deriveQuad(row, ALIVE, DERIVED, this.#stage);
      if (rank < 0) {
        kind = DERIVED_TRANSITIVELY;
        rank = this.rules.backward.deriveQuad(row, ALIVE, DERIVED_TRANSITIVELY, this.#stage);
      }
      if (rank < 0) {
        this.#killed.push(row);
        continue;
      }
      quads.addReason(row, kind, rank + 1, this.#machine.tick);
      this.#gainedQuads.push2(row, 0);
    }
    const killedRows = this.#killedRows;
    this.#killedRows = [];
    for (const entry of killedRows) {
      const [relation, row] = entry;
      if (relation.weight[row] > 0) continue;
      const rank = this.rules.backward.deriveRow(relation, row, ALIVE, this.#stage);
      if (rank < 0) this.#killedRows.push(entry);
      else {
        relation.change(relation.values(row), 1, this.#machine.tick, rank + 1);
        this.#gainedRows.push([relation, row, 0]);
      }
    }
  }

  // ---- insertion --------------------------------------------------------------------------------------------------

  *#propagateGains(): Generator<void, void> {
    const quads = this.#quads;
    for (let next = 0; ; ) {
      if (next < this.#gainedQuads.length) {
        const row = this.#gainedQuads.at(next);
        this.#invention = this.#gainedQuads.at(next + 1);
        next += 2;
        if (quads.rows.died(row) === ALIVE) {
          forQuad(this.rules.triggers, quads.rows.predicate(row), quads.rows.object(row), this.#gainBy, row);
          if (this.#emissions.count > 0) this.#flush();
          if ((next & 127) === 0) yield;
        }
        continue;
      }
      this.#gainedQuads.clear();
      next = 0;
      const gained = this.#gainedRows.pop();
      if (!gained) return;
      if (gained[0].weight[gained[1]] <= 0) continue;
      if (gained[0] === this.#machine.equality?.links) this.#machine.equality.gain(gained[1]);
      this.#invention = gained[2];
      for (const trigger of this.rules.triggersOf(gained[0]))
        if (trigger.kind === "atom" && trigger.rule.stage <= this.#stage) yield* this.#enterRow(trigger, gained[1], NOW, this.#emitHeads);
      yield;
    }
  }

  /** Keeps the heads of the present solution for after the enumeration, which must not see relations change. */
  readonly #emitHeads = (rule: CompiledRule): void => {
    const machine = this.#machine;
    for (let h = 0; h < rule.heads.length; h++) {
      const { relation, guard } = rule.heads[h];
      if (guard && !guard(machine.frame)) continue;
      headValues(rule, h, machine, this.#values);
      const [s, p, o, g] = this.#values;
      if (relation instanceof QuadRelation) {
        if (this.#quads.isVisible(s, p, o, g)) continue;
      } else if (relation.has(this.#values)) continue;
      const inventions = this.#invention + (rule.invents ? 1 : 0);
      this.#emissions.add(rule, h, rule.instanceIn(machine.frame), machine.rank, inventions, this.#values);
    }
    this.#budget.pending(rule, this.#emissions.count);
  };

  readonly #gainBy = (trigger: Trigger, row: number): void => {
    if (trigger.kind === "atom" && trigger.rule.stage <= this.#stage) this.#enterQuad(trigger, row, NOW, this.#emitHeads);
  };

  #flush(): void {
    this.#emissions.take(this.#apply);
  }

  readonly #apply = (emission: Emission): void => {
    const { rule, head, rank, inventions, values } = emission;
    const { relation, transitive = false } = rule.heads[head];
    const { tick } = this.#machine;
    if (relation instanceof QuadRelation) {
      const row = relation.rowFor(values[0], values[1], values[2], values[3], tick, transitive);
      if (relation.isAlive(row)) return;
      relation.addReason(row, transitive ? DERIVED_TRANSITIVELY : DERIVED, rank + 1, tick);
      this.#gainedQuads.push2(row, inventions);
    } else {
      const row = relation.find(values);
      if (row >= 0 && relation.weight[row] > 0) return;
      this.#gainedRows.push([relation, relation.change(values, 1, tick, rank + 1), inventions]);
    }
    this.#budget.derived(emission);
  };

  // ---- entering ---------------------------------------------------------------------------------------------------

  /** The enumeration that is going on; there is one at a time, and closures made for each would be most of the garbage. */
  #rule: CompiledRule | undefined;
  #body: CompiledRule["backward"] | undefined;
  #visit: (rule: CompiledRule) => void = () => {};
  /** The first solution is enough. */
  #isDecided = false;

  readonly #found = (): void => {
    this.#visit(this.#rule as CompiledRule);
    if (this.#isDecided) this.#machine.stopped = true;
  };

  readonly #solveBody = (): void => {
    this.#body?.solve(this.#found);
  };

  #enter({ rule, body, decided }: AtomTrigger, mode: Mode, visit: (rule: CompiledRule) => void): void {
    const machine = this.#machine;
    machine.charge(rule);
    machine.ready(rule.slotCount);
    body.setModes(mode);
    this.#rule = rule;
    this.#body = body;
    this.#visit = visit;
    this.#isDecided = decided;
  }

  #enterQuad(trigger: AtomTrigger, row: number, mode: Mode, visit: (rule: CompiledRule) => void): void {
    const machine = this.#machine;
    const { body, index, rule } = trigger;
    const atom = body.literals[index];
    if (atom.kind === "quad" && atom.base && !isBase(this.#quads.rows.flags(row), mode)) return;
    this.#enter(trigger, mode, visit);
    machine.rank = this.#quads.rows.rank(row);
    const negated = mode === EITHER && !rule.monotone;
    if (negated) skipNegation(body, false);
    withQuad(machine, body, index, row, mode, this.#solveBody);
    if (negated) skipNegation(body, true);
    machine.stopped = false;
    if (mode === EITHER) this.#judge();
  }

  /** As #enterQuad, for a row of another relation; pauses when very much joins with it. */
  *#enterRow(trigger: Trigger, row: number, mode: Mode, visit: (rule: CompiledRule) => void): Generator<void, void> {
    if (trigger.kind !== "atom") return;
    const machine = this.#machine;
    const { body, index, rule } = trigger;
    this.#enter(trigger, mode, visit);
    machine.rank = (trigger.atom.relation as Relation).rank[row];
    const unbind = bindRelationRow(machine, body, index, row);
    if (unbind) {
      const negated = mode === EITHER && !rule.monotone;
      if (negated) skipNegation(body, false);
      const { rank } = machine;
      // Emissions are applied between slices, losses judged only at the end: judging evaluates other bodies on this frame.
      yield* body.solveSliced(this.#found, () => {
        if (mode === EITHER) return;
        this.#flush();
        machine.rank = rank;
      });
      machine.stopped = false;
      if (negated) skipNegation(body, true);
      unbind();
    }
    if (mode === EITHER) this.#judge();
    else this.#flush();
  }
}

/** While losses of a site are looked for, its other filters over sub-bodies do not decide. */
function skipOthers(site: FilterSite, skip: boolean): void {
  for (let i = 0; i < site.body.literals.length; i++) {
    const literal = site.body.literals[i];
    if (i === site.index || literal.kind !== "filter" || literal.exists.length === 0) continue;
    if (skip) site.body.markDone(i);
    else site.body.unmarkDone(i);
  }
}
