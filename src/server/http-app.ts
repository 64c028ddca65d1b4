/**
 * The HTTP side as a Fastify application without a listener: hooks in the order in which a request meets them (stopping,
 * origin, token, role, encoding), bodies as bytes, every failure as problem+json. Schemas of routes are documentation
 * (see openapi.ts); what is checked is checked by hand where the value is used, with a message that helps.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { LIMITS, quoteInput, SensError } from "../base/index.ts";
import { checkContentEncoding } from "../rdf/index.ts";
import { bearerToken, refuseTokenInUrl } from "./auth.ts";
import type { ServerContext } from "./context.ts";
import { checkOrigin, corsOrigin } from "./origin.ts";
import { Parameters } from "./parameters.ts";
import { problemHeaders, toSensError } from "./problem.ts";
import { authorize, type Principal, type ServedOperation } from "./roles.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Checked against the role table before the body is read. `open`: no token needed. `any`: the handler checks. */
    access?: ServedOperation | "open" | "any";
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** Names and ids in addresses; longer ones are nobody's. */
const PARAMETER_LENGTH_MAX = 256;

export function createHttpApp(context: ServerContext, trust: (request: FastifyRequest) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: context.limits.bodyBytesMax,
    routerOptions: {
      maxParamLength: PARAMETER_LENGTH_MAX,
      querystringParser: () => ({}), // parameters.ts reads it strictly
    },
    frameworkErrors: (error, _request, reply) => answerProblem(context, reply as FastifyReply, error),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setValidatorCompiler(() => () => true);
  app.setReplySerializer(jsonLine);
  app.decorateRequest("principal", undefined);
  const methods = collectMethods(app);
  addHooks(app, context, trust);
  app.setErrorHandler((error, _request, reply) => answerProblem(context, reply, error));
  app.setNotFoundHandler((request, reply) => answerProblem(context, reply, unknownRoute(request, reply, methods)));
  return app;
}

export function answerProblem(context: ServerContext, reply: FastifyReply, error: unknown): FastifyReply {
  const failure = toSensError(error, context.logger);
  return reply
    .code(failure.status)
    .headers(problemHeaders(failure))
    .send(Buffer.from(jsonLine(failure.toProblem())));
}

/** One line, so that what a shell prints next begins on one of its own. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function addHooks(app: FastifyInstance, context: ServerContext, trust: (request: FastifyRequest) => void): void {
  app.addHook("onRequest", async (request, reply) => {
    context.traffic.requestBegins();
    reply.raw.once("close", () => context.traffic.requestEnds(reply.raw.statusCode));
    reply.headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    if (context.stopping.aborted) {
      reply.header("connection", "close");
      throw new SensError("SENS_SHUTTING_DOWN", "The server is stopping. Try again in a moment.");
    }
    // Node keeps the first; what stands between may have looked at the other.
    if ((request.raw.headersDistinct.host?.length ?? 0) > 1)
      throw new SensError("SENS_BAD_REQUEST", "The Host header is given more than once.");
    checkOrigin(context.origins, request.headers.host, request.headers.origin);
    if (answerCors(context, request, reply)) return reply;
    await admit(context, request, trust);
    refuseUnknownParameters(request);
    checkContentEncoding(request.headers["content-encoding"]);
    return undefined;
  });
  app.addHook("onSend", async (_request, reply) => {
    if (context.stopping.aborted) reply.header("connection", "close");
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions } = request;
    context.logger.debug(
      { method, route: routeOptions.url ?? "-", status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
  });
}

/** Token and role; both before the body is read. */
async function admit(context: ServerContext, request: FastifyRequest, trust: (request: FastifyRequest) => void): Promise<void> {
  refuseTokenInUrl(request.raw.url ?? "");
  const access = request.routeOptions.config.access ?? "any";
  if (access === "open") return;
  request.principal = await context.authenticator.authenticate(bearerToken(request.headers.authorization));
  trust(request);
  if (access !== "any") authorize(request.principal, access);
}

/** A parameter that the route's description does not have is refused, so that a misspelt one is not silently ignored. */
function refuseUnknownParameters({ routeOptions, raw }: FastifyRequest): void {
  const { querystring, hide } = (routeOptions.schema ?? { hide: true }) as { readonly querystring?: unknown; readonly hide?: boolean };
  if (hide) return;
  const { properties = {} } = (querystring ?? {}) as { readonly properties?: object };
  Parameters.ofUrl(raw.url ?? "").only(...Object.keys(properties));
}

/** For routes whose operation is known only after the request was read. */
export function authorizeRequest(request: FastifyRequest, operation: ServedOperation): void {
  if (!request.principal) throw new SensError("SENS_UNAUTHORIZED", "This server needs a token. Send it as `Authorization: Bearer …`.");
  authorize(request.principal, operation);
}

const EXPOSED_HEADERS = "Location, Sens-Cursor, Sens-Claim, Sens-Deliveries, Sens-Still-Entailed, Sens-Nothing-Asserted, Retry-After";

/** CORS for the origins that are listed; answers whether the request was a preflight, which then is answered. */
function answerCors(context: ServerContext, request: FastifyRequest, reply: FastifyReply): boolean {
  const origin = corsOrigin(context.origins, request.headers.origin);
  if (origin === undefined) return false;
  reply.headers({ "access-control-allow-origin": origin, vary: "Origin", "access-control-expose-headers": EXPOSED_HEADERS });
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
  reply
    .code(204)
    .headers({
      "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
      "access-control-allow-headers": "Authorization, Content-Type, Accept, Idempotency-Key, Last-Event-ID",
      "access-control-max-age": "600",
    })
    .send();
  return true;
}

/** Route patterns and their methods, for 405. */
function collectMethods(app: FastifyInstance): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", (route) => {
    const known = methods.get(route.url) ?? new Set<string>();
    for (const method of [route.method].flat()) known.add(method);
    methods.set(route.url, known);
  });
  return methods;
}

function unknownRoute(request: FastifyRequest, reply: FastifyReply, methods: ReadonlyMap<string, ReadonlySet<string>>): SensError {
  const path = (request.raw.url ?? "").split("?", 1)[0];
  for (const [pattern, known] of methods) {
    if (!samePath(pattern, path)) continue;
    const allowed = [...known].join(", ");
    reply.header("allow", allowed);
    return new SensError("SENS_METHOD_NOT_ALLOWED", `${quoteInput(path)} does not take ${request.method}. It takes: ${allowed}.`);
  }
  return new SensError("SENS_NOT_FOUND", `Nothing is served at ${quoteInput(path)}. ${WHERE_TO_LOOK}`);
}

/** The advice of a 404. */
export const WHERE_TO_LOOK = "GET /openapi.json lists what is; /docs is a page to try it.";

function samePath(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.split("/");
  return expected.length === actual.length && expected.every((part, i) => (part.startsWith(":") ? actual[i] !== "" : part === actual[i]));
}

/** The Idempotency-Key header, checked. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (Array.isArray(key) || key.length === 0 || key.length > LIMITS.idempotencyKeyBytesMax || !/^[\x20-\x7e]+$/.test(key)) {
    const max = LIMITS.idempotencyKeyBytesMax;
    throw new SensError("SENS_BAD_REQUEST", `The Idempotency-Key must be one value of 1 to ${max} printable ASCII characters.`);
  }
  return key;
}
