/**
 * Standing queries, each evaluated once however many subscriptions, waits and insertions share it.
 *
 *     (plan key, constants) -> StandingQuery -> one instance of an engine pipeline, or a kept result that is re-evaluated
 *
 * State: one entry per distinct query in use, and at most `IDLE_MAX` that nobody uses: a worker that asks again and again
 * finds its query still maintained. Queries are made and dropped by the writer, inside engine transactions.
 * Delta of a query in a transaction: rows whose weight became positive, rows whose weight ceased to be.
 */
import { LIMITS, SensError } from "../base/index.ts";
import type { Pipeline, Transaction } from "../engine/index.ts";
import { Relation } from "../engine/index.ts";
import type { GraphText } from "../protocol/index.ts";
import { ScratchTerms, type TermTable } from "../rdf/index.ts";
import { executeQuery, type IncrementalPlan, parseQuery, planStanding, type StandingPlan } from "../sparql/index.ts";
import { rowsOfThree, type Triple, triplesText, writeTriples } from "./graph-text.ts";
import type { Kernel } from "./kernel.ts";
import type { Step } from "./step.ts";
import { TripleCounts } from "./triple-counts.ts";

const IDLE_MAX = 256;
/** Planned texts that are remembered, of at most so many characters: workers ask the same again and again. */
const PLANNED_MAX = 2_048;
const PLANNED_TEXT_MAX = 4_096;

/** A query that passed all checks, ready to be registered. */
export interface PlannedQuery {
  readonly key: string;
  readonly text: string;
  readonly plan: StandingPlan;
  /** It reads graphs that it names: GRAPH, or FROM. */
  readonly namesGraph: boolean;
  /** It names terms that nobody stored, and the dictionary shall not grow for it: it can be evaluated once, not kept. */
  readonly once?: true;
}

/** Net change of a result in one transaction; texts are made when first asked for, once for all who share it. */
export class Delta {
  readonly added: Triple[] = [];
  readonly removed: Triple[] = [];
  /** By how many triples the result graph grew. */
  growth = 0;
  readonly #kernel: Kernel;
  /** Whole solutions may share triples. */
  readonly #shares: boolean;
  #addedText: GraphText | undefined;
  #removedText: GraphText | undefined;

  constructor(kernel: Kernel, shares: boolean) {
    this.#kernel = kernel;
    this.#shares = shares;
  }

  get addedText(): GraphText {
    this.#addedText ??= this.#textOf(this.added);
    return this.#addedText;
  }

  get removedText(): GraphText {
    this.#removedText ??= this.#textOf(this.removed);
    return this.#removedText;
  }

  /** Makes the texts in steps; yields where others may have a turn. */
  *writeTexts(): Generator<void> {
    this.#addedText ??= yield* writeTriples(this.#told(this.added), this.#kernel.terms);
    this.#removedText ??= yield* writeTriples(this.#told(this.removed), this.#kernel.terms);
  }

  #textOf(triples: readonly Triple[]): GraphText {
    return triplesText(this.#told(triples), this.#kernel.terms);
  }

  #told(triples: readonly Triple[]): Iterable<Triple> {
    return this.#shares ? distinct(triples) : triples;
  }
}

/** Who uses a standing query. */
export interface Watcher {
  /** The texts of a delta are needed as soon as it is told. */
  readonly writesTexts?: boolean;
  /** Its result changed in the transaction that is being processed. */
  changed(query: StandingQuery, delta: Delta, step: Step): void;
  /** It cannot be evaluated any longer. */
  ended(error: SensError): void;
}

export class StandingQuery {
  readonly key: string;
  readonly text: string;
  readonly plan: StandingPlan;
  readonly watchers = new Set<Watcher>();
  /** Registered uses; with 0 it is idle. */
  users = 0;
  pipeline: Pipeline | undefined;
  instance = 0;
  /** Re-evaluated ones: the result after the last applied transaction. */
  kept: ReadonlyMap<string, Triple> = new Map();
  readonly #kernel: Kernel;
  /** Where solutions may share triples; from when its size was first asked for. */
  #counts: TripleCounts | undefined;
  #textTick = -1;
  #text: GraphText | undefined;

