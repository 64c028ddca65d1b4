/** `/claims`: what was taken under a lease, until it is confirmed or given back, and dead letters. */
import type { FastifyInstance } from "fastify";
import { type ClaimState, checkFields, OPERATIONS } from "../../protocol/index.ts";
import type { ServerContext } from "../context.ts";
import { changed, describe, integer, object, oneOf, text } from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";
import { sendChange } from "./knowledge.ts";
import { idOf } from "./path-parameters.ts";

export const lease = integer("Milliseconds in which the claim must be confirmed", 1, 3_600_000);

const tag = "Coordination";
const params = { id: text("Id of the claim, from Sens-Claim or the list") };
const state = oneOf("held: with a client, under a lease; dead: put aside after too many deliveries", "held", "dead");
const status = object(
  {
    claim: text("Its id"),
    state,
    quads: text("What was taken, as N-Quads"),
    deliveries: integer("How often it was handed out", 1),
    leaseMs: integer("The lease of the last delivery", 1),
  },
  ["claim", "state", "quads", "deliveries", "leaseMs"],
  { claim: "5f1c", state: "dead", quads: "<urn:job1> <urn:state> <urn:open> .\n", deliveries: 10, leaseMs: 30_000 },
);

export function claimRoutes(app: FastifyInstance, context: ServerContext): void {
  actionRoute(app, "confirm", "The taken triples are dealt with", (id) => context.session.confirm(id));
  actionRoute(app, "release", "Give the taken triples back at once", (id) => context.session.release(id));
  actionRoute(app, "extend", "A new full lease", (id, leaseMs) => context.session.extend(id, leaseMs));
  readRoutes(app, context);
  deadLetterRoutes(app, context);
}

function actionRoute(
  app: FastifyInstance,
  action: "confirm" | "release" | "extend",
  summary: string,
  run: (id: string, leaseMs: number | undefined) => Promise<void>,
): void {
  const query = action === "extend" ? { lease } : undefined;
  const schema = describe({ tag, summary, params, ...(query ? { query } : {}), answers: { 204: "Done" } });
  app.post<{ Params: { id: string } }>(`/claims/:id/${action}`, { config: { access: action }, schema }, async (request, reply) => {
    await run(idOf(request.params.id), Parameters.ofUrl(request.raw.url ?? "").leaseMs());
    return reply.code(204).send();
  });
}

function readRoutes(app: FastifyInstance, { session }: ServerContext): void {
  const list = object({ claims: { type: "array", items: status } }, ["claims"], { claims: [] });
  app.get(
    "/claims",
    {
      config: { access: "claims" },
      schema: describe({
        tag,
        summary: "Claims that clients hold, and dead letters, first delivered first",
        query: { state },
        answers: { 200: { description: "Claims", content: { "application/json": list } } },
      }),
    },
    async (request, reply) => reply.send({ claims: session.claims(stateOf(request.raw.url)) }),
  );
  app.get<{ Params: { id: string } }>(
    "/claims/:id",
    {
      config: { access: "claim" },
      schema: describe({
        tag,
        summary: "One claim or dead letter",
        params,
        answers: { 200: { description: "The claim", content: { "application/json": status } } },
      }),
    },
    async (request, reply) => reply.send(session.claim(idOf(request.params.id))),
  );
}

function deadLetterRoutes(app: FastifyInstance, { session }: ServerContext): void {
  app.post<{ Params: { id: string } }>(
    "/claims/:id/requeue",
    {
      config: { access: "requeue" },
      schema: describe({ tag, summary: "Assert the triples of a dead letter again", params, answers: { 200: changed } }),
    },
    async (request, reply) => sendChange(reply, await session.requeue(idOf(request.params.id))),
  );
  app.delete<{ Params: { id: string } }>(
    "/claims/:id",
    { config: { access: "discard" }, schema: describe({ tag, summary: "Forget a dead letter", params, answers: { 204: "Forgotten" } }) },
    async (request, reply) => {
      await session.discard(idOf(request.params.id));
      return reply.code(204).send();
    },
  );
}

function stateOf(url: string | undefined): ClaimState | undefined {
  const value = Parameters.ofUrl(url ?? "").one("state");
  return checkFields(OPERATIONS.claims, value === undefined ? {} : { state: value }).state;
}
