/** The SDK, over WebSocket. */
import type * as RDF from "@rdfjs/types";
import {
  connect,
  type NothingAsserted,
  type Taken as SdkTaken,
  type SensClient,
  type SubscribeOptions,
  writeNQuads,
} from "../../src/client/index.ts";
import type { ChangesEntry, Notification } from "../../src/protocol/index.ts";
import { serve } from "../../src/server/index.ts";
import { type ContractClient, type ContractSubscription, type Surface, sortLines, type Taken, type TakeOptions } from "./client.ts";

export const overSdk: Surface = {
  name: "SDK",
  async open(service) {
    const server = await serve(service, { port: 0 });
    return { service, connect: async () => clientOf(await connect(server.url)), close: () => server.close() };
  },
  lacks: {
    result: "a subscription of the SDK gives its result as the first notification, with `initial`",
    undividedWaits: "the SDK divides a long wait into several requests",
  },
};

function clientOf(client: SensClient): ContractClient {
  const claims = new Map<string, SdkTaken>();
  const claimOf = (id: string): SdkTaken => {
    const claim = claims.get(id);
    if (!claim) throw new Error(`no claim ${id}`);
    return claim;
  };
  const take = async (taking: Promise<SdkTaken | NothingAsserted | undefined>): Promise<Taken> => {
    const taken = await taking;
    if (!taken || taken.nothingAsserted) return taken ?? {};
    claims.set(taken.claim, taken);
    return {
      graph: lines(taken.quads),
      cursor: taken.cursor,
      claim: taken.claim,
      deliveries: taken.deliveries,
      stillEntailed: taken.stillEntailed.length,
    };
  };
  const plain = ({ timeoutMs, graph, signal }: TakeOptions) => ({ timeoutMs, graph, signal, lease: false });
  return {
    publish: (data, options) => client.publish(data, { contentType: "application/n-quads", ...options }),
    retract: (data, options) => client.retract(data, { contentType: "application/n-quads", ...options }),
    update: (update, key) => client.update(update, { key }),
    select: async (query) =>
      (await client.select(query)).map((row) => Object.fromEntries([...row].map(([name, term]) => [name, term.value]))),
    ask: (query) => client.ask(query),
    construct: async (query) => lines(await client.construct(query)),
    subscribe: ({ query, ...options }) => subscribe(client, query, options),
    unsubscribe: (subscription) => client.unsubscribe(subscription),
    subscriptions: async () => (await client.subscriptions()).map((status) => status.subscription),
    result: () => Promise.reject(new Error("not in the SDK")),
    receive: async (query, options) => received(await client.receive(query, options)),
    tryReceive: async (query) => received(await client.tryReceive(query)),
    remove: async (query, options = {}) =>
      options.leaseMs === undefined ? received(await client.remove(query, plain(options))) : take(client.take(query, options)),
    tryRemove: async (query, options = {}) =>
      options.leaseMs === undefined ? received(await client.tryRemove(query, plain(options))) : take(client.tryTake(query, options)),
    confirm: (id) => claimOf(id).confirm(),
    release: (id) => claimOf(id).release(),
    extend: (id, leaseMs) => claimOf(id).extend(leaseMs),
    claims: async (state) => (await client.claims({ state })).map(({ quads, ...claim }) => ({ ...claim, quads: writeNQuads(quads) })),
    requeue: (id) => client.requeue(id),
    discard: (id) => client.discard(id),
    registerInsertion: (query, options) => client.registerInsertion(query, options),
    unregisterInsertion: (id) => client.unregisterInsertion(id),
    insertions: () => client.insertions(),
    putOntology: ({ name, content, contentType }) => client.putOntology(name, content, { contentType }),
    getOntology: (name) => client.getOntology(name),
    deleteOntology: (name) => client.deleteOntology(name),
    ontologies: () => client.ontologies(),
    putRule: ({ name, content }) => client.putRule(name, content),
    getRule: (name) => client.getRule(name),
    deleteRule: (name) => client.deleteRule(name),
    rules: () => client.rules(),
    explain: (statement) => client.explain(statement),
    changes: (after) => changesOf(client, after),
    close: async () => client.close(),
  };
}

async function subscribe(client: SensClient, query: string, options: SubscribeOptions): Promise<ContractSubscription> {
  const subscription = await client.subscribe(query, options);
  const iterator = subscription[Symbol.asyncIterator]();
  return {
    id: subscription.id,
    cursor: subscription.cursor,
    mode: subscription.mode,
    next: async (): Promise<Notification> => {
      const { value, done } = await iterator.next();
      if (done || !value) throw (await subscription.done) ?? new Error("the subscription is over");
      const removed = options.removals ? { removed: lines(value.removed) } : {};
      return {
        subscription: subscription.id,
        cursor: value.cursor,
        ...(value.initial || value.reset ? { initial: true } : {}),
        added: lines(value.added),
        ...removed,
      };
    },
    close: async () => {
      await subscription.close();
    },
  };
}

async function changesOf(client: SensClient, after: string): Promise<ChangesEntry[]> {
  const entries: ChangesEntry[] = [];
  for await (const { cursor, revision, ...change } of client.changes({ after, untilNow: true })) {
    const { asserted, retracted, derivedAdded, derivedRemoved } = change;
    entries.push({
      cursor,
      revision,
      asserted: lines(asserted),
      retracted: lines(retracted),
      derivedAdded: lines(derivedAdded),
      derivedRemoved: lines(derivedRemoved),
    });
  }
  return entries;
}

function received(
  answer:
    | {
        readonly quads: readonly RDF.Quad[];
        readonly cursor: string;
        readonly stillEntailed?: readonly RDF.Quad[];
        readonly deliveries?: number;
      }
    | NothingAsserted
    | undefined,
): Taken {
  if (answer && "nothingAsserted" in answer) return answer;
  return answer ? { graph: lines(answer.quads), cursor: answer.cursor, stillEntailed: answer.stillEntailed?.length } : {};
}

function lines(quads: readonly RDF.Quad[]): string {
  return sortLines(writeNQuads(quads));
}
