/** Rows in memory: the store of a server without a file. Nothing outlives it. */
import type { Mark, MarkReading } from "./mark.ts";
import {
  type HeadRow,
  type KeyRow,
  type LogHeader,
  type LogRow,
  PIECES_PER_SNAPSHOT,
  type PieceRow,
  type RegistrationRow,
  type RowStore,
} from "./row-store.ts";

export class MemoryStore implements RowStore {
  readonly name = "the memory log";
  readonly packs = false;
  readonly durable = false;
  #head: HeadRow | undefined;
  #mark: Mark | undefined;
  /** Positions are contiguous and Maps keep the order of insertion; the first kept position makes lookups start there. */
  readonly #log = new Map<number, LogRow>();
  #firstPosition = 1;
  readonly #registrations = new Map<string, RegistrationRow>();
  readonly #keys = new Map<string, KeyRow>();
  readonly #pieces = new Map<number, PieceRow>();

  open(): void {}
  close(): void {}

  /** Bodies check before they write, so there is never anything to undo. */
  write<T>(body: () => T): T {
    return body();
  }

  head(): HeadRow | undefined {
    return this.#head;
  }
  putHead(row: HeadRow): void {
    this.#head = row;
  }

  insertLog(row: LogRow): void {
    this.#log.set(row.position, row);
  }
  logHeader(position: number): LogHeader | undefined {
    return this.#log.get(position);
  }
  logHeaders(afterPosition: number): IterableIterator<LogHeader> {
    return this.logRows(afterPosition);
  }
  *logRows(afterPosition: number): IterableIterator<LogRow> {
    for (let position = Math.max(afterPosition + 1, this.#firstPosition); ; position++) {
      const row = this.#log.get(position);
      if (!row) return;
      yield row;
    }
  }
  deleteLogUpTo(position: number): void {
    for (; this.#firstPosition <= position; this.#firstPosition++) this.#log.delete(this.#firstPosition);
  }

  registrations(): IterableIterator<RegistrationRow> {
    return this.#registrations.values();
  }
  registration(kind: string, id: string): RegistrationRow | undefined {
    return this.#registrations.get(`${kind} ${id}`);
  }
  putRegistration(row: RegistrationRow): void {
    this.#registrations.set(`${row.kind} ${row.id}`, row);
  }
  deleteRegistration(kind: string, id: string): void {
    this.#registrations.delete(`${kind} ${id}`);
  }

  keys(): IterableIterator<KeyRow> {
    return this.#keys.values();
  }
  key(id: string): KeyRow | undefined {
    return this.#keys.get(id);
  }
  keysBefore(wallMs: number, limit: number): readonly KeyRow[] {
    const found: KeyRow[] = [];
    for (const row of this.#keys.values()) {
      if (found.length === limit) break;
      if (row.wallMs < wallMs) found.push(row);
    }
    return found;
  }
  putKey(row: KeyRow): void {
    this.#keys.delete(row.id);
    this.#keys.set(row.id, row);
  }
  deleteKey(id: string): void {
    this.#keys.delete(id);
  }

  *pieces(fromId: number): IterableIterator<PieceRow> {
    for (let id = fromId; ; id++) {
      const row = this.#pieces.get(id);
      if (!row) return;
      yield row;
    }
  }
  putPiece(row: PieceRow): void {
    this.#pieces.set(row.id, row);
  }
  deletePiecesExcept(keep: readonly number[], limit: number): number {
    let deleted = 0;
    for (const id of this.#pieces.keys()) {
      if (deleted === limit) break;
      if (keep.includes(Math.floor(id / PIECES_PER_SNAPSHOT))) continue;
      this.#pieces.delete(id);
      deleted++;
    }
    return deleted;
  }

  readMark(): MarkReading {
    return { mark: this.#mark, problems: [] };
  }
  writeMark(mark: Mark): void {
    this.#mark = mark;
  }

  structureProblems(): readonly string[] {
    return [];
  }
}
