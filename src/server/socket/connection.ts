/**
 * One WebSocket client: a session, its waiting requests and its feeds. Requests run beside each other; each is answered
 * once, under its id. An answer that announces notifications is sent before them.
 * State: waiting requests by id (bounded), feeds by subscription, watches by request id. All end with the socket.
 */
import type { RawData, WebSocket } from "ws";
import { type Problem, quoteInput, SensError } from "../../base/index.ts";
import {
  type AnswerFields,
  type Operation,
  type RequestFrame,
  type RequestOf,
  readRequestFrame,
  type Session,
} from "../../protocol/index.ts";
import { feedChanges } from "../changes-feed.ts";
import type { ServerContext } from "../context.ts";
import { writableFormat } from "../graph-output.ts";
import { NotificationFeed } from "../notification-feed.ts";
import { toSensError } from "../problem.ts";
import { authorize, type Principal } from "../roles.ts";
import { stoppedInstead } from "../waiting.ts";
import { OPERATION_HANDLERS, type SocketClient } from "./operations.ts";
import { Outbound } from "./outbound.ts";

const POLICY_VIOLATION = 1008;
const GOING_AWAY = 1001;
/** How long a client has to answer the closing handshake. */
const CLOSE_GRACE_MS = 1_000;

interface Waiting {
  readonly abort: AbortController;
  /** A watch goes on after its answer. */
  watching: boolean;
}

export class Connection implements SocketClient {
  readonly session: Session;
  readonly #context: ServerContext;
  readonly #socket: WebSocket;
  readonly #principal: Principal;
  readonly #outbound: Outbound;
  readonly #waiting = new Map<string, Waiting>();
  readonly #feeds = new Map<string, NotificationFeed>();
  #badFrames = 0;
  #alive = true;
  #closed = false;
  #cancelClose: () => void = () => {};

