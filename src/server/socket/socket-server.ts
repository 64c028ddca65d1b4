/**
 * `/ws`: the handshake and the heartbeat of all WebSockets. Origin, Host, path, subprotocol and token are checked before
 * the upgrade, and a refusal is an ordinary HTTP answer. While a slow token check runs the socket is not read, so what
 * was sent with the upgrade waits in it.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { quoteInput, SensError } from "../../base/index.ts";
import { SUBPROTOCOL } from "../../protocol/index.ts";
import { bearerToken, refuseTokenInUrl, subprotocolToken } from "../auth.ts";
import type { ServerContext } from "../context.ts";
import { checkOrigin } from "../origin.ts";
import { rawProblemResponse, toSensError } from "../problem.ts";
import type { Principal } from "../roles.ts";
import { Connection } from "./connection.ts";

export class SocketServer {
  readonly #context: ServerContext;
  readonly #trust: (socket: Duplex) => void;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<Connection>();
  #stopBeating: () => void = () => {};

  constructor(context: ServerContext, trust: (socket: Duplex) => void) {
    this.#context = context;
    this.#trust = trust;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: context.limits.bodyBytesMax,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    });
    this.#beat();
  }

  /** An upgrade request. Never throws; a failure is answered on the socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onError = (): void => void socket.destroy();
    socket.on("error", onError);
    this.#admit(request).then(
      (principal) => {
        socket.off("error", onError);
        if (socket.destroyed) return;
        this.#trust(socket);
        this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket, principal));
      },
      (error: unknown) => socket.end(rawProblemResponse(toSensError(error, this.#context.logger))),
    );
  }

  /** Every client is told, and gone when this resolves. */
  async shutDown(): Promise<void> {
    this.#stopBeating();
    await Promise.all([...this.#connections].map((connection) => connection.shutDown()));
  }

  async #admit(request: IncomingMessage): Promise<Principal> {
    const { url = "", headers, method } = request;
    if (this.#context.stopping.aborted) throw new SensError("SENS_SHUTTING_DOWN", "The server is stopping. Connect again in a moment.");
    checkOrigin(this.#context.origins, headers.host, headers.origin);
    refuseTokenInUrl(url);
    const path = url.split("?", 1)[0];
    if (path !== "/ws") throw new SensError("SENS_NOT_FOUND", `There is no WebSocket at ${quoteInput(path)}. Connect to /ws.`);
    if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") {
      throw new SensError("SENS_BAD_REQUEST", `Only GET with \`Upgrade: websocket\` becomes a WebSocket.`);
    }
    const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
    if (offered.some((protocol) => protocol !== "") && !offered.includes(SUBPROTOCOL)) {
      throw new SensError("SENS_BAD_REQUEST", `The subprotocol here is "${SUBPROTOCOL}"; none of those offered is it.`);
    }
    return this.#context.authenticator.authenticate(bearerToken(headers.authorization) ?? subprotocolToken(offered));
  }

  #open(webSocket: WebSocket, principal: Principal): void {
    const connection = new Connection(this.#context, webSocket, principal);
    this.#connections.add(connection);
    this.#context.traffic.socketOpens();
    webSocket.on("close", () => {
      this.#connections.delete(connection);
      this.#context.traffic.socketCloses();
    });
    if (this.#context.stopping.aborted) {
      connection.shutDown().catch((error: unknown) => this.#context.logger.error({ error: String(error) }, "could not close a websocket"));
    }
  }

  #beat(): void {
    this.#stopBeating = this.#context.clock.after(this.#context.limits.heartbeatMs, () => {
      for (const connection of this.#connections) connection.beat();
      this.#beat();
    });
  }
}
