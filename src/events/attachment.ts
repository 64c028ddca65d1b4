/**
 * One sink of one subscription. While what was missed is being read from the log, what is new is held back, in order and
 * bounded; then both follow each other without gap or overlap.
 */
import type { Logger } from "../base/index.ts";
import type { Notification, NotificationSink } from "../protocol/index.ts";

const NONE: readonly Notification[] = [];

export class Attachment {
  readonly sink: NotificationSink;
  readonly removals: boolean;
  /** Known when the subscription is. */
  subscription = "";
  #held: Notification[] | undefined = [];
  #heldBytes = 0;
  #over = false;
  readonly #heldBytesMax: number;
  readonly #logger: Logger;
  /** Told once when it is over, whoever ends it. */
  readonly #onOver = new Set<() => void>();

  constructor(sink: NotificationSink, removals: boolean, heldBytesMax: number, logger: Logger) {
    this.sink = sink;
    this.removals = removals;
    this.#heldBytesMax = heldBytesMax;
    this.#logger = logger;
  }

  get isOver(): boolean {
    return this.#over;
  }

  whenOver(action: () => void): void {
    if (this.#over) action();
    else this.#onOver.add(action);
  }

  push(notification: Notification): void {
    if (this.#over) return;
    const { removed, ...rest } = notification;
    if (!this.removals && notification.added === "" && !notification.initial) return;
    const shown = this.removals ? { ...rest, removed: removed ?? "" } : rest;
    if (!this.#held) {
      this.#send(shown);
      return;
    }
    this.#held.push(shown);
    this.#heldBytes += shown.added.length + (removed?.length ?? 0);
    if (this.#heldBytes > this.#heldBytesMax)
      this.end("SENS_SLOW_CONSUMER", "More happened while the past was replayed than is held back. Resume by cursor.");
  }

  /** What came before, then what was held, then what comes. */
  open(first: readonly Notification[] = NONE): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldBytes = 0;
    for (const notification of first) this.push(notification);
    for (const notification of held) this.#send(notification);
  }

  /** Part of the past, before `open`. */
  replay(notification: Notification): void {
    const held = this.#held;
    this.#held = undefined;
    this.push(notification);
    this.#held = held;
  }

  /** No more will come, and the sink is told why. */
  end(code: string, detail: string): void {
    if (this.#over) return;
    this.close();
    try {
      this.sink.end({ code, detail });
    } catch (error) {
      this.#logger.error({ error: String(error) }, "a notification sink threw at its end");
    }
  }

  /** No more will come; the sink knows. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#held = undefined;
    for (const action of this.#onOver) action();
    this.#onOver.clear();
  }

  #send(notification: Notification): void {
    if (this.#over) return;
    try {
      this.sink.notify(notification);
    } catch (error) {
      this.#logger.error({ error: String(error) }, "a notification sink threw and was detached");
      this.close();
    }
  }
}
