/**
 * Subscriptions: made, attached to, resumed, ended.
 *
 * The first result is taken by the writer, between two transactions, and handed over when that point is durable; what
 * follows is delivered in the order of steps. So there is neither gap nor overlap.
 * Named ones are durable: their deltas stand in the log with the transactions that made them, and a replay reads them
 * there, one notification per missed revision. Unnamed ones end `unnamedSubscriptionGraceMs` after their last sink left.
 */
import { quoteInput, SensError, type SubscriptionRecord } from "../base/index.ts";
import type {
  Cursor,
  GraphText,
  Notification,
  NotificationSink,
  SubscribeAnswer,
  SubscribeRequest,
  SubscriptionStatus,
} from "../protocol/index.ts";
import { Attachment } from "./attachment.ts";
import { freshId } from "./fresh-id.ts";
import { type Triple, triplesText } from "./graph-text.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor } from "./processor.ts";
import type { PlannedQuery, StandingQueries } from "./standing-queries.ts";
import { Phase } from "./step.ts";
import { Subscription, type SubscriptionOptions } from "./subscription.ts";
import type { WriterQueue } from "./writer-queue.ts";

const REPLAY_PAGE = 1_000;

/** How a sink begins. */
export interface Beginning {
  readonly from?: Cursor;
  readonly initial?: boolean;
  readonly reset?: boolean;
}

/** Notifications of one subscription, oldest first. */
type Page = readonly { readonly revision: number; readonly added: string; readonly removed: string }[];

interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

