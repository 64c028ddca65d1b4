/**
 * The engine: one writer, one order. Everything that stands is a rule; everything that happens is a delta.
 *
 * A *tick* is one step of change: quads and parameters change, recursive rules are brought to their fixpoint stage by
 * stage (fixpoint.ts, stratifier.ts), then the bag-valued results follow (levels.ts). A transaction is one or more ticks
 * whose net effect counts. Ticks stay undoable until they are sealed (durable); rows that died are reclaimed when no
 * unsealed tick and no pinned reader can see them.
 * No I/O, no clock but the one given, no randomness: same inputs, same order, same outputs.
 */
import { SensError, systemClock } from "../base/index.ts";
import type { Body, Frame, PipelinePlan, RuleShape } from "./body.ts";
import { CompiledBody } from "./compiled-body.ts";
import { CompiledRule } from "./compiled-rule.ts";
import type { EngineCore, Machinery, SolveOptions, TickJournal } from "./engine-core.ts";
import { Equality } from "./equality.ts";
import { evaluateOnce, evaluatePaced, type RowSink } from "./evaluate-once.ts";
import { Fixpoint } from "./fixpoint.ts";
import { Levels } from "./levels.ts";
import { Machine } from "./machine.ts";
import { AT, NOW } from "./mode.ts";
import { Pipeline } from "./pipeline.ts";
import { type QuadReader, QuadRelation, quadCount } from "./quad-relation.ts";
import { ALIVE } from "./quad-rows.ts";
import { Relation, type RelationJournal, type RelationOptions } from "./relation.ts";
import { NodeSet, type Producer, stratify } from "./stratifier.ts";
import type { EqualityOptions, TermEquality } from "./term-equality.ts";
import { Transaction } from "./transaction.ts";
import { type EngineLimits, TransactionBudget } from "./transaction-budget.ts";

export interface EngineOptions {
  /** Id of rdf:type: rules are dispatched by class too. */
  readonly typePredicate: number;
  /** Default-graph atoms read the union of all graphs. */
  readonly unionDefaultGraph?: boolean;
  readonly limits?: Partial<EngineLimits>;
  /** Memory that is kept beside the engine's and grows with it, for the limit of both: the terms. */
  readonly otherBytes?: () => number;
  /** Monotonic ms, for time limits; default the system's. */
  readonly now?: () => number;
  /** Predicates and classes of ontology axioms: they must not be derived through negation or aggregation. */
  readonly axiomPredicates?: readonly number[];
  readonly axiomClasses?: readonly number[];
  /** Rows are freed some at a time: whoever seals calls `reclaim` until there are no more. */
  readonly reclaimInSlices?: boolean;
  /** Terms may be equal; without it nothing is. */
  readonly equality?: EqualityOptions;
}

export interface Pin {
  readonly tick: number;
  release(): void;
}

/** What an evaluation keeps of the machine while others use it. */
interface EvaluationState {
  readonly frame: Frame;
  readonly rankLimit: number;
  at: number;
  weight: number;
  rank: number;
  stopped: boolean;
}

function newState(slotCount: number): EvaluationState {
  return { frame: new Int32Array(Math.max(64, slotCount)), rankLimit: ALIVE, at: 0, weight: 1, rank: 0, stopped: false };
}

const DEFAULT_LIMITS: EngineLimits = {
  derivationsMax: 20_000_000,
  standingRowsMax: 10_000_000,
  derivationRankMax: 100_000,
  inventionsMax: 256,
  transactionMs: 120_000,
  memoryBytesMax: 2 ** 40,
};

