/**
 * The life of a knowledge event once the writer has it:
 *
 *     stage -> settle -> commit -> revision -> results changed? -> step into the group commit
 *     then the cascade: takes that became possible, in order of arrival; follow-on transactions of insertions of mode once
 *
 * A revision is given when an assertion, rule, ontology or insertion changed; otherwise the step carries the revision that
 * is last anyway, and is acknowledged when that one is durable.
 * A limit breached by a client's insertion suspends that insertion, one breached by a standing query ends that query, and the
 * transaction runs again without it.
 */
import { SensError } from "../base/index.ts";
import type { Transaction } from "../engine/index.ts";
import type { ChangeAnswer } from "../protocol/index.ts";
import { type Effects, effectsOf } from "./effects.ts";
import { tellEnded } from "./ended-queries.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Kernel } from "./kernel.ts";
import type { Delta, PlannedQuery, StandingQueries, StandingQuery } from "./standing-queries.ts";
import { Step } from "./step.ts";
import type { Suspendable } from "./suspendable.ts";
import type { WriterQueue } from "./writer-queue.ts";

export interface TransactionRequest {
  /** Stages changes. `settle` makes what was staged so far effective, for work in several operations. */
  stage(transaction: Transaction, settle: () => Promise<void>): void | Promise<void>;
  /** It changes a rule, ontology or insertion: it has a revision whatever happens to quads. */
  readonly registers?: boolean;
  /** The change itself registers a query: a limit refuses it and suspends nobody. */
  readonly suspendsNobody?: boolean;
  readonly depth?: number;
  /** Before the step joins the group commit: add registrations, undo, and what to do when durable. */
  applied?(outcome: Outcome, step: Step): void;
  /** It was taken back because it could not be made durable. */
  failed(error: SensError): void;
}

export interface Outcome {
  readonly effects: Effects;
  readonly answer: ChangeAnswer;
}

/** What follows from a transaction and runs before anything queued. */
export interface FollowUp {
  run(): Promise<void>;
}

export interface TakeSource {
  /** Runs the take that is next in order of arrival, if one is possible. */
  takeNext(): Promise<boolean>;
  /** The group was taken back: what was found possible, or impossible, must be looked at again. */
  reset(): void;
}

export class Processor {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #group: GroupCommit;
  readonly #standing: StandingQueries;
  /** Set by the wiring. */
  takes!: TakeSource;
  blame: (error: SensError, already: readonly Suspendable[]) => Suspendable | undefined = () => undefined;
  /** Says in the words of clients which of their insertions an error of the engine concerns. */
  readable: (error: unknown) => unknown = (error) => error;
  /** Told of every transaction, before its results are; they may rest as the writer may. */
  readonly observers: ((effects: Effects, step: Step, isChange: boolean) => void | Promise<void>)[] = [];
  #followUps: FollowUp[] = [];

