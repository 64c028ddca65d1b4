/** What goes between the server's thread and the thread that owns the database file. */
import { AssertionError, type ErrorCode, type Limits, SensError } from "../base/index.ts";
import type { LogOperation } from "./log-port.ts";

export type WorkerTask =
  | { readonly task: "serve"; readonly file: string; readonly limits: Limits }
  | { readonly task: "verify"; readonly file: string };

export type WorkerRequest =
  | { readonly id: number; readonly operation: LogOperation; readonly args: readonly unknown[] }
  | { readonly id: number; readonly operation: "close" };

export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ErrorMessage };

export interface ErrorMessage {
  readonly code: ErrorCode | undefined;
  readonly assertion: boolean;
  readonly message: string;
  readonly stack: string | undefined;
}

export function packError(error: unknown): ErrorMessage {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: error instanceof SensError ? error.code : undefined, assertion: error instanceof AssertionError, message, stack };
}

export function unpackError(packed: ErrorMessage): Error {
  const cause = packed.stack;
  if (packed.code) return new SensError(packed.code, packed.message, { cause });
  if (packed.assertion) return new AssertionError(packed.message.replace(/^Assertion failed: /, ""));
  return new Error(packed.message, { cause });
}
