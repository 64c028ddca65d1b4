/**
 * Where the knowledge base stands. A revision is the number of a transaction, a tick the engine's state after it;
 * `applied` runs ahead of `durable` by the transactions whose append has not ended. Readers see `durable` only.
 */
import { quoteInput, SensError } from "../base/index.ts";
import type { Cursor } from "../protocol/index.ts";

export interface Position {
  readonly revision: number;
  readonly tick: number;
}

const CURSOR = /^([0-9a-zA-Z_-]{1,64}):(0|[1-9]\d{0,15})$/;

export class Positions {
  readonly epoch: string;
  #applied: Position;
  #durable: Position;
  #waiting: { readonly revision: number; readonly resolve: () => void; readonly reject: (error: SensError) => void }[] = [];

  constructor(epoch: string, start: Position) {
    this.epoch = epoch;
    this.#applied = start;
    this.#durable = start;
  }

  get applied(): Position {
    return this.#applied;
  }

  get durable(): Position {
    return this.#durable;
  }

  /** At start, when everything that is durable was recovered. */
  start(position: Position): void {
    this.#applied = position;
    this.#durable = position;
  }

  /** A transaction was applied; it is not durable yet. */
  apply(position: Position): void {
    this.#applied = position;
  }

  advance(durable: Position): void {
    this.#durable = durable;
    const ready = this.#waiting.filter(({ revision }) => revision <= durable.revision);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ revision }) => revision > durable.revision);
    for (const { resolve } of ready) resolve();
  }

  /** What was applied and not made durable is taken back. */
  fallBack(error: SensError): void {
    this.#applied = this.#durable;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  cursor(revision: number = this.#durable.revision): Cursor {
    return `${this.epoch}:${revision}`;
  }

  /** The revision a cursor names. Throws SENS_CURSOR_INVALID, SENS_CURSOR_FOREIGN, SENS_CURSOR_FUTURE. */
  revisionOf(cursor: Cursor): number {
    const match = CURSOR.exec(cursor);
    if (!match)
      throw new SensError("SENS_CURSOR_INVALID", `${quoteInput(cursor)} is not a cursor. Use one that an answer or notification carried.`);
    const [, epoch, digits] = match as unknown as [string, string, string];
    if (epoch !== this.epoch)
      throw new SensError(
        "SENS_CURSOR_FOREIGN",
        `The cursor ${quoteInput(cursor)} is of another database than this one (${this.epoch}). Start without a cursor.`,
      );
    const revision = Number(digits);
    if (revision > this.#applied.revision)
      throw new SensError(
        "SENS_CURSOR_FUTURE",
        `The cursor ${quoteInput(cursor)} is ahead of the last revision, ${this.#durable.revision}. Start without a cursor.`,
      );
    return revision;
  }

  /** Resolves when the revision is durable. */
  whenDurable(revision: number): Promise<void> {
    if (revision <= this.#durable.revision) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ revision, resolve, reject }));
  }
}