export class Engine implements EngineCore {
  readonly quads: QuadRelation;
  readonly machine: Machine;
  readonly fixpoint: Fixpoint;
  readonly levels: Levels;
  readonly budget: TransactionBudget;
  readonly typePredicate: number;
  /** Last finished tick. */
  tick = 0;
  /** Rows that one call of `reclaim` looks at: about 5 ms. Fewer in tests. */
  reclaimRows = 8192;
  readonly #now: () => number;
  readonly #pipelines = new Map<string, Pipeline>();
  readonly #relations = new Set<Relation>();
  /** Whose a relation is: of very many pipelines an undo concerns few. */
  readonly #owners = new Map<Relation, Pipeline>();
  readonly #axioms = new NodeSet();
  #touched: Relation[] = [];
  /** Pipelines whose final rule must wait for its inputs. */
  readonly #producing = new Set<Pipeline>();
  #nextRelation = 1;
  #nextInstance = 1;
  #nextUnique = 1;
  #unsealed: TickJournal[] = [];
  #sealed: TickJournal[] = [];
  readonly #reclaimsInSlices: boolean;
  /** Quads of the first sealed journal that are reclaimed already. */
  #reclaimed = 0;
  readonly #pins = new Map<number, number>();
  #running: Transaction | undefined;
  #evaluating = 0;
  /** Durable while a transaction ran; sealed when it ends. */
  #sealLater = 0;

