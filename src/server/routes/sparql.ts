/**
 * SPARQL 1.1 Protocol: `/sparql` takes queries and updates, `/query` and `/update` one of them. Parameters other clients
 * add (`format`, `output`) are ignored as the protocol allows; the Accept header decides.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { quoteInput, SensError } from "../../base/index.ts";
import type { QueryAnswer } from "../../protocol/index.ts";
import { bodyText, contentTypeOf, FORM_TYPE, formOf, graphIri, QUERY_TYPE, UPDATE_TYPE } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { chooseMediaType, negotiateRdf, sendGraph } from "../graph-output.ts";
import { authorizeRequest, idempotencyKey } from "../http-app.ts";
import {
  changed,
  cursor,
  cursorHeader,
  describe,
  idempotencyHeaders,
  integer,
  iriText,
  listOf,
  rdfContent,
  text,
} from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";
import { writeSparqlJson } from "../results/sparql-json.ts";
import { writeSparqlCsv, writeSparqlTsv } from "../results/sparql-separated.ts";
import { writeSparqlXml } from "../results/sparql-xml.ts";
import { CLIENT_GONE, untilGone } from "../waiting.ts";
import { sendChange } from "./knowledge.ts";

type Kind = "query" | "update";
interface SparqlRequest {
  readonly kind: Kind;
  readonly text: string;
  readonly parameters: Parameters;
}

const QUERY_EXAMPLE = "SELECT * WHERE { ?s ?p ?o } LIMIT 10";
const UPDATE_EXAMPLE = "INSERT DATA { <http://example.org/sensor1> <http://example.org/reading> 21 }";
const queryParameters = {
  query: text("The query", QUERY_EXAMPLE),
  "default-graph-uri": listOf(iriText, "Graphs that form the default graph"),
  "named-graph-uri": listOf(iriText, "Named graphs"),
  timeout: integer("Milliseconds", 0, 300_000),
  "at-least": cursor,
};
const results = {
  200: {
    description: "The result, in a format of the Accept header",
    content: {
      "application/sparql-results+json": { type: "object", description: "SELECT and ASK" },
      "application/sparql-results+xml": text("SELECT and ASK"),
      "text/csv": text("SELECT"),
      "text/tab-separated-values": text("SELECT"),
      ...rdfContent("CONSTRUCT and DESCRIBE"),
    },
    headers: cursorHeader,
  },
};
const updateParameters = {
  "using-graph-uri": listOf(iriText, "Of an update: graphs that form the default graph of its WHERE"),
  "using-named-graph-uri": listOf(iriText, "Of an update: named graphs of its WHERE"),
};
const formBody = { type: "object", properties: { query: text("A query", QUERY_EXAMPLE), update: text("Or an update", UPDATE_EXAMPLE) } };

export function sparqlRoutes(app: FastifyInstance, context: ServerContext): void {
  for (const url of ["/sparql", "/query"]) {
    app.get(
      url,
      { config: { access: "query" }, schema: describe({ tag: "SPARQL", summary: "Query", query: queryParameters, answers: results }) },
      async (request, reply) => runQuery(context, request, reply, fromUrl(request)),
    );
  }
  post(app, context, "/sparql", ["query", "update"]);
  post(app, context, "/query", ["query"]);
  post(app, context, "/update", ["update"]);
}

function post(app: FastifyInstance, context: ServerContext, url: string, kinds: readonly Kind[]): void {
  const { query: _inUrl, ...datasetParameters } = queryParameters;
  const body = {
    ...(kinds.includes("query") ? { [QUERY_TYPE]: text("A query", QUERY_EXAMPLE) } : {}),
    ...(kinds.includes("update") ? { [UPDATE_TYPE]: text("An update", UPDATE_EXAMPLE) } : {}),
    [FORM_TYPE]: formBody,
  };
  const answers = kinds.includes("query") ? results : { 200: changed };
  const schema = describe({
    tag: "SPARQL",
    summary: kinds.length > 1 ? "Query or update" : kinds[0] === "query" ? "Query" : "Update",
    query: { ...(kinds.includes("query") ? datasetParameters : {}), ...(kinds.includes("update") ? updateParameters : {}) },
    headers: idempotencyHeaders,
    body,
    answers,
  });
  app.post(url, { config: { access: "any" }, schema }, async (request, reply) => {
    const sparql = fromBody(request, kinds);
    authorizeRequest(request, sparql.kind);
    return sparql.kind === "query" ? runQuery(context, request, reply, sparql) : runUpdate(context, request, reply, sparql);
  });
}

function fromUrl(request: FastifyRequest): SparqlRequest {
  const parameters = Parameters.ofUrl(request.raw.url ?? "");
  if (parameters.has("update")) throw new SensError("SENS_QUERY_FORM", "An update cannot be sent with GET. Send it with POST.");
  return { kind: "query", text: given(parameters, "query"), parameters };
}

function fromBody(request: FastifyRequest, kinds: readonly Kind[]): SparqlRequest {
  const wanted = [...kinds.map((kind) => `application/sparql-${kind}`), FORM_TYPE].join(" or ");
  const { type } = contentTypeOf(request, wanted);
  const kind = kinds.find((candidate) => type === `application/sparql-${candidate}`);
  if (kind) {
    const parameters = Parameters.ofUrl(request.raw.url ?? "");
    for (const name of ["query", "update"]) {
      if (parameters.has(name))
        throw new SensError("SENS_BAD_REQUEST", `The body is the ${kind}; leave the parameter "${name}" out of the address.`);
    }
    return { kind, text: bodyText(request), parameters };
  }
  if (type !== FORM_TYPE)
    throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The Content-Type ${quoteInput(type)} is not taken here. Send ${wanted}.`);
  const parameters = formOf(request);
  const present = (["query", "update"] as const).filter((name) => parameters.has(name));
  if (present.length !== 1) throw new SensError("SENS_BAD_REQUEST", `The form must have one of the fields: ${kinds.join(", ")}.`);
  if (!kinds.includes(present[0]))
    throw new SensError("SENS_QUERY_FORM", `This address takes no ${present[0]}. Send it to /${present[0]}.`);
  return { kind: present[0], text: given(parameters, present[0]), parameters };
}

function given(parameters: Parameters, name: Kind): string {
  const value = parameters.one(name);
  if (value === undefined) throw new SensError("SENS_BAD_REQUEST", `The parameter "${name}" is missing.`);
  return value;
}

async function runQuery(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sparql: SparqlRequest,
): Promise<FastifyReply> {
  const { parameters } = sparql;
  const answer = await untilGone(context, reply, (signal) =>
    context.session.query({
      query: sparql.text,
      defaultGraphs: graphs(parameters, "default-graph-uri"),
      namedGraphs: graphs(parameters, "named-graph-uri"),
      timeoutMs: parameters.timeoutMs(),
      atLeast: parameters.one("at-least"),
      signal,
    }),
  );
  if (answer === CLIENT_GONE) return reply.hijack();
  reply.header("sens-cursor", answer.cursor).header("vary", "Accept");
  if (answer.graph) return sendGraph(reply, answer.graph, negotiateRdf(request, "text/turtle"));
  return sendSolutions(request, reply, answer);
}

async function runUpdate(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sparql: SparqlRequest,
): Promise<FastifyReply> {
  const answer = await context.session.update({
    update: sparql.text,
    key: idempotencyKey(request),
    usingGraphs: graphs(sparql.parameters, "using-graph-uri"),
    usingNamedGraphs: graphs(sparql.parameters, "using-named-graph-uri"),
  });
  return sendChange(reply, answer);
}

function graphs(parameters: Parameters, name: string): readonly string[] | undefined {
  if (!parameters.has(name)) return undefined;
  return parameters.all(name).map((value) => graphIri(value, name) ?? value);
}

const SOLUTION_WRITERS: { readonly [mediaType: string]: (answer: QueryAnswer) => string } = {
  "application/sparql-results+json": writeSparqlJson,
  "application/sparql-results+xml": writeSparqlXml,
  "text/csv": writeSparqlCsv,
  "text/tab-separated-values": writeSparqlTsv,
  "application/json": writeSparqlJson,
  "application/xml": writeSparqlXml,
  "text/xml": writeSparqlXml,
};
const SELECT_TYPES = Object.keys(SOLUTION_WRITERS);
/** CSV and TSV are defined for solutions only. */
const ASK_TYPES = SELECT_TYPES.filter((type) => type !== "text/csv" && type !== "text/tab-separated-values");

function sendSolutions(request: FastifyRequest, reply: FastifyReply, answer: QueryAnswer): FastifyReply {
  const type = chooseMediaType(request.headers.accept, answer.form === "ask" ? ASK_TYPES : SELECT_TYPES);
  const parameter = type === "text/csv" ? "; charset=utf-8; header=present" : type.startsWith("text/") ? "; charset=utf-8" : "";
  return reply.header("content-type", `${type}${parameter}`).send(Buffer.from(SOLUTION_WRITERS[type](answer)));
}
