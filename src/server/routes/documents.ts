/** `/ontologies/{name}` and `/rules/{name}`: documents that act as a whole and go as a whole. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ChangeAnswer, NamedDocument } from "../../protocol/index.ts";
import { decodeBody } from "../../rdf/index.ts";
import { rdfBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { change, changed, describe, listOf, object, rdfContent, text } from "../openapi-schema.ts";
import type { ServedOperation } from "../roles.ts";
import { sendChange } from "./knowledge.ts";
import { nameOf } from "./path-parameters.ts";

interface DocumentKind {
  readonly path: "ontologies" | "rules";
  readonly noun: string;
  readonly access: {
    readonly put: ServedOperation;
    readonly get: ServedOperation;
    readonly delete: ServedOperation;
    readonly list: ServedOperation;
  };
  readonly content: ReturnType<typeof rdfContent>;
  read(request: FastifyRequest): { readonly data: Uint8Array; readonly contentType: string };
  put(document: NamedDocument): Promise<ChangeAnswer>;
  get(name: string): NamedDocument;
  delete(name: string): Promise<ChangeAnswer>;
  list(): readonly string[];
}

const RULE_EXAMPLE = "{ ?x <http://example.org/partOf> ?y } => { ?y <http://example.org/hasPart> ?x } .\n";

export function documentRoutes(app: FastifyInstance, { session }: ServerContext): void {
  routesOf(app, {
    path: "ontologies",
    noun: "ontology",
    access: { put: "putOntology", get: "getOntology", delete: "deleteOntology", list: "ontologies" },
    content: rdfContent("An ontology"),
    read: (request) => rdfBody(request),
    put: (document) => session.putOntology(document),
    get: (name) => session.getOntology(name),
    delete: (name) => session.deleteOntology(name),
    list: () => session.ontologies(),
  });
  routesOf(app, {
    path: "rules",
    noun: "rule document",
    access: { put: "putRule", get: "getRule", delete: "deleteRule", list: "rules" },
    content: { "text/n3": text("N3 rules", RULE_EXAMPLE) },
    read: (request) => rdfBody(request, ["text/n3"], []),
    put: (document) => session.putRule(document),
    get: (name) => session.getRule(name),
    delete: (name) => session.deleteRule(name),
    list: () => session.rules(),
  });
}

function routesOf(app: FastifyInstance, kind: DocumentKind): void {
  const tag = "Ontologies and rules";
  const params = { name: text("1 to 64 letters, digits, _ or -") };
  const url = `/${kind.path}/:name`;
  const list = object({ [kind.path]: listOf(text("A name")) }, [kind.path], { [kind.path]: [] });
  app.get(
    `/${kind.path}`,
    {
      config: { access: kind.access.list },
      schema: describe({
        tag,
        summary: `Names of every ${kind.noun}`,
        answers: { 200: { description: "Names", content: { "application/json": list } } },
      }),
    },
    async (_request, reply) => reply.send({ [kind.path]: kind.list() }),
  );
  const put = describe({
    tag,
    summary: `Put an ${kind.noun}`.replace("an rule", "a rule"),
    params,
    body: kind.content,
    answers: { 200: changed, 201: { description: "Put, new", content: { "application/json": change } } },
  });
  app.put<{ Params: { name: string } }>(url, { config: { access: kind.access.put }, schema: put }, async (request, reply) => {
    const name = nameOf(request.params.name);
    const { data, contentType } = kind.read(request);
    const isNew = !kind.list().includes(name);
    const answer = await kind.put({ name, contentType, content: decodeBody(data) });
    return sendChange(reply.code(isNew ? 201 : 200), answer);
  });
  const get = describe({
    tag,
    summary: `The ${kind.noun} as it was put`,
    params,
    answers: { 200: { description: "The document", content: kind.content } },
  });
  app.get<{ Params: { name: string } }>(url, { config: { access: kind.access.get }, schema: get }, async (request, reply) => {
    const { contentType, content } = kind.get(nameOf(request.params.name));
    return reply.header("content-type", `${contentType.split(";", 1)[0]}; charset=utf-8`).send(content);
  });
  const remove = describe({ tag, summary: `Delete the ${kind.noun} and what follows from it`, params, answers: { 200: changed } });
  app.delete<{ Params: { name: string } }>(url, { config: { access: kind.access.delete }, schema: remove }, async (request, reply) =>
    sendChange(reply, await kind.delete(nameOf(request.params.name))),
  );
}
