/**
 * Requests that go on after their answer, such as a feed of changes. A watch belongs to one connection: it ends with it, when it
 * is stopped, or when its signal is aborted.
 * State: what ends each watch of the present connection, by the id of its request.
 */
import type { OkFrame, Operation } from "../protocol/index.ts";
import type { CallOptions } from "./call.ts";
import { abortError } from "./problem-error.ts";

export interface Watch {
  readonly request: string;
  /** `undefined` when the connection was lost first. */
  readonly answered: Promise<OkFrame | undefined>;
  stop(): void;
}

export interface WatchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEnd: (error?: Error) => void;
}

export class Watches {
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly #cancel: (request: string) => void;

  constructor(cancel: (request: string) => void) {
    this.#cancel = cancel;
  }

  /** `send` sends the request, whose id is `request`. */
  start(request: string, op: Operation, options: WatchOptions, send: (options: CallOptions) => Promise<OkFrame>): Watch {
    const { signal, onEnd } = options;
    let lost = false;
    const sent = send({
      signal,
      onInterrupted: () => {
        lost = true;
      },
    });
    const abort = (): void => this.#ends.get(request)?.(signal && abortError(signal, op));
    signal?.addEventListener("abort", abort, { once: true });
    const drop = (): void => {
      this.#ends.delete(request);
      signal?.removeEventListener("abort", abort);
    };
    this.#ends.set(request, (error) => {
      drop();
      onEnd(error);
    });
    const answered = sent.catch((error: unknown) => {
      drop();
      if (lost) return undefined;
      throw error;
    });
    const stop = (): void => {
      if (this.#ends.has(request)) this.#cancel(request);
      drop();
    };
    return { request, answered, stop };
  }

  /** The connection is gone; with an error, for good. */
  end(error?: Error): void {
    for (const end of [...this.#ends.values()]) end(error);
  }
}