export class Subscriptions {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #standing: StandingQueries;
  readonly #byId = new Map<string, Subscription>();
  readonly #byName = new Map<string, Subscription>();

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor, standing: StandingQueries) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#standing = standing;
  }

  get size(): number {
    return this.#byId.size;
  }

  get attached(): number {
    let count = 0;
    for (const { attachments } of this.#byId.values()) count += attachments.size;
    return count;
  }

  /** Makes the handle of a sink; the session keeps it, so that it can end before the subscription is known. */
  attachment(sink: NotificationSink, removals: boolean): Attachment {
    return new Attachment(sink, removals, this.#kernel.limits.outboundBytesMax, this.#kernel.logger);
  }

  subscribe(request: SubscribeRequest, attachment: Attachment | undefined): Promise<SubscribeAnswer> {
    const planned = this.#standing.plan(request.query, request.deliver === "solutions" ? "solutions" : "subscription");
    const from = request.from === undefined ? undefined : this.#kernel.positions.revisionOf(request.from);
    return this.#queue.submit<SubscribeAnswer>(request.query.length, async (settle) => {
      const existing = request.name === undefined ? undefined : this.#byName.get(request.name);
      if (existing) {
        this.#checkSame(existing, planned, request);
        this.#begin(existing, attachment, from, request, settle);
      } else {
        if (attachment && from !== undefined && !request.reset) this.#checkBegins(from, request);
        await this.#make(request, planned, attachment, from, settle);
      }
    });
  }

  attach(id: string, attachment: Attachment, beginning: Beginning): Promise<SubscribeAnswer> {
    this.get(id);
    const from = beginning.from === undefined ? undefined : this.#kernel.positions.revisionOf(beginning.from);
    return this.#queue.submit<SubscribeAnswer>(0, async (settle) => this.#begin(this.get(id), attachment, from, beginning, settle));
  }

  /** Ends a subscription for all who are attached. */
  unsubscribe(id: string): Promise<void> {
    this.get(id);
    return this.#queue.submit<void>(0, async (settle) => this.#unsubscribe(this.get(id), settle));
  }

  #unsubscribe(subscription: Subscription, settle: Settle<void>): void {
    const { id } = subscription;
    this.#processor.enter((step) => {
      if (subscription.name !== undefined) step.registrations.push({ delete: "subscription", id });
      this.#unregister(subscription);
      step.whenUndone(() => this.#register(subscription));
      step.whenDurable(Phase.upToDate, () => this.#processor.release(subscription.query, false));
      step.forEachWhenDurable(Phase.acknowledge, () => endAll(subscription));
      step.whenDurable(Phase.acknowledge, () => settle.resolve());
    }, settle.reject);
  }

  /** By id or name. */
  get(key: string): Subscription {
    const subscription = this.#byId.get(key) ?? this.#byName.get(key);
    if (!subscription)
      throw new SensError("SENS_NOT_FOUND", `There is no subscription ${quoteInput(key)}. It may have ended; subscribe again.`);
    return subscription;
  }

  list(): readonly SubscriptionStatus[] {
    return [...this.#byId.values()].map((subscription) => subscription.status());
  }

  /** The durable result. */
  result(id: string): { readonly graph: GraphText; readonly cursor: Cursor } {
    const { query, kept } = this.get(id);
    const { engine, positions, terms, limits } = this.#kernel;
    const { plan } = query;
    const cursor = positions.cursor();
    if (plan.mode === "re-evaluated") return { graph: triplesText(kept.values(), terms), cursor };
    const seen = new Map<string, Triple>();
    engine.evaluate(plan.plan, { at: positions.durable.tick, rowsMax: limits.queryRowsMax }, (values) => {
      for (const triple of plan.instantiate ? plan.instantiate(values) : [[...values]]) seen.set(triple.join(), triple);
    });
    return { graph: triplesText(seen.values(), terms), cursor };
  }

  /** Ends all sinks: the server stops. */
  close(): void {
    for (const subscription of this.#byId.values()) {
      subscription.cancelGrace?.();
      for (const attachment of [...subscription.attachments])
        attachment.end("SENS_SHUTTING_DOWN", "The server is stopping. Resume by cursor when it is back.");
    }
  }

  /** At start: a named one as it was; one that cannot be evaluated any more ends as it would while running. In the writer. */
  async restore(record: SubscriptionRecord): Promise<void> {
    const options = JSON.parse(record.options) as SubscriptionOptions;
    let query: Subscription["query"];
    try {
      query = await this.#processor.use(this.#standing.plan(record.query, options.deliver === "solutions" ? "solutions" : "subscription"));
    } catch (error) {
      this.#kernel.counters.endedQueries++;
      this.#kernel.logger.warn(
        { subscription: record.name, error: String(error) },
        "a named subscription was ended: its query cannot be evaluated",
      );
      this.#processor.enter(
        (step) => step.registrations.push({ delete: "subscription", id: record.id }),
        () => {},
      );
      return;
    }
    const subscription = this.#made({ id: record.id, name: record.name, sinceRevision: record.sinceRevision }, query, options);
    this.#register(subscription);
  }

  async #make(
    request: SubscribeRequest,
    planned: PlannedQuery,
    attachment: Attachment | undefined,
    from: number | undefined,
    settle: Settle<SubscribeAnswer>,
  ): Promise<void> {
    const { random, positions, limits } = this.#kernel;
    if (this.#byId.size >= limits.subscriptionsMax)
      throw new SensError("SENS_BUSY", `There are ${this.#byId.size} subscriptions, which is the limit. End some.`);
    const query = await this.#processor.use(planned);
    const options = { removals: request.removals ?? false, deliver: request.deliver ?? "triples" } as const;
    const sinceRevision = positions.applied.revision;
    const subscription = this.#made({ id: freshId(random, 8, this.#byId), name: request.name, sinceRevision }, query, options);
    this.#processor.enter(
      (step) => {
        if (request.name !== undefined)
          step.registrations.push({
            put: "subscription",
            value: { id: subscription.id, name: request.name, query: request.query, options: JSON.stringify(options), sinceRevision },
          });
        this.#register(subscription);
        step.whenUndone(() => {
          this.#unregister(subscription);
          this.#processor.release(query, false);
        });
      },
      () => {},
    );
    this.#begin(subscription, attachment, from, request, settle);
    if (!attachment) this.#startGrace(subscription);
  }

  #made(
    identity: { readonly id: string; readonly name: string | undefined; readonly sinceRevision: number },
    query: Subscription["query"],
    options: SubscriptionOptions,
  ): Subscription {
    const subscription: Subscription = new Subscription(this.#kernel, identity, query, options, (reason) =>
      this.#endFor(subscription, reason),
    );
    return subscription;
  }

  #register(subscription: Subscription): void {
    this.#byId.set(subscription.id, subscription);
    if (subscription.name !== undefined) this.#byName.set(subscription.name, subscription);
    subscription.query.watchers.add(subscription);
  }

  #unregister(subscription: Subscription): void {
    this.#byId.delete(subscription.id);
    if (subscription.name !== undefined) this.#byName.delete(subscription.name);
    subscription.query.watchers.delete(subscription);
    subscription.cancelGrace?.();
  }

  #checkSame(existing: Subscription, planned: PlannedQuery, request: SubscribeRequest): void {
    const deliver = request.deliver ?? "triples";
    if (existing.query.key === planned.key && existing.options.deliver === deliver) return;
    throw new SensError(
      "SENS_SUBSCRIPTION_CONFLICT",
      `The subscription ${quoteInput(request.name ?? "")} has another query or delivers otherwise. Choose another name, or unsubscribe ${existing.id} first.`,
    );
  }

  /** There is nothing to resume: it must not be left behind for whoever is refused. */
  #checkBegins(from: number, { name }: SubscribeRequest): void {
    const { revision } = this.#kernel.positions.applied;
    if (from === revision) return;
    const which = name === undefined ? "A subscription without name" : `The subscription ${quoteInput(name)} does not exist; it`;
    throw new SensError(
      "SENS_CURSOR_EXPIRED",
      `${which} would begin at revision ${revision}: what came after revision ${from} is not kept for it. Subscribe with "reset" to get the full result instead.`,
    );
  }

  /**
   * Lets a sink in at this point of the order. With `from`, what it missed comes first; with `initial`, or a reset, the
   * present result does.
   */
  #begin(
    subscription: Subscription,
    attachment: Attachment | undefined,
    from: number | undefined,
    beginning: Beginning,
    settle: Settle<SubscribeAnswer>,
  ): void {
    const { positions } = this.#kernel;
    const { revision } = positions.applied;
    const wantsResult = from === undefined ? beginning.initial === true : beginning.reset === true;
    const result = wantsResult && attachment ? subscription.query.graph() : undefined;
    const { plan } = subscription.query;
    const answer: SubscribeAnswer = {
      subscription: subscription.id,
      cursor: positions.cursor(revision),
      mode: plan.mode,
      ...(plan.mode === "re-evaluated" ? { why: plan.why } : {}),
    };
    const initial = result && { subscription: subscription.id, cursor: answer.cursor, initial: true as const, added: result.ntriples };
    this.#processor.enter((step) => {
      step.whenDurable(Phase.acknowledge, () => {
        if (!attachment || attachment.isOver) {
          settle.resolve(answer);
          if (attachment) this.#leave(subscription, attachment);
          return;
        }
        subscription.attach(attachment);
        attachment.whenOver(() => this.#leave(subscription, attachment));
        if (from === undefined || (from === revision && from >= subscription.sinceRevision)) {
          settle.resolve(answer);
          attachment.open(initial && from === undefined ? [initial] : []);
        } else void this.#resume(subscription, attachment, { from, upTo: revision }, initial, answer, settle);
      });
    }, settle.reject);
  }

  /** Replays what was missed. Reports its failures to the caller: never rejects. */
  async #resume(
    subscription: Subscription,
    attachment: Attachment,
    { from, upTo }: { readonly from: number; readonly upTo: number },
    initial: Notification | undefined,
    answer: SubscribeAnswer,
    settle: Settle<SubscribeAnswer>,
  ): Promise<void> {
    try {
      const missed = await this.#missed(subscription, from);
      if (!missed && !initial) {
        attachment.close();
        throw new SensError(
          "SENS_CURSOR_EXPIRED",
          `What came after revision ${from} is not kept any more. Subscribe with "reset" to get the full result instead.`,
        );
      }
      settle.resolve(answer);
      if (!missed) attachment.open(initial ? [initial] : []);
      else {
        await this.#replayPages(subscription, attachment, missed, upTo);
        attachment.open();
      }
    } catch (error) {
      attachment.close();
      settle.reject(error);
    }
  }

  /** The first page of what came after `from`. */
  async #missed(subscription: Subscription, from: number): Promise<Page | undefined> {
    if (from < subscription.sinceRevision) return undefined;
    if (subscription.name !== undefined) return this.#kernel.log.notificationsAfter(subscription.id, from, REPLAY_PAGE);
    return subscription
      .recentAfter(from)
      ?.map(({ cursor, added, removed }) => ({ revision: this.#kernel.positions.revisionOf(cursor), added, removed: removed ?? "" }));
  }

  async #replayPages(subscription: Subscription, attachment: Attachment, first: Page, upTo: number): Promise<void> {
    let page = first;
    for (;;) {
      for (const told of page) if (told.revision <= upTo) attachment.replay(subscription.notification(told));
      const last = page.at(-1)?.revision ?? upTo;
      if (subscription.name === undefined || page.length < REPLAY_PAGE || last >= upTo || attachment.isOver) return;
      const next = await this.#kernel.log.notificationsAfter(subscription.id, last, REPLAY_PAGE);
      if (!next) {
        attachment.end("SENS_CURSOR_EXPIRED", 'What was to be replayed is not kept any more. Subscribe with "reset".');
        return;
      }
      page = next;
    }
  }

  #leave(subscription: Subscription, attachment: Attachment): void {
    subscription.attachments.delete(attachment);
    if (subscription.attachments.size === 0 && this.#byId.get(subscription.id) === subscription) this.#startGrace(subscription);
  }

  #startGrace(subscription: Subscription): void {
    if (subscription.name !== undefined || subscription.cancelGrace) return;
    subscription.cancelGrace = this.#kernel.clock.after(this.#kernel.limits.unnamedSubscriptionGraceMs, () => {
      subscription.cancelGrace = undefined;
      this.#endFor(subscription, undefined);
    });
  }

  /** The server ends it: its time is over, or its query cannot be evaluated. */
  #endFor(subscription: Subscription, reason: SensError | undefined): void {
    for (const attachment of [...subscription.attachments])
      attachment.end(reason?.code ?? "SENS_NOT_FOUND", reason?.message ?? "The subscription was ended.");
    if (this.#byId.get(subscription.id) !== subscription) return;
    // Not as a client's request: that may be refused while the queue is full, and nobody would ask again.
    this.#queue.internal("end a subscription", async (again) => {
      if (this.#byId.get(subscription.id) !== subscription || (!reason && subscription.attachments.size > 0)) return;
      this.#unsubscribe(subscription, { resolve: () => {}, reject: again });
    });
  }
}

function* endAll({ attachments }: Subscription): Generator<void> {
  for (const attachment of attachments) {
    attachment.end("SENS_NOT_FOUND", "The subscription was ended.");
    yield;
  }
}
