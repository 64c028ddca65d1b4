/** publish, retract, update, query: what is counted, when a revision is given, what is refused. */
import { expect } from "vitest";
import { type Check, E, like, refused, triple } from "./check.ts";

const revisionOf = (cursor: string): number => Number(cursor.slice(cursor.lastIndexOf(":") + 1));

export const knowledgeChecks: readonly Check[] = [
  {
    claim: "publish counts what is new and gives the next revision",
    async run({ client }) {
      const first = await client.publish(triple("a", "p", "b") + triple("a", "p", "c"));
      expect(first).toMatchObject({ added: 2, removed: 0 });
      expect(first.revision).toBe(revisionOf(first.cursor));
      const second = await client.publish(triple("a", "p", "b") + triple("a", "p", "d"));
      expect(second).toMatchObject({ added: 1, removed: 0, revision: first.revision + 1 });
    },
  },
  {
    claim: "stating what is stated changes nothing and gives the current revision",
    async run({ client }) {
      const first = await client.publish(triple("a", "p", "b"));
      expect(await client.publish(triple("a", "p", "b"))).toMatchObject({ added: 0, revision: first.revision, cursor: first.cursor });
    },
  },
  {
    claim: "an empty document is accepted and changes nothing",
    async run({ client }) {
      expect(await client.publish("", { contentType: "text/turtle" })).toMatchObject({ added: 0, removed: 0, revision: 0 });
    },
  },
  {
    claim: "a document cut in the middle is refused whole, with its position",
    async run({ client }) {
      const before = await client.publish(triple("a", "p", "b"));
      await refused(client.publish(`<${E}x> <${E}p> <${E}y> .\n<${E}x> <${E}p`, { contentType: "text/turtle" }), "SENS_SYNTAX");
      expect(await client.construct(like("p"))).toBe(triple("a", "p", "b"));
      expect((await client.publish(triple("a", "p", "c"))).revision).toBe(before.revision + 1);
    },
  },
  {
    claim: "relative IRIs without a base are refused",
    async run({ client }) {
      await refused(client.publish("<a> <p> <b> .", { contentType: "text/turtle" }), "SENS_RELATIVE_IRI");
    },
  },
  {
    claim: "a media type that is none of ours is refused and stores nothing",
    async run({ client }) {
      await refused(client.publish(triple("a", "p", "b"), { contentType: "text/plain" }), "SENS_UNSUPPORTED_MEDIA_TYPE");
      expect(await client.ask("ASK { ?s ?p ?o }")).toBe(false);
    },
  },
  {
    claim: "Turtle with a charset and in upper case is read",
    async run({ client }) {
      const data = `@prefix e: <${E}> . e:a e:p "Grüße 🎈" .`;
      expect(await client.publish(data, { contentType: "TEXT/TURTLE; charset=UTF-8" })).toMatchObject({ added: 1 });
      expect(await client.construct(like("p"))).toBe(triple("a", "p", '"Grüße 🎈"'));
    },
  },
  {
    claim: "spellings of literals are kept",
    async run({ client }) {
      const integer = "^^<http://www.w3.org/2001/XMLSchema#integer>";
      const all = ["01", "+1", "1"].map((digits) => triple("a", "p", `"${digits}"${integer}`));
      expect(await client.publish(all.join(""))).toMatchObject({ added: 3 });
      await client.retract(triple("a", "p", `"1"${integer}`));
      expect((await client.select(`SELECT ?o { <${E}a> <${E}p> ?o }`)).map((row) => row.o).sort()).toEqual(["+1", "01"]);
    },
  },
  {
    claim: "the same label in two documents is two nodes",
    async run({ client }) {
      await client.publish(`_:x <${E}p> "1" .\n`);
      await client.publish(`_:x <${E}p> "2" .\n`);
      expect(await client.select(`SELECT ?s { ?s <${E}p> "1" , "2" }`)).toEqual([]);
    },
  },
  {
    claim: "a label the server gave out addresses its node again",
    async run({ client }) {
      await client.publish(`_:x <${E}p> "1" .\n`);
      const [{ s }] = await client.select(`SELECT ?s { ?s <${E}p> "1" }`);
      await client.publish(`<_:${s}> <${E}q> "2" .\n`, { contentType: "text/turtle" });
      expect(await client.ask(`ASK { ?s <${E}p> "1" ; <${E}q> "2" }`)).toBe(true);
    },
  },
  {
    claim: "retracting a document with its own blank nodes is refused with advice",
    async run({ client }) {
      await client.publish(`_:x <${E}p> "1" .\n`);
      await refused(client.retract(`_:x <${E}p> "1" .\n`), "SENS_BLANK_NODE_RETRACT");
    },
  },
  {
    claim: "retract counts what is gone, and only that",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      expect(await client.retract(triple("a", "p", "b") + triple("a", "p", "c"))).toMatchObject({ added: 0, removed: 1 });
      expect(await client.ask(`ASK { <${E}a> ?p ?o }`)).toBe(false);
    },
  },
  {
    claim: "a graph given beside the document holds its triples, unseen by default-graph patterns",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"), { graph: `${E}g` });
      expect(await client.ask(`ASK { <${E}a> ?p ?o }`)).toBe(false);
      expect(await client.ask(`ASK { GRAPH <${E}g> { <${E}a> ?p ?o } }`)).toBe(true);
    },
  },
  {
    claim: "with a union default graph a triple of two graphs counts once and leaves with its last graph",
    options: { defaultGraph: "union" },
    async run({ client }) {
      await client.publish(triple("a", "p", "b"), { graph: `${E}g` });
      await client.publish(triple("a", "p", "b"), { graph: `${E}h` });
      expect(await client.select(`SELECT ?o { <${E}a> <${E}p> ?o }`)).toEqual([{ o: `${E}b` }]);
      await client.retract(triple("a", "p", "b"), { graph: `${E}g` });
      expect(await client.ask(`ASK { <${E}a> ?p ?o }`)).toBe(true);
      await client.retract(triple("a", "p", "b"), { graph: `${E}h` });
      expect(await client.ask(`ASK { <${E}a> ?p ?o }`)).toBe(false);
    },
  },
  {
    claim: "an idempotency key applies a request once and repeats its answer",
    async run({ client }) {
      const answer = await client.publish(triple("a", "p", "b"), { key: "k1" });
      await client.retract(triple("a", "p", "b"));
      expect(await client.publish(triple("a", "p", "b"), { key: "k1" })).toEqual(answer);
      expect(await client.ask("ASK { ?s ?p ?o }")).toBe(false);
    },
  },
  {
    claim: "an idempotency key with another body is refused",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"), { key: "k1" });
      await refused(client.publish(triple("a", "p", "c"), { key: "k1" }), "SENS_IDEMPOTENCY_CONFLICT");
    },
  },
  {
    claim: "an update is one transaction with net effects",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const answer = await client.update(`DELETE { ?s <${E}p> ?o } INSERT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o }`);
      expect(answer).toMatchObject({ added: 1, removed: 1, revision: 2 });
      expect(await client.construct(like("q"))).toBe(triple("a", "q", "b"));
    },
  },
  {
    claim: "replacing a value by the same value changes nothing",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const answer = await client.update(`DELETE { ?s <${E}p> ?o } INSERT { ?s <${E}p> ?o } WHERE { ?s <${E}p> ?o }`);
      expect(answer).toMatchObject({ added: 0, removed: 0, revision: 1 });
      expect(await client.construct(like("p"))).toBe(triple("a", "p", "b"));
    },
  },
  {
    claim: "a later operation of an update sees the effects of an earlier one",
    async run({ client }) {
      await client.update(`INSERT DATA { <${E}a> <${E}p> <${E}b> } ; INSERT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }`);
      expect(await client.construct(like("q"))).toBe(triple("b", "q", "a"));
    },
  },
  {
    claim: "an update sent as a query is refused and changes nothing",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      await refused(client.ask("DROP ALL"), "SENS_QUERY_FORM");
      expect(await client.ask("ASK { ?s ?p ?o }")).toBe(true);
    },
  },
  {
    claim: "a query right after an acknowledged publish sees it",
    async run({ client, another }) {
      const reader = await another();
      for (let n = 0; n < 20; n++) {
        await client.publish(triple("a", "n", `"${n}"`));
        expect(await reader.select(`SELECT ?o { <${E}a> <${E}n> ?o }`)).toHaveLength(n + 1);
      }
    },
  },
  {
    claim: "a malformed query, an empty one and SERVICE are refused",
    async run({ client }) {
      await refused(client.select("SELECT ?x WHERE { ?x"), "SENS_SYNTAX");
      await refused(client.select(""), "SENS_SYNTAX");
      await refused(client.select("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"), "SENS_SERVICE_DISABLED");
    },
  },
  {
    claim: "LOAD is refused",
    async run({ client }) {
      await refused(client.update("LOAD <http://127.0.0.1:9/>"), "SENS_LOAD_DISABLED");
    },
  },
  {
    claim: "an optional part that matches nowhere leaves its cell empty",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      expect(await client.select(`SELECT ?s ?x { ?s <${E}p> ?o OPTIONAL { ?s <${E}none> ?x } }`)).toEqual([{ s: `${E}a` }]);
    },
  },
];
