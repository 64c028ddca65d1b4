/**
 * What each operation of the WebSocket table does: request frame in, fields of the answer out. Complete by type. What
 * belongs to the connection (feeds, watches, cancelling) is asked of it through `SocketClient`.
 */
import type { AnswerFields, Operation, RemoveAnswer, RequestOf, Session, WaitResultFields } from "../../protocol/index.ts";
import { writableFormat, writeGraph } from "../graph-output.ts";
import { toSparqlJson } from "../results/sparql-json.ts";

/** The connection, as operations see it. */
export interface SocketClient {
  readonly session: Session;
  subscribe(request: RequestOf<"subscribe"> | RequestOf<"attach">): Promise<AnswerFields["subscribe"]>;
  detach(subscription: string): void;
  /** Aborts the waiting request; answers whether there was one. */
  cancel(request: string): void;
  watchChanges(id: string, after: string, signal: AbortSignal): void;
  cursor(): string;
}

type Operations = {
  readonly [O in Operation]: (client: SocketClient, request: RequestOf<O>, signal: AbortSignal) => object | Promise<object>;
};

const CHANGES_PAGE = 1_000;

export const OPERATION_HANDLERS: Operations = {
  publish: ({ session }, request) => session.publish(fields(request)),
  retract: ({ session }, request) => session.retract(fields(request)),
  update: ({ session }, request) => session.update(fields(request)),
  query,
  subscribe: (client, request) => client.subscribe(request),
  attach: (client, request) => client.subscribe(request),
  detach: (client, { subscription }) => nothing(client.detach(subscription)),
  unsubscribe: ({ session }, { subscription }) => done(session.unsubscribe(subscription)),
  subscriptions: ({ session }) => ({ subscriptions: session.subscriptions() }),
  subscription: ({ session }, { subscription }) => session.subscription(subscription),
  result,
  receive: ({ session }, { query, timeout, format }, signal) => taken(() => session.receive({ query, timeoutMs: timeout, signal }), format),
  tryReceive: ({ session }, { query, timeout, format }, signal) =>
    taken(() => session.tryReceive({ query, timeoutMs: timeout, signal }), format),
  remove: ({ session }, request, signal) => taken(() => session.remove(take(request, signal)), request.format),
  tryRemove: ({ session }, request, signal) => taken(() => session.tryRemove(take(request, signal)), request.format),
  confirm: ({ session }, { claim }) => done(session.confirm(claim)),
  release: ({ session }, { claim }) => done(session.release(claim)),
  extend: ({ session }, { claim, lease }) => done(session.extend(claim, lease)),
  claims: ({ session }, { state }) => ({ claims: session.claims(state) }),
  claim: ({ session }, { claim }) => session.claim(claim),
  requeue: ({ session }, { claim }) => session.requeue(claim),
  discard: ({ session }, { claim }) => done(session.discard(claim)),
  registerInsertion: ({ session }, request) => session.registerInsertion(fields(request)),
  unregisterInsertion: ({ session }, { insertion }) => done(session.unregisterInsertion(insertion)),
  insertions: ({ session }) => ({ insertions: session.insertions() }),
  insertion: ({ session }, { insertion }) => session.insertion(insertion),
  putOntology: ({ session }, { name, data, contentType }) =>
    session.putOntology({ name, content: data, contentType: contentType ?? "text/turtle" }),
  getOntology: ({ session }, { name }) => session.getOntology(name),
  deleteOntology: ({ session }, { name }) => session.deleteOntology(name),
  ontologies: ({ session }) => ({ ontologies: session.ontologies() }),
  putRule: ({ session }, { name, data, contentType }) => session.putRule({ name, content: data, contentType: contentType ?? "text/n3" }),
  getRule: ({ session }, { name }) => session.getRule(name),
  deleteRule: ({ session }, { name }) => session.deleteRule(name),
  rules: ({ session }) => ({ rules: session.rules() }),
  explain: async ({ session }, { statement, depthMax }) => ({ proof: await session.explain(statement, { depthMax }) }),
  changes,
  cancel: (client, { request }) => nothing(client.cancel(request)),
  ping: (client) => ({ cursor: client.cursor() }),
};

/** The fields of a frame as the request of the operation of the same name. */
function fields<T extends { readonly id: string; readonly op: string }>(request: T): Omit<T, "id" | "op"> {
  const { id: _id, op: _op, ...rest } = request;
  return rest;
}

async function query({ session }: SocketClient, request: RequestOf<"query">, signal: AbortSignal): Promise<AnswerFields["query"]> {
  const { query, defaultGraphs, namedGraphs, timeout, atLeast } = request;
  const format = writableFormat(request.format);
  const answer = await session.query({ query, defaultGraphs, namedGraphs, timeoutMs: timeout, atLeast, signal });
  const { cursor, form, evaluator, why } = answer;
  const result = answer.graph ? await writeGraph(answer.graph.ntriples, format) : toSparqlJson(answer);
  return { cursor, form, evaluator, ...(why === undefined ? {} : { why }), result };
}

async function result({ session }: SocketClient, request: RequestOf<"result">): Promise<object> {
  const format = writableFormat(request.format);
  const { graph, cursor } = session.result(request.subscription);
  return { result: await writeGraph(graph.ntriples, format), size: graph.size, cursor };
}

function take(request: RequestOf<"remove"> | RequestOf<"tryRemove">, signal: AbortSignal) {
  const { query, timeout, lease, graph, key } = request;
  return { query, timeoutMs: timeout, leaseMs: lease, graph, key, signal };
}

/** The format is checked before anything is taken. */
async function taken(run: () => Promise<RemoveAnswer>, format: string | undefined): Promise<WaitResultFields> {
  const mediaType = writableFormat(format);
  const { result: graph, ...rest } = await run();
  return graph ? { ...rest, result: await writeGraph(graph.ntriples, mediaType), size: graph.size } : rest;
}

async function changes(client: SocketClient, { id, after, limit, watch }: RequestOf<"changes">, signal: AbortSignal): Promise<object> {
  const entries = await client.session.changes(after, limit ?? CHANGES_PAGE);
  if (watch) client.watchChanges(id, entries.at(-1)?.cursor ?? after, signal);
  return { entries };
}

async function done(promise: Promise<void>): Promise<object> {
  await promise;
  return {};
}

function nothing(_result: void): object {
  return {};
}
