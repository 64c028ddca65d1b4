/**
 * Continuous insertions: queries whose results become knowledge.
 *
 *     while   result(q) ⊆ derived knowledge for as long as it holds          an engine rule, owned by a client
 *     once    Δ⁺result(q) of a transaction is asserted by a follow-on one     a watcher of a standing query
 *
 * `once` acts on what newly holds after it was registered, a start included. A chain of follow-on transactions is cut at
 * `onceRoundsMax`, by suspending the insertion that would go on. A suspended insertion stays registered, says why, and
 * derives nothing; unregister it, or restart to try it again.
 */
import { type InsertionRecord, quoteInput, SensError } from "../base/index.ts";
import type { Pipeline, Transaction } from "../engine/index.ts";
import type { InsertionRequest, InsertionStatus } from "../protocol/index.ts";
import { type IncrementalPlan, parseQuery, planStanding } from "../sparql/index.ts";
import { cycleRefusal } from "./cycle-refusal.ts";
import { freshId } from "./fresh-id.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor, TransactionRequest } from "./processor.ts";
import type { Delta, PlannedQuery, StandingQueries, StandingQuery, Watcher } from "./standing-queries.ts";
import { Phase, type Step } from "./step.ts";
import type { Suspendable } from "./suspendable.ts";
import type { WriterQueue } from "./writer-queue.ts";

interface Identity {
  readonly id: string;
  readonly name: string | undefined;
  readonly query: string;
}

/** Common to both modes. */
abstract class Insertion implements Suspendable {
  readonly identity: Identity;
  abstract readonly mode: "while" | "once";
  /** Why it derives nothing at present. */
  suspension: string | undefined;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  abstract withdraw(transaction: Transaction): void;

  suspended(reason: SensError, step: Step): void {
    // The change was refused nothing: it went through without this insertion.
    const why = reason.message.replace(/ Nothing was changed\.$/, "");
    this.suspension = `${why} Its results are withdrawn. Unregister it, and register it again when the cause is gone.`;
    step.whenUndone(() => {
      this.suspension = undefined;
    });
  }

  get record(): InsertionRecord {
    const { id, name, query } = this.identity;
    return { id, name: name ?? "", query, mode: this.mode };
  }
}

class WhileInsertion extends Insertion {
  readonly mode = "while";
  readonly #kernel: Kernel;
  readonly #plan: IncrementalPlan;
  pipeline: Pipeline | undefined;
  instance = 0;

  constructor(kernel: Kernel, identity: Identity, plan: IncrementalPlan) {
    super(identity);
    this.#kernel = kernel;
    this.#plan = plan;
  }

  stage(transaction: Transaction): void {
    this.pipeline = this.#kernel.engine.pipelineOf(this.#plan.plan);
    this.instance = transaction.addInstance(this.pipeline, this.#plan.plan.constants);
  }

  withdraw(transaction: Transaction): void {
    if (this.pipeline && this.suspension === undefined) transaction.removeInstance(this.pipeline, this.instance);
  }
}

class OnceInsertion extends Insertion implements Watcher {
  readonly mode = "once";
  readonly planned: PlannedQuery;
  query: StandingQuery | undefined;
  readonly #onChange: (insertion: OnceInsertion, delta: Delta, step: Step) => void;

  constructor(identity: Identity, planned: PlannedQuery, onChange: (insertion: OnceInsertion, delta: Delta, step: Step) => void) {
    super(identity);
    this.planned = planned;
    this.#onChange = onChange;
  }

  withdraw(): void {
    // It has no rule in the engine; it stops watching when it is suspended.
  }

  override suspended(reason: SensError, step: Step): void {
    super.suspended(reason, step);
    this.query?.watchers.delete(this);
    step.whenUndone(() => this.query?.watchers.add(this));
  }

  changed(_query: StandingQuery, delta: Delta, step: Step): void {
    if (this.suspension === undefined && delta.added.length > 0) this.#onChange(this, delta, step);
  }

