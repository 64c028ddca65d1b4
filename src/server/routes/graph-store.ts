/** SPARQL 1.1 Graph Store HTTP Protocol at `/graphs`, indirect identification: `?default` or `?graph=IRI`. Assertions only. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SensError } from "../../base/index.ts";
import type { DocumentRequest, GraphRequest } from "../../protocol/index.ts";
import { graphIri, rdfBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { requireAtLeast } from "../cursor.ts";
import { negotiateRdf, sendGraph } from "../graph-output.ts";
import { idempotencyKey } from "../http-app.ts";
import {
  changed,
  cursor,
  cursorHeader,
  describe,
  flag,
  idempotencyHeaders,
  iriText,
  listOf,
  object,
  rdfAnswer,
  rdfContent,
} from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";

const graphParameters = { default: flag("The default graph"), graph: iriText };

export function graphStoreRoutes(app: FastifyInstance, context: ServerContext): void {
  readRoute(app, context);
  const { session } = context;
  app.put("/graphs", { config: { access: "putGraph" }, schema: writeSchema("Replace a graph", 201) }, async (request, reply) => {
    const answer = await session.putGraph(graphDocument(request));
    return reply
      .code(answer.created ? 201 : 204)
      .header("sens-cursor", answer.cursor)
      .send(answer.created ? withoutCreated(answer) : undefined);
  });
  app.post("/graphs", { config: { access: "publish" }, schema: writeSchema("Add to a graph", 200) }, async (request, reply) => {
    const document = graphDocument(request);
    const created = document.graph !== undefined && !session.graphs().includes(document.graph);
    const answer = await session.publish(document);
    return reply
      .code(created && answer.added > 0 ? 201 : 200)
      .header("sens-cursor", answer.cursor)
      .send(answer);
  });
  app.delete(
    "/graphs",
    {
      config: { access: "deleteGraph" },
      schema: describe({
        tag: "Graph store",
        summary: "Remove a graph",
        query: graphParameters,
        answers: { 204: { description: "Removed", headers: cursorHeader } },
      }),
    },
    async (request, reply) => {
      const answer = await session.deleteGraph(graphRequest(request));
      return reply.code(204).header("sens-cursor", answer.cursor).send();
    },
  );
}

function readRoute(app: FastifyInstance, context: ServerContext): void {
  const schema = describe({
    tag: "Graph store",
    summary: "The assertions of a graph; without parameter, the list of named graphs",
    query: { ...graphParameters, "at-least": cursor },
    answers: {
      200: {
        description: "The graph",
        content: {
          ...rdfAnswer("The graph").content,
          "application/json": object({ graphs: listOf(iriText) }, ["graphs"], { graphs: ["http://example.org/graph"] }),
        },
      },
    },
  });
  app.get("/graphs", { config: { access: "getGraph" }, schema }, async (request, reply) => {
    const parameters = Parameters.ofUrl(request.raw.url ?? "");
    requireAtLeast(context.service, parameters.one("at-least"));
    reply.header("sens-cursor", context.service.cursor());
    if (!parameters.has("default") && !parameters.has("graph")) return reply.send({ graphs: context.session.graphs() });
    const mediaType = negotiateRdf(request, "text/turtle");
    return sendGraph(reply, await context.session.getGraph(graphRequest(request)), mediaType);
  });
}

function writeSchema(summary: string, status: 200 | 201): object {
  return describe({
    tag: "Graph store",
    summary,
    query: graphParameters,
    headers: idempotencyHeaders,
    body: rdfContent("The graph"),
    answers: { [status]: changed, ...(status === 201 ? { 204: { description: "Replaced", headers: cursorHeader } } : { 201: changed }) },
  });
}

function graphRequest(request: FastifyRequest): GraphRequest {
  const parameters = Parameters.ofUrl(request.raw.url ?? "");
  const graph = graphIri(parameters.one("graph"));
  const isDefault = parameters.flag("default") === true;
  if (isDefault === (graph !== undefined)) throw new SensError("SENS_BAD_REQUEST", "Name one graph: either ?default or ?graph=IRI.");
  return { graph };
}

/** Relative IRIs are resolved against the graph's own IRI (Graph Store Protocol, 4.1). */
function graphDocument(request: FastifyRequest): DocumentRequest & GraphRequest {
  const { graph } = graphRequest(request);
  return { ...rdfBody(request), graph, baseIri: graph, key: idempotencyKey(request) };
}

function withoutCreated<T extends { readonly created: boolean }>(answer: T): Omit<T, "created"> {
  const { created: _created, ...change } = answer;
  return change;
}
