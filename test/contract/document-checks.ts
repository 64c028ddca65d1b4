/** Continuous insertions, ontology and rule documents, explanation, the feed of changes. */
import { expect } from "vitest";
import { type Check, E, like, refused, triple } from "./check.ts";

const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const INVERSE = `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }`;
const ontology = { name: "animals", contentType: "text/turtle", content: `<${E}Dog> <${RDFS}subClassOf> <${E}Animal> .\n` };
const isAnimal = `ASK { <${E}rex> a <${E}Animal> }`;
const rex = `<${E}rex> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${E}Dog> .\n`;

export const documentChecks: readonly Check[] = [
  {
    claim: "an insertion derives while it holds, and is withdrawn with its support",
    async run({ client }) {
      const news = await client.subscribe({ query: like("q"), removals: true });
      await client.registerInsertion(INVERSE);
      expect(await client.publish(triple("a", "p", "b"))).toMatchObject({ added: 1, derivedAdded: 1 });
      expect((await news.next()).added).toBe(triple("b", "q", "a"));
      expect(await client.retract(triple("a", "p", "b"))).toMatchObject({ removed: 1, derivedRemoved: 1 });
      expect((await news.next()).removed).toBe(triple("b", "q", "a"));
    },
  },
  {
    claim: "an insertion acts on what is there, and takes what it derived with it",
    async run({ client }) {
      await client.publish(triple("a", "p", "b"));
      const { insertion, mode } = await client.registerInsertion(INVERSE, { name: "inverse" });
      expect(mode).toBe("while");
      expect(await client.construct(like("q"))).toBe(triple("b", "q", "a"));
      expect((await client.insertions()).map((one) => one.insertion)).toEqual([insertion]);
      await client.unregisterInsertion(insertion);
      expect(await client.construct(like("q"))).toBe("");
      await refused(client.unregisterInsertion(insertion), "SENS_NOT_FOUND");
    },
  },
  {
    claim: "an insertion of mode once asserts, and what it asserted stays until it is removed",
    async run({ client }) {
      await client.registerInsertion(INVERSE, { mode: "once" });
      const news = await client.subscribe({ query: like("q") });
      await client.publish(triple("a", "p", "b"));
      expect((await news.next()).added).toBe(triple("b", "q", "a"));
      await client.retract(triple("a", "p", "b"));
      expect(await client.construct(like("q"))).toBe(triple("b", "q", "a"));
      expect((await client.tryRemove(like("q"))).graph).toBe(triple("b", "q", "a"));
      expect(await client.construct(like("q"))).toBe("");
    },
  },
  {
    claim: "insertions feed each other, and waits",
    async run({ client, another, service }) {
      await client.registerInsertion(INVERSE);
      await client.registerInsertion(`CONSTRUCT { ?s <${E}r> ?o } WHERE { ?s <${E}q> ?o }`);
      const waiting = client.receive(like("r"));
      await service.waitsBegun(1);
      await (await another()).publish(triple("a", "p", "b"));
      expect((await waiting).graph).toBe(triple("b", "r", "a"));
    },
  },
  {
    claim: "what is only derived cannot be taken",
    async run({ client }) {
      await client.registerInsertion(INVERSE);
      await client.publish(triple("a", "p", "b"));
      expect((await client.tryRemove(like("q"))).graph).toBeUndefined();
      expect(await client.construct(like("q"))).toBe(triple("b", "q", "a"));
    },
  },
  {
    claim: "an insertion that closes a cycle through negation is refused, and leaves nothing behind",
    async run({ client }) {
      const query = `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o FILTER NOT EXISTS { ?s <${E}q> ?o } }`;
      await refused(client.registerInsertion(query), "SENS_NOT_STRATIFIED");
      expect(await client.insertions()).toEqual([]);
    },
  },
  {
    claim: "an insertion's name with another query is refused",
    async run({ client }) {
      await client.registerInsertion(INVERSE, { name: "n" });
      await refused(client.registerInsertion(like("other"), { name: "n" }), "SENS_INSERTION_CONFLICT");
      await refused(client.registerInsertion("SELECT * { ?s ?p ?o }"), "SENS_QUERY_FORM");
    },
  },
  {
    claim: "an ontology document acts while it is there",
    options: { reasoning: "rdfs" },
    async run({ client }) {
      await client.publish(rex);
      expect(await client.ask(isAnimal)).toBe(false);
      await client.putOntology(ontology);
      expect(await client.ask(isAnimal)).toBe(true);
      expect(await client.getOntology("animals")).toMatchObject({ name: "animals", contentType: "text/turtle", content: ontology.content });
      expect(await client.ontologies()).toEqual(["animals"]);
      await client.deleteOntology("animals");
      expect(await client.ask(isAnimal)).toBe(false);
      expect(await client.ontologies()).toEqual([]);
    },
  },
  {
    claim: "a client's own assertion of an ontology's triple stands beside it",
    options: { reasoning: "rdfs" },
    async run({ client }) {
      await client.putOntology(ontology);
      await client.publish(ontology.content);
      await client.deleteOntology("animals");
      expect(await client.ask(`ASK { <${E}Dog> <${RDFS}subClassOf> <${E}Animal> }`)).toBe(true);
    },
  },
  {
    claim: "what follows from an ontology reaches subscribers",
    options: { reasoning: "rdfs", ontologies: [ontology] },
    async run({ client }) {
      const news = await client.subscribe({ query: `CONSTRUCT { ?x a <${E}Animal> } WHERE { ?x a <${E}Animal> }` });
      const { cursor } = await client.publish(rex);
      expect(await news.next()).toMatchObject({ cursor, added: rex.replace("Dog", "Animal") });
    },
  },
  {
    claim: "an ontology that is not there is not found",
    async run({ client }) {
      await refused(client.getOntology("none"), "SENS_NOT_FOUND");
      await refused(client.deleteOntology("none"), "SENS_NOT_FOUND");
    },
  },
  {
    claim: "a rule document acts while it is there",
    async run({ client }) {
      const content = `{ ?x <${E}partOf> ?y } => { ?y <${E}hasPart> ?x } .\n`;
      await client.publish(triple("wheel", "partOf", "car"));
      await client.putRule({ name: "parts", contentType: "text/n3", content });
      expect(await client.construct(like("hasPart"))).toBe(triple("car", "hasPart", "wheel"));
      expect(await client.rules()).toEqual(["parts"]);
      expect((await client.getRule("parts")).content).toBe(content);
      await client.deleteRule("parts");
      expect(await client.construct(like("hasPart"))).toBe("");
    },
  },
  {
    claim: "a statement is explained as asserted, derived with its premises, or unknown",
    async run({ client }) {
      await client.registerInsertion(INVERSE);
      await client.publish(triple("a", "p", "b"));
      expect(await client.explain(triple("a", "p", "b"))).toMatchObject({ kind: "asserted" });
      expect(await client.explain(triple("z", "p", "z"))).toMatchObject({ kind: "unknown" });
      const proof = await client.explain(triple("b", "q", "a"));
      expect(proof.kind).toBe("derived");
      expect(proof.premises?.map((premise) => premise.statement.trim())).toEqual([triple("a", "p", "b").trim()]);
    },
  },
  {
    claim: "the feed tells every change after a cursor, asserted and derived apart",
    async run({ client }) {
      const { cursor: start } = await client.registerInsertion(INVERSE);
      const added = await client.publish(triple("a", "p", "b"));
      const gone = await client.retract(triple("a", "p", "b"));
      const entries = await client.changes(start);
      const empty = { asserted: "", retracted: "", derivedAdded: "", derivedRemoved: "" };
      expect(entries).toEqual([
        { ...empty, cursor: added.cursor, revision: added.revision, asserted: triple("a", "p", "b"), derivedAdded: triple("b", "q", "a") },
        { ...empty, cursor: gone.cursor, revision: gone.revision, retracted: triple("a", "p", "b"), derivedRemoved: triple("b", "q", "a") },
      ]);
      expect(await client.changes(gone.cursor)).toEqual([]);
    },
  },
  {
    claim: "the feed refuses cursors that are none, of the future or of another database",
    async run({ client }) {
      await refused(client.changes("x"), "SENS_CURSOR_INVALID");
      await refused(client.changes("f00d:0"), "SENS_CURSOR_FOREIGN");
    },
  },
];
