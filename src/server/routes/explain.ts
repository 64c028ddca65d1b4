/** `POST /explain`: why a statement is in the knowledge base, as JSON or as an indented text. */
import type { FastifyInstance } from "fastify";
import { quoteInput, SensError } from "../../base/index.ts";
import { formatProof } from "../../protocol/index.ts";
import { bodyText, contentTypeOf } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { chooseMediaType } from "../graph-output.ts";
import { describe, integer, object, oneOf, text } from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";

const STATEMENT_TYPES = ["application/n-triples", "text/plain"];
const DEPTH_MAX = 1_000;
const STATEMENT = '<http://example.org/sensor1> <http://example.org/reading> "21"^^<http://www.w3.org/2001/XMLSchema#integer> .\n';

export function explainRoutes(app: FastifyInstance, context: ServerContext): void {
  const proof = object(
    {
      statement: text("Canonical N-Triples"),
      kind: oneOf("What it is", "asserted", "ontology", "derived", "unknown"),
      rule: text("By which rule"),
      premises: { type: "array", items: { type: "object" } },
    },
    ["statement", "kind"],
    {
      statement: STATEMENT.trim(),
      kind: "asserted",
    },
  );
  const schema = describe({
    tag: "Knowledge",
    summary: "Why is this so? The derivation tree of one statement",
    query: { depth: integer("Steps at most", 1, DEPTH_MAX) },
    body: { "application/n-triples": text("One statement", STATEMENT) },
    answers: {
      200: { description: "The derivation", content: { "application/json": proof, "text/plain": text("The same as an indented text") } },
    },
  });
  app.post("/explain", { config: { access: "explain" }, schema }, async (request, reply) => {
    const depthMax = Parameters.ofUrl(request.raw.url ?? "").integer("depth", 1, DEPTH_MAX);
    const { type } = contentTypeOf(request, STATEMENT_TYPES[0]);
    if (!STATEMENT_TYPES.includes(type))
      throw new SensError(
        "SENS_UNSUPPORTED_MEDIA_TYPE",
        `The Content-Type ${quoteInput(type)} is not taken here. Send ${STATEMENT_TYPES[0]}.`,
      );
    const mediaType = chooseMediaType(request.headers.accept, ["application/json", "text/plain"]);
    const answer = await context.session.explain(bodyText(request), { depthMax });
    return mediaType === "application/json"
      ? reply.send(answer)
      : reply.header("content-type", "text/plain; charset=utf-8").send(formatProof(answer));
  });
}