  /** Handlers are attached before anything is awaited: a frame sent together with the upgrade is not lost. */
  constructor(context: ServerContext, socket: WebSocket, principal: Principal) {
    this.#context = context;
    this.#socket = socket;
    this.#principal = principal;
    this.#outbound = new Outbound(socket, context.limits, () => context.traffic.slowConsumer());
    this.session = context.service.openSession();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => (this.#alive = true));
    socket.on("ping", () => (this.#alive = true));
    socket.on("error", (error) => context.logger.debug({ error: error.message }, "websocket error"));
    socket.on("close", () => this.#end());
  }

  /** Called every heartbeat: a client that has not answered the last ping is gone. */
  beat(): void {
    if (!this.#alive) {
      this.#context.traffic.deadConnection();
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    this.#socket.ping();
  }

  /** Answers what waits, says goodbye, and does not wait long for a reply. */
  async shutDown(): Promise<void> {
    for (const { abort } of this.#waiting.values()) abort.abort();
    await new Promise<void>((resolve) => setImmediate(resolve)); // the answers of those waits go first
    if (this.#closed) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.close(GOING_AWAY, "SENS_SHUTTING_DOWN");
    this.#cancelClose = this.#context.clock.after(CLOSE_GRACE_MS, () => this.#socket.terminate());
    await closed;
  }

  cursor(): string {
    return this.#context.service.cursor();
  }

  async subscribe(request: RequestOf<"subscribe"> | RequestOf<"attach">): Promise<AnswerFields["subscribe"]> {
    const { id: _id, op: _op, format, ...options } = request;
    const feed = new NotificationFeed(writableFormat(format), this.#context.limits.outboundBytesMax, this.#context.logger);
    const answer =
      "query" in options ? await this.session.subscribe(options, feed) : await this.session.attach(options.subscription, feed, options);
    if (this.#closed) {
      feed.stop();
      return answer;
    }
    this.detach(answer.subscription); // one feed per subscription and connection: the newest
    this.#feeds.set(answer.subscription, feed);
    return answer;
  }

  /** By id or name. */
  detach(key: string): void {
    const named = this.#feeds.has(key) ? undefined : this.session.subscriptions().find(({ name }) => name === key);
    const subscription = named?.subscription ?? key;
    const feed = this.#feeds.get(subscription);
    if (!feed) return;
    this.#feeds.delete(subscription);
    feed.stop();
    this.session.detach(subscription, feed);
  }

  cancel(request: string): void {
    const waiting = this.#waiting.get(request);
    if (!waiting) throw new SensError("SENS_NOT_FOUND", `No request ${quoteInput(request)} is waiting on this connection.`);
    waiting.abort.abort();
  }

  watchChanges(id: string, after: string, signal: AbortSignal): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.watching = true;
    const reader = {
      closed: signal,
      entry: (entry: object) => this.#outbound.send({ type: "change", request: id, ...entry }),
      drained: async () => {},
    };
    // Begins after the answer, which is sent in this turn of the event loop.
    setImmediate(() => {
      feedChanges(this.session, after, this.#context.limits.changesPageMax, true, reader)
        .catch((error: unknown) => this.#refuse(id, error))
        .finally(() => this.#waiting.delete(id));
    });
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#alive = true;
    const incoming = isBinary
      ? { ok: false as const, id: null, error: new SensError("SENS_BAD_REQUEST", "Frames are JSON text, not binary.") }
      : readRequestFrame(data.toString());
    if (incoming.ok) {
      this.#badFrames = 0;
      this.#run(incoming.request);
      return;
    }
    this.#outbound.send({ id: incoming.id, ok: false, error: incoming.error.toProblem() });
    if (++this.#badFrames >= this.#context.limits.badFramesInRowMax) this.#socket.close(POLICY_VIOLATION, "too many bad requests");
  }

  #run(request: RequestFrame): void {
    const { id, op } = request;
    if (this.#waiting.has(id)) {
      this.#refuse(
        id,
        new SensError("SENS_BAD_REQUEST", `A request with the id ${quoteInput(id)} is still waiting. Give each request its own id.`),
      );
      return;
    }
    if (this.#waiting.size >= this.#context.limits.requestsPerSocketMax) {
      const max = this.#context.limits.requestsPerSocketMax;
      this.#refuse(id, new SensError("SENS_BUSY", `${max} requests of this connection are not answered yet. Wait for some.`));
      return;
    }
    const waiting: Waiting = { abort: new AbortController(), watching: false };
    this.#waiting.set(id, waiting);
    this.#perform(request, op, waiting.abort.signal).then(
      (fields) => this.#answer(id, waiting, fields),
      (error: unknown) => {
        this.#waiting.delete(id);
        this.#refuse(id, stoppedInstead(this.#context, error));
      },
    );
  }

  async #perform(request: RequestFrame, op: Operation, signal: AbortSignal): Promise<object> {
    if (this.#context.stopping.aborted) throw new SensError("SENS_SHUTTING_DOWN", "The server is stopping. Connect again in a moment.");
    authorize(this.#principal, op);
    // The table is complete by type, and request.op is the key it was checked against.
    const handler = OPERATION_HANDLERS[op] as (
      client: SocketClient,
      request: RequestFrame,
      signal: AbortSignal,
    ) => object | Promise<object>;
    return handler(this, request, signal);
  }

  #answer(id: string, waiting: Waiting, fields: object): void {
    if (!waiting.watching) this.#waiting.delete(id);
    this.#outbound.send({ id, ok: true, ...fields });
    if ("subscription" in fields && typeof fields.subscription === "string") this.#releaseFeed(fields.subscription);
  }

  #releaseFeed(subscription: string): void {
    this.#feeds.get(subscription)?.release({
      notify: (notification) => this.#outbound.send({ type: "notification", ...notification }),
      end: (error) => {
        this.#feeds.delete(subscription);
        this.#outbound.send({ type: "end", subscription, error });
      },
    });
  }

  #refuse(id: string | null, error: unknown): void {
    const problem: Problem = toSensError(error, this.#context.logger).toProblem();
    this.#outbound.send({ id, ok: false, error: problem });
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelClose();
    for (const { abort } of this.#waiting.values()) abort.abort();
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
    this.session.close();
  }
}
