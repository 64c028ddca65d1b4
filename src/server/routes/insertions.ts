/** `/insertions`: CONSTRUCT queries whose results become knowledge, for as long as they hold or once and for all. */
import type { FastifyInstance } from "fastify";
import { checkFields, INSERTION_FIELDS } from "../../protocol/index.ts";
import { jsonBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import {
  CONSTRUCT_EXAMPLE,
  CURSOR_EXAMPLE,
  cursor,
  cursorHeader,
  describe,
  locationHeader,
  object,
  oneOf,
  text,
} from "../openapi-schema.ts";
import { idOf } from "./path-parameters.ts";

const params = { id: text("Id of the insertion") };
const mode = oneOf("while: derived as long as it holds; once: asserted when it newly holds", "while", "once");
const status = object(
  { insertion: text("Its id"), name: text("Its name"), query: text("Its query"), mode, suspended: text("Why it is suspended"), cursor },
  ["insertion", "query", "mode", "cursor"],
  { insertion: "4be0aa", query: CONSTRUCT_EXAMPLE, mode: "while", cursor: CURSOR_EXAMPLE },
);
const body = {
  "application/json": object({ query: text("A CONSTRUCT query"), name: text("Its name"), mode }, ["query"], {
    query: CONSTRUCT_EXAMPLE,
    mode: "while",
  }),
};
const one = { 200: { description: "The insertion", content: { "application/json": status } } };

export function insertionRoutes(app: FastifyInstance, { session }: ServerContext): void {
  const tag = "Insertions";
  app.post(
    "/insertions",
    {
      config: { access: "registerInsertion" },
      schema: describe({
        tag,
        summary: "Register a continuous insertion",
        body,
        answers: { 201: { ...one[200], description: "Registered", headers: { ...cursorHeader, ...locationHeader } } },
      }),
    },
    async (request, reply) => {
      const made = await session.registerInsertion(checkFields(INSERTION_FIELDS, jsonBody(request)));
      const location = `/insertions/${encodeURIComponent(made.insertion)}`;
      return reply.code(201).headers({ location, "sens-cursor": made.cursor }).send(made);
    },
  );
  const list = object({ insertions: { type: "array", items: status } }, ["insertions"], { insertions: [] });
  app.get(
    "/insertions",
    {
      config: { access: "insertions" },
      schema: describe({ tag, summary: "All", answers: { 200: { description: "Insertions", content: { "application/json": list } } } }),
    },
    async (_request, reply) => reply.send({ insertions: session.insertions() }),
  );
  app.get<{ Params: { id: string } }>(
    "/insertions/:id",
    { config: { access: "insertion" }, schema: describe({ tag, summary: "One", params, answers: one }) },
    async (request, reply) => reply.send(session.insertion(idOf(request.params.id))),
  );
  app.delete<{ Params: { id: string } }>(
    "/insertions/:id",
    {
      config: { access: "unregisterInsertion" },
      schema: describe({ tag, summary: "End it; what it derived is withdrawn", params, answers: { 204: "Ended" } }),
    },
    async (request, reply) => {
      await session.unregisterInsertion(idOf(request.params.id));
      return reply.code(204).send();
    },
  );
}
