/**
 * SQLite's errors in our words. What matters is one question: was anything written?
 * SQLITE_FULL and SQLITE_BUSY: no. Any other I/O error: nobody knows (a commit whose sync failed was found stored later).
 */
import Database from "better-sqlite3";
import { AssertionError, SensError } from "../base/index.ts";

export function sqliteError(error: unknown, where: string): Error {
  if (error instanceof SensError || error instanceof AssertionError) return error;
  if (!(error instanceof Database.SqliteError)) return outcomeUnknown(error, where);
  const { code, message } = error;
  if (code.startsWith("SQLITE_FULL")) {
    return new SensError("SENS_STORAGE_FULL", `The disk of ${where} is full. Nothing was written; free some space and try again.`, {
      cause: error,
    });
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new SensError("SENS_BUSY", `Another program holds ${where} locked (${code}). Nothing was written; end that program.`, {
      cause: error,
    });
  }
  if (code === "SQLITE_TOOBIG") {
    return new SensError("SENS_TOO_LARGE", `A text is larger than a row of ${where} can be. Nothing was written; split the change.`, {
      cause: error,
    });
  }
  if (code.startsWith("SQLITE_NOTADB")) {
    return new SensError(
      "SENS_DATA_DAMAGED",
      `${where} is no SENS database, or its beginning is damaged (${code}). Name the right file, or restore it from a backup.`,
      { cause: error },
    );
  }
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_CONSTRAINT") || code === "SQLITE_ERROR") {
    return new SensError(
      "SENS_DATA_DAMAGED",
      `Damage: SQLite reports ${code} for ${where}: ${message}. Run "sens verify" and restore from a backup.`,
      {
        cause: error,
      },
    );
  }
  return outcomeUnknown(error, where);
}

function outcomeUnknown(error: unknown, where: string): SensError {
  const reason = error instanceof Database.SqliteError ? `${error.code}: ${error.message}` : String(error);
  return new SensError("SENS_OUTCOME_UNKNOWN", `Storage failed on ${where} (${reason}). Restart the server once the storage works.`, {
    cause: error,
  });
}
