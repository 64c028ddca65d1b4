/** A server on a fresh knowledge base, for the tests of the surfaces, and what they send to it by hand. */
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach } from "vitest";
import { WebSocket } from "ws";
import type { Limits } from "../../src/base/index.ts";
import { createKnowledgeBase } from "../../src/events/index.ts";
import { type RunningServer, type ServeOptions, serve } from "../../src/server/index.ts";
import { type ObservedService, observeWaits } from "../contract/waits-begun.ts";

export interface Served {
  readonly server: RunningServer;
  readonly service: ObservedService;
  readonly url: string;
  readonly port: number;
}

/** Starts a server that is closed when the test ends; `kept`: bounds of the knowledge base behind it. */
export async function served(options: ServeOptions = {}, kept: Partial<Limits> = {}): Promise<Served> {
  const service = observeWaits(await createKnowledgeBase({ data: ":memory:", reasoning: "none", limits: kept }));
  const server = await serve(service, { port: 0, ...options });
  closers.push(() => server.close());
  return { server, service, url: server.url, port: Number(new URL(server.url).port) };
}

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
/** Runs when the test ends, before the server is closed. */
export function atEnd(close: () => Promise<void> | void): void {
  closers.push(close);
}

export const TURTLE = { "content-type": "text/turtle" };
export const SPARQL = { "content-type": "application/sparql-query" };

export function post(url: string, headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer> = ""): Promise<Response> {
  return fetch(url, { method: "POST", headers, body });
}

/** Status and code of a refusal; the answer must be a whole problem without inner details. */
export async function problemOf(response: Response): Promise<{ readonly status: number; readonly code: string }> {
  const text = await response.text();
  const problem = JSON.parse(text) as Record<string, unknown>;
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("application/problem+json")) throw new Error(`not a problem: ${type}`);
  if (problem.status !== response.status || typeof problem.detail !== "string" || typeof problem.title !== "string") {
    throw new Error(`not a whole problem: ${text}`);
  }
  if (/node_modules|\.ts:\d|\bat .*\(/.test(text)) throw new Error(`inner details in a problem: ${text}`);
  return { status: response.status, code: String(problem.code) };
}

/** Writes raw bytes and answers all that comes back until the server ends the connection or `enough` matches. */
export async function rawExchange(port: number, bytes: string | Buffer, enough?: RegExp): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  atEnd(() => void socket.destroy());
  socket.write(bytes);
  return readUntil(socket, enough);
}

export function readUntil(socket: Socket, enough?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (enough?.test(text)) resolve(text);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

export interface Frame {
  readonly [field: string]: unknown;
  readonly error?: { readonly code: string };
}

/** A WebSocket spoken frame by frame. */
export class RawSocket {
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #frames: Frame[] = [];
  readonly #takers: ((frame: Frame) => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString()) as Frame;
      const taker = this.#takers.shift();
      if (taker) taker(frame);
      else this.#frames.push(frame);
    });
    this.closed = new Promise((resolve) => socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() })));
    socket.on("error", () => {}); // the close code tells
  }

  static async open(
    url: string,
    options: { readonly protocols?: string[]; readonly headers?: Record<string, string> } = {},
  ): Promise<RawSocket> {
    const { protocols = ["sens.v1"], headers } = options;
    const socket = new WebSocket(`${url.replace("http:", "ws:")}/ws`, protocols, { headers });
    const raw = new RawSocket(socket);
    atEnd(() => socket.terminate());
    await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
    return raw;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  next(): Promise<Frame> {
    const frame = this.#frames.shift();
    return frame ? Promise.resolve(frame) : new Promise((resolve) => this.#takers.push(resolve));
  }

  async ask(frame: object | string): Promise<Frame> {
    this.send(frame);
    return this.next();
  }
}

/** Status of a refused upgrade. */
export function refusedUpgrade(
  url: string,
  options: { readonly protocols?: string[]; readonly headers?: Record<string, string> } = {},
): Promise<number> {
  const socket = new WebSocket(url.replace("http:", "ws:"), options.protocols ?? ["sens.v1"], { headers: options.headers });
  atEnd(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("open", () => reject(new Error("the upgrade was accepted")));
    socket.on("error", () => {});
  });
}
