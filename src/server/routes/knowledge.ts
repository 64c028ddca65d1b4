/** `POST /publish` and `POST /retract`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ChangeAnswer, DocumentRequest } from "../../protocol/index.ts";
import { graphIri, rdfBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { idempotencyKey } from "../http-app.ts";
import { changed, describe, idempotencyHeaders, iriText, rdfContent } from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";

export function knowledgeRoutes(app: FastifyInstance, { session }: ServerContext): void {
  const documentation = {
    tag: "Knowledge",
    query: { graph: iriText, base: iriText },
    headers: idempotencyHeaders,
    body: rdfContent("An RDF document"),
    answers: { 200: changed },
  };
  app.post(
    "/publish",
    {
      config: { access: "publish" },
      schema: describe({ ...documentation, summary: "Add the statements of a document, as one knowledge event" }),
    },
    async (request, reply) => sendChange(reply, await session.publish(documentRequest(request))),
  );
  app.post(
    "/retract",
    {
      config: { access: "retract" },
      schema: describe({ ...documentation, summary: "Withdraw the assertion of the statements of a document" }),
    },
    async (request, reply) => sendChange(reply, await session.retract(documentRequest(request))),
  );
}

export function sendChange(reply: FastifyReply, answer: ChangeAnswer): FastifyReply {
  return reply.header("sens-cursor", answer.cursor).send(answer);
}

function documentRequest(request: FastifyRequest): DocumentRequest {
  const parameters = Parameters.ofUrl(request.raw.url ?? "");
  return {
    ...rdfBody(request),
    graph: graphIri(parameters.one("graph")),
    baseIri: graphIri(parameters.one("base"), "base"),
    key: idempotencyKey(request),
  };
}
