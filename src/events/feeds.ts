/** The feed of all changes, asserted and derived apart: the past from the log, the present as it becomes durable. */
import { type LoggedTransaction, SensError } from "../base/index.ts";
import type { ChangesEntry, Cursor } from "../protocol/index.ts";
import type { Effects } from "./effects.ts";
import type { Kernel } from "./kernel.ts";
import { Phase, type Step } from "./step.ts";

export class Feeds {
  readonly #kernel: Kernel;
  readonly #listeners = new Set<(entry: ChangesEntry) => void>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Entries after a cursor, oldest first. Throws the errors of cursors, SENS_CURSOR_EXPIRED. */
  async changes(after: Cursor, limit: number = this.#kernel.limits.changesPageMax): Promise<readonly ChangesEntry[]> {
    const { positions, log, limits } = this.#kernel;
    if (!(limit >= 1)) throw new SensError("SENS_LIMIT", `A page of changes has 1 to ${limits.changesPageMax} entries, not ${limit}.`);
    const revision = positions.revisionOf(after);
    const found = await log.changesAfter(revision, Math.min(limit, limits.changesPageMax));
    if (!found) throw new SensError("SENS_CURSOR_EXPIRED", `What came after ${after} is not kept any more. Start from the present state.`);
    return found.filter((transaction) => transaction.revision <= positions.durable.revision).map((transaction) => this.#entry(transaction));
  }

  watch(listener: (entry: ChangesEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get watching(): number {
    return this.#listeners.size;
  }

  /** Told of every transaction. */
  noticed(effects: Effects, step: Step, isChange: boolean): void {
    if (!isChange || this.#listeners.size === 0) return;
    const entry = this.#entry({ revision: step.revision, ...effects.text });
    step.whenDurable(Phase.notify, () => {
      for (const listener of [...this.#listeners]) {
        try {
          listener(entry);
        } catch (error) {
          this.#listeners.delete(listener);
          this.#kernel.logger.error({ error: String(error) }, "a listener of changes threw and was taken away");
        }
      }
    });
  }

  #entry({
    revision,
    asserted,
    retracted,
    derivedAdded,
    derivedRemoved,
  }: Omit<LoggedTransaction, "wallMs" | "notifications">): ChangesEntry {
    return { cursor: this.#kernel.positions.cursor(revision), revision, asserted, retracted, derivedAdded, derivedRemoved };
  }
}