  constructor(kernel: Kernel, planned: PlannedQuery) {
    this.#kernel = kernel;
    this.key = planned.key;
    this.text = planned.text;
    this.plan = planned.plan;
  }

  get output(): Relation | undefined {
    const output = this.pipeline?.shape.output;
    return output instanceof Relation ? output : undefined;
  }

  /** Result triples after the last applied transaction. Between transactions only. */
  *triples(): Generator<Triple, void, undefined> {
    if (this.plan.mode === "re-evaluated") {
      yield* this.kept.values();
      return;
    }
    const { instantiate } = this.plan;
    for (const { values } of this.output?.rows(this.instance) ?? []) {
      if (instantiate) yield* instantiate(values.slice(1));
      else yield values.slice(1);
    }
  }

  /** Triples of the result graph after the last applied transaction. Between transactions only. */
  size(): number {
    if (this.plan.mode === "re-evaluated") return this.kept.size;
    if (this.plan.instantiate) return this.#counted().size;
    let size = 0;
    for (const _ of this.triples()) size++;
    return size;
  }

  #counted(): TripleCounts {
    if (!this.#counts) {
      this.#counts = new TripleCounts();
      this.#counts.change(this.triples(), []);
    }
    return this.#counts;
  }

  /** Told of its delta in a transaction that was applied. */
  grew(delta: Delta): void {
    const before = this.#counts?.size;
    this.#counts?.change(delta.added, delta.removed);
    delta.growth = before === undefined ? delta.added.length - delta.removed.length : (this.#counts as TripleCounts).size - before;
  }

  /** The transaction was taken back. */
  shrank(delta: Delta): void {
    this.#counts?.change(delta.removed, delta.added);
  }

  get isEmpty(): boolean {
    return this.triples().next().done === true;
  }

  has(s: number, p: number, o: number): boolean {
    if (this.plan.mode === "re-evaluated") return this.kept.has(`${s} ${p} ${o}`);
    const output = this.output;
    const row = output?.find([this.instance, s, p, o]) ?? -1;
    return row >= 0 && (output as Relation).weight[row] > 0;
  }

  /** The result as text, each triple once. Between transactions only. */
  graph(): GraphText {
    const { tick } = this.#kernel.engine;
    if (this.#textTick !== tick || !this.#text) {
      this.#text = triplesText(
        this.plan.mode === "incremental" && this.plan.instantiate ? distinct(this.triples()) : this.triples(),
        this.#kernel.terms,
      );
      this.#textTick = tick;
    }
    return this.#text;
  }

  /** The undo of a transaction makes the text of a tick untrue. */
  forgetText(): void {
    this.#textTick = -1;
  }
}

