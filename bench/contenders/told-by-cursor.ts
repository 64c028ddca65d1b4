/**
 * Notifications sorted by the revision they belong to: a publication's are those with the cursor of its acknowledgement.
 * Those of withdrawals in between are dropped; one that comes after its publication was answered for is a stray, and is
 * reported with the next answer, where it counts as wrong.
 */
import type { Told } from "./contender.ts";

const PATIENCE_MS = 10_000;

export class ToldByCursor {
  /** True while ends of subscriptions are expected. */
  ending = false;
  readonly #arrived = new Map<string, Told[]>();
  #answered = "";
  #strays: Told[] = [];
  #failure: Error | undefined;
  #waiting: { readonly cursor: string; readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  add(cursor: string, subscription: number, added: string): void {
    if (added === "") return;
    const told: Told = { subscription, added: added.trimEnd().split("\n") };
    if (cursor === this.#answered) {
      this.#strays.push(told);
      return;
    }
    const list = this.#arrived.get(cursor);
    if (list) list.push(told);
    else this.#arrived.set(cursor, [told]);
    if (this.#waiting?.cursor === cursor) this.#waiting.resolve();
  }

  fail(error: Error): void {
    if (this.ending) return;
    this.#failure = error;
    this.#waiting?.reject(error);
  }

  /** What was told about the revision; waits for the first notification. */
  async of(cursor: string): Promise<Told[]> {
    if (this.#failure) throw this.#failure;
    if (!this.#arrived.has(cursor)) await this.#arrival(cursor);
    const told = [...this.#strays, ...(this.#arrived.get(cursor) ?? [])];
    this.#strays = [];
    this.#arrived.clear();
    this.#answered = cursor;
    return told;
  }

  #arrival(cursor: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no notification within ${PATIENCE_MS} ms`)), PATIENCE_MS);
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting = undefined;
      };
      this.#waiting = {
        cursor,
        resolve: () => {
          settle();
          resolve();
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
    });
  }
}
