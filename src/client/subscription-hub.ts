/** All subscriptions of one client, by the server's id. Several may share an id: the same name subscribed to twice. */
import type { SensError } from "../base/index.ts";
import type { EndFrame, NotificationFrame } from "../protocol/index.ts";
import { errorFromProblem } from "./problem-error.ts";

/** A subscription, as the hub sees it. */
export interface HubSubscription {
  receive(frame: NotificationFrame): void;
  ended(frame: EndFrame): void;
  reconnected(): void;
  abandon(error: SensError | undefined): void;
}

export class SubscriptionHub {
  readonly #byId = new Map<string, Set<HubSubscription>>();
  /** What this client is ending on the server at the moment. */
  readonly #ending = new Set<string>();

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  isShared(id: string): boolean {
    return (this.#byId.get(id)?.size ?? 0) > 1;
  }

  rename(subscription: HubSubscription, before: string, id: string): void {
    if (before !== id) this.remove(subscription, before);
    const found = this.#byId.get(id);
    if (found) found.add(subscription);
    else this.#byId.set(id, new Set([subscription]));
  }

  remove(subscription: HubSubscription, id: string): void {
    const found = this.#byId.get(id);
    if (found?.delete(subscription) && found.size === 0) this.#byId.delete(id);
  }

  notification(frame: NotificationFrame): void {
    for (const subscription of this.#byId.get(frame.subscription) ?? []) subscription.receive(frame);
  }

  end(frame: EndFrame): void {
    if (this.#ending.has(frame.subscription) && frame.error.code === "SENS_NOT_FOUND") this.#endQuietly(frame.subscription);
    else for (const subscription of this.#of(frame.subscription)) subscription.ended(frame);
  }

  /** Sends the request that ends a subscription; for its readers at this client that is an end and no failure. */
  async ending(id: string, request: () => Promise<unknown>): Promise<void> {
    this.#ending.add(id);
    try {
      await request();
      this.#endQuietly(id);
    } finally {
      this.#ending.delete(id);
    }
  }

  isEnding(id: string): boolean {
    return this.#ending.has(id);
  }

  reconnected(): void {
    for (const subscription of this.#all()) subscription.reconnected();
  }

  closed(error: SensError | undefined): void {
    for (const subscription of this.#all()) subscription.abandon(error);
  }

  errorOf(code: string, detail: string): SensError {
    return errorFromProblem({ code, detail });
  }

  #endQuietly(id: string): void {
    for (const subscription of this.#of(id)) subscription.abandon(undefined);
  }

  #of(id: string): HubSubscription[] {
    return [...(this.#byId.get(id) ?? [])];
  }

  #all(): HubSubscription[] {
    return [...this.#byId.values()].flatMap((subscriptions) => [...subscriptions]);
  }
}