  constructor(options: EngineOptions) {
    this.typePredicate = options.typePredicate;
    this.#now = options.now ?? systemClock.monotonicMs;
    this.#reclaimsInSlices = options.reclaimInSlices ?? false;
    this.quads = new QuadRelation(options.unionDefaultGraph ?? false);
    this.machine = new Machine(this.quads);
    if (options.equality)
      this.machine.equality = new Equality(
        this.machine,
        options.typePredicate,
        options.equality,
        (name, arity, of) => this.relation(name, arity, of),
        (relation, tick) => this.#journalsAfter(relation, tick),
      );
    const { otherBytes = () => 0 } = options;
    this.budget = new TransactionBudget(
      this.machine,
      { ...DEFAULT_LIMITS, ...options.limits },
      { now: this.#now, usedBytes: () => this.usedBytes + otherBytes(), rules: () => this.#rules() },
    );
    this.fixpoint = new Fixpoint(this.machine, options.typePredicate, this.budget);
    this.levels = new Levels(this.machine, options.typePredicate, this.budget);
    for (const p of options.axiomPredicates ?? []) this.#axioms.predicates.add(p);
    for (const c of options.axiomClasses ?? []) this.#axioms.classes.add(c);
  }

  /** A relation that lives until `dropRelation`. */
  relation(name: string, arity: number, options: RelationOptions = {}): Relation {
    const relation = new Relation(this.#nextRelation++, name, arity, options);
    relation.onFirstTouch = (touched) => this.#touched.push(touched);
    this.#relations.add(relation);
    return relation;
  }

  /** For Transaction: the relations touched since this was last asked. */
  takeTouched(): Relation[] {
    const touched = this.#touched;
    this.#touched = [];
    return touched;
  }

  /** What ticks after `tick`, the running one included, changed of a relation; oldest first. */
  *#journalsAfter(relation: Relation, tick: number): Iterable<RelationJournal> {
    for (const journals of [this.#sealed, this.#unsealed])
      for (const journal of journals)
        if (journal.tick > tick) for (const [changed, entry] of journal.relations) if (changed === relation) yield entry;
    const running = this.#running ? relation.journal(this.machine.tick) : undefined;
    if (running) yield running;
  }

  dropRelation(relation: Relation): void {
    this.#relations.delete(relation);
    this.#owners.delete(relation);
  }

  /** A rule without parameters that derives into set relations. Before data, or inside `Transaction.addRule`. */
  addRule(shape: RuleShape): CompiledRule {
    const rule = new CompiledRule(this.machine, shape, undefined, this.typePredicate, "set");
    this.fixpoint.rules.add(rule);
    return rule;
  }

  removeRule(rule: CompiledRule): void {
    this.fixpoint.rules.remove(rule);
  }

  nextInstance(): number {
    return this.#nextInstance++;
  }

  /** Gets or builds the machinery of a plan. Registering an instance is the transaction's work. */
  pipelineOf(plan: PipelinePlan): Pipeline {
    const known = this.#pipelines.get(plan.key);
    if (known) return known;
    const pipeline = new Pipeline(this, plan, (key) => {
      this.#pipelines.delete(key);
      this.#producing.delete(pipeline);
    });
    for (const relation of pipeline.relations) this.#owners.set(relation, pipeline);
    if (pipeline.producer) this.#producing.add(pipeline);
    const key = pipeline.exclusive ? `${plan.key}#${this.#nextUnique++}` : plan.key;
    pipeline.key = key;
    if (pipeline.producer) pipeline.producer.name = key;
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }

  get pipelines(): Iterable<Pipeline> {
    return this.#pipelines.values();
  }

  begin(): Transaction {
    if (this.#running) throw new SensError("SENS_INTERNAL", "A transaction is running already.");
    this.#running = new Transaction(this);
    return this.#running;
  }

  /** For Transaction: it ended. */
  ended(transaction: object): void {
    if (this.#running !== transaction) return;
    this.#running = undefined;
    if (this.#sealLater > 0) this.seal(this.#sealLater);
    else this.#reclaimAll();
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** For Transaction: a tick is complete. */
  recordTick(journal: TickJournal): void {
    this.tick = journal.tick;
    this.#unsealed.push(journal);
  }

  /** Takes back every unsealed tick after `tick`, newest first. */
  undoAfter(tick: number): void {
    const concerned = new Set<Machinery>();
    const forgetful = new Set<Pipeline>();
    while (this.#unsealed.length > 0 && (this.#unsealed.at(-1) as TickJournal).tick > tick) {
      const journal = this.#unsealed.pop() as TickJournal;
      for (const [relation, entry] of journal.relations) relation.undo(entry);
      if (journal.quads) this.quads.undo(journal.quads);
      for (const pipeline of journal.concerned) concerned.add(pipeline);
      for (const [relation] of journal.relations) {
        const owner = this.#owners.get(relation);
        if (owner) forgetful.add(owner);
      }
    }
    for (const pipeline of forgetful) pipeline.forget();
    this.machine.equality?.forget();
    // Only now: an older tick may have given an instance back. One that could still do so drops it when it is sealed.
    for (const pipeline of concerned) if (!this.#unsealed.some(({ unused }) => unused.includes(pipeline))) pipeline.dropIfUnused();
    this.tick = Math.max(tick, this.#unsealed.at(-1)?.tick ?? tick);
    if (this.#unsealed.length === 0) for (const relation of this.#relations) relation.sweep();
  }

  /** Ticks up to `tick` are durable: they are not undone any more, and their dead rows are freed when nobody reads them. */
  seal(tick: number): void {
    // A running transaction may rest between two pieces of work and still refer to rows and rules: it comes first.
    if (this.#running) {
      this.#sealLater = Math.max(this.#sealLater, tick);
      return;
    }
    this.#sealLater = 0;
    while (this.#unsealed.length > 0 && this.#unsealed[0].tick <= tick) {
      const journal = this.#unsealed.shift() as TickJournal;
      this.#sealed.push(journal);
      for (const pipeline of journal.unused) pipeline.dropIfUnused();
    }
    this.#reclaimAll();
  }

  /** Keeps the state of tick `at` (default: last finished) readable until released. */
  pin(at: number = this.tick): Pin {
    this.#pins.set(at, (this.#pins.get(at) ?? 0) + 1);
    let released = false;
    return {
      tick: at,
      release: () => {
        if (released) return;
        released = true;
        const count = (this.#pins.get(at) as number) - 1;
        if (count === 0) this.#pins.delete(at);
        else this.#pins.set(at, count);
        this.#reclaimAll();
      },
    };
  }

  #reclaimAll(): void {
    while (this.reclaim() && !this.#reclaimsInSlices);
  }

  /**
   * Frees some rows that nobody can see any more, so that a large removal does not hold up everybody when it is durable.
   * Answers whether there are more: call again, in a turn of its own.
   */
  reclaim(): boolean {
    if (this.#running) return false;
    let oldest = Number.POSITIVE_INFINITY;
    for (const tick of this.#pins.keys()) if (tick < oldest) oldest = tick;
    let left = this.reclaimRows;
    let done = 0;
    for (const journal of this.#sealed) {
      // A reader of tick t sees rows that died after t.
      if (journal.tick > oldest || left <= 0) break;
      const { quads } = journal;
      if (quads) {
        const from = this.#reclaimed;
        this.#reclaimed = this.quads.reclaim(quads, from, left);
        left -= this.#reclaimed - from;
        if (this.#reclaimed < quadCount(quads)) break;
      }
      for (const [relation, entry] of journal.relations) {
        relation.reclaim(entry);
        left -= entry.entries.length / 3;
      }
      this.#reclaimed = 0;
      done++;
    }
    if (done > 0) this.#sealed.splice(0, done);
    return left <= 0 && this.#sealed.length > 0 && this.#sealed[0].tick <= oldest;
  }

  /** For Transaction and Pipeline: stages of non-monotone producers. Throws SENS_NOT_STRATIFIED. */
  stratify(): { readonly producer: Producer; readonly pipeline: Pipeline; readonly stage: number }[] {
    const pipelines = [...this.#producing];
    if (pipelines.length === 0) return [];
    const producers = pipelines.map((pipeline) => pipeline.producer as Producer);
    const stages = stratify(producers, this.fixpoint.rules.index(), this.#axioms);
    return pipelines
      .map((pipeline) => {
        const producer = pipeline.producer as Producer;
        const stage = stages.get(producer) as number;
        producer.final.stage = stage;
        return { producer, pipeline, stage };
      })
      .sort((a, b) => a.stage - b.stage);
  }

  get producing(): ReadonlySet<Pipeline> {
    return this.#producing;
  }

  /** Monotonic ms. */
  now(): number {
    return this.#now();
  }

  /** Enumerates the solutions of a body; `emit` answers false to stop. Not to be called while a transaction's tick runs. */
  solve(body: Body, slotCount: number, options: SolveOptions, emit: (frame: Frame, weight: number) => boolean | void): void {
    const compiled = new CompiledBody(
      this.machine,
      body,
      new Set((options.preset ?? []).map(([slot]) => slot)),
      new Set((options.preset ?? []).map(([slot]) => slot)),
    );
    this.evaluation(options, slotCount, () => {
      const { machine } = this;
      compiled.setModes(options.at === undefined ? NOW : AT);
      machine.at = options.at ?? machine.tick;
      for (const [slot, value] of options.preset ?? []) machine.frame[slot] = value;
      let rows = 0;
      compiled.solve(() => {
        if (options.rowsMax !== undefined && ++rows > options.rowsMax)
          throw new SensError("SENS_TOO_MANY_ROWS", `The query has more than ${options.rowsMax} solutions. Narrow it or add LIMIT.`);
        if (emit(machine.frame, machine.weight) === false) machine.stopped = true;
      });
      machine.stopped = false;
      for (const [slot] of options.preset ?? []) machine.frame[slot] = 0;
    });
  }

  /** Evaluates a plan once; `emit` gets the output's values without the instance column, and the multiplicity. */
  evaluate(plan: PipelinePlan, options: SolveOptions, emit: (values: readonly number[], weight: number) => boolean | void): void {
    evaluateOnce(this, plan, options, emit);
  }

  /** As `evaluate`, with rests where it yields; `options.at` must be pinned until it ends. */
  evaluatePaced(plan: PipelinePlan, options: SolveOptions & { readonly at: number }, sink: RowSink): Generator<void, void> {
    return evaluatePaced(this, plan, options, sink);
  }

  /** Runs an evaluation under limits; evaluations may nest (a function of the query reads the store). */
  evaluation(options: SolveOptions, slotCount: number, run: () => void): void {
    this.#withState(newState(slotCount), options, run);
  }

  *pacedEvaluation(options: SolveOptions, slotCount: number, make: () => Generator<void, void>): Generator<void, void> {
    const state = newState(slotCount);
    let solutions: Generator<void, void> | undefined;
    for (;;) {
      let done = false;
      this.#withState(state, options, () => {
        this.machine.restAt = this.machine.work + this.machine.paceWork;
        solutions ??= make();
        done = solutions.next().done === true;
      });
      if (done) return;
      yield;
    }
  }

  /** Runs with the machine in a state of its own, which is kept in `state` for the next time. */
  #withState(state: EvaluationState, options: SolveOptions, run: () => void): void {
    const { machine } = this;
    if (this.#evaluating === 0 && !this.#running) machine.tick = this.tick;
    const { frame, at, weight, rank, rankLimit, stopped, checkLimits, work } = machine;
    const { deadlineMs, workMax, workExceeded } = options;
    // A reader's turn in a rest of a transaction is not the work of the rule that rests.
    const account = machine.charge(undefined);
    machine.checkLimits = () => {
      if (deadlineMs !== undefined && this.#now() > deadlineMs)
        throw new SensError("SENS_QUERY_TIMEOUT", "The query ran out of time. Narrow it, or give it more time.");
      if (workMax !== undefined && workExceeded && machine.work - work > workMax) throw workExceeded();
    };
    this.#evaluating++;
    Object.assign(machine, state);
    try {
      run();
    } finally {
      state.at = machine.at;
      state.weight = machine.weight;
      state.rank = machine.rank;
      state.stopped = machine.stopped;
      Object.assign(machine, { frame, at, weight, rank, rankLimit, stopped, checkLimits });
      machine.charge(account);
      this.#evaluating--;
    }
  }

  /** Which terms are equal; undefined where nothing can say so. */
  get equality(): TermEquality | undefined {
    return this.machine.equality;
  }

  /** Statements as queries see them, at a pinned tick or now: those of the default graph modulo equality of terms. */
  reader(at?: number): QuadReader {
    const { machine, quads } = this;
    const own = quads.reader(at);
    return {
      match: (s, p, o, g, emit) => {
        if (g !== undefined && g !== 0) return own.match(s, p, o, g, emit);
        const { equality } = machine;
        if (!equality?.active) return own.match(s, p, o, g, emit);
        let goesOn = true;
        this.evaluation({ at }, 0, () => {
          machine.at = at ?? machine.tick;
          for (const found of equality.statements.scan(s, p, o, at === undefined ? NOW : AT)) {
            goesOn = emit(found.s, found.p, found.o, 0) !== false;
            if (!goesOn) break;
          }
        });
        if (goesOn && g === undefined) own.match(s, p, o, undefined, (a, b, c, graph) => (graph === 0 ? true : emit(a, b, c, graph)));
      },
    };
  }

  /** Whether a statement is visible now; in the default graph modulo equality of terms. */
  isVisible(s: number, p: number, o: number, g: number): boolean {
    const { equality } = this.machine;
    return g === 0 && equality?.active ? equality.statements.holds(s, p, o, NOW) : this.quads.isVisible(s, p, o, g);
  }

  get memoryBytes(): number {
    let bytes = this.quads.memoryBytes;
    for (const relation of this.#relations) bytes += relation.memoryBytes;
    return bytes;
  }

  /** Of `memoryBytes` that of rows in use: what growing arrays have ahead is not touched yet, and is there for the next rows. */
  get usedBytes(): number {
    let bytes = this.quads.usedBytes;
    for (const relation of this.#relations) bytes += relation.usedBytes;
    return bytes;
  }

  /** All that stand. Most pipelines share the engine's levels. */
  *#rules(): Generator<CompiledRule> {
    yield* this.fixpoint.rules;
    for (const levels of new Set([this.levels, ...[...this.pipelines].map((pipeline) => pipeline.levels)])) yield* levels.rules;
  }

  get relations(): Iterable<Relation> {
    return this.#relations;
  }
}
