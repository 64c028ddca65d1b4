/**
 * A standing query on the client's side. What it promises: every change of the result once and in order, over lost
 * connections and restarted servers; where that is impossible (the cursor is no longer kept), a notification with `reset`
 * that holds the whole result. Never a silent gap.
 *
 * State: received = cursor of the newest notification queued; delivered = the newest one handed to the consumer.
 * Notifications at or before `received` are duplicates of a replay and dropped. The queue is bounded: when it is full the
 * subscription is detached, and taken up again from `received` when the consumer has caught up.
 */
import type * as RDF from "@rdfjs/types";
import { type Clock, SensError } from "../base/index.ts";
import type { Cursor, EndFrame, NotificationFrame, OkFrame, SubscribeAnswer } from "../protocol/index.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import type { Connection } from "./connection.ts";
import { isCovered } from "./cursor.ts";
import { parseServerQuads } from "./ntriples.ts";
import { abortError } from "./problem-error.ts";
import type { SubscriptionHub } from "./subscription-hub.ts";

/** What one transaction changed in the result. */
export interface Notification {
  /** Give it as `from` to go on after this one. */
  readonly cursor: Cursor;
  /** `added` is the whole result as it was at `cursor`. */
  readonly initial: boolean;
  /** `added` is the whole result, because what changed meanwhile is no longer known: forget what was held before. */
  readonly reset: boolean;
  readonly added: readonly RDF.Quad[];
  /** Filled only with the option `removals`. */
  readonly removed: readonly RDF.Quad[];
}

export interface SubscribeOptions {
  /** Makes it durable, and shared by all who subscribe with the same name and query. */
  readonly name?: string;
  /** Send the current result first. */
  readonly initial?: boolean;
  /** Also tell what is no longer in the result. */
  readonly removals?: boolean;
  /** `triples` (default): new triples. `solutions`: the whole template instance of every new solution. */
  readonly deliver?: "triples" | "solutions";
  /** Replay what came after this cursor. */
  readonly from?: Cursor;
  /** When `from` is too old, send the whole result, marked `reset`, instead of refusing with SENS_CURSOR_EXPIRED. */
  readonly reset?: boolean;
  /** Called for each notification, one at a time (a promise it answers is awaited). Without it, iterate. */
  readonly onNotification?: (notification: Notification) => void | Promise<void>;
  /** Notifications kept for a consumer that is slower than the server; default 1024. */
  readonly queueLengthMax?: number;
  /** When the queue is full: `resume` (default) fetches the rest later, `error` ends with SENS_SLOW_CONSUMER. */
  readonly onOverflow?: "resume" | "error";
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
}

const QUEUE_LENGTH = 1024;
const RETRY_MS = 500;
const CURSOR_LOST = new Set(["SENS_CURSOR_EXPIRED", "SENS_CURSOR_FOREIGN", "SENS_CURSOR_FUTURE", "SENS_CURSOR_INVALID"]);

export interface SubscriptionParts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly hub: SubscriptionHub;
  readonly reportError: (error: Error) => void;
}

export class Subscription implements AsyncIterable<Notification, undefined> {
  readonly query: string;
  readonly #options: SubscribeOptions;
  readonly #parts: SubscriptionParts;
  readonly #queue: BoundedQueue<NotificationFrame & { readonly reset: boolean }>;
  readonly #capacity: number;
  #id = "";
  #mode: SubscribeAnswer["mode"] = "incremental";
  #why: string | undefined;
  #delivered: Cursor = "";
  #received: Cursor | undefined;
  #state: "detached" | "attaching" | "attached" | "paused" | "ended" = "detached";
  /** The result must be sent whole: it was asked for, or the cursor is lost. */
  #wholeDue: "initial" | "reset" | undefined;
  /** A frame with the whole result would be for us. */
  #wholeWelcome = false;
  #retryDelayStop: (() => void) | undefined;
  #dropSignal: (() => void) | undefined;
  #settleDone: (error: Error | undefined) => void = () => undefined;
  /**
   * Resolves when the subscription is over: with the error that ended it, or with nothing when this client did, by `close` or
   * `unsubscribe`. Never rejects.
   */
  readonly done: Promise<Error | undefined>;

  /** Use `client.subscribe`. */
  constructor(query: string, options: SubscribeOptions, parts: SubscriptionParts) {
    this.query = query;
    this.#options = options;
    this.#parts = parts;
    this.#capacity = Math.max(1, options.queueLengthMax ?? QUEUE_LENGTH);
    this.#queue = new BoundedQueue(this.#capacity);
    this.#wholeDue = options.initial ? "initial" : undefined;
    this.done = new Promise((resolve) => {
      this.#settleDone = resolve;
    });
  }