  ended(error: SensError): void {
    this.suspension = error.message;
    this.query?.watchers.delete(this);
  }
}

export class Insertions {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #standing: StandingQueries;
  readonly #byId = new Map<string, WhileInsertion | OnceInsertion>();

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor, standing: StandingQueries) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#standing = standing;
  }

  get size(): number {
    return this.#byId.size;
  }

  get suspendedCount(): number {
    let count = 0;
    for (const { suspension } of this.#byId.values()) if (suspension !== undefined) count++;
    return count;
  }

  /** Throws SENS_INSERTION_CONFLICT, SENS_QUERY_UNSUPPORTED, SENS_NOT_STRATIFIED with the cycle, limits. */
  async register(request: InsertionRequest): Promise<InsertionStatus> {
    const mode = request.mode ?? "while";
    const made = this.#make({ id: freshId(this.#kernel.random, 8, this.#byId), name: request.name, query: request.query }, mode);
    return this.#queue.submit<InsertionStatus>(request.query.length, async (settle) => {
      const known = request.name === undefined ? undefined : this.#named(request.name);
      if (known) {
        this.#checkSame(known, request, mode);
        this.#processor.enter(
          (step) => step.whenDurable(Phase.acknowledge, () => settle.resolve(this.#status(known, step.revision))),
          settle.reject,
        );
        return;
      }
      if (this.#byId.size >= this.#kernel.limits.insertionsMax)
        throw new SensError("SENS_BUSY", `There are ${this.#byId.size} insertions, which is the limit. Unregister some.`);
      if (made instanceof OnceInsertion) made.query = await this.#processor.use(made.planned);
      await this.#transactReadably(made, {
        registers: true,
        suspendsNobody: true,
        stage: (transaction) => {
          if (made instanceof WhileInsertion) made.stage(transaction);
        },
        applied: (outcome, step) => {
          this.#add(made);
          step.registrations.push({ put: "insertion", value: made.record });
          step.whenUndone(() => this.#remove(made));
          step.whenDurable(Phase.acknowledge, () => settle.resolve(this.#status(made, outcome.answer.revision)));
        },
        failed: settle.reject,
      });
    });
  }

  async #transactReadably(made: WhileInsertion | OnceInsertion, request: TransactionRequest): Promise<void> {
    try {
      await this.#processor.transact(request);
    } catch (error) {
      if (made instanceof OnceInsertion && made.query) this.#processor.release(made.query, false);
      throw this.readable(error, made);
    }
  }

  async unregister(key: string): Promise<void> {
    this.#get(key);
    return this.#queue.submit<void>(0, async (settle) => {
      const insertion = this.#get(key);
      await this.#processor.transact({
        registers: true,
        stage: (transaction) => insertion.withdraw(transaction),
        applied: (_outcome, step) => {
          this.#remove(insertion);
          step.registrations.push({ delete: "insertion", id: insertion.identity.id });
          step.whenUndone(() => this.#again(insertion));
          step.whenDurable(Phase.acknowledge, () => settle.resolve());
        },
        failed: settle.reject,
      });
    });
  }

  list(): readonly InsertionStatus[] {
    return [...this.#byId.values()].map((insertion) => this.#status(insertion));
  }

  status(key: string): InsertionStatus {
    return this.#status(this.#get(key));
  }

  /** Whom a limit concerns: of the insertions of the shape that the error names, the instance that it names, or else the newest. */
  blame(error: SensError, already: readonly Suspendable[]): Suspendable | undefined {
    const { rule, instance } = error.extra;
    if (typeof rule !== "string") return undefined;
    let guilty: WhileInsertion | undefined;
    for (const insertion of this.#byId.values()) {
      if (!(insertion instanceof WhileInsertion) || insertion.suspension !== undefined || already.includes(insertion)) continue;
      if (!insertion.pipeline?.hasRule(rule)) continue;
      guilty = insertion;
      if (insertion.instance === instance) break;
    }
    if (guilty) {
      this.#kernel.counters.suspensions++;
      this.#kernel.logger.warn({ insertion: guilty.identity.id, code: error.code }, "an insertion is suspended for breaching a limit");
    }
    return guilty;
  }

  /** What an explanation calls the rule of an insertion. */
  labelOf(rule: string): string | undefined {
    let found: WhileInsertion | undefined;
    for (const insertion of this.#whiles()) {
      if (insertion.pipeline?.key === rule) found = insertion;
      else if (insertion.pipeline?.hasRule(rule)) found ??= insertion;
    }
    return found && `insertion ${found.identity.name ?? found.identity.id}`;
  }

  /** A refusal in the words of clients: insertions by name, `registering` for the one that is being registered. */
  readable(error: unknown, registering?: WhileInsertion | OnceInsertion): unknown {
    if (!(error instanceof SensError)) return error;
    const { rule: grown } = error.extra;
    if (typeof grown === "string" && registering instanceof WhileInsertion && registering.pipeline?.hasRule(grown))
      return new SensError(error.code, error.message.replace(/a (continuous insertion|standing query)/, "this insertion"), {
        cause: error,
        extra: { ...error.extra, rule: "this insertion" },
      });
    if (error.code !== "SENS_NOT_STRATIFIED" || !Array.isArray(error.extra.path)) return error;
    const own = registering instanceof WhileInsertion ? registering.pipeline : undefined;
    return cycleRefusal(error, this.#kernel.terms, (rule) => {
      if (rule === own?.key) return "this insertion";
      return this.labelOf(rule) ?? (own?.hasRule(rule) ? "this insertion" : rule);
    });
  }

  *#whiles(): Generator<WhileInsertion> {
    for (const insertion of this.#byId.values()) if (insertion instanceof WhileInsertion) yield insertion;
  }

  /** At start, before data: puts the rules of mode `while` into the engine; again, when the transaction has to run again. */
  restoreRules(records: readonly InsertionRecord[], transaction: Transaction): void {
    for (const record of records) {
      if (record.mode !== "while") continue;
      const known = this.#byId.get(record.id) as WhileInsertion | undefined;
      const insertion = known ?? (this.#make(identityOf(record), "while") as WhileInsertion);
      insertion.stage(transaction);
      this.#byId.set(record.id, insertion);
    }
  }

  /** At start, after data: those of mode `once` watch from now on. In the writer. */
  async restoreWatchers(records: readonly InsertionRecord[]): Promise<void> {
    for (const record of records) {
      if (record.mode !== "once") continue;
      const insertion = this.#make(identityOf(record), "once") as OnceInsertion;
      try {
        insertion.query = await this.#processor.use(insertion.planned);
      } catch (error) {
        // As while running: it is told by its status, and the server starts.
        insertion.ended(error instanceof SensError ? error : new SensError("SENS_INTERNAL", String(error), { cause: error }));
        this.#kernel.logger.warn({ insertion: record.id, error: String(error) }, "an insertion of mode once is suspended");
      }
      this.#add(insertion);
    }
  }

  #make(identity: Identity, mode: "while" | "once"): WhileInsertion | OnceInsertion {
    if (mode === "once")
      return new OnceInsertion(identity, this.#standing.plan(identity.query, "subscription"), (insertion, delta, step) =>
        this.#fire(insertion, delta, step),
      );
    const { engine, terms, counters } = this.#kernel;
    const plan = planStanding(parseQuery(identity.query), {
      terms,
      quads: engine.quads,
      purpose: "insertion",
      onLeftOut: () => counters.leftOut++,
    });
    if (plan.mode === "re-evaluated")
      throw new SensError(
        "SENS_QUERY_UNSUPPORTED",
        `The insertion cannot be kept up to date: ${plan.why}. Rewrite that part, or use mode "once".`,
      );
    return new WhileInsertion(this.#kernel, identity, plan);
  }

  /** What newly holds is asserted, in a transaction of its own that follows. */
  #fire(insertion: OnceInsertion, delta: Delta, step: Step): void {
    const triples = [...delta.added];
    const depth = step.depth + 1;
    this.#processor.followUp({
      run: () => (depth > this.#kernel.limits.onceRoundsMax ? this.#suspend(insertion, depth) : this.#assert(insertion, triples, depth)),
    });
  }

  async #assert(insertion: OnceInsertion, triples: readonly (readonly number[])[], depth: number): Promise<void> {
    if (insertion.suspension !== undefined || this.#byId.get(insertion.identity.id) !== insertion) return;
    this.#kernel.counters.onceRounds++;
    try {
      await this.#processor.transact({
        depth,
        stage: (transaction) => {
          for (const [s, p, o] of triples) transaction.assert(s, p, o, 0);
        },
        failed: () => {},
      });
    } catch (error) {
      if (!(error instanceof SensError) || error.code === "SENS_STORAGE_FULL" || error.code === "SENS_OUTCOME_UNKNOWN") throw error;
      await this.#suspendFor(insertion, error);
    }
  }

  #suspend(insertion: OnceInsertion, depth: number): Promise<void> {
    const reason = `Its results made new results ${depth - 1} times in a row. Make the query come to rest.`;
    return this.#suspendFor(insertion, new SensError("SENS_NON_TERMINATING", reason));
  }

  async #suspendFor(insertion: OnceInsertion, reason: SensError): Promise<void> {
    if (insertion.suspension !== undefined) return;
    this.#kernel.counters.suspensions++;
    this.#kernel.logger.warn({ insertion: insertion.identity.id, code: reason.code }, "an insertion of mode once is suspended");
    await this.#processor.transact({
      registers: true,
      stage: () => {},
      applied: (_outcome, step) => insertion.suspended(reason, step),
      failed: () => {},
    });
  }

  #add(insertion: WhileInsertion | OnceInsertion): void {
    this.#byId.set(insertion.identity.id, insertion);
    if (insertion instanceof OnceInsertion) insertion.query?.watchers.add(insertion);
  }

  #remove(insertion: WhileInsertion | OnceInsertion): void {
    this.#byId.delete(insertion.identity.id);
    if (!(insertion instanceof OnceInsertion) || !insertion.query) return;
    insertion.query.watchers.delete(insertion);
    this.#processor.release(insertion.query, false);
  }

  /** Undo of `#remove`. */
  #again(insertion: WhileInsertion | OnceInsertion): void {
    if (insertion instanceof OnceInsertion && insertion.query) insertion.query.users++;
    this.#add(insertion);
  }

  #named(name: string): WhileInsertion | OnceInsertion | undefined {
    for (const insertion of this.#byId.values()) if (insertion.identity.name === name) return insertion;
    return undefined;
  }

  /** By id or name. */
  #get(key: string): WhileInsertion | OnceInsertion {
    const insertion = this.#byId.get(key) ?? this.#named(key);
    if (!insertion) throw new SensError("SENS_NOT_FOUND", `There is no insertion ${quoteInput(key)}.`);
    return insertion;
  }

  #checkSame(known: WhileInsertion | OnceInsertion, request: InsertionRequest, mode: "while" | "once"): void {
    if (known.identity.query === request.query && known.mode === mode) return;
    throw new SensError(
      "SENS_INSERTION_CONFLICT",
      `The insertion ${quoteInput(request.name ?? "")} has another query or mode. Choose another name, or unregister ${known.identity.id} first.`,
    );
  }

  #status(insertion: WhileInsertion | OnceInsertion, revision?: number): InsertionStatus {
    const { id, name, query } = insertion.identity;
    return {
      insertion: id,
      ...(name === undefined ? {} : { name }),
      query,
      mode: insertion.mode,
      ...(insertion.suspension === undefined ? {} : { suspended: insertion.suspension }),
      cursor: this.#kernel.positions.cursor(revision),
    };
  }
}

function identityOf({ id, name, query }: InsertionRecord): Identity {
  return { id, name: name === "" ? undefined : name, query };
}
