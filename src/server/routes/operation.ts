/** `/health`, `/ready`, `/metrics`, `/openapi.json`, `/docs` and the way there: for those who run the server and those who try it. */
import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Registry } from "prom-client";
import { SensError } from "../../base/index.ts";
import { negotiate } from "../../rdf/index.ts";
import type { ServerContext } from "../context.ts";
import { DOCS_HTML } from "../docs-page/html.ts";
import { DOCS_SCRIPT } from "../docs-page/script.ts";
import { DOCS_STYLE } from "../docs-page/style.ts";
import { jsonLine, WHERE_TO_LOOK } from "../http-app.ts";
import { metricHelp } from "../metric-help.ts";
import { cursor, describe, flag, object, oneOf, text } from "../openapi-schema.ts";

const tag = "Operation";
const CONTENT_SECURITY_POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function operationRoutes(app: FastifyInstance, context: ServerContext): void {
  healthRoutes(app, context);
  metricsRoute(app, context);
  app.get(
    "/openapi.json",
    {
      config: { access: "open" },
      schema: describe({
        tag,
        summary: "This description",
        answers: { 200: { description: "OpenAPI 3.1", content: { "application/json": { type: "object" } } } },
      }),
    },
    async (_request, reply) => reply.header("content-type", "application/json; charset=utf-8").send(jsonLine(app.swagger())),
  );
  frontDoor(app);
  page(app, "/docs", "text/html", DOCS_HTML);
  page(app, "/docs/page.js", "text/javascript", DOCS_SCRIPT);
  page(app, "/docs/page.css", "text/css", DOCS_STYLE);
}

/** Nothing lives at `/`, but who comes by browser wants the page. */
function frontDoor(app: FastifyInstance): void {
  app.get("/", { config: { access: "open" }, schema: { hide: true } }, async (request, reply) => {
    if (negotiate(request.headers.accept, ["application/problem+json", "text/html"]) === "text/html") return reply.redirect("/docs", 302);
    throw new SensError("SENS_NOT_FOUND", `Nothing is served at "/". ${WHERE_TO_LOOK}`);
  });
}

function healthRoutes(app: FastifyInstance, { service }: ServerContext): void {
  const alive = object({ status: oneOf("Always ok when it answers", "ok") }, ["status"], { status: "ok" });
  app.get(
    "/health",
    {
      config: { access: "open" },
      schema: describe({
        tag,
        summary: "Is the process alive?",
        answers: { 200: { description: "Yes", content: { "application/json": alive } } },
      }),
    },
    async (_request, reply) => reply.send({ status: "ok" }),
  );
  const ready = object({ ready: flag("Requests are served"), cursor, degraded: text("Why writes are refused at the moment") }, ["ready"], {
    ready: true,
    cursor: "5f0c6a1e9b3d2c4a7e8f0b1d:42",
  });
  app.get(
    "/ready",
    {
      config: { access: "open" },
      schema: describe({
        tag,
        summary: "Are requests served?",
        answers: { 200: { description: "Yes", content: { "application/json": ready } } },
      }),
    },
    async (_request, reply) => {
      if (!service.ready()) throw new SensError("SENS_NOT_READY", "The server is starting. Try again in a moment.");
      const degraded = service.degraded();
      const at = service.cursor();
      return reply.header("sens-cursor", at).send({ ready: true, cursor: at, ...(degraded === undefined ? {} : { degraded }) });
    },
  );
}

/** Figures are read when they are asked for: a counter is a name that ends in `_total`. */
function metricsRoute(app: FastifyInstance, { service, traffic }: ServerContext): void {
  const registry = new Registry();
  const metrics = new Map<string, Counter | Gauge>();
  const update = (name: string, value: number): void => {
    let metric = metrics.get(name);
    if (!metric) {
      const options = { name: `sens_${name}`, help: metricHelp(name), registers: [registry] };
      metric = name.endsWith("_total") ? new Counter(options) : new Gauge(options);
      metrics.set(name, metric);
    }
    metric.reset();
    metric.inc(value);
  };
  const schema = describe({
    tag,
    summary: "Figures for Prometheus",
    answers: { 200: { description: "Prometheus text format", content: { "text/plain": text("Figures") } } },
  });
  app.get("/metrics", { config: { access: "metrics" }, schema }, async (_request, reply) => {
    for (const [name, value] of Object.entries({ ...traffic.figures(), ...service.figures() })) update(name, value);
    return reply.header("content-type", registry.contentType).send(await registry.metrics());
  });
}

function page(app: FastifyInstance, url: string, mediaType: string, content: string): void {
  const schema = {
    hide: true,
    ...describe({
      tag,
      summary: "A page to try the server",
      answers: { 200: { description: "The page", content: { [mediaType]: { type: "string" } } } },
    }),
  };
  app.get(url, { config: { access: "open" }, schema }, async (_request, reply) =>
    reply
      .headers({
        "content-type": `${mediaType}; charset=utf-8`,
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "referrer-policy": "no-referrer",
      })
      .send(content),
  );
}
