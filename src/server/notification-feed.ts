/**
 * A subscription's notifications on their way to one consumer: held back until the answer that announces them was sent,
 * then delivered in order, in the format asked for. What is held or being converted is bounded by `bytesMax`; beyond it
 * the feed ends with SENS_SLOW_CONSUMER and the consumer resumes by cursor.
 */
import { type Logger, SensError } from "../base/index.ts";
import type { Notification, NotificationSink } from "../protocol/index.ts";
import { isNTriplesCompatible, NTRIPLES, writeGraph } from "./graph-output.ts";

export interface FeedTarget {
  notify(notification: Notification): void;
  end(reason: EndReason): void;
}
export interface EndReason {
  readonly code: string;
  readonly detail: string;
}
type Item = { readonly notification: Notification } | { readonly end: EndReason };

const SLOW: EndReason = { code: "SENS_SLOW_CONSUMER", detail: "The consumer is too slow; resume by cursor." };

export class NotificationFeed implements NotificationSink {
  readonly #format: string;
  readonly #bytesMax: number;
  readonly #logger: Logger;
  readonly #held: Item[] = [];
  #bytes = 0;
  #target: FeedTarget | undefined;
  #converting = false;
  #over = false;

  constructor(format: string, bytesMax: number, logger: Logger) {
    this.#format = format;
    this.#bytesMax = bytesMax;
    this.#logger = logger;
  }

  notify(notification: Notification): void {
    if (this.#over) return;
    if (this.#target && isNTriplesCompatible(this.#format)) {
      this.#target.notify(notification);
      return;
    }
    if (this.#held.length > 0 && this.#bytes > this.#bytesMax) {
      this.end(SLOW);
      return;
    }
    this.#bytes += sizeOf(notification);
    this.#held.push({ notification });
    this.#deliver();
  }

  end(reason: EndReason): void {
    if (this.#over) return;
    this.#over = true;
    this.#held.push({ end: reason });
    this.#deliver();
  }

  /** Lets everything held go to the target, and what follows. */
  release(target: FeedTarget): void {
    this.#target = target;
    this.#deliver();
  }

  /** Nothing more is delivered. */
  stop(): void {
    this.#over = true;
    this.#held.length = 0;
  }

  #deliver(): void {
    const target = this.#target;
    if (!target || this.#converting) return;
    for (let item = this.#held.shift(); item; item = this.#held.shift()) {
      if ("end" in item) {
        target.end(item.end);
        return;
      }
      this.#bytes -= sizeOf(item.notification);
      if (isNTriplesCompatible(this.#format)) target.notify(item.notification);
      else {
        this.#convert(item.notification, target);
        return;
      }
    }
  }

  /** Delivers the rest when this one is converted; a failure ends the feed. */
  #convert(notification: Notification, target: FeedTarget): void {
    this.#converting = true;
    inFormat(notification, this.#format).then(
      (converted) => {
        this.#converting = false;
        target.notify(converted);
        this.#deliver();
      },
      (error: unknown) => {
        this.#converting = false;
        this.#logger.error({ error: String(error), format: this.#format }, "a notification could not be written");
        this.stop();
        const code = error instanceof SensError ? error.code : "SENS_INTERNAL";
        target.end({ code, detail: `The notification cannot be written as ${this.#format}. Resume with ${NTRIPLES}.` });
      },
    );
  }
}

async function inFormat(notification: Notification, format: string): Promise<Notification> {
  const added = await writeGraph(notification.added, format);
  if (notification.removed === undefined) return { ...notification, added };
  return { ...notification, added, removed: await writeGraph(notification.removed, format) };
}

function sizeOf(notification: Notification): number {
  return notification.added.length + (notification.removed?.length ?? 0);
}
