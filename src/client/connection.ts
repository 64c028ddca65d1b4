/**
 * The connection as callers should see it: always there, sometimes slow. Requests are kept until they are answered and are
 * sent again, in order, after a reconnection; those that change something carry an idempotency key, so that twice is once.
 *
 * State: connecting -> open -> waiting -> connecting ...; signed-out until a new token; closed for good.
 * Bounded: at most PENDING_MAX requests wait for an answer.
 */
import { type Clock, LIMITS, type Random, SensError } from "../base/index.ts";
import type { ChangeFrame, EndFrame, NotificationFrame, OkFrame, Operation, RefusalFrame, ServerFrame } from "../protocol/index.ts";
import type { ServerAddress } from "./address.ts";
import { subprotocols } from "./address.ts";
import { Backoff } from "./backoff.ts";
import { Call, type CallFields, type CallOptions, isCancellable } from "./call.ts";
import { Heartbeat } from "./heartbeat.ts";
import { abortError, errorFromProblem } from "./problem-error.ts";
import type { OpenSocket, Socket, SocketEvents } from "./socket.ts";
import { type Watch, Watches, type WatchOptions } from "./watches.ts";

/** A token, or a function that brings a fresh one at every connection. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>);

export type ConnectionStatus =
  | { readonly status: "connecting"; readonly attempt: number }
  | { readonly status: "connected" }
  | { readonly status: "disconnected"; readonly error: SensError; readonly retryInMs: number }
  /** The token was refused. With a token function it is asked again; otherwise call `setToken`. */
  | { readonly status: "signed-out"; readonly error: SensError }
  | { readonly status: "closed"; readonly error?: SensError };

/** What the connection tells the rest of the client. */
export interface ConnectionListener {
  status(status: ConnectionStatus): void;
  /** Something failed that no caller waits for. */
  error(error: Error): void;
  opened(): void;
  notification(frame: NotificationFrame): void;
  end(frame: EndFrame): void;
  change(frame: ChangeFrame): void;
}

export interface ConnectionParts {
  readonly address: ServerAddress;
  readonly token: TokenSource | undefined;
  readonly reconnect: boolean;
  readonly backoffMaxMs: number;
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly openSocket: OpenSocket;
  readonly diagnose: (address: ServerAddress, token: string | undefined) => Promise<SensError | undefined>;
}

const PENDING_MAX = 10_000;
const OPEN_TIMEOUT_MS = 10_000;
const RESEND_MS = 500;
const PROGRESS_MS = 50;
/**
 * Refusals that a later sending of the same request can turn into an answer. SENS_CANCELLED, when it was not this client who
 * cancelled: a request sent again under its key had joined the one of the lost connection, and ended with it.
 */
