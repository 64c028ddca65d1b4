/** The ChangeLog interface over a port: asynchronous, sliced, with the clock, random numbers and the logger. */
import {
  assert,
  type ChangeLog,
  type ChangeRecord,
  type Clock,
  type IdempotencyRecord,
  type Limits,
  type LoggedTransaction,
  type Logger,
  type Random,
  type RecoveredState,
  type Snapshot,
  type VerifyReport,
} from "../base/index.ts";
import type { LogPort } from "./log-port.ts";

export interface LogContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: Limits;
  /** See ChangeLogOptions. */
  readonly restored?: boolean;
}

/** Characters gathered into one piece of a snapshot. */
const PIECE_CHARS = 512 * 1024;
/** Transactions asked for at once while replaying. */
const REPLAY_ROWS = 4_000;

type Notifications = Awaited<ReturnType<ChangeLog["notificationsAfter"]>>;

export class PortedChangeLog implements ChangeLog {
  readonly #port: LogPort;
  readonly #context: LogContext;
  #appending = false;

  constructor(port: LogPort, context: LogContext) {
    this.#port = port;
    this.#context = context;
  }

  async open(): Promise<RecoveredState> {
    const { random, logger, clock, restored = false } = this.#context;
    const startedMs = clock.monotonicMs();
    const opened = await this.#port.call("open", random.id(8), restored);
    for (const warning of opened.warnings) logger.warn({ epoch: opened.epoch, revision: opened.revision }, warning);
    const { epoch, revision, snapshotRevision } = opened;
    logger.info({ epoch, revision, snapshotRevision, ms: clock.monotonicMs() - startedMs }, "change log opened");
    return {
      epoch,
      revision,
      snapshot: snapshotRevision === undefined ? undefined : { revision: snapshotRevision, quads: this.#readPieces() },
      transactions: this.#replay(opened.replayAfter, opened.replayUpTo),
      ...opened.registrations,
    };
  }

  async append(records: readonly ChangeRecord[]): Promise<void> {
    assert(!this.#appending, "append is called before the one before has settled");
    this.#appending = true;
    try {
      await this.#port.call("append", records, Math.floor(this.#context.clock.wallMs()));
    } finally {
      this.#appending = false;
    }
  }

  idempotency(key: string): Promise<IdempotencyRecord | undefined> {
    return this.#port.call("idempotency", key);
  }

  async changesAfter(revision: number, limit: number): Promise<readonly LoggedTransaction[] | undefined> {
    let position = await this.#port.call("positionOf", revision);
    const found: LoggedTransaction[] = [];
    let chars = 0;
    while (position !== undefined && found.length < limit && chars < this.#context.limits.logAnswerBytesMax) {
      const slice = await this.#port.call("transactions", position, Number.MAX_SAFE_INTEGER, limit - found.length);
      if (!slice) return undefined;
      for (const transaction of slice.transactions) {
        found.push(transaction);
        chars += sizeOf(transaction);
      }
      if (slice.next === undefined) return found;
      position = slice.next;
    }
    return position === undefined ? undefined : found;
  }

  async notificationsAfter(subscription: string, revision: number, limit: number): Promise<Notifications> {
    if (!(await this.#port.call("coversNotifications", subscription, revision))) return undefined;
    let position = await this.#port.call("positionOf", revision);
    const found: { readonly revision: number; readonly added: string; readonly removed: string }[] = [];
    let chars = 0;
    while (position !== undefined && found.length < limit && chars < this.#context.limits.logAnswerBytesMax) {
      const slice = await this.#port.call("notifications", subscription, position, limit - found.length);
      if (!slice) return undefined;
      for (const delta of slice.notifications) {
        found.push(delta);
        chars += delta.added.length + delta.removed.length;
      }
      if (slice.next === undefined) return found;
      position = slice.next;
    }
    return position === undefined ? undefined : found;
  }

  async writeSnapshot(snapshot: Snapshot): Promise<void> {
    const number = await this.#port.call("beginSnapshot", snapshot.revision);
    try {
      let gathered: string[] = [];
      let chars = 0;
      for await (const piece of snapshot.quads) {
        gathered.push(piece);
        chars += piece.length;
        if (chars < PIECE_CHARS) continue;
        await this.#port.call("addPiece", number, gathered.join(""));
        gathered = [];
        chars = 0;
      }
      if (chars > 0) await this.#port.call("addPiece", number, gathered.join(""));
      await this.#port.call("finishSnapshot", number);
    } catch (error) {
      await this.#port.call("abandonSnapshot", number);
      throw error;
    }
    await this.#dropStalePieces();
  }

  async trim(nowWallMs: number): Promise<void> {
    while (await this.#port.call("trim", nowWallMs));
  }

  verify(): Promise<VerifyReport> {
    return this.#port.call("verify");
  }

  close(): Promise<void> {
    return this.#port.close();
  }

  async #dropStalePieces(): Promise<void> {
    while (await this.#port.call("dropStalePieces"));
  }

  /** One slice is read ahead, so that the disk and the parser work at the same time. */
  async *#readPieces(): AsyncGenerator<string> {
    let ahead = this.#readAhead(this.#port.call("pieces", 0));
    for (;;) {
      const { pieces, next } = await ahead;
      if (next !== undefined) ahead = this.#readAhead(this.#port.call("pieces", next));
      yield* pieces;
      if (next === undefined) return;
    }
  }

  async *#replay(after: number, upTo: number): AsyncGenerator<LoggedTransaction> {
    let ahead = this.#readAhead(this.#port.call("transactions", after, upTo, REPLAY_ROWS));
    for (;;) {
      const slice = await ahead;
      assert(slice, "log rows were trimmed before a start had replayed them");
      const { transactions, next } = slice;
      if (next !== undefined) ahead = this.#readAhead(this.#port.call("transactions", next, upTo, REPLAY_ROWS));
      yield* transactions;
      if (next === undefined) return;
    }
  }

  /** A failure belongs to whoever takes the slice; a reader that stops before that has no use for it. */
  #readAhead<T>(slice: Promise<T>): Promise<T> {
    slice.catch((error: unknown) => this.#context.logger.debug({ error: String(error) }, "a slice read ahead failed"));
    return slice;
  }
}

function sizeOf(transaction: LoggedTransaction): number {
  const deltas = transaction.notifications.reduce((sum, n) => sum + n.added.length + n.removed.length, 0);
  return (
    transaction.asserted.length +
    transaction.retracted.length +
    transaction.derivedAdded.length +
    transaction.derivedRemoved.length +
    deltas
  );
}
