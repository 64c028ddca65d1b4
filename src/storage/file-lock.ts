/**
 * One server per file: an exclusive transaction held open on a side database. It is a lock of the operating system, so it
 * ends with the process that holds it, however that ends.
 */
import Database from "better-sqlite3";
import { SensError } from "../base/index.ts";
import { configError } from "./data-files.ts";

/** A predecessor that was just killed may need a moment to be gone. */
const LOCK_WAIT_MS = 1_000;

export class FileLock {
  readonly #database: Database.Database;

  /** Throws SENS_DATA_LOCKED, SENS_CONFIG. */
  constructor(lockFile: string, dataFile: string) {
    try {
      this.#database = new Database(lockFile, { timeout: LOCK_WAIT_MS });
    } catch (cause) {
      throw configError(`The lock file ${lockFile} cannot be opened`, cause);
    }
    try {
      // Nothing is ever written to it, so it needs no journal file.
      this.#database.pragma("journal_mode = MEMORY");
      this.#database.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      this.#database.close();
      const busy = cause instanceof Database.SqliteError && cause.code.startsWith("SQLITE_BUSY");
      if (!busy) throw configError(`The lock file ${lockFile} cannot be locked`, cause);
      throw new SensError("SENS_DATA_LOCKED", `Another server uses ${dataFile}. Stop it first, or give this one another file.`, { cause });
    }
  }

  /** Idempotent. */
  release(): void {
    if (this.#database.open) this.#database.close();
  }
}