  /** The server's id; it changes when a restarted server had to be asked anew. */
  get id(): string {
    return this.#id;
  }

  /** How the server keeps it up to date; `why` says the reason when it is `re-evaluated`. */
  get mode(): SubscribeAnswer["mode"] {
    return this.#mode;
  }

  get why(): string | undefined {
    return this.#why;
  }

  /** The cursor of the newest notification handed out; before the first, where the subscription began. */
  get cursor(): Cursor {
    return this.#delivered;
  }

  get name(): string | undefined {
    return this.#options.name;
  }

  /** Subscribes. Rejects with the server's refusal. Called by the client. */
  async start(): Promise<void> {
    const { signal, from, reset, initial } = this.#options;
    if (signal?.aborted) throw abortError(signal, "subscribe");
    this.#state = "attaching";
    this.#wholeWelcome = initial === true || reset === true;
    const fields = { ...this.#subscribeFields(), from, reset: from === undefined ? undefined : reset, initial };
    try {
      await this.#parts.connection.call("subscribe", fields, {
        signal,
        onAnswer: (answer) => this.#attached(answer),
        onLate: (answer) => this.#orphan(answer),
      });
    } catch (error) {
      this.#end(undefined);
      throw error;
    }
    if (signal) this.#closeOn(signal);
    if (this.#options.onNotification) this.#pump(this.#options.onNotification).catch(this.#parts.reportError);
  }

