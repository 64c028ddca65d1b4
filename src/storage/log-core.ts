/**
 * The change log's rules over any row store, synchronous: what a record becomes, what is checked, what is kept.
 *
 * Order of one append: rows, registrations and head in one durable transaction; then the mark, durable; then the answer.
 * So mark <= log always, and acknowledged <= mark.
 * Long work (feeds, snapshots, trim) comes in slices, so that appends wait for one slice at most.
 */
import { assert, type ChangeRecord, type IdempotencyRecord, type Limits, type LoggedTransaction, SensError } from "../base/index.ts";
import { addToSet, takeFromSet } from "./chain.ts";
import { checkLink, checkTail, walkChain } from "./chain-walk.ts";
import { decodeHead, encodeHead, type Head, type LogPlace, newHead, replayStart } from "./head.ts";
import { firstPositionAt, lastPositionAt } from "./log-search.ts";
import { LogTrimmer } from "./log-trimmer.ts";
import type { Mark } from "./mark.ts";
import { checkKeys, checkMark, checkReplayChain, placeAt, readRegistrations } from "./open-check.ts";
import { placeOf, recordToRow, rowToTransaction } from "./record-row.ts";
import { checkKey, checkRegistration, keyRecord, type Registrations, type RowChange, rowChange } from "./registration-row.ts";
import type { LogRow, RowStore } from "./row-store.ts";
import { type PieceSlice, SnapshotTable } from "./snapshot-table.ts";
import { verifyStore } from "./verify-store.ts";

export interface OpenedLog {
  readonly epoch: string;
  readonly revision: number;
  readonly snapshotRevision: number | undefined;
  /** Position after which transactions are to be replayed, and the last one. */
  readonly replayAfter: number;
  readonly replayUpTo: number;
  readonly registrations: Registrations;
  readonly warnings: readonly string[];
}

/** `next`: the position to ask from next; undefined when the end is reached. */
export interface TransactionSlice {
  readonly transactions: readonly LoggedTransaction[];
  readonly next: number | undefined;
}

export interface NotificationSlice {
  readonly notifications: readonly { readonly revision: number; readonly added: string; readonly removed: string }[];
  readonly next: number | undefined;
}

/** Rows looked at in one slice of a scan. */
const SCAN_ROWS_MAX = 4_000;
/** Errors after which nothing was written and the next append may succeed. */
const NOTHING_WRITTEN: ReadonlySet<string> = new Set(["SENS_STORAGE_FULL", "SENS_BUSY", "SENS_TOO_LARGE"]);

export class LogCore {
  readonly #store: RowStore;
  readonly #limits: Limits;
  readonly #snapshots: SnapshotTable;
  readonly #trimmer: LogTrimmer;
  #head: Head | undefined;
  #mark: Mark | undefined;
  #failure: SensError | undefined;

  constructor(store: RowStore, limits: Limits) {
    this.#store = store;
    this.#limits = limits;
    this.#snapshots = new SnapshotTable(store);
    this.#trimmer = new LogTrimmer(store, limits);
  }

  /** `epoch` is used when the log is new, or `restored`: then the mark of the life before says nothing about it. */
  open(epoch: string, restored: boolean): OpenedLog {
    assert(!this.#head, "the log is opened twice");
    this.#store.open();
    try {
      return this.#recover(epoch, restored);
    } catch (error) {
      this.#store.close();
      throw error;
    }
  }

  /** Idempotent. */
  close(): void {
    this.#store.close();
    this.#failure ??= new SensError("SENS_SHUTTING_DOWN", "The change log is closed.");
  }

  append(records: readonly ChangeRecord[], wallMs: number): void {
    const head = this.#ready();
    if (records.length === 0) return;
    const rows: LogRow[] = [];
    let tail = head.tail;
    for (const record of records) {
      checkRecord(record, tail.revision);
      const row = recordToRow(record, tail, wallMs, this.#store.packs);
      rows.push(row);
      tail = placeOf(row);
    }
    const changes = records.flatMap((record) => record.registrations.map(rowChange));
    this.#change(() => {
      let next: Head = { ...head, tail };
      for (const row of rows) {
        this.#store.insertLog(row);
        next = { ...next, logBytes: next.logBytes + row.bytes };
      }
      for (const change of changes) next = this.#applyChange(next, change);
      return next;
    });
    this.#writeMark();
  }

