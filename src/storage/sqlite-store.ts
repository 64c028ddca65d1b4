/**
 * Rows in SQLite. Everything here is I/O: what the rows mean is said in log-core.ts.
 *
 * synchronous=FULL is set after journal_mode=WAL on every open and read back: the library's default for WAL is NORMAL,
 * which loses acknowledged commits at a power cut.
 */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { SensError } from "../base/index.ts";
import { configError, lockFileOf, markFileOf, prepareDirectory, prepareFile } from "./data-files.ts";
import { FileLock } from "./file-lock.ts";
import type { Mark, MarkReading } from "./mark.ts";
import { MarkFile } from "./mark-file.ts";
import { checkMigrated, migrate } from "./migrations.ts";
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
import { sqliteError } from "./sqlite-errors.ts";
import { SQL, type Statements } from "./sqlite-statements.ts";

/** Only programs other than a server can hold the file; writers wait for them this long. */
const BUSY_WAIT_MS = 5_000;

type SqliteHeader = Omit<LogHeader, "seal" | "hasTransaction"> & { readonly seal: Buffer; readonly hasTransaction: number };
type SqliteRow = Omit<LogRow, "seal" | "hasTransaction"> & { readonly seal: Buffer; readonly hasTransaction: number };

export class SqliteStore implements RowStore {
  readonly name: string;
  readonly packs = true;
  readonly durable = true;
  readonly #readOnly: boolean;
  readonly #markFile: MarkFile;
  #lock: FileLock | undefined;
  #database: Database.Database | undefined;
  #statements: Statements | undefined;

  /** `readOnly`: for verify; sees one state of the file, takes no lock, changes nothing. */
  constructor(file: string, readOnly = false) {
    this.name = file;
    this.#readOnly = readOnly;
    this.#markFile = new MarkFile(markFileOf(file));
  }

