/** One request on its way: kept until it is answered, sent again after a reconnection, given up when its caller does. */
import type { OkFrame, Operation } from "../protocol/index.ts";

export interface TransferProgress {
  /** Bytes that have left for the server. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Runs as soon as the answer is read, before any later frame is. */
  readonly onAnswer?: (answer: OkFrame) => void;
  /** The answer came after the caller had given up: undo what it did. */
  readonly onLate?: (answer: OkFrame) => void;
  /** Runs once: the request needs another connection. Without it the request is sent again by itself. */
  readonly onInterrupted?: () => void;
  /** Keeps waiting when the token is refused, as what waits anyway should. */
  readonly staysWhenSignedOut?: boolean;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** The fields of a request, made at every sending: what remains of a time-out is less each time. */
export type CallFields = object | (() => object);

export class Call {
  readonly id: string;
  readonly op: Operation;
  readonly options: CallOptions;
  readonly #fields: CallFields;
  readonly #resolve: (answer: OkFrame) => void;
  readonly #reject: (error: Error) => void;
  /** On the present connection. */
  sent = false;
  /** The caller has its refusal already; only the late answer is still of interest. */
  abandoned = false;
  /** Takes the abort listener or a retry timer away. */
  cleanUp: (() => void) | undefined;

  constructor(
    id: string,
    op: Operation,
    fields: CallFields,
    options: CallOptions,
    resolve: (answer: OkFrame) => void,
    reject: (error: Error) => void,
  ) {
    this.id = id;
    this.op = op;
    this.#fields = fields;
    this.options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  frame(): string {
    const fields = typeof this.#fields === "function" ? (this.#fields as () => object)() : this.#fields;
    return JSON.stringify({ id: this.id, op: this.op, ...fields });
  }

  answer(answer: OkFrame): void {
    if (this.abandoned) {
      this.options.onLate?.(answer);
      return;
    }
    this.cleanUp?.();
    this.options.onAnswer?.(answer);
    this.#resolve(answer);
  }

  refuse(error: Error): void {
    if (this.abandoned) return;
    this.cleanUp?.();
    this.#reject(error);
  }
}

/** What the server can stop on request. */
export function isCancellable(op: Operation): boolean {
  return op === "receive" || op === "remove" || op === "changes";
}
