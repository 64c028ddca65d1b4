import { Readable } from "node:stream";
import { QueryEngine } from "@comunica/query-sparql-rdfjs";
import type * as RDF from "@rdfjs/types";
import { DataFactory, Store, StreamParser, Writer } from "n3";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../base/index.ts";
import { areIsomorphic } from "../../rdf/index.ts";
import { QuadStore } from "./quad-store.ts";

const { namedNode, literal, blankNode, quad, defaultGraph } = DataFactory;

function randomQuads(seed: number, count: number): RDF.Quad[] {
  const random = seededRandom(seed);
  const pick = (n: number): number => Math.floor(random.next() * n);
  return Array.from({ length: count }, () =>
    quad(
      pick(5) === 0 ? blankNode(`b${pick(4)}`) : namedNode(`http://e/s${pick(12)}`),
      namedNode(`http://e/p${pick(4)}`),
      [
        namedNode(`http://e/s${pick(12)}`),
        literal(`v${pick(5)}`),
        literal(`v${pick(5)}`, "en"),
        literal(String(pick(9)), namedNode("http://www.w3.org/2001/XMLSchema#integer")),
      ][pick(4)],
      pick(3) === 0 ? namedNode(`http://e/g${pick(2)}`) : defaultGraph(),
    ),
  );
}

const keys = (quads: Iterable<RDF.Quad>): string[] =>
  [...quads]
    .map((q) =>
      [q.subject, q.predicate, q.object, q.graph]
        .map((t) => `${t.termType}:${t.value}:${t.termType === "Literal" ? t.language + t.datatype.value : ""}`)
        .join(" "),
    )
    .sort();

const ended = (emitter: { on(event: string, listener: (error?: unknown) => void): unknown }): Promise<void> =>
  new Promise((resolve, reject) => {
    emitter.on("end", () => resolve());
    emitter.on("error", reject);
  });

describe("QuadStore", () => {
  it("answers every pattern as N3's store does, through additions and removals", () => {
    const ours = new QuadStore();
    const theirs = new Store();
    const quads = randomQuads(1, 600);
    quads.forEach((q, i) => {
      expect(ours.addQuad(q)).toBe(theirs.addQuad(q as never) as unknown as boolean);
      if (i % 3 === 0) {
        ours.removeQuad(quads[i >> 1]);
        theirs.removeQuad(quads[i >> 1] as never);
      }
    });
    expect(ours.size).toBe(theirs.size);
    for (const sample of randomQuads(2, 100)) {
      for (let mask = 0; mask < 16; mask++) {
        const pattern = [sample.subject, sample.predicate, sample.object, sample.graph].map((term, i) =>
          mask & (1 << i) ? term : null,
        ) as [never, never, never, never];
        expect(keys(ours.getQuads(...pattern))).toEqual(keys(theirs.getQuads(...pattern) as unknown as RDF.Quad[]));
        expect(ours.countQuads(...pattern)).toBe(theirs.countQuads(...pattern));
      }
      expect(ours.has(sample)).toBe(theirs.has(sample as never));
    }
  });

  it("serves Comunica as source and as destination", async () => {
    const engine = new QueryEngine();
    const ours = new QuadStore(randomQuads(3, 300));
    const theirs = new Store(randomQuads(3, 300) as never);
    const query = "SELECT ?s (COUNT(?o) AS ?n) WHERE { ?s <http://e/p1> ?o OPTIONAL { ?o <http://e/p2> ?x } } GROUP BY ?s";
    const rows = async (store: RDF.Source): Promise<string[]> =>
      (await (await engine.queryBindings(query, { sources: [store] as never })).toArray()).map((b) => b.toString()).sort();
    expect(await rows(ours as unknown as RDF.Source)).toEqual(await rows(theirs as unknown as RDF.Source));
    const update = "DELETE { ?s <http://e/p0> ?o } INSERT { ?s <http://e/new> ?o } WHERE { ?s <http://e/p0> ?o FILTER(isIRI(?s)) }";
    await engine.queryVoid(update, { sources: [ours as never], destination: ours as never });
    await engine.queryVoid(update, { sources: [theirs as never], destination: theirs as never });
    expect(keys(ours)).toEqual(keys(theirs as unknown as Iterable<RDF.Quad>));
    expect(ours.countQuads(null, namedNode("http://e/new"))).toBeGreaterThan(0);
  });

  it("takes what N3's stream parser gives and gives what N3's writer takes", async () => {
    const store = new QuadStore();
    const text = "@prefix e: <http://e/>. e:a e:p 1, 'x'@en; e:q [ e:r e:a ]. ";
    await ended(store.import(Readable.from([text]).pipe(new StreamParser({ format: "text/turtle" })) as never));
    expect(store.size).toBe(4);
    const written = await new Promise<string>((resolve, reject) => {
      const writer = new Writer({ format: "application/n-quads" });
      writer.addQuads(store.getQuads() as never);
      writer.end((error, result) => (error ? reject(error) : resolve(result)));
    });
    const again = new QuadStore();
    await ended(again.import(Readable.from([written]).pipe(new StreamParser({ format: "application/n-quads" })) as never));
    expect(areIsomorphic([...again], [...store])).toBe(true);
  });

  it("removes streams, matches and graphs", async () => {
    const quads = randomQuads(4, 200);
    const store = new QuadStore(quads);
    await ended(store.remove(store.match(null, namedNode("http://e/p1"))));
    expect(store.countQuads(null, namedNode("http://e/p1"))).toBe(0);
    await ended(store.removeMatches(namedNode("http://e/s1")));
    expect(store.countQuads(namedNode("http://e/s1"))).toBe(0);
    await ended(store.deleteGraph("http://e/g0"));
    expect(store.countQuads(null, null, null, namedNode("http://e/g0"))).toBe(0);
    expect([...store.match(null, null, null, defaultGraph())].length).toBe(store.countQuads(null, null, null, defaultGraph()));
  });
});
