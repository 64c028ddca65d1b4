/** What callers may ask for, one interface per group of operations. */
import type { Cursor } from "../protocol/index.ts";
import type { TransferProgress } from "./call.ts";
import type { ConnectionStatus, TokenSource } from "./connection.ts";

export interface ConnectOptions {
  /** A token, or a function that brings a fresh one at every connection. */
  readonly token?: TokenSource;
  /** Gives up connecting, and closes the client when it is aborted later. */
  readonly signal?: AbortSignal;
  readonly onStatus?: (status: ConnectionStatus) => void;
  /** Failures that no call and no loop reports, such as a callback that throws; default `console.error`. */
  readonly onError?: (error: Error) => void;
  /** Default true. Without it a lost connection closes the client. */
  readonly reconnect?: boolean;
  /** Longest pause between attempts; default 15 s. */
  readonly backoffMaxMs?: number;
  /** Silence after which the connection is checked; default 15 s. */
  readonly heartbeatMs?: number;
}

export interface CallerOptions {
  readonly signal?: AbortSignal;
}

export interface PublishOptions extends CallerOptions {
  /** Media type of a document given as text or bytes; default N-Quads, N-Triples included. */
  readonly contentType?: string;
  /** Graph for the triples that name none. */
  readonly graph?: string;
  /** Against which relative IRIs of the document are resolved. */
  readonly baseIri?: string;
  /** Idempotency key; made by the client when absent. The same key with the same document has effect once. */
  readonly key?: string;
  /** Publish quads in parts of this many, each an event of its own. Without it one publish is one event. */
  readonly split?: { readonly quads: number };
  readonly onProgress?: (progress: PublishProgress) => void;
}

export interface PublishProgress extends TransferProgress {
  /** Quads in parts that the server has acknowledged; 0 for documents. */
  readonly doneQuads: number;
}

export interface UpdateOptions extends CallerOptions {
  readonly key?: string;
  readonly usingGraphs?: readonly string[];
  readonly usingNamedGraphs?: readonly string[];
}

export interface QueryOptions extends CallerOptions {
  readonly defaultGraphs?: readonly string[];
  readonly namedGraphs?: readonly string[];
  /** Server time for the query; default 5 s. */
  readonly timeoutMs?: number;
  /** Answer from this cursor or later: read what was written before. */
  readonly atLeast?: Cursor;
}

export interface RegisterInsertionOptions extends CallerOptions {
  readonly name?: string;
  /** `while` (default): holds as long as its support. `once`: each new triple is stated and stays. */
  readonly mode?: "while" | "once";
}
