/** The documents that come with the list of cases, where that list is: each gives what its case asks for. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KnowledgeBaseOptions } from "../../src/events/index.ts";
import type { Session } from "../../src/protocol/index.ts";
import { skippedWithout } from "../conformance/absent-input.ts";
import { E, graph, lines, open, rows, Told } from "./knowledge.fixture.ts";

const INPUTS = join(import.meta.dirname, "../../../shared/cases/inputs");
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ttl: "text/turtle",
  jsonld: "application/ld+json",
  rdf: "application/rdf+xml",
};
const EVERYTHING = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";

const input = (name: string): string => readFileSync(join(INPUTS, name), "utf8");

/** Publishes files, one after the other. */
async function publish(session: Session, ...names: readonly string[]) {
  const answers = [];
  for (const name of names)
    answers.push(await session.publish({ data: input(name), contentType: MEDIA_TYPES[name.split(".").at(-1) ?? ""] }));
  return answers;
}

async function opened(reasoning: KnowledgeBaseOptions["reasoning"], ...names: readonly string[]): Promise<Session> {
  const { session } = await open({ reasoning });
  await publish(session, ...names);
  return session;
}

async function withSubscription(name: string) {
  const { session } = await open();
  const told = new Told();
  await session.subscribe({ query: input(name), removals: true }, told);
  return { session, told };
}

/** The lines a generator prints. */
function generated(name: string): string {
  const printed: string[] = [];
  new Function("console", input(name))({ log: (line: string) => printed.push(line) });
  return printed.join("\n");
}