  /** Stops the notifications. An unnamed subscription is gone from the server; a named one stays. Safe to call twice. */
  close(): void {
    if (this.#state === "ended") return;
    const id = this.#id;
    const attached = this.#state === "attached";
    this.#queue.clear();
    this.#end(undefined);
    if (id === "" || this.#parts.hub.has(id)) return;
    if (this.name === undefined) this.#parts.connection.tell("unsubscribe", { subscription: id });
    else if (attached) this.#parts.connection.tell("detach", { subscription: id });
  }

  /** Ends the subscription on the server too, for everybody who is attached to its name. */
  async unsubscribe(): Promise<void> {
    const id = this.#id;
    this.#queue.clear();
    this.#end(undefined);
    await this.#parts.hub.ending(id, () => this.#parts.connection.call("unsubscribe", { subscription: id }));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Notifications in order; leaving the loop closes the subscription. There is one consumer. */
  [Symbol.asyncIterator](): AsyncIterator<Notification, undefined> {
    if (this.#options.onNotification) throw new TypeError("This subscription has a callback. Iterate over one without onNotification.");
    return {
      next: () => this.#next(),
      return: () => {
        this.close();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** A frame of the server; called by the hub. */
  receive(frame: NotificationFrame): void {
    if (this.#state !== "attached") return;
    const whole = frame.initial === true;
    if (whole ? !this.#wholeWelcome : isCovered(frame.cursor, this.#received)) return;
    const reset = whole && this.#wholeDue !== "initial";
    if (!this.#queue.push({ ...frame, reset })) {
      this.#overflow();
      return;
    }
    this.#wholeWelcome = false;
    if (whole) this.#wholeDue = undefined;
    this.#received = frame.cursor;
  }

  /** The server ended it; called by the hub. */
  ended(frame: EndFrame): void {
    const { code, detail } = frame.error;
    if (code === "SENS_SLOW_CONSUMER" || code === "SENS_SHUTTING_DOWN") {
      this.#state = "detached";
      this.#attachLater();
    } else this.#end(this.#parts.hub.errorOf(code, detail));
  }

  /** There is a new connection; called by the hub. */
  reconnected(): void {
    if (this.#state !== "attached" && this.#state !== "attaching" && this.#state !== "detached") return;
    if (this.#id !== "") this.#attach(false);
  }

  /** The client is closed, or ended the subscription itself; called by the hub. */
  abandon(error: SensError | undefined): void {
    this.#end(error);
  }

  async #next(): Promise<IteratorResult<Notification, undefined>> {
    const item = await this.#queue.next();
    if (item.done) return item;
    if (this.#state === "paused" && this.#queue.length <= this.#capacity / 2) this.#attach(false);
    const { cursor, initial, reset, added, removed } = item.value;
    this.#delivered = cursor;
    const value = { cursor, initial: initial === true, reset, added: parseServerQuads(added), removed: parseServerQuads(removed ?? "") };
    return { done: false, value };
  }

  async #pump(callback: (notification: Notification) => void | Promise<void>): Promise<void> {
    try {
      for (let item = await this.#next(); !item.done; item = await this.#next()) await callback(item.value);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#settleDone(failure);
      this.close();
      throw failure;
    }
  }

  #subscribeFields(): object {
    const { name, removals, deliver } = this.#options;
    return { query: this.query, name, removals, deliver };
  }

  #attached(answer: OkFrame): void {
    const { subscription, cursor, mode, why } = answer as unknown as SubscribeAnswer;
    this.#parts.hub.rename(this, this.#id, subscription);
    this.#id = subscription;
    this.#mode = mode;
    this.#why = why;
    if (this.#delivered === "") this.#delivered = this.#options.from ?? cursor;
    // What lies at or before the answer's cursor is known, unless a replay or the whole result is on its way.
    if (this.#received === undefined) this.#received = this.#options.from ?? (this.#wholeDue ? undefined : cursor);
    this.#state = "attached";
  }

  /**
   * Takes the subscription up on the present connection: by id, or, when the server does not know it any more, by its
   * query; from where it was, or, when that is no longer kept, with the whole result.
   */
  #attach(anew: boolean): void {
    this.#retryDelayStop?.();
    if (!this.#parts.connection.isOpen) {
      this.#state = "detached";
      return;
    }
    this.#state = "attaching";
    this.#wholeWelcome = true;
    if (this.#received === undefined) this.#wholeDue ??= "reset";
    const resume = this.#wholeDue ? { initial: true } : { from: this.#received, reset: true };
    let interrupted = false;
    const options = {
      staysWhenSignedOut: true,
      onAnswer: (answer: OkFrame): void => (this.#state === "attaching" ? this.#attached(answer) : this.#orphan(answer)),
      // The next connection asks again by itself, from where things stand then.
      onInterrupted: (): void => {
        interrupted = true;
      },
    };
    const call = anew
      ? this.#parts.connection.call("subscribe", { ...this.#subscribeFields(), ...resume }, options)
      : this.#parts.connection.call("attach", { subscription: this.#id, ...resume }, options);
    call.catch((error: unknown) => {
      if (this.#state === "attaching" && !interrupted) this.#attachRefused(error as Error, anew);
    });
  }

  #attachRefused(error: Error, anew: boolean): void {
    if (!(error instanceof SensError)) this.#end(error);
    else if (error.code === "SENS_NOT_FOUND" && this.#parts.hub.isEnding(this.#id)) this.#end(undefined);
    else if (error.code === "SENS_NOT_FOUND" && !anew) this.#attach(true);
    else if (CURSOR_LOST.has(error.code) && this.#wholeDue === undefined) {
      this.#wholeDue = "reset";
      this.#attach(anew);
    } else if (error.retryable) {
      this.#state = "detached";
      this.#attachLater();
    } else if (!this.#parts.connection.isClosed) this.#end(error);
  }

  #attachLater(): void {
    this.#retryDelayStop?.();
    this.#retryDelayStop = this.#parts.clock.after(RETRY_MS, () => {
      if (this.#state === "detached" && this.#parts.connection.isOpen) this.#attach(false);
    });
  }

  #overflow(): void {
    if (this.#options.onOverflow === "error") {
      const advice = 'Consume faster, give a larger queueLengthMax, or leave onOverflow at "resume".';
      this.#end(
        new SensError("SENS_SLOW_CONSUMER", `${this.#capacity} notifications wait for the consumer of this subscription. ${advice}`),
      );
      return;
    }
    this.#state = "paused";
    if (!this.#parts.hub.isShared(this.#id)) this.#parts.connection.tell("detach", { subscription: this.#id });
  }

  /** A subscription that was made for a caller who had gone. */
  #orphan(answer: OkFrame): void {
    const { subscription } = answer as unknown as SubscribeAnswer;
    if (this.name === undefined) this.#parts.connection.tell("unsubscribe", { subscription });
    else if (!this.#parts.hub.has(subscription)) this.#parts.connection.tell("detach", { subscription });
  }

  #closeOn(signal: AbortSignal): void {
    const close = (): void => this.close();
    if (signal.aborted) {
      close();
      return;
    }
    signal.addEventListener("abort", close, { once: true });
    this.#dropSignal = () => signal.removeEventListener("abort", close);
  }

  #end(error: Error | undefined): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#retryDelayStop?.();
    this.#dropSignal?.();
    this.#parts.hub.remove(this, this.#id);
    this.#queue.end(error);
    if (!error || !this.#options.onNotification) this.#settleDone(error);
  }
}
