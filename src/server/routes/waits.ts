/** `POST /receive`, `/try-receive`, `/remove`, `/try-remove`, and the claims that a lease makes. */
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
import { Parameters } from "../parameters.ts";
import type { ServedOperation } from "../roles.ts";
import { CLIENT_GONE, untilGone } from "../waiting.ts";
import { idOf } from "./path-parameters.ts";

const timeout = integer("Milliseconds to wait, 30 s unless given", 0, 300_000);
const lease = integer("Milliseconds in which the claim must be confirmed", 1, 3_600_000);
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
  claimRoute(app, "confirm", "The taken triples are dealt with", (id) => context.session.confirm(id));
  claimRoute(app, "release", "Give the taken triples back at once", (id) => context.session.release(id));
  claimRoute(app, "extend", "A new full lease", (id, leaseMs) => context.session.extend(id, leaseMs));
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

function claimRoute(
  app: FastifyInstance,
  action: "confirm" | "release" | "extend",
  summary: string,
  run: (id: string, leaseMs: number | undefined) => Promise<void>,
): void {
  const access: ServedOperation = action;
  const query = action === "extend" ? { lease } : undefined;
  const schema = describe({
    tag: "Coordination",
    summary,
    params: { id: text("Id of the claim, from Sens-Claim") },
    ...(query ? { query } : {}),
    answers: { 204: "Done" },
  });
  app.post<{ Params: { id: string } }>(`/claims/:id/${action}`, { config: { access }, schema }, async (request, reply) => {
    const parameters = Parameters.ofUrl(request.raw.url ?? "").only(...(query ? ["lease"] : []));
    await run(idOf(request.params.id), parameters.leaseMs());
    return reply.code(204).send();
  });
}