const checks: Readonly<Record<string, () => Promise<void>>> = {
  P01: async () => {
    const session = await opened("none", "P01.a.ttl", "P01.b.ttl");
    expect(await rows(session, "SELECT ?s { ?p a e:Pump ; e:serial ?s } ORDER BY ?s")).toEqual([["A-1"], ["B-2"]]);
    expect(await rows(session, 'SELECT ?p { ?p e:serial "A-1", "B-2" }')).toEqual([]);
  },
  P02: async () => {
    const { session } = await open();
    await session.publish({ data: input("P02.n3"), contentType: "text/turtle" });
    expect(await rows(session, 'SELECT ?c { ?c e:name "shared" . ?x e:ref ?c . e:l e:has/(!e:none)* ?c }')).toHaveLength(1);
  },
  P04: async () => {
    const text = (JSON.parse(input("P04.jsonld")) as Record<string, string>)[`${E}l`];
    for (const name of ["P04.ttl", "P04.jsonld", "P04.rdf"])
      expect(await rows(await opened("none", name), "SELECT ?l { e:1 e:l ?l }"), name).toEqual([[text]]);
  },
  P05: async () => expect(await graph(await opened("none", "P05.ttl"), EVERYTHING)).toHaveLength(6),
  P07: async () => {
    const session = await opened("none", "P07.ttl");
    expect(await rows(session, "SELECT ?v { ?s e:v ?v FILTER(?v = 1) } ORDER BY ?s")).toEqual([["01"], ["+1"], ["1"], ["1.0"], ["1e0"]]);
  },
  P08: async () => {
    const query = 'SELECT ?t { ?s e:t ?t FILTER(?t = "2024-01-31T23:32:16Z"^^xsd:dateTime) }';
    expect(await rows(await opened("none", "P08.ttl"), query)).toEqual([["2024-01-31T15:32:16-08:00"]]);
  },
  P10: async () => expect(opened("none", "P10.jsonld")).rejects.toMatchObject({ status: 400 }),
  P11: async () => {
    const got = await graph(await opened("none", "P11.jsonld"), EVERYTHING);
    expect(got).toHaveLength(3);
    expect(got.join()).not.toContain("_:");
  },
  P13: async () => {
    const session = await opened("none", "P13.jsonld");
    expect(await rows(session, "SELECT ?n { ?s ?p ?n FILTER(DATATYPE(?n) = xsd:integer) } ORDER BY ?p")).toEqual([
      ["9007199254740991"],
      ["9007199254740993"],
      ["123456789012345678901"],
    ]);
  },
  P14: async () => expect(await graph(await opened("none", "P14.rdf"), EVERYTHING)).toHaveLength(3),
  P22: async () => {
    const session = await opened("none", "P22.ttl");
    expect(await session.update({ update: input("P22.ru") })).toMatchObject({ added: 0, removed: 0 });
  },
  P23: async () => expect(await rows(await opened("none", "P23.ttl"), input("P23.rq"))).toEqual([["e:al"]]),
  P25: async () => expect(await rows(await opened("none", "P25.ttl"), input("P25.rq"))).toHaveLength(2),
  P26: async () => expect((await (await opened("none", "P26.ttl")).query({ query: input("P26.rq") })).rows).toHaveLength(1),
  P28: async () => {
    const { session, told } = await withSubscription("P28.rq");
    await publish(session, "P28.ttl");
    expect(told.added).toHaveLength(1);
  },
  P29: async () => {
    const { session, told } = await withSubscription("P29.rq");
    await publish(session, "P29.b.ttl", "P29.a.ttl");
    expect(told.deltas.map(({ added, removed }) => [added.length, removed.length])).toEqual([
      [2, 0],
      [2, 0],
    ]);
  },
  P31: async () => {
    expect(await rows(await opened("none", "P31.ttl"), "SELECT ?v { ?s e:v ?v } ORDER BY ?v")).toEqual([["1"], ["2"], ["10"], ["11"]]);
  },
  P34: async () => {
    const session = await opened("none", "P34.ttl");
    const { result } = await session.remove({ query: EVERYTHING });
    expect(result?.size).toBe(6);
  },
  P37: async () => {
    const session = await opened("none", "P37.ttl");
    expect(await session.update({ update: "DELETE WHERE { ?s ?p ?o }" })).toMatchObject({ removed: 7 });
  },
  P38: async () => {
    const session = await opened("owl", "P38.ttl");
    expect(await rows(session, "SELECT ?c { e:car a ?c } ORDER BY ?c")).toEqual([["e:Thing2"], ["e:Whole"]]);
    await session.retract({ data: `<${E}wheel> <${E}partOf> <${E}car> .` });
    expect(await rows(session, "SELECT ?p { e:car ?p ?o }")).toEqual([]);
  },
  P40: async () => {
    const session = await opened("owl", "P40.ttl");
    expect(await session.update({ update: `DELETE DATA { <${E}x> a <${E}B> }` })).toMatchObject({ removed: 1 });
    expect(await rows(session, "SELECT ?c { e:x a ?c } ORDER BY ?c")).toEqual([["e:A"], ["e:B"]]);
  },
  P41: async () => {
    const session = await opened("owl", "P41.ttl");
    expect(await rows(session, "SELECT ?o { e:p e:to ?o } ORDER BY ?o")).toEqual([["e:m1"], ["e:m2"], ["e:q"]]);
  },
  P44: async () => expect((await graph(await opened("owl", "P44.ttl"), EVERYTHING)).filter((line) => line.startsWith('"'))).toEqual([]),
  P46: async () => {
    const { session } = await open({ reasoning: "owl" });
    await session.publish({ data: generated("P46.gen.js"), contentType: "text/turtle" });
    expect(await rows(session, "SELECT (COUNT(*) AS ?n) { e:p0 e:f0 ?v }")).toEqual([["40"]]);
  },
  P47: async () => {
    const session = await opened("owl", "P47.ttl");
    await session.publish({ data: generated("P47.gen.js"), contentType: "text/turtle" });
    expect(await rows(session, "SELECT (COUNT(*) AS ?n) { e:n0 e:involves ?o }")).toEqual([["301"]]);
  },
  P49: async () => {
    expect(await graph(await opened("owl", "P49.ttl"), "CONSTRUCT { ?s e:containsElement ?o } WHERE { ?s e:containsElement ?o }")).toEqual([
      "e:levelA e:containsElement e:e1",
      "e:spaceA e:containsElement e:e1",
    ]);
  },
  P50: async () => {
    const { session } = await open();
    const refused = session.putRule({ name: "r", contentType: "text/n3", content: input("P50.n3") });
    await expect(refused).rejects.toMatchObject({ status: 422, message: expect.stringContaining("?c") });
  },
  P55: async () => {
    const { session, told } = await withSubscription("P55.rq");
    await publish(session, "P55.a.ttl", "P55.b.ttl");
    await session.retract({ data: input("P55.b.ttl"), contentType: "text/turtle" });
    expect(told.deltas).toEqual([
      { added: ['e:t e:shows "lamp"'], removed: [] },
      { added: ['e:t e:hasEv "on"'], removed: [] },
      { added: [], removed: ['e:t e:hasEv "on"'] },
    ]);
  },
  P74: async () => {
    const session = await opened("none", "P74.ttl");
    await session.putRule({ name: "r", contentType: "text/n3", content: input("P74.n3") });
    expect(await session.tryRemove({ query: input("P74.rq") })).toMatchObject({ nothingAsserted: true });
    expect(lines((await session.tryReceive({ query: input("P74.rq") })).result?.ntriples)).toEqual(["e:o1 e:task e:Pack"]);
  },
};

if (existsSync(INPUTS)) describe("documents of the cases", () => it.each(Object.entries(checks))("%s", (_, check) => check()));
else skippedWithout("../shared/cases/inputs", "documents of the cases");
