/**
 * One Server-Sent Events stream (WHATWG HTML, 9.2). Bytes that wait for the reader are bounded: a reader that falls
 * further behind is cut off and resumes by `Last-Event-ID`. A comment every heartbeat shows both sides that the other
 * lives. Lines never contain raw line ends: data is JSON, ids are cursors.
 */
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { Backlog } from "./backlog.ts";
import type { ServerContext } from "./context.ts";

/** How long a client waits before it connects again. */
const RETRY_MS = 1_000;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #context: ServerContext;
  readonly #closed = new AbortController();
  readonly #backlog: Backlog;
  #stopHeartbeat: () => void = () => {};

  /** Takes the reply over from the framework and sends the head. */
  constructor(context: ServerContext, reply: FastifyReply) {
    this.#context = context;
    this.#response = reply.raw;
    this.#backlog = new Backlog(context.limits.outboundBytesMax);
    const headers = { ...reply.getHeaders(), "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
    reply.hijack();
    context.traffic.streamOpens();
    this.#response.once("close", () => this.#onClose());
    context.stopping.addEventListener("abort", this.#onStopping, { once: true });
    this.#response.writeHead(200, headers as Record<string, string>);
    this.#write(`retry: ${RETRY_MS}\n\n`);
    this.#beat();
  }

  /** Aborted when the stream is over, whoever ended it. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** One event; without a name it reaches `onmessage`. */
  send(data: object, id?: string, name?: string): void {
    const idLine = id === undefined ? "" : `id: ${id}\n`;
    const nameLine = name === undefined ? "" : `event: ${name}\n`;
    this.#write(`${idLine}${nameLine}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the reader has taken most of what waits. */
  async drained(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.closed.aborted) return;
    await new Promise<void>((resolve) => {
      this.#response.once("drain", resolve);
      this.closed.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Tells why no more comes, and ends. */
  end(reason: { readonly code: string; readonly detail: string }): void {
    if (this.closed.aborted) return;
    this.send(reason, undefined, "end");
    this.#response.end();
  }

  #write(text: string): void {
    if (this.closed.aborted) return;
    if (this.#backlog.exceeded) {
      this.#context.traffic.slowConsumer();
      this.#response.destroy();
      return;
    }
    const bytes = Buffer.from(text);
    this.#backlog.add(bytes.length);
    this.#response.write(bytes, () => this.#backlog.sent());
  }

  #beat(): void {
    this.#stopHeartbeat = this.#context.clock.after(this.#context.limits.heartbeatMs, () => {
      this.#write(": alive\n\n");
      if (!this.closed.aborted) this.#beat();
    });
  }

  #onStopping = (): void => this.end({ code: "SENS_SHUTTING_DOWN", detail: "The server is stopping. Connect again and resume." });

  #onClose(): void {
    this.#stopHeartbeat();
    this.#context.stopping.removeEventListener("abort", this.#onStopping);
    this.#context.traffic.streamCloses();
    this.#closed.abort();
  }
}
