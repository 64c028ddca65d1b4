/**
 * One transaction: changes are staged, `settle` brings everything up to date, and again for the next operation of the
 * same request; net effects count. A failure leaves everything as it was before the transaction began.
 */
import type { EngineCore, TickJournal } from "./engine-core.ts";
import type { Pipeline } from "./pipeline.ts";
import { ASSERTED, BASE, IN_NAMED_GRAPH, STATED, SUPPLIED, VISIBLE } from "./quad-relation.ts";
import { ALIVE } from "./quad-rows.ts";
import type { Relation, RelationJournal } from "./relation.ts";

/** Net change of one quad. */
export interface QuadChange {
  readonly s: number;
  readonly p: number;
  readonly o: number;
  readonly g: number;
  /** +1, -1 or 0: change of the client's assertion. */
  readonly asserted: number;
  /** +1, -1 or 0: change of visibility. */
  readonly visible: number;
  /** +1, -1 or 0: change of visibility by derivation or ontology documents alone. */
  readonly derived: number;
}

export class Transaction {
  readonly #engine: EngineCore;
  /** The first tick of this transaction: `undoAfter(firstTick - 1)` takes it back. */
  readonly firstTick: number;
  #tick: number;
  /** Rows that lost a stated reason; some may be there twice. */
  #stateChanged: number[] = [];
  #touched = new Set<Relation>();
  #concerned = new Set<Pipeline>();
  #paramRows: [Relation, number][] = [];
  #finished: TickJournal[] = [];
  #unused: Pipeline[] = [];
  #open = true;

  constructor(engine: EngineCore) {
    this.#engine = engine;
    this.firstTick = engine.tick + 1;
    this.#tick = this.firstTick;
    engine.machine.tick = this.#tick;
    engine.budget.begin(this.firstTick);
    engine.fixpoint.begin();
  }

  /** Last tick of this transaction; what readers after it see. */
  get tick(): number {
    return this.#engine.tick;
  }

  // ---- staging ----------------------------------------------------------------------------------------------------

