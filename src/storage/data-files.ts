/** The files of one database and their permissions: FILE, FILE-wal, FILE-shm (SQLite), FILE-mark, FILE-lock. */
import { chmodSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SensError } from "../base/index.ts";

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

export function markFileOf(file: string): string {
  return `${file}-mark`;
}

export function lockFileOf(file: string): string {
  return `${file}-lock`;
}

/** Makes the directory (0700) when it is absent. Throws SENS_CONFIG. */
export function prepareDirectory(file: string): void {
  const directory = dirname(file);
  try {
    if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  } catch (cause) {
    throw configError(`The directory ${directory} cannot be made`, cause);
  }
}

/** Makes the file (0600) when it is absent, durably, and takes other people's permissions away. Throws SENS_CONFIG. */
export function prepareFile(file: string): void {
  try {
    const isNew = !existsSync(file);
    closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT, FILE_MODE));
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, FILE_MODE);
    if (isNew) syncDirectory(dirname(file));
  } catch (cause) {
    throw configError(`The file ${file} cannot be opened for writing`, cause);
  }
}

export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function configError(what: string, cause: unknown): SensError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SensError("SENS_CONFIG", `${what}: ${reason}. Give another --data path or change its permissions.`, { cause });
}