export class StandingQueries {
  readonly #kernel: Kernel;
  readonly #byKey = new Map<string, StandingQuery>();
  readonly #byOutput = new Map<Relation, Map<number, StandingQuery>>();
  readonly #reEvaluated = new Set<StandingQuery>();
  readonly #idle = new Set<StandingQuery>();
  readonly #planned = new Map<string, PlannedQuery>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Checks and plans a CONSTRUCT. Throws what `parseQuery` and `planStanding` throw, and SENS_QUERY_FORM for other forms. */
  plan(text: string, purpose: "subscription" | "solutions"): PlannedQuery {
    const cacheKey = cacheKeyOf(text, purpose);
    const known = this.#planned.get(cacheKey);
    if (known) return known;
    const planned = this.#planAnew(text, purpose, this.#kernel.terms);
    if (this.#planned.size >= PLANNED_MAX) this.#planned.delete(this.#planned.keys().next().value as string);
    if (text.length <= PLANNED_TEXT_MAX) this.#planned.set(cacheKey, planned);
    return planned;
  }

  /** As `plan`, for who asks only once: what names terms that nobody stored is checked, and not kept. */
  planOnce(text: string): PlannedQuery {
    const purpose = "subscription";
    if (!this.#planned.has(cacheKeyOf(text, purpose))) {
      const scratch = new ScratchTerms(this.#kernel.terms);
      const planned = this.#planAnew(text, purpose, scratch);
      if (scratch.hasOwn) return { ...planned, once: true };
    }
    return this.plan(text, purpose);
  }

  #planAnew(text: string, purpose: "subscription" | "solutions", terms: TermTable): PlannedQuery {
    const parsed = parseQuery(text);
    if (parsed.form !== "construct")
      throw new SensError(
        "SENS_QUERY_FORM",
        `This operation takes a CONSTRUCT query, not ${parsed.form.toUpperCase()}. Rewrite it as CONSTRUCT.`,
      );
    const { engine, counters } = this.#kernel;
    const plan = planStanding(parsed, { terms, quads: engine.quads, purpose, onLeftOut: () => counters.leftOut++ });
    const key = plan.mode === "incremental" ? `${plan.plan.key}\n${plan.plan.constants.join()}` : `${purpose}\n${text}`;
    return { key, text, plan, namesGraph: namesGraph(parsed.algebra) };
  }

  get inUse(): number {
    return this.#byKey.size - this.#idle.size;
  }

  get idle(): number {
    return this.#idle.size;
  }

  get reEvaluated(): Iterable<StandingQuery> {
    return this.#reEvaluated;
  }

  /** Ticks were taken back and will be given again. */
  forgetTexts(): void {
    for (const query of this.#byKey.values()) query.forgetText();
  }

  find(key: string): StandingQuery | undefined {
    return this.#byKey.get(key);
  }

  /** The query in the registry, if it is there; counts the use. */
  reuse(planned: PlannedQuery): StandingQuery | undefined {
    const query = this.#byKey.get(planned.key);
    if (!query) return undefined;
    query.users++;
    this.#idle.delete(query);
    return query;
  }

  /** Makes a query in a transaction; `admit` it when that is committed. */
  stage(planned: PlannedQuery, transaction: Transaction): StandingQuery {
    const query = new StandingQuery(this.#kernel, planned);
    const { plan } = planned;
    if (plan.mode === "incremental") {
      query.pipeline = this.#kernel.engine.pipelineOf(plan.plan);
      query.instance = transaction.addInstance(query.pipeline, plan.plan.constants);
    }
    return query;
  }

  admit(query: StandingQuery): void {
    query.users++;
    this.#byKey.set(query.key, query);
    if (query.plan.mode === "re-evaluated") this.#reEvaluated.add(query);
    const { output } = query;
    if (!output) return;
    let instances = this.#byOutput.get(output);
    if (!instances) {
      instances = new Map();
      this.#byOutput.set(output, instances);
    }
    instances.set(query.instance, query);
  }

  /**
   * One use less; answers the queries to drop now, in an engine transaction. `keepWarm`: it may be asked for again soon;
   * one that is re-evaluated would cost an evaluation per change meanwhile, and costs one to make again.
   */
  giveBack(query: StandingQuery, keepWarm: boolean): StandingQuery[] {
    if (--query.users > 0 || this.#byKey.get(query.key) !== query) return [];
    this.#idle.add(query);
    if (!keepWarm || query.plan.mode === "re-evaluated") return [query];
    if (this.#idle.size <= IDLE_MAX) return [];
    const [oldest] = this.#idle;
    this.#idle.delete(oldest);
    return [oldest];
  }

  /** Takes it out of the registry; the engine's instance is the caller's work. */
  remove(query: StandingQuery): void {
    if (this.#byKey.get(query.key) === query) this.#byKey.delete(query.key);
    this.#idle.delete(query);
    this.#reEvaluated.delete(query);
    const { output } = query;
    const instances = output && this.#byOutput.get(output);
    if (!output || !instances) return;
    instances.delete(query.instance);
    if (instances.size === 0) this.#byOutput.delete(output);
  }

  /** Undo of `remove`: it is in the registry again, without users. */
  restore(query: StandingQuery): void {
    this.admit(query);
    query.users--;
    if (query.users === 0) this.#idle.add(query);
  }

  /** Net changes of the maintained results in a committed transaction; yields where the writer may rest. */
  *deltasOf(transaction: Transaction): Generator<void, Map<StandingQuery, Delta>> {
    const deltas = new Map<StandingQuery, Delta>();
    if (this.#byOutput.size === 0) return deltas;
    for (const relation of transaction.changedRelations()) {
      const instances = this.#byOutput.get(relation);
      if (!instances) continue;
      for (const { values, before, after } of transaction.delta(relation)) {
        yield;
        if (before > 0 === after > 0) continue;
        const query = instances.get(values[0]);
        if (!query) continue;
        const delta = deltaFor(deltas, query, this.#kernel);
        const list = after > 0 ? delta.added : delta.removed;
        const { instantiate } = query.plan as IncrementalPlan;
        if (instantiate) list.push(...instantiate(values.slice(1)));
        else list.push(values.slice(1));
      }
    }
    return deltas;
  }

  /** Evaluates a re-evaluated query at the engine's present tick. */
  async evaluate(query: StandingQuery): Promise<ReadonlyMap<string, Triple>> {
    this.#kernel.counters.reEvaluations++;
    const triples = new Map<string, Triple>();
    for (const triple of await this.#resultOf(query.text, this.#kernel.terms)) triples.set(triple.join(" "), triple);
    return triples;
  }

  /** The result of a query that is not kept, at the engine's present tick. In the writer only. */
  async evaluateOnce(planned: PlannedQuery): Promise<GraphText> {
    const scratch = new ScratchTerms(this.#kernel.terms);
    return triplesText(await this.#resultOf(planned.text, scratch), scratch);
  }

  async #resultOf(text: string, terms: TermTable): Promise<Iterable<Triple>> {
    const { engine, counters, limits } = this.#kernel;
    const result = await executeQuery({ engine, terms }, text, {
      at: engine.tick,
      timeoutMs: limits.queryTimeoutMs,
      rowsMax: LIMITS.queryRowsMax,
      nonce: "",
      onFallback: () => counters.comunicaFallbacks++,
    });
    return "triples" in result ? rowsOfThree(result.triples) : [];
  }

  /** Difference of two kept results; `undefined` when there is none. */
  difference(before: ReadonlyMap<string, Triple>, after: ReadonlyMap<string, Triple>): Delta | undefined {
    const delta = new Delta(this.#kernel, false);
    for (const [key, triple] of after) if (!before.has(key)) delta.added.push(triple);
    for (const [key, triple] of before) if (!after.has(key)) delta.removed.push(triple);
    return delta.added.length + delta.removed.length === 0 ? undefined : delta;
  }

  /** Those whose shape has a rule of this name, oldest first. */
  *ofRule(rule: string): Generator<StandingQuery> {
    for (const query of this.#byKey.values()) if (query.pipeline?.hasRule(rule)) yield query;
  }
}

function cacheKeyOf(text: string, purpose: "subscription" | "solutions"): string {
  return `${purpose}\n${text}`;
}

function deltaFor(deltas: Map<StandingQuery, Delta>, query: StandingQuery, kernel: Kernel): Delta {
  let delta = deltas.get(query);
  if (!delta) {
    delta = new Delta(kernel, (query.plan as IncrementalPlan).instantiate !== undefined);
    deltas.set(query, delta);
  }
  return delta;
}

function* distinct(triples: Iterable<Triple>): Generator<Triple> {
  const seen = new Set<string>();
  for (const triple of triples) {
    const key = triple.join();
    if (seen.has(key)) continue;
    seen.add(key);
    yield triple;
  }
}

/** Whether a query reads graphs that it names: GRAPH, or FROM. */
function namesGraph(node: unknown): boolean {
  const rest: unknown[] = [node];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const { type } = next as { type?: unknown };
    if (type === "graph" || type === "from") return true;
    rest.push(...Object.values(next));
  }
  return false;
}
