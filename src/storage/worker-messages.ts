/** What goes between the server's thread and the thread that owns the database file. */
import type { Limits, PackedError } from "../base/index.ts";
import type { LogOperation } from "./log-port.ts";

export type WorkerTask =
  | { readonly task: "serve"; readonly file: string; readonly limits: Limits }
  | { readonly task: "verify"; readonly file: string };

export type WorkerRequest =
  | { readonly id: number; readonly operation: LogOperation; readonly args: readonly unknown[] }
  | { readonly id: number; readonly operation: "close" };

export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: PackedError };