const RESENT = new Set(["SENS_SHUTTING_DOWN", "SENS_NOT_READY", "SENS_OUTCOME_UNKNOWN", "SENS_CANCELLED"]);

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #listener: ConnectionListener;
  readonly #backoff: Backoff;
  readonly #calls = new Map<string, Call>();
  readonly #watches = new Watches((request) => this.tell("cancel", { request }));
  readonly #heartbeat: Heartbeat;
  #token: TokenSource | undefined;
  #state: "connecting" | "open" | "waiting" | "signed-out" | "closed" = "connecting";
  #socket: Socket | undefined;
  #stopTimer: (() => void) | undefined;
  #nextId = 1;
  #wasOpen = false;
  /** A refusal of the connection itself, sent before the server closed it. */
  #connectionError: SensError | undefined;
  #first: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(parts: ConnectionParts, listener: ConnectionListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#token = parts.token;
    this.#backoff = new Backoff(parts.random, parts.backoffMaxMs);
    this.#heartbeat = new Heartbeat(parts.clock, parts.heartbeatMs, {
      ping: () => this.#socket?.send(JSON.stringify({ id: "ping", op: "ping" })),
      bufferedBytes: () => this.#socket?.bufferedBytes() ?? 0,
      lost: (silentMs) => this.#dropped(new SensError("SENS_NOT_READY", `The server was silent for ${Math.round(silentMs)} ms.`)),
    });
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Resolves when connected for the first time; rejects, and closes, when that fails. Call it once. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#first = { resolve, reject };
      this.#attempt();
    });
  }

  /** Takes a new token; when the old one was refused, connects with it at once. */
  setToken(token: TokenSource | undefined): void {
    this.#token = token;
    if (this.#state === "signed-out") this.#attempt();
  }

  /** Sends a request and answers its answer. Rejects with the server's refusal, or with SENS_CANCELLED. */
  call(op: Operation, fields: CallFields, options: CallOptions = {}): Promise<OkFrame> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (this.#state === "closed") return reject(closedError());
      if (signal?.aborted) return reject(abortError(signal, op));
      if (this.#calls.size >= PENDING_MAX) {
        return reject(new SensError("SENS_BUSY", `${PENDING_MAX} requests of this client already wait. Await some before sending more.`));
      }
      const call = new Call(`${this.#nextId++}`, op, fields, options, resolve, reject);
      if (signal) {
        const abort = (): void => this.#abandon(call, abortError(signal, op));
        signal.addEventListener("abort", abort, { once: true });
        call.cleanUp = () => signal.removeEventListener("abort", abort);
      }
      this.#calls.set(call.id, call);
      if (this.#state === "open") this.#send(call);
      else if (this.#state === "signed-out" && !options.staysWhenSignedOut) this.#refuse(call, this.#connectionError ?? closedError());
    });
  }

  /** A request whose answer interests nobody, sent only while connected. Failures are reported. */
  tell(op: Operation, fields: object): void {
    if (this.#state !== "open") return;
    this.call(op, fields, { onInterrupted: () => undefined }).catch((error: unknown) => {
      if (!this.isClosed && !isMootTell(error)) this.#listener.error(error as Error);
    });
  }

  /** Starts a watch. `onEnd` runs once when it is over without `stop`; without an error it can be started again. */
  watch(op: Operation, fields: object, options: WatchOptions): Watch {
    return this.#watches.start(`${this.#nextId}`, op, options, (callOptions) => this.call(op, fields, callOptions));
  }

  /** Ends everything; calls that wait are refused. Safe to call twice. */
  close(error?: SensError): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#stopTimer?.();
    this.#heartbeat.stop();
    this.#socket?.close(1000, "client closed");
    this.#socket = undefined;
    const refusal = error ?? closedError();
    for (const call of [...this.#calls.values()]) this.#refuse(call, refusal);
    this.#watches.end(refusal);
    this.#first?.reject(refusal);
    this.#first = undefined;
    this.#listener.status(error ? { status: "closed", error } : { status: "closed" });
  }

  #attempt(): void {
    this.#state = "connecting";
    this.#connectionError = undefined;
    this.#listener.status({ status: "connecting", attempt: this.#backoff.attempt + 1 });
    const source = this.#token;
    const token = Promise.resolve().then(() => (typeof source === "function" ? source() : source));
    token.then(
      (value) => {
        if (this.#state === "connecting") this.#openSocket(value);
      },
      (cause: unknown) => {
        if (this.#state === "connecting") this.#failed(new SensError("SENS_UNAUTHORIZED", "The token function failed.", { cause }));
      },
    );
  }

  #openSocket(token: string | undefined): void {
    const { address, clock } = this.#parts;
    let opened = false;
    const events: SocketEvents = {
      open: () => {
        opened = true;
        this.#opened();
      },
      frame: (text) => this.#frame(text),
      closed: ({ code, reason }) => {
        const why =
          this.#connectionError ?? new SensError("SENS_NOT_READY", `The connection was closed (${code}${reason ? `: ${reason}` : ""}).`);
        if (opened) this.#dropped(why);
        else this.#diagnose(token, why);
      },
    };
    let socket: Socket;
    try {
      socket = this.#parts.openSocket(address.socket, subprotocols(token), events);
    } catch (cause) {
      this.#failed(unopenable(address.socket, cause));
      return;
    }
    this.#socket = socket;
    this.#stopTimer = clock.after(OPEN_TIMEOUT_MS, () => {
      socket.close();
      this.#failed(new SensError("SENS_NOT_READY", `${address.socket} did not open within ${OPEN_TIMEOUT_MS} ms.`));
    });
  }

  #diagnose(token: string | undefined, fallback: SensError): void {
    this.#stopTimer?.();
    this.#socket = undefined;
    this.#parts.diagnose(this.#parts.address, token).then(
      (error) => {
        if (this.#state === "connecting") this.#failed(error ?? fallback);
      },
      (cause: unknown) => {
        if (this.#state === "connecting")
          this.#failed(new SensError("SENS_INTERNAL", "Asking why the connection failed, failed.", { cause }));
      },
    );
  }

  #opened(): void {
    this.#stopTimer?.();
    this.#state = "open";
    this.#wasOpen = true;
    this.#backoff.reset();
    this.#heartbeat.start();
    this.#listener.status({ status: "connected" });
    this.#listener.opened();
    for (const call of [...this.#calls.values()]) if (!call.sent && this.#state === "open") this.#send(call);
    this.#first?.resolve();
    this.#first = undefined;
  }

  /** An open connection is gone. */
  #dropped(error: SensError): void {
    if (this.#state !== "open") return;
    this.#heartbeat.stop();
    this.#socket?.close();
    this.#socket = undefined;
    for (const call of [...this.#calls.values()]) {
      call.sent = false;
      if (call.abandoned) this.#calls.delete(call.id);
      else if (call.options.onInterrupted) {
        call.options.onInterrupted();
        this.#refuse(call, error);
      }
    }
    this.#watches.end();
    this.#failed(error);
  }

  /** There is no connection: try again, wait for a token, or give up. */
  #failed(error: SensError): void {
    this.#stopTimer?.();
    this.#socket = undefined;
    if (!this.#wasOpen || !this.#parts.reconnect) {
      this.close(error);
      return;
    }
    const signedOut = error.code === "SENS_UNAUTHORIZED";
    if (signedOut) {
      this.#connectionError = error;
      for (const call of [...this.#calls.values()]) if (!call.options.staysWhenSignedOut) this.#refuse(call, error);
      this.#listener.status({ status: "signed-out", error });
    }
    if (this.isClosed) return;
    if (signedOut && typeof this.#token !== "function") {
      this.#state = "signed-out";
      return;
    }
    this.#state = "waiting";
    const retryInMs = this.#backoff.nextDelayMs();
    if (!signedOut) this.#listener.status({ status: "disconnected", error, retryInMs });
    this.#stopTimer = this.#parts.clock.after(retryInMs, () => {
      if (this.#state === "waiting") this.#attempt();
    });
  }

  #frame(text: string): void {
    this.#heartbeat.heard();
    let frame: ServerFrame;
    try {
      frame = JSON.parse(text) as ServerFrame;
    } catch (cause) {
      this.#dropped(new SensError("SENS_INTERNAL", "The server sent a frame that is not JSON.", { cause }));
      return;
    }
    if ("type" in frame) this.#unasked(frame as NotificationFrame | EndFrame | ChangeFrame);
    else this.#answer(frame as OkFrame | RefusalFrame);
  }

  #unasked(frame: NotificationFrame | EndFrame | ChangeFrame): void {
    switch (frame.type) {
      case "notification":
        this.#listener.notification(frame);
        return;
      case "end":
        this.#listener.end(frame);
        return;
      case "change":
        this.#listener.change(frame);
        return;
    }
  }

  #answer(frame: OkFrame | RefusalFrame): void {
    if (frame.id === "ping") return;
    const call = frame.id === null ? undefined : this.#calls.get(frame.id);
    if (frame.ok) {
      if (!call) return;
      this.#calls.delete(call.id);
      call.answer(frame);
      return;
    }
    const error = errorFromProblem(frame.error);
    if (!call) {
      if (error.code === "SENS_UNAUTHORIZED") this.#connectionError = error;
      else this.#listener.error(error);
    } else if (RESENT.has(error.code) && !call.abandoned && !call.options.onInterrupted) this.#sendLater(call);
    else this.#refuse(call, error);
  }

  #send(call: Call): void {
    let frame: string;
    try {
      frame = call.frame();
      checkFrameSize(frame);
    } catch (error) {
      this.#refuse(call, error as Error);
      return;
    }
    call.sent = true;
    this.#socket?.send(frame);
    if (call.options.onProgress) this.#watchProgress(call, frame.length);
  }

  #sendLater(call: Call): void {
    call.sent = false;
    this.#parts.clock.after(RESEND_MS, () => {
      if (this.#state === "open" && !call.sent && this.#calls.has(call.id)) this.#send(call);
    });
  }

  /** Reports how much of a large frame has left, until all has or the call is over. */
  #watchProgress(call: Call, totalBytes: number): void {
    const buffered = Math.min(this.#socket?.bufferedBytes() ?? 0, totalBytes);
    call.options.onProgress?.({ sentBytes: totalBytes - buffered, totalBytes });
    if (buffered === 0 || !call.sent) return;
    this.#parts.clock.after(PROGRESS_MS, () => {
      if (call.sent && this.#calls.has(call.id)) this.#watchProgress(call, totalBytes);
    });
  }

  #abandon(call: Call, error: Error): void {
    if (!this.#calls.has(call.id) || call.abandoned) return;
    call.refuse(error);
    if (!call.sent) {
      this.#calls.delete(call.id);
      return;
    }
    call.abandoned = true;
    if (isCancellable(call.op)) this.tell("cancel", { request: call.id });
  }

  #refuse(call: Call, error: Error): void {
    this.#calls.delete(call.id);
    call.refuse(error);
  }
}

function checkFrameSize(frame: string): void {
  if (frame.length * 3 <= LIMITS.bodyBytesMax) return;
  const bytes = new TextEncoder().encode(frame).length;
  if (bytes <= LIMITS.bodyBytesMax) return;
  throw new SensError(
    "SENS_TOO_LARGE",
    `The request has ${bytes} bytes, more than ${LIMITS.bodyBytesMax}. Publish quads with the option "split", which makes several events of them.`,
  );
}

/** What made the attempt impossible: there is no WebSocket, or the page may not open one to this address. */
function unopenable(address: string, cause: unknown): SensError {
  if (cause instanceof SensError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SensError("SENS_CONFIG", `No WebSocket can be opened to ${address}: ${why}`, { cause });
}

function closedError(): SensError {
  return new SensError("SENS_CANCELLED", "The client was closed. Connect again with connect().");
}

/** A cancel or a release that came too late is what it was for: nothing is left to stop. */
function isMootTell(error: unknown): boolean {
  return (
    error instanceof SensError && ["SENS_NOT_FOUND", "SENS_CLAIM_EXPIRED", "SENS_NOT_READY", "SENS_SHUTTING_DOWN"].includes(error.code)
  );
}