  idempotency(key: string): IdempotencyRecord | undefined {
    this.#ready();
    return this.#reading(() => {
      const row = this.#store.key(key);
      if (!row) return undefined;
      checkKey(row, this.#store.name);
      return keyRecord(row);
    });
  }

  /** Position of the last row at which `revision` was not yet exceeded; undefined when later rows were trimmed. */
  positionOf(revision: number): number | undefined {
    const head = this.#ready();
    if (revision < head.base.revision) return undefined;
    return this.#reading(() => lastPositionAt(this.#store, head, revision));
  }

  /** Transactions in rows after `afterPosition` up to `upTo`. `undefined` when those rows were trimmed meanwhile. */
  transactions(afterPosition: number, upTo: number, limit: number): TransactionSlice | undefined {
    const head = this.#ready();
    if (afterPosition < head.base.position) return undefined;
    return this.#reading(() => {
      const transactions: LoggedTransaction[] = [];
      const end = Math.min(upTo, head.tail.position);
      const from = this.#place(head, afterPosition);
      if (from.position >= end) return { transactions, next: undefined };
      let bytes = 0;
      let last = from;
      for (const row of walkChain(this.#store.logRows(from.position), from, this.#store.name)) {
        last = placeOf(row);
        if (row.hasTransaction) {
          transactions.push(rowToTransaction(row, this.#store.name));
          bytes += row.bytes;
        }
        const full = transactions.length >= limit || bytes >= this.#limits.logSliceBytes;
        if (full || row.position >= end || row.position - from.position >= SCAN_ROWS_MAX) break;
      }
      if (last.position === from.position) checkTail(last, head.tail, this.#store.name);
      return { transactions, next: last.position < end ? last.position : undefined };
    });
  }

  /** Whether `subscription` is registered and its deltas after `revision` were recorded. */
  coversNotifications(subscription: string, revision: number): boolean {
    this.#ready();
    return this.#reading(() => {
      const row = this.#store.registration("subscription", subscription);
      if (!row) return false;
      checkRegistration(row, this.#store.name);
      return (JSON.parse(row.body) as { sinceRevision: number }).sinceRevision <= revision;
    });
  }

  notifications(subscription: string, afterPosition: number, limit: number): NotificationSlice | undefined {
    const head = this.#ready();
    if (afterPosition < head.base.position) return undefined;
    return this.#reading(() => {
      const from = this.#place(head, afterPosition);
      const hits: number[] = [];
      const needle = JSON.stringify(subscription);
      const end = Math.min(head.tail.position, from.position + SCAN_ROWS_MAX);
      let last = from;
      if (from.position < end) {
        for (const row of walkChain(this.#store.logHeaders(from.position), from, this.#store.name)) {
          last = placeOf(row);
          if (row.notified.includes(needle)) hits.push(row.position);
          if (row.position >= end || hits.length >= limit) break;
        }
        if (last.position === from.position) checkTail(last, head.tail, this.#store.name);
      }
      return this.#readNotifications(subscription, hits, last.position < head.tail.position ? last.position : undefined);
    });
  }

  /** Answers the number of the snapshot begun. */
  beginSnapshot(revision: number): number {
    const head = this.#ready();
    assert(revision <= head.tail.revision, `a snapshot at revision ${revision} of a log that ends at ${head.tail.revision}`);
    assert(
      revision >= replayStart(head).revision,
      `a snapshot at revision ${revision}, older than the log's start ${replayStart(head).revision}`,
    );
    const position = this.#reading(() => firstPositionAt(this.#store, head, revision));
    const number = head.snapshotNumber + 1;
    this.#snapshots.begin(number, this.#place(head, position));
    this.#change(() => ({ ...head, snapshotNumber: number }));
    return number;
  }

  addPiece(number: number, quads: string): void {
    this.#ready();
    this.#guarded(() => this.#store.write(() => this.#snapshots.add(number, quads)));
  }

  /** Makes the pieces written since `beginSnapshot` the snapshot that starts read. */
  finishSnapshot(number: number): void {
    const head = this.#ready();
    this.#change(() => ({ ...head, snapshot: this.#snapshots.finish(number) }));
  }

  abandonSnapshot(number: number): void {
    this.#snapshots.abandon(number);
  }

  /** Deletes some pieces that no snapshot needs; answers whether there may be more. */
  dropStalePieces(): boolean {
    const head = this.#ready();
    return this.#guarded(() => this.#store.write(() => this.#snapshots.dropStale(head)));
  }

  pieces(afterPiece: number): PieceSlice {
    const head = this.#ready();
    return this.#reading(() => this.#snapshots.read(head, afterPiece, this.#limits.logSliceBytes));
  }

  /** One slice; answers whether there is more to forget. */
  trim(nowWallMs: number): boolean {
    const head = this.#ready();
    let more = false;
    const plan = this.#reading(() => this.#trimmer.plan(head, nowWallMs));
    if (!plan) return false;
    this.#change(() => {
      const result = this.#trimmer.run(head, plan);
      more = result.more;
      return result.head;
    });
    return more;
  }

  verify(): ReturnType<typeof verifyStore> {
    this.#ready();
    return verifyStore(this.#store, this.#store.readMark());
  }

  #recover(epoch: string, restored: boolean): OpenedLog {
    const warnings: string[] = [];
    const reading = this.#store.readMark();
    const row = this.#store.head();
    const head = row ? decodeHead(row, this.#store.name) : newHead(epoch);
    if (!restored) checkMark(this.#store, head, reading.mark);
    if (reading.mark && !restored)
      warnings.push(...reading.problems.map((problem) => `${problem}; the other slot agrees with the log and both are rewritten`));
    if (row) checkReplayChain(this.#store, head);
    else this.#store.write(() => this.#store.putHead(encodeHead(head)));
    const registrations = readRegistrations(this.#store, head);
    checkKeys(this.#store, head);
    this.#head = head;
    this.#mark = reading.mark;
    if (restored) this.#change(() => ({ ...head, epoch }));
    this.#writeMark();
    this.#writeMark();
    while (this.dropStalePieces());
    return {
      epoch: restored ? epoch : head.epoch,
      revision: head.tail.revision,
      snapshotRevision: head.snapshot?.place.revision,
      replayAfter: replayStart(head).position,
      replayUpTo: head.tail.position,
      registrations,
      warnings,
    };
  }

  #ready(): Head {
    if (this.#failure) throw this.#failure;
    assert(this.#head, "the log is used before it was opened");
    return this.#head;
  }

  /** A write that makes a new head. On any error but "nothing written" the log refuses all further work. */
  #change(body: () => Head): void {
    const before = this.#head;
    this.#head = this.#guarded(() => {
      try {
        return this.#store.write(() => {
          const next = body();
          this.#store.putHead(encodeHead(next));
          return next;
        });
      } catch (error) {
        if (before && this.#isNothingWritten(error)) this.#confirmUnchanged(before, error);
        throw error;
      }
    });
  }

  #isNothingWritten(error: unknown): boolean {
    return error instanceof SensError && NOTHING_WRITTEN.has(error.code);
  }

  /** "Nothing was written" is checked, not believed. */
  #confirmUnchanged(before: Head, cause: unknown): void {
    if (this.#store.head()?.checksum === encodeHead(before).checksum) return;
    throw new SensError("SENS_OUTCOME_UNKNOWN", `The transaction on ${this.#store.name} failed but left traces. Restart the server.`, {
      cause,
    });
  }

  #guarded<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (!this.#isNothingWritten(error)) this.#fail(error);
      throw error;
    }
  }

  #reading<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (error instanceof SensError && error.code === "SENS_OUTCOME_UNKNOWN") this.#fail(error);
      throw error;
    }
  }

  #fail(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new SensError(
      "SENS_OUTCOME_UNKNOWN",
      `The change log stopped after an error (${reason}). What was sent last may or may not be stored: restart the server, then retry with the same idempotency key.`,
      { cause },
    );
  }

  #writeMark(): void {
    const { epoch, tail } = this.#ready();
    const mark: Mark = { epoch, sequence: (this.#mark?.sequence ?? 0) + 1, ...tail };
    this.#guarded(() => {
      try {
        this.#store.writeMark(mark);
      } catch (cause) {
        throw new SensError("SENS_OUTCOME_UNKNOWN", `The mark file of ${this.#store.name} could not be written: ${String(cause)}`, {
          cause,
        });
      }
    });
    this.#mark = mark;
  }

  #place(head: Head, position: number): LogPlace {
    const place = placeAt(this.#store, head, position);
    if (place) return place;
    throw new SensError(
      "SENS_DATA_DAMAGED",
      `Log row ${position} of ${this.#store.name} is missing. Run "sens verify" and restore from a backup.`,
    );
  }

  #applyChange(head: Head, change: RowChange): Head {
    const store = this.#store;
    if (change.does === "key") {
      const old = store.key(change.row.id);
      if (old) checkKey(old, store.name);
      store.putKey(change.row);
      return { ...head, keys: addToSet(old ? takeFromSet(head.keys, old.checksum) : head.keys, change.row.checksum) };
    }
    const { kind, id } = change.does === "put" ? change.row : change;
    const old = store.registration(kind, id);
    if (old) checkRegistration(old, store.name);
    const without = old ? takeFromSet(head.registrations, old.checksum) : head.registrations;
    if (change.does === "put") {
      store.putRegistration(change.row);
      return { ...head, registrations: addToSet(without, change.row.checksum) };
    }
    if (old) store.deleteRegistration(kind, id);
    return { ...head, registrations: without };
  }

  #readNotifications(subscription: string, positions: readonly number[], next: number | undefined): NotificationSlice {
    const notifications = [];
    let bytes = 0;
    for (const position of positions) {
      if (bytes >= this.#limits.logSliceBytes) return { notifications, next: position - 1 };
      const row = firstOf(this.#store.logRows(position - 1));
      assert(row?.position === position, `log row ${position} left between two reads`);
      checkLink(row, this.#place(this.#ready(), position - 1), this.#store.name);
      const transaction = rowToTransaction(row, this.#store.name);
      bytes += row.bytes;
      for (const delta of transaction.notifications) {
        if (delta.subscription === subscription) notifications.push({ revision: row.revision, added: delta.added, removed: delta.removed });
      }
    }
    return { notifications, next };
  }
}

function checkRecord(record: ChangeRecord, lastRevision: number): void {
  const { transaction } = record;
  if (!transaction) return;
  assert(Number.isSafeInteger(transaction.revision), `revision ${transaction.revision} is no safe integer`);
  assert(transaction.revision === lastRevision + 1, `revision ${transaction.revision} after ${lastRevision}`);
}

/** Leaves the iterator, which would otherwise hold its statement. */
function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
