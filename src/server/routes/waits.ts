/** `POST /receive`, `/try-receive`, `/remove`, `/try-remove`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RemoveAnswer } from "../../protocol/index.ts";
import { FORM_TYPE, graphIri, QUERY_TYPE, queryBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { negotiateRdf, sendGraph } from "../graph-output.ts";
import { idempotencyKey } from "../http-app.ts";
import {
  CONSTRUCT_EXAMPLE,
  cursorHeader,
  describe,
  flag,
  idempotencyHeaders,
  integer,
  iriText,
  object,
  rdfAnswer,
  text,
} from "../openapi-schema.ts";
import { CLIENT_GONE, untilGone } from "../waiting.ts";
import { lease } from "./claims.ts";

const timeout = integer("Milliseconds to wait, 30 s unless given", 0, 300_000);
const body = {
  [QUERY_TYPE]: text("A CONSTRUCT query", CONSTRUCT_EXAMPLE),
  [FORM_TYPE]: object({ query: text("A CONSTRUCT query") }, ["query"], { query: CONSTRUCT_EXAMPLE }),
};
const answers = { 200: rdfAnswer("The result graph"), 204: { description: "There is none, or time is up", headers: cursorHeader } };
const takenAnswers = {
  200: {
    ...rdfAnswer("The result graph, withdrawn"),
    headers: {
      ...cursorHeader,
      "Sens-Claim": text("With a lease: what to confirm, release or extend"),
      "Sens-Deliveries": integer("With a lease: how often it was taken, this time included", 1),
      "Sens-Still-Entailed": integer("Triples of the result that hold nevertheless, because they follow"),
    },
  },
  204: {
    description: "There is none, or time is up",
    headers: { ...cursorHeader, "Sens-Nothing-Asserted": flag("There is a result, but nothing of it is asserted") },
  },
};

interface WaitRoute {
  readonly url: string;
  readonly operation: "receive" | "tryReceive" | "remove" | "tryRemove";
  readonly summary: string;
}
const RECEIVES: readonly WaitRoute[] = [
  { url: "/receive", operation: "receive", summary: "Wait for a result" },
  { url: "/try-receive", operation: "tryReceive", summary: "The result now, if there is one" },
];
const REMOVES: readonly WaitRoute[] = [
  { url: "/remove", operation: "remove", summary: "Wait for a result and withdraw its assertion; exactly one remover gets it" },
  { url: "/try-remove", operation: "tryRemove", summary: "Withdraw the assertion of a result now, if there is one" },
];

export function waitRoutes(app: FastifyInstance, context: ServerContext): void {
  for (const route of RECEIVES) {
    const schema = describe({ tag: "Coordination", summary: route.summary, query: { timeout }, body, answers });
    app.post(route.url, { config: { access: route.operation }, schema }, async (request, reply) => receive(context, route, request, reply));
  }
  for (const route of REMOVES) {
    const schema = describe({
      tag: "Coordination",
      summary: route.summary,
      query: { timeout, lease, graph: iriText },
      headers: idempotencyHeaders,
      body,
      answers: takenAnswers,
    });
    app.post(route.url, { config: { access: route.operation }, schema }, async (request, reply) => remove(context, route, request, reply));
  }
}

async function receive(context: ServerContext, route: WaitRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { query, parameters } = queryBody(request, ["timeout"]);
  const timeoutMs = parameters.timeoutMs();
  const mediaType = negotiateRdf(request, "application/n-triples");
  const operation = route.operation === "receive" ? "receive" : "tryReceive";
  const answer = await untilGone(context, reply, (signal) => context.session[operation]({ query, timeoutMs, signal }));
  return answer === CLIENT_GONE ? reply.hijack() : sendTaken(reply, answer, mediaType);
}

/** A claim that reaches nobody is released, so that it does not wait for its lease. */
async function remove(context: ServerContext, route: WaitRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { query, parameters } = queryBody(request, ["timeout", "lease", "graph"]);
  const options = { timeoutMs: parameters.timeoutMs(), leaseMs: parameters.leaseMs(), graph: graphIri(parameters.one("graph")) };
  const mediaType = negotiateRdf(request, "application/n-triples");
  const operation = route.operation === "remove" ? "remove" : "tryRemove";
  const answer = await untilGone(
    context,
    reply,
    (signal) => context.session[operation]({ query, ...options, key: idempotencyKey(request), signal }),
    async ({ claim }) => {
      if (claim !== undefined) await context.session.release(claim);
    },
  );
  return answer === CLIENT_GONE ? reply.hijack() : sendTaken(reply, answer, mediaType);
}

function sendTaken(reply: FastifyReply, answer: RemoveAnswer, mediaType: string): Promise<FastifyReply> | FastifyReply {
  reply.header("sens-cursor", answer.cursor);
  if (answer.claim !== undefined) reply.header("sens-claim", answer.claim);
  if (answer.deliveries !== undefined) reply.header("sens-deliveries", String(answer.deliveries));
  if (answer.stillEntailedCount !== undefined) reply.header("sens-still-entailed", String(answer.stillEntailedCount));
  if (answer.nothingAsserted) reply.header("sens-nothing-asserted", "true");
  return answer.result ? sendGraph(reply, answer.result, mediaType) : reply.code(204).send();
}