  open(): void {
    try {
      if (this.#readOnly) this.#openReadOnly();
      else this.#openForWriting();
    } catch (error) {
      this.close();
      throw openError(error, this.name);
    }
  }

  close(): void {
    this.#statements = undefined;
    const database = this.#database;
    this.#database = undefined;
    this.#markFile.close();
    try {
      database?.close();
    } finally {
      this.#lock?.release();
      this.#lock = undefined;
    }
  }

  write<T>(body: () => T): T {
    const database = this.#open();
    try {
      database.exec("BEGIN IMMEDIATE");
      const result = body();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      const told = sqliteError(error, this.name);
      try {
        if (database.inTransaction) database.exec("ROLLBACK");
      } catch (cause) {
        throw new SensError("SENS_OUTCOME_UNKNOWN", `A transaction on ${this.name} could not be rolled back: ${String(cause)}`, {
          cause: error,
        });
      }
      throw told;
    }
  }

  head(): HeadRow | undefined {
    return this.#run(() => this.#sql().head.get() as HeadRow | undefined);
  }
  putHead(row: HeadRow): void {
    this.#run(() => this.#sql().putHead.run(row));
  }

  insertLog(row: LogRow): void {
    const bound = { ...row, seal: Buffer.from(row.seal, "hex"), hasTransaction: row.hasTransaction ? 1 : 0 };
    this.#run(() => this.#sql().insertLog.run(bound));
  }
  logHeader(position: number): LogHeader | undefined {
    return this.#run(() => {
      const row = this.#sql().logHeader.get(position) as SqliteHeader | undefined;
      return row && fromSqlite(row);
    });
  }
  logHeaders(afterPosition: number): IterableIterator<LogHeader> {
    return this.#each(() => this.#sql().logHeaders.iterate(afterPosition) as IterableIterator<SqliteHeader>, fromSqlite);
  }
  logRows(afterPosition: number): IterableIterator<LogRow> {
    return this.#each(() => this.#sql().logRows.iterate(afterPosition) as IterableIterator<SqliteRow>, fromSqlite);
  }
  deleteLogUpTo(position: number): void {
    this.#run(() => this.#sql().deleteLogUpTo.run(position));
  }

  registrations(): IterableIterator<RegistrationRow> {
    return this.#each(() => this.#sql().registrations.iterate() as IterableIterator<RegistrationRow>, same);
  }
  registration(kind: string, id: string): RegistrationRow | undefined {
    return this.#run(() => this.#sql().registration.get(kind, id) as RegistrationRow | undefined);
  }
  putRegistration(row: RegistrationRow): void {
    this.#run(() => this.#sql().putRegistration.run(row));
  }
  deleteRegistration(kind: string, id: string): void {
    this.#run(() => this.#sql().deleteRegistration.run(kind, id));
  }

  keys(): IterableIterator<KeyRow> {
    return this.#each(() => this.#sql().keys.iterate() as IterableIterator<KeyRow>, same);
  }
  key(id: string): KeyRow | undefined {
    return this.#run(() => this.#sql().key.get(id) as KeyRow | undefined);
  }
  keysBefore(wallMs: number, limit: number): readonly KeyRow[] {
    return this.#run(() => this.#sql().keysBefore.all(wallMs, limit) as KeyRow[]);
  }
  putKey(row: KeyRow): void {
    this.#run(() => this.#sql().putKey.run(row));
  }
  deleteKey(id: string): void {
    this.#run(() => this.#sql().deleteKey.run(id));
  }

  pieces(fromId: number): IterableIterator<PieceRow> {
    return this.#each(() => this.#sql().pieces.iterate(fromId) as IterableIterator<PieceRow>, same);
  }
  putPiece(row: PieceRow): void {
    this.#run(() => this.#sql().putPiece.run(row));
  }
  deletePiecesExcept(keep: readonly number[], limit: number): number {
    const [one = 0, other = 0] = keep;
    return this.#run(() => this.#sql().deletePiecesExcept.run({ one, other, limit, per: PIECES_PER_SNAPSHOT }).changes);
  }

  readMark(): MarkReading {
    try {
      return this.#markFile.read();
    } catch (cause) {
      throw new SensError("SENS_DATA_DAMAGED", `The mark file of ${this.name} cannot be read: ${String(cause)}`, { cause });
    }
  }
  writeMark(mark: Mark): void {
    this.#markFile.write(mark);
  }

  structureProblems(): readonly string[] {
    return this.#run(() => {
      const rows = this.#open().pragma("integrity_check(20)") as { integrity_check: string }[];
      return rows
        .map((row) => row.integrity_check)
        .filter((text) => text !== "ok")
        .map((text) => `SQLite: ${text}`);
    });
  }

  #openForWriting(): void {
    prepareDirectory(this.name);
    prepareFile(lockFileOf(this.name));
    this.#lock = new FileLock(lockFileOf(this.name), this.name);
    prepareFile(this.name);
    const database = this.#connect({ timeout: BUSY_WAIT_MS });
    const mode = database.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal")
      throw new SensError(
        "SENS_CONFIG",
        `${this.name} cannot use a write-ahead log (journal mode ${String(mode)}). Use a local file system.`,
      );
    database.pragma("synchronous = FULL");
    migrate(database, this.name);
    const synchronous = database.pragma("synchronous", { simple: true });
    if (synchronous !== 2)
      throw new SensError("SENS_CONFIG", `${this.name} does not keep synchronous=FULL (it reads ${String(synchronous)}).`);
    this.#statements = prepareAll(database);
  }

  #openReadOnly(): void {
    if (!existsSync(this.name)) throw new SensError("SENS_CONFIG", `There is no database file ${this.name}.`);
    const database = this.#connect({ timeout: BUSY_WAIT_MS, readonly: true });
    database.exec("BEGIN");
    checkMigrated(database, this.name);
    this.#statements = prepareAll(database);
  }

  #connect(options: Database.Options): Database.Database {
    const database = new Database(this.name, options);
    this.#database = database;
    database.pragma("trusted_schema = OFF");
    database.pragma("cell_size_check = ON");
    database.pragma("foreign_keys = ON");
    return database;
  }

  #open(): Database.Database {
    if (!this.#database) throw new SensError("SENS_SHUTTING_DOWN", `${this.name} is closed.`);
    return this.#database;
  }

  #sql(): Statements {
    this.#open();
    return this.#statements as Statements;
  }

  #run<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw sqliteError(error, this.name);
    }
  }

  *#each<S, T>(start: () => IterableIterator<S>, map: (row: S) => T): IterableIterator<T> {
    const rows = this.#run(start);
    try {
      for (;;) {
        const step = this.#run(() => rows.next());
        if (step.done) return;
        yield map(step.value);
      }
    } finally {
      rows.return?.();
    }
  }
}

function prepareAll(database: Database.Database): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}

function fromSqlite<R extends SqliteHeader>(row: R): Omit<R, "seal" | "hasTransaction"> & { seal: string; hasTransaction: boolean } {
  return { ...row, seal: row.seal.toString("hex"), hasTransaction: row.hasTransaction === 1 };
}

function same<T>(row: T): T {
  return row;
}

/** While opening nothing of ours can have been written: what is no damage is a matter of paths and permissions. */
function openError(error: unknown, file: string): Error {
  if (error instanceof Database.SqliteError && /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(error.code)) {
    return configError(`The database ${file} cannot be opened (${error.code})`, error);
  }
  return sqliteError(error, file);
}