  /** States a quad; answers whether the assertion is new. */
  assert(s: number, p: number, o: number, g: number): boolean {
    const { quads } = this.#engine;
    const row = quads.rowFor(s, p, o, g, this.#tick);
    if (quads.rows.died(row) === ALIVE && quads.rows.flags(row) & ASSERTED) return false;
    this.#engine.budget.stated();
    this.#state(row, ASSERTED);
    if (g !== 0 && quads.unionDefaultGraph) this.#support(s, p, o, IN_NAMED_GRAPH, 1);
    return true;
  }

  /** Withdraws a quad's assertion; answers whether there was one. */
  retract(s: number, p: number, o: number, g: number): boolean {
    const { quads } = this.#engine;
    const row = quads.find(s, p, o, g);
    if (row < 0 || quads.rows.died(row) !== ALIVE || (quads.rows.flags(row) & ASSERTED) === 0) return false;
    quads.removeReason(row, ASSERTED, this.#tick);
    this.#stateChanged.push(row);
    if (g !== 0 && quads.unionDefaultGraph) this.#support(s, p, o, IN_NAMED_GRAPH, -1);
    return true;
  }

  /** An ontology document supplies a triple; several may. */
  supply(s: number, p: number, o: number): void {
    this.#engine.budget.stated();
    this.#support(s, p, o, SUPPLIED, 1);
  }

  withdraw(s: number, p: number, o: number): void {
    this.#support(s, p, o, SUPPLIED, -1);
  }

  /** A row that was derived by transitivity alone becomes base: rules that read base rows must see it come, too. */
  #state(row: number, reason: number): void {
    const { quads } = this.#engine;
    const wasBase = quads.rows.died(row) === ALIVE && (quads.rows.flags(row) & BASE) !== 0;
    quads.addReason(row, reason, 0, this.#tick);
    if (!wasBase) this.#engine.fixpoint.gainQuad(row);
  }

  #support(s: number, p: number, o: number, reason: typeof SUPPLIED | typeof IN_NAMED_GRAPH, delta: 1 | -1): void {
    const { quads } = this.#engine;
    const row = quads.rowFor(s, p, o, 0, this.#tick);
    const { now } = quads.changeSupport(row, reason, delta, this.#tick);
    if (delta > 0 && now === 1) {
      this.#state(row, reason);
    } else if (delta < 0 && now === 0) {
      quads.removeReason(row, reason, this.#tick);
      this.#stateChanged.push(row);
    }
  }

  /** Changes a stated row of another relation (facts of rule programs). */
  change(relation: Relation, values: readonly number[], delta: 1 | -1): void {
    const before = relation.find(values);
    const was = before >= 0 && relation.weight[before] > 0;
    if (delta > 0 ? was : !was) return;
    this.#paramRows.push([relation, relation.change(values, delta, this.#tick)]);
    this.#touched.add(relation);
  }

  /** Registers a standing query; equal ones share an instance, counted in the weight of its parameter row. */
  addInstance(pipeline: Pipeline, constants: readonly number[]): number {
    const id = pipeline.instanceWith(constants) || this.#engine.nextInstance();
    this.#engine.budget.stated();
    const row = this.#changeInstance(pipeline, [id, ...constants], 1);
    if (pipeline.parameters.weight[row] === 1) this.#paramRows.push([pipeline.parameters, row]);
    return id;
  }

  /** Takes one registration back; the instance goes with its last. */
  removeInstance(pipeline: Pipeline, id: number): void {
    const known = pipeline.rowOf(id);
    if (known < 0) return;
    const row = this.#changeInstance(pipeline, pipeline.parameters.values(known), -1);
    if (pipeline.parameters.weight[row] > 0) return;
    this.#paramRows.push([pipeline.parameters, row]);
    this.#unused.push(pipeline);
  }

  #changeInstance(pipeline: Pipeline, values: readonly number[], delta: 1 | -1): number {
    this.#touched.add(pipeline.parameters);
    this.#concerned.add(pipeline);
    return pipeline.parameters.change(values, delta, this.#tick);
  }

  // ---- running ----------------------------------------------------------------------------------------------------

  /**
   * Brings everything up to date with what was staged. Yields between pieces of work, so that the caller can let others
   * run. Throws SensError when a limit is reached or an order of strata does not exist; then call `rollback`.
   */
  *settle(): Generator<void, void> {
    const engine = this.#engine;
    const { quads, fixpoint, machine, budget } = engine;
    const tick = this.#tick;
    machine.tick = tick;
    machine.checkLimits = () => budget.check();
    budget.checkMemory();
    for (const row of this.#stateChanged)
      if (quads.rows.died(row) === ALIVE && (quads.rows.flags(row) & STATED) === 0) fixpoint.loseStatedQuad(row);
    for (const [relation, row] of this.#paramRows) fixpoint.rowChanged(relation, row, relation.weight[row] > 0);
    this.#stateChanged = [];
    this.#paramRows = [];
    if (engine.producing.size > 0) yield* this.#settleWithProducers(tick);
    else yield* fixpoint.run(0);
    if (!engine.levels.isEmpty) {
      const rows = this.#quadRows();
      yield* engine.levels.run(rows, rows.length, this.#touched);
    }
    this.#finishTick();
  }

  *#settleWithProducers(tick: number): Generator<void, void> {
    const { fixpoint } = this.#engine;
    for (const { final } of this.#engine.producing) if (final) final.stage = 1;
    yield* fixpoint.run(0);
    // Axioms are final now: the order of producers follows from them.
    const order = this.#engine.stratify();
    for (let i = 0; i < order.length; ) {
      const { stage } = order[i];
      const group = [];
      for (; i < order.length && order[i].stage === stage; i++) group.push(order[i]);
      const rows = this.#quadRows();
      for (const { pipeline } of group) yield* pipeline.levels.run(rows, rows.length, this.#touched);
      const members = this.#engine.machine.equality?.members;
      if (members && members.touchedCount(tick) > 0) this.#touched.add(members);
      const relationRows: [Relation, number][] = [];
      for (const relation of this.#touched) {
        const count = relation.touchedCount(tick);
        for (let at = 0; at < count; at++) relationRows.push([relation, relation.touchedAt(at)]);
      }
      yield* fixpoint.seed(
        stage,
        group.map(({ producer }) => producer.final),
        rows,
        relationRows,
      );
      yield* fixpoint.run(stage);
    }
  }

  #quadRows(): Int32Array {
    const { quads } = this.#engine;
    const count = quads.touchedCount(this.#tick);
    const rows = new Int32Array(count);
    for (let i = 0; i < count; i++) rows[i] = quads.touchedAt(i);
    return rows;
  }

  #finishTick(): void {
    const engine = this.#engine;
    const tick = this.#tick;
    const relations: [Relation, RelationJournal][] = [];
    for (const relation of engine.takeTouched()) {
      const journal = relation.journal(tick);
      if (journal) relations.push([relation, journal]);
    }
    const journal: TickJournal = {
      tick,
      quads: engine.quads.finish(tick),
      relations,
      concerned: [...this.#concerned],
      unused: this.#unused,
    };
    this.#finished.push(journal);
    engine.recordTick(journal);
    if (this.#concerned.size > 0) this.#concerned = new Set();
    this.#unused = [];
    if (this.#touched.size > 0) this.#touched = new Set();
    this.#tick = tick + 1;
    engine.machine.tick = this.#tick;
    engine.fixpoint.begin();
  }

  /** Ends the transaction; its ticks stay undoable until the engine seals them. */
  commit(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#engine.ended(this);
  }

  /** Takes everything back, also after an exception out of `settle`. */
  rollback(): void {
    if (!this.#open) return;
    const engine = this.#engine;
    engine.machine.recover();
    for (const rule of engine.fixpoint.rules) rule.reset();
    engine.levels.reset();
    for (const pipeline of engine.pipelines) pipeline.reset();
    this.#finishTick();
    engine.undoAfter(this.firstTick - 1);
    this.#open = false;
    engine.ended(this);
    engine.fixpoint.begin();
  }

  // ---- results ----------------------------------------------------------------------------------------------------

  /** Net changes of quads, found as they are asked for. */
  *quadChanges(): Generator<QuadChange, void> {
    const journals = this.#finished.flatMap((journal) => journal.quads ?? []);
    const { quads } = this.#engine;
    const now = (row: number): number => (quads.rows.died(row) === ALIVE ? quads.rows.flags(row) & VISIBLE : 0);
    const seen = new Map<string, number>();
    for (const { entries, tick } of journals) {
      for (let i = 0; i < entries.length; i += 5) {
        const row = entries[i];
        const before = entries[i + 1] < tick && entries[i + 2] === ALIVE ? entries[i + 3] & VISIBLE : 0;
        if (journals.length === 1) {
          const change = changeOf(quads, row, before, now(row));
          if (change) yield change;
          continue;
        }
        const key = `${quads.rows.subject(row)},${quads.rows.predicate(row)},${quads.rows.object(row)},${quads.rows.graph(row)}`;
        if (!seen.has(key)) seen.set(key, before);
      }
    }
    for (const [key, before] of seen) {
      const [s, p, o, g] = key.split(",").map(Number);
      const row = quads.find(s, p, o, g);
      const change = row < 0 ? undefined : changeOf(quads, row, before, now(row));
      if (change) yield change;
    }
  }

  /** Net changes of a relation's weights. */
  delta(relation: Relation): { readonly values: number[]; readonly before: number; readonly after: number }[] {
    const first = new Map<number, number>();
    for (const journal of this.#finished) {
      for (const [changed, { entries }] of journal.relations) {
        if (changed !== relation) continue;
        for (let i = 0; i < entries.length; i += 3) if (!first.has(entries[i])) first.set(entries[i], entries[i + 1]);
      }
    }
    const changes: { values: number[]; before: number; after: number }[] = [];
    for (const [row, before] of first) {
      const after = relation.weight[row];
      if (before !== after) changes.push({ values: relation.values(row), before, after });
    }
    return changes;
  }

  /** Relations that changed. */
  changedRelations(): Set<Relation> {
    return new Set(this.#finished.flatMap((journal) => journal.relations.map(([relation]) => relation)));
  }
}

function changeOf(quads: EngineCore["quads"], row: number, before: number, after: number): QuadChange | undefined {
  const asserted = (after & ASSERTED ? 1 : 0) - (before & ASSERTED ? 1 : 0);
  const visible = (after !== 0 ? 1 : 0) - (before !== 0 ? 1 : 0);
  if (asserted === 0 && visible === 0) return undefined;
  const derived = (before | after) & (ASSERTED | IN_NAMED_GRAPH) ? 0 : visible;
  return {
    s: quads.rows.subject(row),
    p: quads.rows.predicate(row),
    o: quads.rows.object(row),
    g: quads.rows.graph(row),
    asserted,
    visible,
    derived,
  };
}
