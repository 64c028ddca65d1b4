/** `/subscriptions`: made, listed, ended, read as Server-Sent Events, and asked for their current result. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkFields, type Notification, SUBSCRIPTION_FIELDS } from "../../protocol/index.ts";
import { jsonBody } from "../body.ts";
import type { ServerContext } from "../context.ts";
import { requireAtLeast } from "../cursor.ts";
import { EventStream } from "../event-stream.ts";
import { FirstReaders } from "../first-readers.ts";
import { negotiateRdf, sendGraph, writableFormat } from "../graph-output.ts";
import { NotificationFeed } from "../notification-feed.ts";
import {
  CONSTRUCT_EXAMPLE,
  CURSOR_EXAMPLE,
  cursor,
  cursorHeader,
  describe,
  flag,
  integer,
  locationHeader,
  object,
  oneOf,
  rdfAnswer,
  text,
} from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";
import { idOf } from "./path-parameters.ts";

const FIRST_READERS_MAX = 10_000;
const params = { id: text("Id of the subscription") };
const made = object(
  {
    subscription: text("Its id"),
    cursor,
    mode: oneOf("How it is kept up to date", "incremental", "re-evaluated"),
    why: text("Why it is re-evaluated"),
    events: text("Where its events are"),
  },
  ["subscription", "cursor", "mode"],
  { subscription: "8c1f2d", cursor: CURSOR_EXAMPLE, mode: "incremental", events: "/subscriptions/8c1f2d/events" },
);
const request = object(
  {
    query: text("A CONSTRUCT query"),
    name: text("Makes it durable; all who subscribe with the name share it"),
    initial: flag("Send the current result first"),
    removals: flag("Also send triples that are no longer in the result"),
    deliver: oneOf("New triples, or the whole template instance of each new solution", "triples", "solutions"),
    format: text("Media type of the RDF in notifications", "text/turtle"),
  },
  ["query"],
  { query: CONSTRUCT_EXAMPLE, initial: true, removals: true },
);
const status = object(
  {
    subscription: text("Its id"),
    query: text("Its query"),
    attached: integer("Readers now"),
    notified: integer("Notifications made"),
    resultSize: integer("Triples in the result"),
  },
  ["subscription", "query"],
  {
    subscription: "8c1f2d",
    query: CONSTRUCT_EXAMPLE,
    attached: 1,
    notified: 3,
    resultSize: 7,
  },
);

export function subscriptionRoutes(app: FastifyInstance, context: ServerContext): void {
  const readers = new FirstReaders(FIRST_READERS_MAX);
  createRoute(app, context, readers);
  readRoutes(app, context);
  app.delete<{ Params: { id: string } }>(
    "/subscriptions/:id",
    { config: { access: "unsubscribe" }, schema: describe({ tag: "Subscriptions", summary: "End it", params, answers: { 204: "Ended" } }) },
    async (request, reply) => {
      const { subscription: id } = context.session.subscription(idOf(request.params.id));
      await context.session.unsubscribe(id);
      readers.forget(id);
      return reply.code(204).send();
    },
  );
  eventsRoute(app, context, readers);
}

function createRoute(app: FastifyInstance, context: ServerContext, readers: FirstReaders): void {
  const schema = describe({
    tag: "Subscriptions",
    summary: "Subscribe: be told what is new in the result of a CONSTRUCT query",
    body: { "application/json": request },
    answers: {
      201: {
        description: "Made, or attached to the one of that name",
        content: { "application/json": made },
        headers: { ...cursorHeader, ...locationHeader },
      },
    },
  });
  app.post("/subscriptions", { config: { access: "subscribe" }, schema }, async (request, reply) => {
    const { format, initial, ...fields } = checkFields(SUBSCRIPTION_FIELDS, jsonBody(request));
    writableFormat(format);
    const answer = await context.session.subscribe(fields);
    readers.expect(answer.subscription, { cursor: answer.cursor, initial: initial === true }, format);
    const location = `/subscriptions/${encodeURIComponent(answer.subscription)}`;
    return reply
      .code(201)
      .headers({ location, "sens-cursor": answer.cursor })
      .send({ ...answer, events: `${location}/events` });
  });
}

function readRoutes(app: FastifyInstance, context: ServerContext): void {
  const list = object({ subscriptions: { type: "array", items: status } }, ["subscriptions"], { subscriptions: [] });
  app.get(
    "/subscriptions",
    {
      config: { access: "subscriptions" },
      schema: describe({
        tag: "Subscriptions",
        summary: "All, with their figures",
        answers: { 200: { description: "Subscriptions", content: { "application/json": list } } },
      }),
    },
    async (_request, reply) => reply.send({ subscriptions: context.session.subscriptions() }),
  );
  app.get<{ Params: { id: string } }>(
    "/subscriptions/:id",
    {
      config: { access: "subscription" },
      schema: describe({
        tag: "Subscriptions",
        summary: "One, with its figures",
        params,
        answers: { 200: { description: "The subscription", content: { "application/json": status }, headers: cursorHeader } },
      }),
    },
    async (request, reply) => {
      const found = context.session.subscription(idOf(request.params.id));
      return reply.header("sens-cursor", found.cursor).send(found);
    },
  );
  app.get<{ Params: { id: string } }>(
    "/subscriptions/:id/result",
    {
      config: { access: "result" },
      schema: describe({
        tag: "Subscriptions",
        summary: "The current result graph",
        params,
        query: { "at-least": cursor },
        answers: { 200: rdfAnswer("The result") },
      }),
    },
    async (request, reply) => {
      requireAtLeast(context.service, Parameters.ofUrl(request.raw.url ?? "").one("at-least"));
      const mediaType = negotiateRdf(request, "application/n-triples");
      const { graph, cursor: at } = context.session.result(idOf(request.params.id));
      return sendGraph(reply.header("sens-cursor", at), graph, mediaType);
    },
  );
}

function eventsRoute(app: FastifyInstance, context: ServerContext, readers: FirstReaders): void {
  const schema = describe({
    tag: "Subscriptions",
    summary: "Its notifications as Server-Sent Events",
    description:
      "The data of each event is the notification, its id the cursor. `Last-Event-ID` (or `from`) resumes; an event named `end` says why no more comes.",
    params,
    query: {
      from: cursor,
      initial: flag("Begin with the current result"),
      reset: flag("With a cursor too old: the full result instead of 410"),
      format: text("Media type of the RDF", "text/turtle"),
    },
    headers: { "last-event-id": cursor },
    answers: {
      200: {
        description: "The stream",
        content: {
          "text/event-stream": {
            type: "string",
            examples: [`id: ${CURSOR_EXAMPLE}\ndata: {"subscription":"8c1f2d","cursor":"${CURSOR_EXAMPLE}","added":"…"}\n\n`],
          },
        },
      },
    },
  });
  app.get<{ Params: { id: string } }>(
    "/subscriptions/:id/events",
    { config: { access: "attach" }, exposeHeadRoute: false, schema },
    async (request, reply) =>
      streamEvents(context, readers, request, reply, context.session.subscription(idOf(request.params.id)).subscription),
  );
}

async function streamEvents(
  context: ServerContext,
  readers: FirstReaders,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> {
  const parameters = Parameters.ofUrl(request.raw.url ?? "");
  const { "last-event-id": lastEventId } = request.headers;
  const from = typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : parameters.one("from");
  const initial = parameters.flag("initial");
  const reset = parameters.flag("reset");
  const feed = new NotificationFeed(
    writableFormat(parameters.one("format") ?? readers.format(id)),
    context.limits.outboundBytesMax,
    context.logger,
  );
  const first = readers.take(id);
  const start =
    from !== undefined || initial !== undefined ? { from, initial } : first?.initial ? { initial: true } : { from: first?.cursor };
  try {
    await context.session.attach(id, feed, { ...start, reset });
  } catch (error) {
    readers.giveBack(id, first);
    throw error;
  }
  const detach = (): void => {
    feed.stop();
    context.session.detach(id, feed);
  };
  if (request.raw.socket.destroyed || context.stopping.aborted) {
    readers.giveBack(id, first);
    detach();
    return reply.hijack();
  }
  const stream = new EventStream(context, reply);
  stream.closed.addEventListener("abort", detach, { once: true });
  feed.release({
    notify: (notification: Notification) => stream.send(notification, notification.cursor),
    end: (reason) => stream.end(reason),
  });
  return reply;
}
