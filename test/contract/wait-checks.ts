/** receive and remove: who gets what, in which order, and what a lease keeps. */
import { expect } from "vitest";
import { LIMITS } from "../../src/base/index.ts";
import { type Check, E, like, refused, triple } from "./check.ts";

const ONE = `CONSTRUCT { ?s <${E}p> ?o } WHERE { ?s <${E}p> ?o } ORDER BY ?o LIMIT 1`;

export const waitChecks: readonly Check[] = [
  {
    claim: "receive answers at once with the whole result, and takes nothing",
    async run({ client }) {
      const { cursor } = await client.publish(triple("a", "p", "b") + triple("a", "p", "c"));
      expect(await client.receive(like("p"))).toMatchObject({ graph: triple("a", "p", "b") + triple("a", "p", "c"), cursor });
      expect(await client.ask(`ASK { <${E}a> <${E}p> <${E}b> }`)).toBe(true);
    },
  },
  {
    claim: "a waiting receive is answered by the change that makes a result",
    async run({ client, another, service }) {
      const waiting = client.receive(like("p"));
      await service.waitsBegun(1);
      const other = await another();
      await other.publish(triple("a", "q", "b"));
      const { cursor } = await other.publish(triple("a", "p", "b"));
      expect(await waiting).toMatchObject({ graph: triple("a", "p", "b"), cursor });
    },
  },
  {
    claim: "a receive whose time is up answers without a result",
    async run({ client }) {
      expect((await client.receive(like("p"), { timeoutMs: 1 })).graph).toBeUndefined();
      expect((await client.receive(like("p"), { timeoutMs: 0 })).graph).toBeUndefined();
    },
  },
  {
    claim: "tryReceive answers at once, with or without",
    async run({ client }) {
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
      await client.publish(triple("a", "p", "b"));
      expect((await client.tryReceive(like("p"))).graph).toBe(triple("a", "p", "b"));
    },
  },
  {
    claim: "a time-out below zero is refused",
    async run({ client }) {
      await refused(client.receive(like("p"), { timeoutMs: -1 }), "SENS_LIMIT");
    },
  },
  {
    claim: "a time-out above five minutes is refused",
    needs: ["undividedWaits"],
    async run({ client }) {
      await refused(client.receive(like("p"), { timeoutMs: LIMITS.waitMaxMs + 1 }), "SENS_LIMIT");
      await refused(client.remove(like("p"), { timeoutMs: 2 ** 31 }), "SENS_LIMIT");
    },
  },
  {
    claim: "only CONSTRUCT can be waited for",
    async run({ client }) {
      await refused(client.receive("SELECT * { ?s ?p ?o }"), "SENS_QUERY_FORM");
      await refused(client.remove("DROP ALL"), "SENS_QUERY_FORM");
    },
  },
  {
    claim: "a wait that was cancelled takes nothing",
    async run({ client, another, service }) {
      const cancel = new AbortController();
      const waiting = client.remove(like("p"), { signal: cancel.signal });
      await service.waitsBegun(1);
      await expect.poll(() => service.figures().waits).toBe(1);
      const ended = expect(waiting).rejects.toThrow();
      cancel.abort();
      await ended;
      const other = await another();
      await expect.poll(() => service.figures().waits).toBe(0);
      await other.publish(triple("a", "p", "b"));
      expect(await other.ask("ASK { ?s ?p ?o }")).toBe(true);
    },
  },
  {
    claim: "a client that goes away takes its waits with it",
    async run({ client, another, service }) {
      const gone = await another();
      const waiting = gone.remove(like("p")).catch(() => "gone");
      await service.waitsBegun(1);
      await expect.poll(() => service.figures().waits).toBe(1);
      await gone.close();
      await waiting;
      await expect.poll(() => service.figures().waits).toBe(0);
      await client.publish(triple("a", "p", "b"));
      expect(await client.ask("ASK { ?s ?p ?o }")).toBe(true);
    },
  },
  {
    claim: "remove withdraws what it answers, as a transaction of its own",
    async run({ client }) {
      const { revision } = await client.publish(triple("a", "p", "b") + triple("a", "q", "b"));
      const taken = await client.remove(like("p"));
      expect(taken.graph).toBe(triple("a", "p", "b"));
      expect(taken.cursor?.endsWith(`:${revision + 1}`)).toBe(true);
      expect(await client.ask(`ASK { ?s <${E}p> ?o }`)).toBe(false);
      expect(await client.ask(`ASK { ?s <${E}q> ?o }`)).toBe(true);
    },
  },
  {
    claim: "a waiting remove takes what comes, and subscribers see it come and go",
    async run({ client, another, service }) {
      const news = await client.subscribe({ query: like("p"), removals: true });
      const waiting = client.remove(like("p"));
      await service.waitsBegun(1);
      await (await another()).publish(triple("a", "p", "b"));
      expect((await waiting).graph).toBe(triple("a", "p", "b"));
      expect(await news.next()).toMatchObject({ added: triple("a", "p", "b"), removed: "" });
      expect(await news.next()).toMatchObject({ added: "", removed: triple("a", "p", "b") });
    },
  },
  {
    claim: "receives that wait are answered before the first take",
    async run({ client, another, service }) {
      const taking = client.remove(like("p"));
      await service.waitsBegun(1);
      const reader = await another();
      const reading = reader.receive(like("p"));
      await service.waitsBegun(2);
      await (await another()).publish(triple("a", "p", "b"));
      expect((await reading).graph).toBe(triple("a", "p", "b"));
      expect((await taking).graph).toBe(triple("a", "p", "b"));
    },
  },
  {
    claim: "of two removers that wait the first to arrive takes first",
    async run({ client, another, service }) {
      const first = client.remove(ONE);
      await service.waitsBegun(1);
      const second = (await another()).remove(ONE);
      await service.waitsBegun(2);
      const writer = await another();
      await writer.publish(triple("a", "p", '"1"'));
      expect((await first).graph).toBe(triple("a", "p", '"1"'));
      await writer.publish(triple("a", "p", '"2"'));
      expect((await second).graph).toBe(triple("a", "p", '"2"'));
    },
  },
  {
    claim: "exactly one of many removers gets each assertion",
    async run({ client, another }) {
      const workers = await Promise.all(Array.from({ length: 8 }, another));
      await client.publish(Array.from({ length: 5 }, (_, n) => triple("a", "p", `"${n}"`)).join(""));
      const taken = await Promise.all(workers.map((worker) => worker.tryRemove(ONE)));
      const got = taken.flatMap(({ graph }) => (graph === undefined ? [] : [graph]));
      expect(new Set(got).size).toBe(5);
      expect(got).toHaveLength(5);
    },
  },
  {
    claim: "remove with ORDER BY and LIMIT takes the smallest by value",
    async run({ client }) {
      const integer = "^^<http://www.w3.org/2001/XMLSchema#integer>";
      await client.publish(["11", "2", "10"].map((n) => triple("a", "p", `"${n}"${integer}`)).join(""));
      expect((await client.tryRemove(ONE)).graph).toBe(triple("a", "p", `"2"${integer}`));
    },
  },
  {
    claim: "tryRemove answers at once when there is none",
    async run({ client }) {
      expect((await client.tryRemove(like("p"))).graph).toBeUndefined();
    },
  },
  {
    claim: "tryRemove tells a result of which nothing is asserted from none",
    async run({ client }) {
      await client.registerInsertion(`CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }`);
      await client.publish(triple("a", "p", "b"));
      for (const options of [{}, { leaseMs: 10_000 }]) {
        expect(await client.tryRemove(like("q"), options)).toMatchObject({ nothingAsserted: true });
        const none = await client.tryRemove(like("r"), options);
        expect([none.graph, none.nothingAsserted]).toEqual([undefined, undefined]);
      }
      expect(await client.construct(like("q"))).toBe(triple("b", "q", "a"));
    },
  },
  {
    claim: "remove takes from the named graph it names, and only there",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"), { graph: `${E}g` });
      const query = `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${E}g> { ?s ?p ?o } }`;
      await refused(client.tryRemove(query), "SENS_GRAPH_REQUIRED");
      expect((await client.tryRemove(query, { graph: `${E}g` })).graph).toBe(triple("a", "p", "b"));
      expect(await client.ask(`ASK { GRAPH ?g { ?s ?p ?o } }`)).toBe(false);
    },
  },
  {
    claim: "a confirmed claim is gone for good",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const { claim, deliveries } = await client.remove(like("p"), { leaseMs: 60_000 });
      expect(deliveries).toBe(1);
      await client.confirm(claim!);
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
    },
  },
  {
    claim: "a released claim returns at once, counted as delivered",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const { claim } = await client.remove(like("p"), { leaseMs: 60_000 });
      expect(await client.ask(`ASK { ?s <${E}p> ?o }`)).toBe(false);
      await client.release(claim!);
      const again = await client.remove(like("p"), { leaseMs: 60_000 });
      expect(again).toMatchObject({ graph: triple("a", "p", "b"), deliveries: 2 });
    },
  },
  {
    claim: "a claim whose lease ended returns to who waits, and can no longer be confirmed",
    async run({ client, another }) {
      await client.publish(triple("a", "p", "b"));
      const { claim } = await client.remove(like("p"), { leaseMs: 20 });
      const worker = await another();
      expect(await worker.remove(like("p"), { leaseMs: 60_000 })).toMatchObject({ graph: triple("a", "p", "b"), deliveries: 2 });
      await refused(client.confirm(claim!), "SENS_CLAIM_EXPIRED");
    },
  },
  {
    claim: "an extended claim holds",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const { claim } = await client.remove(like("p"), { leaseMs: 60_000 });
      await client.extend(claim!, 120_000);
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
      await client.confirm(claim!);
    },
  },
  {
    claim: "a retraction reaches what is claimed: it does not return",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const { claim } = await client.remove(like("p"), { leaseMs: 60_000 });
      await client.retract(triple("a", "p", "b"));
      await client.release(claim!);
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
    },
  },
  {
    claim: "what is taken too often becomes a dead letter that is listed, put back as new, or forgotten",
    async run({ client, another }) {
      const worker = await another();
      const fail = async (): Promise<string> => {
        for (let n = 1; ; n++) {
          const { claim, deliveries } = await worker.remove(like("p"), { leaseMs: 60_000 });
          expect(deliveries).toBe(n);
          expect(await client.claims()).toEqual([{ claim, state: "held", quads: triple("a", "p", "b"), deliveries: n, leaseMs: 60_000 }]);
          expect(await client.claims("dead")).toEqual([]);
          await refused(client.requeue(claim!), "SENS_NOT_FOUND");
          await worker.release(claim!);
          if (n === LIMITS.deliveriesMax) return claim!;
        }
      };
      await client.publish(triple("a", "p", "b"));
      const first = await fail();
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
      expect(await client.claims("dead")).toMatchObject([{ claim: first, state: "dead", deliveries: LIMITS.deliveriesMax }]);
      expect(await client.claims("held")).toEqual([]);
      await refused(worker.confirm(first), "SENS_CLAIM_EXPIRED");
      expect(await client.requeue(first)).toMatchObject({ added: 1 });
      expect(await client.claims()).toEqual([]);
      await refused(client.requeue(first), "SENS_NOT_FOUND");
      const second = await fail();
      await client.discard(second);
      expect(await client.claims()).toEqual([]);
      await refused(client.discard(second), "SENS_NOT_FOUND");
      expect((await client.tryReceive(like("p"))).graph).toBeUndefined();
    },
  },
  {
    claim: "what stays derivable is reported as still entailed, and what is only derived cannot be taken",
    options: { reasoning: "rdfs" },
    async run({ client }) {
      const subClass = `<${E}A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${E}B> .\n`;
      const type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
      await client.publish(`${subClass}<${E}x> ${type} <${E}A> .\n<${E}x> ${type} <${E}B> .\n`);
      const query = `CONSTRUCT { <${E}x> a <${E}B> } WHERE { <${E}x> a <${E}B> }`;
      expect((await client.tryRemove(query)).stillEntailed).toBe(1);
      expect(await client.ask(`ASK { <${E}x> a <${E}B> }`)).toBe(true);
      expect((await client.tryRemove(query)).graph).toBeUndefined();
    },
  },
];