  constructor(kernel: Kernel, queue: WriterQueue, group: GroupCommit, standing: StandingQueries) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#group = group;
    this.#standing = standing;
  }

  followUp(work: FollowUp): void {
    this.#followUps.push(work);
  }

  /** Runs one transaction. In the writer only. Throws what `stage` throws and limits; nothing has changed then. */
  async transact(request: TransactionRequest): Promise<Outcome> {
    const suspended: Suspendable[] = [];
    let reason: SensError | undefined;
    for (;;) {
      const transaction = this.#kernel.engine.begin();
      try {
        for (const one of suspended) one.withdraw(transaction);
        // Against the state before: with the change its rule would find as much to do as when it breached the limit.
        if (suspended.length > 0) await this.#settle(transaction);
        await request.stage(transaction, () => this.#settle(transaction));
        await this.#settle(transaction);
        transaction.commit();
        return await this.#committed(request, transaction, suspended, reason);
      } catch (error) {
        transaction.rollback();
        // It may have been committed in the engine and failed before the log could learn of it.
        if (this.#kernel.engine.tick >= transaction.firstTick) this.#takeBack(transaction);
        const guilty = error instanceof SensError && !request.suspendsNobody ? this.blame(error, suspended) : undefined;
        if (!guilty) throw request.suspendsNobody ? error : this.readable(error);
        suspended.push(guilty);
        reason ??= error as SensError;
      }
    }
  }

  /** Puts a step without a transaction of quads into the group: registrations, or only an answer after what is before it. */
  enter(fill: (step: Step) => void, failed: (error: SensError) => void): void {
    const { positions } = this.#kernel;
    const step = new Step(positions.applied.revision, 0);
    fill(step);
    this.#add(step, undefined, failed);
  }

  /** Registers a use of a standing query. In the writer only. */
  async use(planned: PlannedQuery): Promise<StandingQuery> {
    const known = this.#standing.reuse(planned);
    if (known) {
      // While nobody watched it was not evaluated.
      if (planned.plan.mode === "re-evaluated" && known.watchers.size === 0) known.kept = await this.#firstResult(known);
      return known;
    }
    let query: StandingQuery | undefined;
    try {
      await this.transact({
        suspendsNobody: true,
        stage: (transaction) => {
          query = this.#standing.stage(planned, transaction);
        },
        applied: (_outcome, step) => this.#admit(query as StandingQuery, step),
        failed: () => {},
      });
    } catch (error) {
      if (!(error instanceof SensError) || error.extra.needs === undefined) throw error;
      throw new SensError(error.code, `The query's first result needs ${error.extra.needs}. Narrow the query.`, { cause: error });
    }
    const made = query as StandingQuery;
    if (planned.plan.mode === "re-evaluated") made.kept = await this.#firstResult(made);
    return made;
  }

  /** Gives a use back. `keepWarm`: it may be asked for again soon. */
  release(query: StandingQuery, keepWarm: boolean): void {
    for (const unused of this.#standing.giveBack(query, keepWarm)) this.#dropLater(unused);
  }

  #takeBack(transaction: Transaction): void {
    this.#kernel.engine.undoAfter(transaction.firstTick - 1);
    this.#standing.forgetTexts();
  }

  #admit(query: StandingQuery, step: Step): void {
    this.#standing.admit(query);
    step.whenUndone(() => this.#standing.remove(query));
  }

  async #firstResult(query: StandingQuery): Promise<StandingQuery["kept"]> {
    try {
      return await this.#standing.evaluate(query);
    } catch (error) {
      this.release(query, false);
      throw error;
    }
  }

  #dropLater(query: StandingQuery): void {
    this.#queue.internal("drop a query", () => this.#drop(query));
  }

  async #drop(query: StandingQuery): Promise<void> {
    if (query.users > 0 || this.#standing.find(query.key) !== query) return;
    await this.transact({
      stage: (transaction) => {
        if (query.pipeline) transaction.removeInstance(query.pipeline, query.instance);
      },
      applied: (_outcome, step) => {
        this.#standing.remove(query);
        step.whenUndone(() => {
          this.#standing.restore(query);
          this.#dropLater(query);
        });
      },
      failed: () => {},
    });
  }

  /** Everything that follows from what was applied, before anything queued. Never throws. */
  async cascade(): Promise<void> {
    for (;;) {
      try {
        if (await this.takes.takeNext()) continue;
        const next = this.#followUps.shift();
        if (!next) return;
        await next.run();
      } catch (error) {
        // A failed append: the writer takes everything back next.
        if (this.#group.failure) return;
        // What failed was answered and is out of the way: the rest goes on.
        this.#kernel.logger.error({ error: String(error) }, "following up a transaction failed");
      }
    }
  }

  /** The group was taken back: nothing follows from it. */
  reset(): void {
    this.#followUps = [];
    this.takes.reset();
    this.#standing.forgetTexts();
  }

  async #settle(transaction: Transaction): Promise<void> {
    const queue = this.#queue;
    for (const _ of transaction.settle()) if (queue.restIsDue) await queue.restNow();
  }

  async #committed(
    request: TransactionRequest,
    transaction: Transaction,
    suspended: readonly Suspendable[],
    reason: SensError | undefined,
  ): Promise<Outcome> {
    const { engine, positions, terms, counters, limits } = this.#kernel;
    const effects = await this.#resting(effectsOf(transaction.quadChanges(), terms, limits.transactionCharactersMax));
    const isChange = effects.added + effects.removed > 0 || request.registers === true || suspended.length > 0;
    const revision = positions.applied.revision + (isChange ? 1 : 0);
    const step = new Step(revision, request.depth ?? 0);
    const outcome: Outcome = { effects, answer: this.#answer(revision, effects) };
    try {
      for (const one of suspended) one.suspended(reason as SensError, step);
      request.applied?.(outcome, step);
      for (const observe of this.observers) await observe(effects, step, isChange);
      await this.#watch(transaction, effects, step);
    } catch (error) {
      step.undone();
      throw error;
    }
    positions.apply({ revision, tick: engine.tick });
    if (isChange) counters.transactions++;
    this.#add(step, isChange ? effects : undefined, request.failed);
    return outcome;
  }

  /** Does work that yields where the writer may rest. */
  async #resting<T>(work: Generator<void, T>): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      if (this.#queue.restIsDue) await this.#queue.restNow();
    }
  }

  #answer(revision: number, effects: Effects): ChangeAnswer {
    const { added, removed, derivedAdded, derivedRemoved } = effects;
    return { cursor: this.#kernel.positions.cursor(revision), revision, added, removed, derivedAdded, derivedRemoved };
  }

  /** Tells the watchers of every result that changed. */
  async #watch(transaction: Transaction, effects: Effects, step: Step): Promise<void> {
    const deltas = await this.#resting(this.#standing.deltasOf(transaction));
    for (const [query, delta] of deltas) {
      query.grew(delta);
      step.whenUndone(() => query.shrank(delta));
      await this.#changed(query, delta, step);
    }
    await this.#reEvaluate(transaction, effects, step);
  }

  /** They may be very many: who leaves during a rest is not told. */
  async #changed(query: StandingQuery, delta: Delta, step: Step): Promise<void> {
    const watchers = [...query.watchers];
    if (watchers.some((watcher) => watcher.writesTexts)) await this.#resting(delta.writeTexts());
    for (const watcher of watchers) {
      if (query.watchers.has(watcher)) watcher.changed(query, delta, step);
      if (this.#queue.restIsDue) await this.#queue.restNow();
    }
  }

  async #reEvaluate(transaction: Transaction, effects: Effects, step: Step): Promise<void> {
    const { predicates } = effects;
    const { equality } = this.#kernel.engine;
    const equalTermsChanged = equality !== undefined && transaction.changedRelations().has(equality.members);
    for (const query of [...this.#standing.reEvaluated]) {
      // Nobody is to be told, as of an insertion that is suspended; `use` evaluates it again.
      if (query.watchers.size === 0) continue;
      if (predicates.size === 0) return;
      if (!equalTermsChanged && !concerns(query, predicates)) continue;
      const before = query.kept;
      try {
        const after = await this.#standing.evaluate(query);
        const delta = this.#standing.difference(before, after);
        if (!delta) continue;
        query.kept = after;
        query.grew(delta);
        step.whenUndone(() => {
          query.kept = before;
        });
        await this.#changed(query, delta, step);
      } catch (error) {
        this.#endQuery(query, error, step);
      }
    }
  }

  /** One bad query stops nobody else: its owners are told. */
  #endQuery(query: StandingQuery, error: unknown, step: Step): void {
    const reason =
      error instanceof SensError
        ? error
        : new SensError("SENS_INTERNAL", `The query could not be evaluated: ${String(error)}.`, { cause: error });
    tellEnded(this.#kernel, query, reason, step);
  }

  #add(step: Step, effects: Effects | undefined, failed: (error: SensError) => void): void {
    const { clock, positions } = this.#kernel;
    const transaction = effects && {
      revision: step.revision,
      wallMs: Math.floor(clock.wallMs()),
      ...effects.text,
      notifications: step.notifications,
    };
    this.#group.add({
      record: transaction || step.registrations.length > 0 ? { transaction, registrations: step.registrations } : undefined,
      revision: positions.applied.revision,
      tick: this.#kernel.engine.tick,
      done: () => step.durable(),
      undo: () => step.undone(),
      failed,
    });
  }
}

function concerns(query: StandingQuery, predicates: ReadonlySet<number>): boolean {
  const { dependsOn } = query.plan;
  if (dependsOn === "*") return true;
  for (const p of dependsOn) if (predicates.has(p)) return true;
  return false;
}
