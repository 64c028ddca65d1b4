/** The knowledge base called directly. */
import { SensError } from "../../src/base/index.ts";
import type { KnowledgeService, Notification, QueryAnswer, RemoveAnswer, Session } from "../../src/protocol/index.ts";
import {
  type ContractClient,
  type ContractSubscription,
  Mailbox,
  type Surface,
  sortedNotification,
  sortLines,
  type Taken,
} from "./client.ts";

export const inProcess: Surface = {
  name: "in process",
  async open(service) {
    return { service, connect: async () => clientOf(service), close: () => service.close() };
  },
};

function clientOf(service: KnowledgeService): ContractClient {
  const session = service.openSession();
  return {
    publish: (data, options) => session.publish({ data, ...options }),
    retract: (data, options) => session.retract({ data, ...options }),
    update: (update, key) => session.update({ update, key }),
    select: async (query) => rowsOf(await session.query({ query })),
    ask: async (query) => (await session.query({ query })).boolean === true,
    construct: async (query) => sortLines((await session.query({ query })).graph?.ntriples ?? ""),
    subscribe: (request) => subscribe(session, request),
    unsubscribe: (subscription) => session.unsubscribe(subscription),
    subscriptions: async () => session.subscriptions().map((status) => status.subscription),
    result: async (subscription) => sortLines(session.result(subscription).graph.ntriples),
    receive: async (query, options) => takenOf(await session.receive({ query, ...options })),
    tryReceive: async (query) => takenOf(await session.tryReceive({ query })),
    remove: async (query, options) => takenOf(await session.remove({ query, ...options })),
    tryRemove: async (query, options) => takenOf(await session.tryRemove({ query, ...options })),
    confirm: (claim) => session.confirm(claim),
    release: (claim) => session.release(claim),
    extend: (claim, leaseMs) => session.extend(claim, leaseMs),
    claims: async (state) => session.claims(state),
    requeue: (claim) => session.requeue(claim),
    discard: (claim) => session.discard(claim),
    registerInsertion: (query, options) => session.registerInsertion({ query, ...options }),
    unregisterInsertion: (insertion) => session.unregisterInsertion(insertion),
    insertions: async () => session.insertions(),
    putOntology: (document) => session.putOntology(document),
    getOntology: async (name) => session.getOntology(name),
    deleteOntology: async (name) => session.deleteOntology(name),
    ontologies: async () => session.ontologies(),
    putRule: (document) => session.putRule(document),
    getRule: async (name) => session.getRule(name),
    deleteRule: async (name) => session.deleteRule(name),
    rules: async () => session.rules(),
    explain: (statement) => session.explain(statement),
    changes: (after) => session.changes(after),
    close: async () => session.close(),
  };
}

async function subscribe(session: Session, request: Parameters<Session["subscribe"]>[0]): Promise<ContractSubscription> {
  const mailbox = new Mailbox<Notification>();
  const sink = {
    notify: (notification: Notification) => mailbox.put(sortedNotification(notification)),
    end: ({ code, detail }: { readonly code: string; readonly detail: string }) =>
      mailbox.end(new SensError(code as SensError["code"], detail)),
  };
  const { subscription, cursor, mode } = await session.subscribe(request, sink);
  return { id: subscription, cursor, mode, next: () => mailbox.take(), close: async () => session.detach(subscription, sink) };
}

function rowsOf(answer: QueryAnswer): Record<string, string>[] {
  return answer.rows.map((row) => Object.fromEntries(row.flatMap((term, i) => (term ? [[answer.variables[i], term.value]] : []))));
}

function takenOf({ result, cursor, claim, deliveries, stillEntailedCount, nothingAsserted }: RemoveAnswer): Taken {
  return { graph: result && sortLines(result.ntriples), cursor, claim, deliveries, stillEntailed: stillEntailedCount, nothingAsserted };
}
