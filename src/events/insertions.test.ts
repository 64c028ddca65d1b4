import { describe, expect, it } from "vitest";
import type { SensError } from "../base/index.ts";
import { E, Inbox, like, lines, open, settled, triple } from "./knowledge-base.fixture.ts";

const COUNT = `CONSTRUCT { <${E}c> <${E}n> ?m } WHERE { <${E}c> <${E}n> ?n BIND(?n + 1 AS ?m) }`;
const integer = (n: number): string => `<${E}c> <${E}n> "${n}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`;

describe("continuous insertions", () => {
  it("of mode while derive, and register and unregister with revisions of their own", async () => {
    const { session } = await open();
    await session.publish({ data: triple("a", "p", "b") });
    const { insertion, cursor } = await session.registerInsertion({ query: `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }` });
    expect(cursor.split(":")[1]).toBe("2");
    expect((await session.query({ query: like("q") })).graph?.size).toBe(1);
    await session.unregisterInsertion(insertion);
    expect((await session.query({ query: like("q") })).graph?.size).toBe(0);
    expect((await session.publish({ data: triple("a", "p", "c") })).revision).toBe(4);
  });

  it("of mode once act on what newly holds, in a transaction that follows, and chain until quiet", async () => {
    const { session } = await open();
    await session.publish({ data: triple("old", "p", "x") });
    await session.registerInsertion({ query: `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o }`, mode: "once" });
    await session.registerInsertion({ query: `CONSTRUCT { ?s <${E}r> ?o } WHERE { ?s <${E}q> ?o }`, mode: "once" });
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }` }, inbox);
    await session.publish({ data: triple("a", "p", "x") });
    await settled(session);
    expect(inbox.all.map(({ added, cursor }) => [cursor.split(":")[1], added])).toEqual([
      ["4", triple("a", "p", "x")],
      ["5", triple("a", "q", "x")],
      ["6", triple("a", "r", "x")],
    ]);
    await session.retract({ data: triple("a", "p", "x") });
    expect((await session.query({ query: like("r") })).graph?.ntriples).toBe(triple("a", "r", "x"));
  });

  it("of mode once that never come to rest are suspended, told, and stop nobody", async () => {
    const { kb, session } = await open({ limits: { onceRoundsMax: 20 } });
    const { insertion } = await session.registerInsertion({ query: COUNT, mode: "once" });
    await session.publish({ data: integer(0) });
    await settled(session);
    expect(session.insertion(insertion).suspended).toContain("20 times");
    expect(kb.figures()).toMatchObject({ insertions_suspended: 1, quads: 21 });
    expect((await session.publish({ data: triple("a", "p", "b") })).added).toBe(1);
  });

  it("of mode while that never end are refused when they would, or suspended when a publish would", async () => {
    const { session } = await open({ limits: { derivationRankMax: 50 } });
    const { insertion } = await session.registerInsertion({ query: COUNT, name: "counter" });
    const innocent = await session.registerInsertion({ query: `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }` });
    const answer = await session.publish({ data: integer(0) + triple("a", "p", "b") });
    expect(answer).toMatchObject({ added: 2, derivedAdded: 1 });
    expect(session.insertion(insertion).suspended).toBeDefined();
    expect(session.insertion(innocent.insertion).suspended).toBeUndefined();
    await expect(session.registerInsertion({ query: COUNT })).rejects.toMatchObject({ code: "SENS_NON_TERMINATING" });
    await session.unregisterInsertion(insertion);
    expect((await session.query({ query: "ASK { ?s ?p ?o }" })).boolean).toBe(true);
  });

  it("with NOT EXISTS are withdrawn by what is derived, however long the way to it", async () => {
    const { session } = await open({ reasoning: "rdfs" });
    const below = (c: string, d: string): string => `<${E}${c}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${E}${d}> .\n`;
    await session.publish({ data: below("C1", "C2") + below("C2", "C3") + below("C3", "C4") + triple("a", "p", "b") });
    await session.registerInsertion({ query: `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o FILTER NOT EXISTS { ?s a <${E}C4> } }` });
    const inserted = async (): Promise<number | undefined> => (await session.query({ query: like("q") })).graph?.size;
    expect(await inserted()).toBe(1);
    const member = `<${E}a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${E}C1> .\n`;
    await session.publish({ data: member });
    expect(await inserted()).toBe(0);
    await session.retract({ data: member });
    expect(await inserted()).toBe(1);
  });

  it("a cycle through negation is refused with 422 and named in the words of its clients", async () => {
    const { session } = await open();
    await session.registerInsertion({
      name: "first",
      query: `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o FILTER NOT EXISTS { ?s <${E}r> ?o } }`,
    });
    const second = session.registerInsertion({
      query: `CONSTRUCT { ?s <${E}r> ?o } WHERE { ?s <${E}p> ?o ; <${E}x> ?x FILTER NOT EXISTS { ?s <${E}q> ?o } }`,
    });
    await expect(second).rejects.toMatchObject({
      code: "SENS_NOT_STRATIFIED",
      extra: { cycle: expect.arrayContaining(["insertion first", "this insertion"]) },
    });
    expect(session.insertions()).toHaveLength(1);
  });

  it("a cycle of one insertion names the whole way around: what it derives, and by which rules that leads back", async () => {
    const { session } = await open({ reasoning: "rdfs" });
    const rdfs = "http://www.w3.org/2000/01/rdf-schema#";
    await session.publish({ data: `<${E}q> <${rdfs}subPropertyOf> <${E}r> .\n<${E}r> <${rdfs}domain> <${E}C> .\n` });
    await session.registerInsertion({ name: "copy", query: `CONSTRUCT { ?s a <${E}D> } WHERE { ?s a <${E}C> }` });
    const query = (negated: string): string => `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o FILTER NOT EXISTS { ?s ${negated} } }`;
    const cycleOf = async (negated: string): Promise<unknown> => {
      const error: unknown = await session.registerInsertion({ query: query(negated) }).catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({ code: "SENS_NOT_STRATIFIED", extra: { rules: ["this insertion"] } });
      return (error as SensError).extra.cycle;
    };
    expect(await cycleOf(`<${E}q> ?o`)).toEqual(["this insertion", `<${E}q>`]);
    const back = ["subPropertyOf", `<${E}r>`, "domain", `a <${E}C>`, "insertion copy", `a <${E}D>`];
    expect(await cycleOf(`a <${E}D>`)).toEqual(["this insertion", `<${E}q>`, ...back]);
  });

  it("what the engine cannot maintain is refused with the reason", async () => {
    const { session } = await open();
    const query = `CONSTRUCT { ?a <${E}reach> ?b } WHERE { ?a (<${E}p>|<${E}q>)+ ?b }`;
    await expect(session.registerInsertion({ query })).rejects.toMatchObject({ code: "SENS_QUERY_UNSUPPORTED" });
    await session.registerInsertion({ query, mode: "once" });
    await session.publish({ data: triple("a", "p", "b") });
    await settled(session);
    expect(lines((await session.query({ query: like("reach") })).graph?.ntriples)).toHaveLength(1);
  });

  it("a patterns' work can be produced by one insertion and consumed by removers", async () => {
    const { session } = await open();
    await session.registerInsertion({ query: `CONSTRUCT { ?s <${E}todo> ?o } WHERE { ?s <${E}p> ?o }`, mode: "once" });
    const takes = [session.remove({ query: `${like("todo")} LIMIT 1` }), session.remove({ query: `${like("todo")} LIMIT 1` })];
    await settled(session);
    await session.publish({ data: triple("a", "p", '"1"') + triple("a", "p", '"2"') });
    const got = await Promise.all(takes);
    expect(got.map(({ result }) => result?.ntriples).sort()).toEqual(['"1"', '"2"'].map((o) => triple("a", "todo", o)));
  });
});
