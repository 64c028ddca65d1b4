/**
 * One subscription: who is told what, and what is kept for those who come back.
 *
 * State: its sinks; for unnamed ones a ring of recent notifications, at most `RING_ENTRIES_MAX` and `RING_BYTES_MAX`;
 * named ones have theirs in the log. Everything here changes when a step is durable, so a taken back one leaves no trace.
 */
import type { SensError } from "../base/index.ts";
import type { Notification, SubscriptionStatus } from "../protocol/index.ts";
import type { Attachment } from "./attachment.ts";
import type { Triple } from "./graph-text.ts";
import type { Kernel } from "./kernel.ts";
import type { Delta, StandingQuery, Watcher } from "./standing-queries.ts";
import { Phase, type Step } from "./step.ts";

const RING_ENTRIES_MAX = 1_000;
const RING_BYTES_MAX = 1024 * 1024;

interface Told {
  readonly revision: number;
  readonly added: string;
  readonly removed: string;
}

export interface SubscriptionOptions {
  readonly removals: boolean;
  readonly deliver: "triples" | "solutions";
}

export class Subscription implements Watcher {
  readonly id: string;
  readonly name: string | undefined;
  readonly query: StandingQuery;
  readonly options: SubscriptionOptions;
  /** Its deltas are known from here on. */
  readonly sinceRevision: number;
  readonly attachments = new Set<Attachment>();
  /** Re-evaluated ones: the durable result. */
  kept: ReadonlyMap<string, Triple>;
  resultSize: number;
  notified = 0;
  lastRevision: number | undefined;
  lastError: string | undefined;
  /** Unnamed ones: ends the grace. */
  cancelGrace: (() => void) | undefined;
  readonly #kernel: Kernel;
  readonly #onEnded: (reason: SensError) => void;
  #ring: Told[] = [];
  #ringBytes = 0;
  /** All notifications after this revision are in the ring. */
  #ringCovers: number;

  constructor(
    kernel: Kernel,
    identity: { readonly id: string; readonly name: string | undefined; readonly sinceRevision: number },
    query: StandingQuery,
    options: SubscriptionOptions,
    onEnded: (reason: SensError) => void,
  ) {
    this.#kernel = kernel;
    this.id = identity.id;
    this.name = identity.name;
    this.sinceRevision = identity.sinceRevision;
    this.query = query;
    this.options = options;
    this.#onEnded = onEnded;
    this.#ringCovers = identity.sinceRevision;
    this.kept = query.kept;
    this.resultSize = query.size();
  }

  get writesTexts(): boolean {
    return this.name !== undefined;
  }

  changed(query: StandingQuery, delta: Delta, step: Step): void {
    const { kept } = query;
    const { growth } = delta;
    if (this.name !== undefined)
      step.notifications.push({ subscription: this.id, added: delta.addedText.ntriples, removed: delta.removedText.ntriples });
    step.whenDurable(Phase.upToDate, () => {
      this.kept = kept;
      this.resultSize += growth;
    });
    step.forEachWhenDurable(Phase.notify, () => this.#tell(step.revision, delta));
  }

  ended(error: SensError): void {
    this.lastError = error.message;
    this.#onEnded(error);
  }

  attach(attachment: Attachment): void {
    attachment.subscription = this.id;
    this.attachments.add(attachment);
    this.cancelGrace?.();
    this.cancelGrace = undefined;
  }

  /** Notifications after `revision`, when all of them are still kept here. */
  recentAfter(revision: number): readonly Notification[] | undefined {
    if (revision < this.#ringCovers) return undefined;
    return this.#ring.filter((told) => told.revision > revision).map((told) => this.notification(told));
  }

  notification({ revision, added, removed }: Told): Notification {
    return { subscription: this.id, cursor: this.#kernel.positions.cursor(revision), added, removed };
  }

  status(): SubscriptionStatus {
    const { positions } = this.#kernel;
    const { plan, text } = this.query;
    return {
      subscription: this.id,
      cursor: positions.cursor(),
      mode: plan.mode,
      ...(plan.mode === "re-evaluated" ? { why: plan.why } : {}),
      query: text,
      ...(this.name === undefined ? {} : { name: this.name }),
      options: this.options,
      attached: this.attachments.size,
      notified: this.notified,
      resultSize: this.resultSize,
      ...(this.lastRevision === undefined ? {} : { lastNotified: positions.cursor(this.lastRevision) }),
      ...(this.lastError === undefined ? {} : { lastError: this.lastError }),
    };
  }

  /** All sinks one after the other; they may be very many. Who leaves meanwhile is told no more, and nobody joins before the end. */
  *#tell(revision: number, delta: Delta): Generator<void> {
    this.notified++;
    this.lastRevision = revision;
    this.#kernel.counters.notifications++;
    if (this.attachments.size === 0 && this.name !== undefined) return;
    yield* delta.writeTexts();
    const told = { revision, added: delta.addedText.ntriples, removed: delta.removedText.ntriples };
    if (this.name === undefined) this.#remember(told);
    const notification = this.notification(told);
    for (const attachment of this.attachments) {
      attachment.push(notification);
      yield;
    }
  }

  #remember(told: Told): void {
    this.#ring.push(told);
    this.#ringBytes += sizeOf(told);
    let dropped = 0;
    while (this.#ring.length - dropped > RING_ENTRIES_MAX || (this.#ringBytes > RING_BYTES_MAX && dropped < this.#ring.length)) {
      const oldest = this.#ring[dropped++];
      this.#ringBytes -= sizeOf(oldest);
      this.#ringCovers = oldest.revision;
    }
    if (dropped > 0) this.#ring = this.#ring.slice(dropped);
  }
}

function sizeOf(told: Told): number {
  return told.added.length + told.removed.length;
}
