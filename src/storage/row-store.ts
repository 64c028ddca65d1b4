/**
 * What the log needs of a place to keep rows, and nothing more: SQLite and memory implement it. It is synchronous (the
 * SQLite one lives in a worker thread); it knows no checksums and no rules. All of those are in log-core.ts and verify.ts.
 */
import type { ChainedNumbers } from "./chain.ts";
import type { Mark, MarkReading } from "./mark.ts";
import type { PackedText } from "./packed-text.ts";

export interface LogHeader extends ChainedNumbers {
  /** See chain.ts. */
  readonly seal: string;
}

export interface LogRow extends LogHeader {
  readonly asserted: PackedText;
  readonly retracted: PackedText;
  readonly derivedAdded: PackedText;
  readonly derivedRemoved: PackedText;
  /** JSON: for each id in `notified`, in its order, `[added, removed]`. */
  readonly notifications: PackedText;
}

export interface HeadRow {
  readonly body: string;
  readonly checksum: string;
}

export interface RegistrationRow {
  readonly kind: string;
  readonly id: string;
  readonly body: string;
  readonly checksum: string;
}

export interface KeyRow {
  readonly id: string;
  readonly wallMs: number;
  readonly body: string;
  readonly checksum: string;
}

export interface PieceRow {
  /** Snapshot number * PIECES_PER_SNAPSHOT + piece number. */
  readonly id: number;
  readonly quads: PackedText;
  readonly checksum: string;
}

export const PIECES_PER_SNAPSHOT = 1_000_000;

/**
 * Errors are SensErrors: SENS_STORAGE_FULL, SENS_BUSY and SENS_TOO_LARGE mean nothing was written; SENS_OUTCOME_UNKNOWN
 * that nobody knows; SENS_DATA_DAMAGED that SQLite itself noticed damage.
 * Iterables are lazy; no other call may be made until they are finished or left.
 */
export interface RowStore {
  /** For messages. */
  readonly name: string;
  /** Whether large texts are deflated: it pays where they are written to a disk. */
  readonly packs: boolean;
  /** Whether it outlives the process: if not, nothing need be kept for a start. */
  readonly durable: boolean;
  open(): void;
  close(): void;
  /** Runs `body` in one transaction that is durable when this returns; a throw undoes it. */
  write<T>(body: () => T): T;

  head(): HeadRow | undefined;
  putHead(row: HeadRow): void;

  insertLog(row: LogRow): void;
  logHeader(position: number): LogHeader | undefined;
  /** In order of position, from the first after `position`. */
  logHeaders(afterPosition: number): IterableIterator<LogHeader>;
  logRows(afterPosition: number): IterableIterator<LogRow>;
  deleteLogUpTo(position: number): void;

  registrations(): IterableIterator<RegistrationRow>;
  registration(kind: string, id: string): RegistrationRow | undefined;
  putRegistration(row: RegistrationRow): void;
  deleteRegistration(kind: string, id: string): void;

  keys(): IterableIterator<KeyRow>;
  key(id: string): KeyRow | undefined;
  /** Oldest first. */
  keysBefore(wallMs: number, limit: number): readonly KeyRow[];
  putKey(row: KeyRow): void;
  deleteKey(id: string): void;

  pieces(fromId: number): IterableIterator<PieceRow>;
  putPiece(row: PieceRow): void;
  /** Deletes up to `limit` pieces whose snapshot is in neither of `keep`; answers how many it deleted. */
  deletePiecesExcept(keep: readonly number[], limit: number): number;

  readMark(): MarkReading;
  /** Durable when this returns. */
  writeMark(mark: Mark): void;

  /** What the store finds wrong with its own structure. */
  structureProblems(): readonly string[];
}
