/**
 * The sockets of the server: one HTTP server per address (127.0.0.1 and ::1 for `localhost`), caps on connections, and an
 * end that comes. Requests and upgrades are handed on; answers to what is no HTTP are written here.
 * Invariant: every accepted socket is in `#sockets` until it is closed, so that `close` forgets none.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Limits, type Logger, SensError } from "../base/index.ts";
import { isLoopbackHost } from "./origin.ts";
import { rawProblemResponse } from "./problem.ts";

export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** How often Node looks for sockets whose headers or bodies are overdue. */
const OVERDUE_CHECK_MS = 2_000;
/** Ports tried when the one the system chose for 127.0.0.1 is taken on ::1. */
const PORT_ATTEMPTS = 5;

export class Listener {
  readonly #handlers: ListenerHandlers;
  readonly #limits: Limits;
  readonly #logger: Logger;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Sockets by remote address that have not shown a token. */
  readonly #strangers = new Map<string, Set<Socket>>();

  constructor(handlers: ListenerHandlers, limits: Limits, logger: Logger) {
    this.#handlers = handlers;
    this.#limits = limits;
    this.#logger = logger;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Starts to listen; answers the port. Throws SENS_CONFIG when the address cannot be had. */
  async listen(host: string, port: number): Promise<number> {
    if (host !== "localhost") return (await this.#open(host, port)).port;
    for (let attempt = 1; ; attempt++) {
      const first = await this.#open("127.0.0.1", port);
      try {
        await this.#open("::1", first.port);
        return first.port;
      } catch (error) {
        const code = systemCode(error);
        if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return first.port; // no IPv6 here
        if (port !== 0 || code !== "EADDRINUSE" || attempt === PORT_ATTEMPTS) throw error;
        await closeServer(this.#servers.pop()!);
      }
    }
  }

  /** The socket has shown a valid token and no longer counts against its address. */
  trust(socket: Duplex): void {
    const address = "remoteAddress" in socket ? String(socket.remoteAddress) : "";
    const strangers = this.#strangers.get(address);
    strangers?.delete(socket as Socket);
    if (strangers?.size === 0) this.#strangers.delete(address);
  }

  /** No new connections; those between two requests are closed. */
  stopAccepting(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeIdleConnections();
    }
  }

  closeIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections();
  }

  /** Resolves when the last socket is gone. */
  async drained(): Promise<void> {
    while (this.#sockets.size > 0) {
      const [socket] = this.#sockets;
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    }
  }

  /** Ends what is left at once. */
  destroy(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #open(host: string, port: number): Promise<AddressInfo> {
    const server = createServer({
      maxHeaderSize: this.#limits.headerBytesMax,
      headersTimeout: this.#limits.headersTimeoutMs,
      requestTimeout: this.#limits.requestTimeoutMs,
      connectionsCheckingInterval: OVERDUE_CHECK_MS,
      // Offers of other protocols (`h2c`) are ignored, as RFC 9110 allows; older versions of Node refuse them.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
    });
    server.on("connection", (socket) => this.#accept(socket));
    server.on("request", this.#handlers.request);
    server.on("upgrade", this.#handlers.upgrade);
    server.on("clientError", (error, socket) => refuseUnreadable(error, socket));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    }).catch((error: unknown) => {
      throw listenError(error, host, port);
    });
    server.on("error", (error) => this.#logger.error({ error: error.message }, "listener error"));
    this.#servers.push(server);
    return server.address() as AddressInfo;
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const strangers = this.#strangers.get(address) ?? new Set<Socket>();
    const local = isLoopbackHost(address.replace(/^::ffff:/, ""));
    if (
      this.#sockets.size >= this.#limits.connectionsMax ||
      (!local && strangers.size >= this.#limits.unauthenticatedConnectionsPerAddressMax)
    ) {
      this.#logger.warn({ connections: this.#sockets.size, ofAddress: strangers.size }, "connection refused: too many");
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    this.#strangers.set(address, strangers.add(socket));
    socket.once("close", () => {
      this.#sockets.delete(socket);
      strangers.delete(socket);
      if (strangers.size === 0 && this.#strangers.get(address) === strangers) this.#strangers.delete(address);
    });
  }
}

/** Closes a server that has no connections yet. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function systemCode(error: unknown): string {
  const cause = error instanceof SensError ? error.cause : error;
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

function listenError(cause: unknown, host: string, port: number): SensError {
  const code = systemCode(cause);
  const advice = code === "EADDRINUSE" ? "Another program listens there; choose another --port." : "Check --host and --port.";
  return new SensError("SENS_CONFIG", `Cannot listen on ${host} port ${port} (${code}). ${advice}`, { cause });
}

/** What arrived is no HTTP request, or came too slowly. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === "HPE_HEADER_OVERFLOW") {
    socket.end(
      rawProblemResponse(
        new SensError("SENS_BAD_REQUEST", "The headers are larger than the server takes. Send fewer or shorter ones."),
        431,
      ),
    );
  } else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.end(rawProblemResponse(new SensError("SENS_BAD_REQUEST", "The request came too slowly. Send it faster, or in parts."), 408));
  } else {
    socket.end(rawProblemResponse(new SensError("SENS_BAD_REQUEST", "This is not a well-formed HTTP request.")));
  }
}
