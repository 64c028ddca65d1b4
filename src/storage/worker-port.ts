/** The server's end of the storage worker. Pending calls keep the process alive; an idle worker does not. */
import { Worker } from "node:worker_threads";
import { type Limits, SensError, unpackError, type VerifyReport } from "../base/index.ts";
import type { LogCore } from "./log-core.ts";
import type { LogOperation, LogPort } from "./log-port.ts";
import type { WorkerAnswer, WorkerTask } from "./worker-messages.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class WorkerPort implements LogPort {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #nextId = 1;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(file: string, limits: Limits) {
    this.#worker = startWorker({ task: "serve", file, limits });
    this.#worker.unref();
    this.#exited = new Promise((resolve) => {
      this.#worker.on("error", (error) => this.#fail(`it threw ${String(error)}`));
      this.#worker.on("exit", (code) => {
        this.#fail(`it ended with code ${code}`);
        resolve();
      });
    });
    this.#worker.on("message", (answer: WorkerAnswer) => this.#settle(answer));
  }

  call<K extends LogOperation>(operation: K, ...args: Parameters<LogCore[K]>): Promise<ReturnType<LogCore[K]>> {
    if (this.#closing) return Promise.reject(new SensError("SENS_SHUTTING_DOWN", "The change log is closed."));
    return this.#send(operation, args) as Promise<ReturnType<LogCore[K]>>;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#failure) return;
    await this.#send("close", []);
    await this.#exited;
  }

  #send(operation: LogOperation | "close", args: readonly unknown[]): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#pending.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, operation, args });
    });
  }

  #settle(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0 && !this.#closing) this.#worker.unref();
    if (answer.ok) pending?.resolve(answer.value);
    else pending?.reject(unpackError(answer.error));
  }

  #fail(reason: string): void {
    this.#failure ??= new SensError(
      "SENS_OUTCOME_UNKNOWN",
      `The storage thread is gone: ${reason}. Restart the server, then retry with the same idempotency key.`,
    );
    for (const pending of this.#pending.values()) pending.reject(this.#failure);
    this.#pending.clear();
  }
}

/** Checks a whole database file in a thread of its own, changing nothing; a server may be using it meanwhile. */
export function verifyInWorker(file: string): Promise<VerifyReport> {
  const worker = startWorker({ task: "verify", file });
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new SensError("SENS_INTERNAL", `The verifying thread ended with code ${code} without a report.`)));
    worker.on("message", (answer: WorkerAnswer) => {
      if (answer.ok) resolve(answer.value as VerifyReport);
      else reject(unpackError(answer.error));
    });
  });
}

/** Sources run as they are in development, compiled ones in the package. Flags meant for the main program are not passed on. */
function startWorker(workerData: WorkerTask): Worker {
  const name = import.meta.url.endsWith(".ts") ? "./sqlite-worker.ts" : "./sqlite-worker.js";
  return new Worker(new URL(name, import.meta.url), { workerData, name: "sens-storage", execArgv: [] });
}
