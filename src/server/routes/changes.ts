/** `GET /changes?after=cursor`: the feed of all changes as JSON lines, or as Server-Sent Events that go on. */
import { once } from "node:events";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SensError } from "../../base/index.ts";
import { required } from "../body.ts";
import { type ChangesReader, feedChanges } from "../changes-feed.ts";
import type { ServerContext } from "../context.ts";
import { EventStream } from "../event-stream.ts";
import { chooseMediaType } from "../graph-output.ts";
import { CURSOR_EXAMPLE, cursor, cursorHeader, describe, flag, integer, object, text } from "../openapi-schema.ts";
import { Parameters } from "../parameters.ts";

const NDJSON = "application/x-ndjson";
const SSE = "text/event-stream";
const entrySchema = object(
  {
    cursor,
    revision: integer("Revision", 1),
    asserted: text("N-Quads"),
    retracted: text("N-Quads"),
    derivedAdded: text("N-Triples"),
    derivedRemoved: text("N-Triples"),
  },
  ["cursor", "revision", "asserted", "retracted", "derivedAdded", "derivedRemoved"],
  {
    cursor: CURSOR_EXAMPLE,
    revision: 42,
    asserted: "<http://example.org/a> <http://example.org/p> <http://example.org/b> .\n",
    retracted: "",
    derivedAdded: "",
    derivedRemoved: "",
  },
);

export function changesRoutes(app: FastifyInstance, context: ServerContext): void {
  const schema = describe({
    tag: "Knowledge",
    summary: "Every change after a cursor, asserted and derived apart",
    description: "JSON lines end with the last change unless `follow` is set; an event stream goes on.",
    query: { after: cursor, follow: flag("Go on with what is new") },
    headers: { "last-event-id": text("A cursor, in place of `after`: what EventSource sends when it connects again") },
    answers: {
      200: {
        description: "One change per line or event",
        content: { [NDJSON]: entrySchema, [SSE]: { type: "string" } },
        headers: cursorHeader,
      },
    },
  });
  app.get("/changes", { config: { access: "changes" }, exposeHeadRoute: false, schema }, async (request, reply) => {
    const parameters = Parameters.ofUrl(request.raw.url ?? "");
    const mediaType = chooseMediaType(request.headers.accept, [NDJSON, SSE, "application/json"]);
    const after = resumeCursor(request) ?? required(parameters.one("after"), "after");
    await context.session.changes(after, 1); // refuses a bad cursor while it still can be told by status
    const follow = parameters.flag("follow") === true || mediaType === SSE;
    return mediaType === SSE ? streamChanges(context, reply, after) : writeChanges(context, reply, after, follow);
  });
}

function resumeCursor(request: FastifyRequest): string | undefined {
  const id = request.headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function streamChanges(context: ServerContext, reply: FastifyReply, after: string): FastifyReply {
  const stream = new EventStream(context, reply);
  const reader: ChangesReader = {
    closed: stream.closed,
    entry: (entry) => stream.send(entry, entry.cursor),
    drained: () => stream.drained(),
  };
  feedChanges(context.session, after, context.limits.changesPageMax, true, reader).catch((error: unknown) => stream.end(endReason(error)));
  return reply;
}

function writeChanges(context: ServerContext, reply: FastifyReply, after: string, follow: boolean): FastifyReply {
  const { raw } = reply;
  const closed = new AbortController();
  raw.once("close", () => closed.abort());
  const onStopping = (): void => closed.abort();
  context.stopping.addEventListener("abort", onStopping, { once: true });
  const headers = { ...reply.getHeaders(), "content-type": NDJSON, "sens-cursor": context.service.cursor() };
  reply.hijack();
  raw.writeHead(200, headers as Record<string, string>);
  raw.flushHeaders();
  const reader: ChangesReader = {
    closed: closed.signal,
    entry: (entry) => raw.write(`${JSON.stringify(entry)}\n`),
    drained: async () => {
      if (!raw.writableNeedDrain || closed.signal.aborted) return;
      await once(raw, "drain", { signal: closed.signal }).catch(() => undefined); // closed: the loop sees it
    },
  };
  feedChanges(context.session, after, context.limits.changesPageMax, follow, reader)
    .catch((error: unknown) => raw.write(`${JSON.stringify({ error: endReason(error) })}\n`))
    .finally(() => {
      context.stopping.removeEventListener("abort", onStopping);
      raw.end();
    });
  return reply;
}

function endReason(error: unknown): { readonly code: string; readonly detail: string } {
  if (error instanceof SensError) return { code: error.code, detail: error.message };
  return { code: "SENS_INTERNAL", detail: "The feed ended because of an error inside the server." };
}
