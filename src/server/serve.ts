/** A knowledge base served over HTTP and WebSocket: builds routes and sockets on it, and stops them in order. */
import { type Clock, LIMITS, type Limits, type Logger, SensError, silentLogger, systemClock } from "../base/index.ts";
import type { KnowledgeService } from "../protocol/index.ts";
import { Authenticator, parseTokens, type TokenGrant, type TokenVerifier } from "./auth.ts";
import type { ServerContext } from "./context.ts";
import { createHttpApp } from "./http-app.ts";
import { Listener } from "./listener.ts";
import { registerOpenApi } from "./openapi.ts";
import { isLoopbackHost } from "./origin.ts";
import { changesRoutes } from "./routes/changes.ts";
import { claimRoutes } from "./routes/claims.ts";
import { documentRoutes } from "./routes/documents.ts";
import { explainRoutes } from "./routes/explain.ts";
import { graphStoreRoutes } from "./routes/graph-store.ts";
import { insertionRoutes } from "./routes/insertions.ts";
import { knowledgeRoutes } from "./routes/knowledge.ts";
import { operationRoutes } from "./routes/operation.ts";
import { sparqlRoutes } from "./routes/sparql.ts";
import { subscriptionRoutes } from "./routes/subscriptions.ts";
import { waitRoutes } from "./routes/waits.ts";
import { SocketServer } from "./socket/socket-server.ts";
import { TrafficFigures } from "./traffic-figures.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7007;

export interface ServeOptions {
  /** Default 127.0.0.1; `localhost` listens on 127.0.0.1 and ::1. Beyond loopback tokens are needed. */
  readonly host?: string;
  /** Default 7007; 0 lets the system choose. */
  readonly port?: number;
  /** `name:role+role:token,…` (SENS_TOKENS), or the same taken apart. */
  readonly tokens?: string | readonly TokenGrant[];
  /** A further check of tokens that are not in `tokens`. */
  readonly verifyToken?: TokenVerifier;
  readonly allowedOrigins?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

export interface RunningServer {
  /** Like `http://127.0.0.1:7007`. */
  readonly url: string;
  /** What a start should tell, by name: bind, auth, limits. */
  readonly summary: Readonly<Record<string, string>>;
  /** Resolves when the knowledge base cannot go on: close, and start again from disk. Otherwise never. */
  whenFailed(): Promise<SensError>;
  /** Stops within `shutdownMs`; safe to call twice. The knowledge base is closed last. */
  close(): Promise<void>;
}

/** Listens. Throws SENS_CONFIG when that cannot or must not be done; the service is closed then. */
export async function serve(service: KnowledgeService, options: ServeOptions = {}): Promise<RunningServer> {
  try {
    return await serveChecked(service, options);
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function serveChecked(service: KnowledgeService, options: ServeOptions): Promise<RunningServer> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, clock = systemClock, logger = silentLogger } = options;
  const stopping = new AbortController();
  const authenticator = authenticatorOf(options, host);
  const context: ServerContext = {
    service,
    session: service.openSession(),
    authenticator,
    origins: { loopback: isLoopbackHost(host), allowedHosts: options.allowedHosts ?? [], allowedOrigins: options.allowedOrigins ?? [] },
    limits: { ...LIMITS, ...options.limits },
    clock,
    logger,
    traffic: new TrafficFigures(),
    stopping: stopping.signal,
  };
  const app = createHttpApp(context, (request) => listener.trust(request.raw.socket));
  await registerOpenApi(app, authenticator.required);
  app.register(async (routes) => {
    for (const add of ROUTES) add(routes, context);
  });
  await app.ready();
  const sockets = new SocketServer(context, (socket) => listener.trust(socket));
  const listener: Listener = new Listener(
    {
      request: (request, response) => app.routing(request, response),
      upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    },
    context.limits,
    logger,
  );
  const boundPort = await listener.listen(host, port).catch(async (error: unknown) => {
    stopping.abort();
    await sockets.shutDown();
    listener.destroy();
    context.traffic.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const url = `http://${host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host}:${boundPort}`;
  return {
    url,
    summary: summaryOf(context, url),
    whenFailed: () => service.whenFailed(),
    close: () => (closing ??= stop(context, stopping, listener, sockets)),
  };
}

const ROUTES = [
  knowledgeRoutes,
  sparqlRoutes,
  graphStoreRoutes,
  subscriptionRoutes,
  insertionRoutes,
  waitRoutes,
  claimRoutes,
  documentRoutes,
  explainRoutes,
  changesRoutes,
  operationRoutes,
];

function authenticatorOf(options: ServeOptions, host: string): Authenticator {
  const { tokens = [], verifyToken } = options;
  const authenticator = new Authenticator(typeof tokens === "string" ? parseTokens(tokens) : tokens, verifyToken);
  if (!authenticator.required && !isLoopbackHost(host)) {
    throw new SensError(
      "SENS_CONFIG",
      `Refusing to listen on ${host}, which others can reach, without a token. Set SENS_TOKENS=name:role+role:token, or bind to 127.0.0.1.`,
    );
  }
  return authenticator;
}

/**
 * Stops: no new connections, waits and streams told, sockets closed, running requests finished; what is left at the
 * deadline is cut. The knowledge base is closed last, when nothing uses it.
 */
async function stop(context: ServerContext, stopping: AbortController, listener: Listener, sockets: SocketServer): Promise<void> {
  listener.stopAccepting();
  stopping.abort();
  const deadline = new Deadline(context);
  await Promise.race([finish(listener, sockets), deadline.passed]);
  deadline.cancel();
  listener.destroy();
  context.traffic.close();
  context.session.close();
  await context.service.close();
}

async function finish(listener: Listener, sockets: SocketServer): Promise<void> {
  await sockets.shutDown();
  listener.closeIdle();
  await listener.drained();
}

/** The end of the shutdown time; says so when it comes. */
class Deadline {
  readonly passed: Promise<void>;
  #cancel: () => void = () => {};

  constructor({ clock, limits, logger }: ServerContext) {
    this.passed = new Promise((resolve) => {
      this.#cancel = clock.after(limits.shutdownMs, () => {
        logger.warn({ ms: limits.shutdownMs }, "connections cut at the end of the shutdown time");
        resolve();
      });
    });
  }

  cancel(): void {
    this.#cancel();
  }
}

function summaryOf({ authenticator, limits, origins, service }: ServerContext, url: string): Record<string, string> {
  return {
    bind: url,
    auth: authenticator.required ? "bearer tokens" : "none (loopback only)",
    origins: origins.allowedOrigins.length === 0 ? "own only" : origins.allowedOrigins.join(" "),
    position: service.cursor(),
    limits: `${limits.connectionsMax} connections, ${limits.subscriptionsMax} subscriptions, ${limits.waitsMax} waits, ${Math.round(limits.bodyBytesMax / 1024 / 1024)} MiB bodies`,
  };
}
