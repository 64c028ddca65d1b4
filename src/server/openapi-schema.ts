/** Small words for describing routes, so that a route's documentation is short enough to be written beside it. */
import type { FastifySchema } from "fastify";
import { RDF_FORMATS } from "../rdf/index.ts";
import { PROBLEM_TYPE } from "./problem.ts";

type JsonSchema = { readonly [key: string]: unknown };

export interface RouteDescription {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: { readonly [name: string]: JsonSchema };
  readonly query?: { readonly [name: string]: JsonSchema };
  readonly headers?: { readonly [name: string]: JsonSchema };
  /** Media type -> schema with an example. */
  readonly body?: { readonly [mediaType: string]: JsonSchema };
  /** Status -> description, or description and contents. */
  readonly answers: { readonly [status: number]: string | Answer };
}

interface Answer {
  readonly description: string;
  readonly content?: { readonly [mediaType: string]: JsonSchema };
  readonly headers?: { readonly [name: string]: JsonSchema };
}

export function describe(route: RouteDescription): FastifySchema {
  const response: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries(route.answers))
    response[status] = describeAnswer(typeof answer === "string" ? { description: answer } : answer);
  response.default = { description: "A problem", content: { [PROBLEM_TYPE]: { schema: problem } } };
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.params ? { params: objectOf(route.params, Object.keys(route.params)) } : {}),
    ...(route.query ? { querystring: objectOf(route.query) } : {}),
    ...(route.headers ? { headers: objectOf(route.headers) } : {}),
    ...(route.body ? { body: { content: contentOf(route.body) } } : {}),
    response,
  } as FastifySchema;
}

function describeAnswer({ description, content, headers }: Answer): object {
  return { description, ...(content ? { content: contentOf(content) } : { type: "null" }), ...(headers ? { headers } : {}) };
}

function contentOf(content: { readonly [mediaType: string]: JsonSchema }): object {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function objectOf(properties: { readonly [name: string]: JsonSchema }, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

export const text = (description: string, example?: string): JsonSchema => ({
  type: "string",
  description,
  ...(example === undefined ? {} : { examples: [example] }),
});
export const flag = (description: string): JsonSchema => ({ type: "boolean", description });
export const integer = (description: string, minimum = 0, maximum?: number): JsonSchema => ({
  type: "integer",
  description,
  minimum,
  ...(maximum ? { maximum } : {}),
});
export const oneOf = (description: string, ...values: readonly string[]): JsonSchema => ({ type: "string", enum: values, description });
export const listOf = (items: JsonSchema, description = ""): JsonSchema => ({ type: "array", items, description });
export function object(properties: { readonly [name: string]: JsonSchema }, required: readonly string[], example: unknown): JsonSchema {
  return { ...objectOf(properties, required), examples: [example] };
}

export const CURSOR_EXAMPLE = "5f0c6a1e9b3d2c4a7e8f0b1d:42";
export const TURTLE_EXAMPLE = "@prefix e: <http://example.org/> .\ne:sensor1 e:reading 21 .\n";
export const CONSTRUCT_EXAMPLE = "CONSTRUCT WHERE { ?sensor <http://example.org/reading> ?value }";

export const cursor = text("Position in the order of all changes: epoch and revision", CURSOR_EXAMPLE);
export const iriText = text("An absolute IRI", "http://example.org/graph");
export const idempotencyHeaders = { "idempotency-key": text("The same key with the same request is applied once; 24 h", "0d7f6f2e") };
export const cursorHeader = { "Sens-Cursor": cursor };
export const locationHeader = { Location: text("Address of what was made") };
export const change = object(
  {
    cursor,
    revision: integer("Number of the transaction"),
    added: integer("Assertions that are new"),
    removed: integer("Assertions that are gone"),
    derivedAdded: integer("Quads that became visible by derivation only"),
    derivedRemoved: integer("Quads that ceased to be visible by derivation only"),
  },
  ["cursor", "revision", "added", "removed", "derivedAdded", "derivedRemoved"],
  { cursor: CURSOR_EXAMPLE, revision: 42, added: 1, removed: 0, derivedAdded: 0, derivedRemoved: 0 },
);
export const changed = { description: "What the change did", content: { "application/json": change }, headers: cursorHeader };

export const problem = object(
  {
    type: text("Identifies the kind of problem"),
    title: text("The kind of problem in words"),
    status: integer("The HTTP status", 400, 599),
    detail: text("What happened, with which value, and what to do"),
    code: text("Stable code", "SENS_SYNTAX"),
    retryable: flag("Whether the same request can succeed later"),
    line: integer("Where in the text, from 1", 1),
    column: integer("Where in the line, from 1", 1),
  },
  ["type", "title", "status", "detail", "code", "retryable"],
  {
    type: "urn:sens:error:SENS_SYNTAX",
    title: "The document or query is not well-formed",
    status: 400,
    detail: 'Expected a term, found "}".',
    code: "SENS_SYNTAX",
    retryable: false,
    line: 1,
    column: 24,
  },
);

/** Every RDF format as content, with the example in Turtle. */
export function rdfContent(description: string): { readonly [mediaType: string]: JsonSchema } {
  return Object.fromEntries(
    RDF_FORMATS.map(({ mediaType }) => [
      mediaType,
      text(description, mediaType === "text/turtle" || mediaType === "application/trig" ? TURTLE_EXAMPLE : undefined),
    ]),
  );
}
export const rdfAnswer = (description: string) => ({ description, content: rdfContent(description), headers: cursorHeader });
