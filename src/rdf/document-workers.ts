/**
 * Large documents in Turtle, TriG, JSON-LD and RDF/XML are parsed in threads of their own: their parsers cannot pause,
 * and a document of 10 MB takes seconds. What comes back is N-Quads, which the server's thread scans in slices.
 *
 * At most `WORKERS_MAX` threads, started when needed (50 to 100 ms) and kept for a while; further documents wait in order,
 * together at most `queueBytesMax`, beyond which they are refused as busy.
 * A document that needs too much time or memory ends its thread, not the server.
 */
import { Worker } from "node:worker_threads";
import { type Clock, LIMITS, SensError, systemClock, unpackError } from "../base/index.ts";
import type { DocumentAnswer, DocumentTask, LargeDocument } from "./document-task.ts";

const WORKERS_MAX = 2;
const IDLE_MS = 30_000;
const MEMORY_MAX_MIB = 2048;

class DocumentWorkers {
  readonly #idle: Worker[] = [];
  readonly #waiting: (() => void)[] = [];
  #started = 0;
  /** Of the documents that are being parsed or wait for it. */
  #bytes = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(task: DocumentTask, signal: AbortSignal | undefined, bytesMax: number): Promise<LargeDocument> {
    const { length } = task.bytes;
    if (this.#bytes > 0 && this.#bytes + length > bytesMax)
      throw new SensError("SENS_BUSY", `${this.#bytes} bytes of large documents are being parsed already. Try again later.`);
    this.#bytes += length;
    try {
      return await this.#parsed(task, signal);
    } finally {
      this.#bytes -= length;
    }
  }

  async #parsed(task: DocumentTask, signal: AbortSignal | undefined): Promise<LargeDocument> {
    const worker = await this.#take();
    let answer: DocumentAnswer | undefined;
    try {
      answer = await ask(worker, task, signal, this.#clock);
    } finally {
      // A thread that has not answered is in an unknown state.
      this.#give(worker, answer !== undefined);
    }
    if (answer.ok) return answer.document;
    throw unpackError(answer.error);
  }

  async #take(): Promise<Worker> {
    while (this.#idle.length === 0 && this.#started >= WORKERS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const idle = this.#idle.pop();
    if (idle) return idle;
    this.#started++;
    return start();
  }

  #give(worker: Worker, usable: boolean): void {
    worker.unref();
    if (usable) {
      this.#idle.push(worker);
      this.#clock.after(IDLE_MS, () => this.#retire(worker));
    } else this.#end(worker);
    this.#waiting.shift()?.();
  }

  #retire(worker: Worker): void {
    const at = this.#idle.indexOf(worker);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    this.#end(worker);
  }

  #end(worker: Worker): void {
    this.#started--;
    void worker.terminate();
  }
}

/** Sources run as they are in development, compiled ones in the package. Flags meant for the main program are not passed on. */
function start(): Worker {
  const name = import.meta.url.endsWith(".ts") ? "./document-worker.ts" : "./document-worker.js";
  return new Worker(new URL(name, import.meta.url), {
    name: "sens-parser",
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MIB },
  });
}

function ask(worker: Worker, task: DocumentTask, signal: AbortSignal | undefined, clock: Clock): Promise<DocumentAnswer> {
  worker.ref();
  return new Promise((resolve, reject) => {
    const fail = (code: "SENS_CANCELLED" | "SENS_TOO_LARGE", message: string, cause?: unknown): void =>
      end(() => reject(new SensError(code, message, { cause })));
    const onError = (error: Error): void =>
      fail("SENS_TOO_LARGE", "The document needs more memory than one document may have. Send it in parts.", error);
    const onExit = (code: number): void => fail("SENS_TOO_LARGE", `The parsing thread ended (code ${code}). Send the document in parts.`);
    const onMessage = (answer: DocumentAnswer): void => end(() => resolve(answer));
    const onAbort = (): void => fail("SENS_CANCELLED", "Parsing was cancelled.", signal?.reason);
    const stop = clock.after(LIMITS.parseMaxMs, () =>
      fail("SENS_TOO_LARGE", `The document takes more than ${LIMITS.parseMaxMs} ms to parse. Send it in parts, or as N-Quads.`),
    );
    const end = (then: () => void): void => {
      stop();
      worker.off("error", onError).off("exit", onExit).off("message", onMessage);
      signal?.removeEventListener("abort", onAbort);
      then();
    };
    worker.on("error", onError).on("exit", onExit).on("message", onMessage);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else worker.postMessage(task);
  });
}

const shared = new DocumentWorkers(systemClock);

/** The document as N-Quads. Rejects with what the parser throws, SENS_TOO_LARGE, SENS_BUSY and SENS_CANCELLED. */
export function parseApart(task: DocumentTask, signal?: AbortSignal, bytesMax: number = LIMITS.queueBytesMax): Promise<LargeDocument> {
  return shared.run(task, signal, bytesMax);
}
