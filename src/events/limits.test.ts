/** A standing query or an insertion that breaches a limit of a transaction stops nobody else; a change that does is refused. */
import { describe, expect, it } from "vitest";
import { SensError, systemClock } from "../base/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, triple, UnreliableLog } from "./knowledge-base.fixture.ts";

describe("a subscription that takes all the time of a publish", () => {
  const slow = `CONSTRUCT { ?a <${E}q> ?b } WHERE { ?a <${E}p> ?x . ?b <${E}p> ?y . ?c <${E}p> ?z FILTER(STRLEN(CONCAT(STR(?x), STR(?y), STR(?z))) < 0) }`;
  const much = Array.from({ length: 400 }, (_, n) => triple(`n${n}`, "p", `m${n}`)).join("");

  it("is ended, its owner told, and the publish goes on for the others", async () => {
    const { kb, session } = await open({ clock: systemClock, limits: { transactionMs: 300 } });
    const [victim, innocent] = [new Inbox(), new Inbox()];
    const { subscription } = await session.subscribe({ query: slow, name: "slow" }, victim);
    await session.subscribe({ query: like("p") }, innocent);
    expect((await session.publish({ data: much })).added).toBe(400);
    expect(lines((await innocent.next()).added)).toHaveLength(400);
    expect(await victim.whenEnded()).toBe("SENS_DERIVATION_LIMIT");
    expect(victim.all).toEqual([]);
    await settled(session);
    expect(kb.figures()).toMatchObject({ subscriptions: 1, ended_queries_total: 1 });
    expect(() => session.subscription(subscription)).toThrow("no subscription");
    expect(victim.ended?.detail).toContain("300 ms");
    await expect(session.subscribe({ query: slow })).rejects.toMatchObject({
      code: "SENS_DERIVATION_LIMIT",
      message: expect.stringContaining("first result needs more than 300 ms"),
      extra: {},
    });
    expect(kb.figures().subscriptions).toBe(1);
  });

  it("is ended alone of those that have its shape, a wait with it, also when it is not the newest", async () => {
    const { kb, session } = await open({ clock: systemClock, limits: { transactionMs: 300 } });
    const ofKind = (kind: string): string =>
      `CONSTRUCT { ?a <${E}q> ?b } WHERE { ${["a", "b", "c"].map((v) => `?${v} <${E}p> <${E}${kind}> .`).join(" ")}
        FILTER(STRLEN(CONCAT(STR(?a), STR(?b), STR(?c))) < 0) }`;
    const [heavy, light] = [new Inbox(), new Inbox()];
    await session.subscribe({ query: ofKind("heavy"), name: "heavy" }, heavy);
    const waiting = outcomeOf(session.receive({ query: ofKind("heavy") }));
    await session.subscribe({ query: ofKind("light"), name: "light" }, light);
    const data = Array.from({ length: 300 }, (_, n) => triple(`n${n}`, "p", "heavy")).join("");
    expect((await session.publish({ data })).added).toBe(300);
    expect([heavy.ended?.code, light.ended]).toEqual(["SENS_DERIVATION_LIMIT", undefined]);
    expect(await waiting).toBe("SENS_DERIVATION_LIMIT");
    await settled(session);
    expect(session.subscriptions().map(({ name }) => name)).toEqual(["light"]);
    expect(kb.figures()).toMatchObject({ standing_queries: 1, waits: 0 });
  });

  it("goes on when the publish is taken back", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log, clock: systemClock, limits: { transactionMs: 300 } });
    const inbox = new Inbox();
    await session.subscribe({ query: slow.replace("< 0", "> 0"), name: "slow" }, inbox);
    unreliable.failures.push(new SensError("SENS_STORAGE_FULL", "The disk is full."));
    expect(await outcomeOf(session.publish({ data: much }))).toBe("SENS_STORAGE_FULL");
    await session.publish({ data: triple("a", "p", "b") });
    expect((await inbox.next()).added).toBe(triple("a", "q", "a"));
    expect(kb.figures()).toMatchObject({ subscriptions: 1, standing_queries: 1 });
  });
});

describe("a subscription with too many results", () => {
  const pairs = `CONSTRUCT { ?a <${E}with> ?b } WHERE { ?a <${E}p> ?x . ?b <${E}p> ?y }`;
  const facts = (count: number): string => Array.from({ length: count }, (_, n) => triple(`n${n}`, "p", `m${n}`)).join("");

  it("is ended, its owner told, and the publish goes on for the others", async () => {
    const { kb, session } = await open({ limits: { standingRowsMax: 1_000 } });
    const [victim, innocent] = [new Inbox(), new Inbox()];
    await session.subscribe({ query: pairs }, victim);
    await session.subscribe({ query: like("p") }, innocent);
    expect((await session.publish({ data: facts(50) })).added).toBe(50);
    expect(lines((await innocent.next()).added)).toHaveLength(50);
    expect(await victim.whenEnded()).toBe("SENS_DERIVATION_LIMIT");
    expect(victim.ended?.detail).toContain("more than 1000 new rows of results");
    expect(kb.figures()).toMatchObject({ subscriptions: 1, ended_queries_total: 1 });
    await expect(session.subscribe({ query: pairs })).rejects.toMatchObject({
      code: "SENS_DERIVATION_LIMIT",
      message: "The query's first result needs more than 1000 new rows of results. Narrow the query.",
    });
    expect(kb.figures().subscriptions).toBe(1);
  });

  it("is told of what fits", async () => {
    const { session } = await open({ limits: { standingRowsMax: 1_000 } });
    const inbox = new Inbox();
    await session.subscribe({ query: pairs }, inbox);
    await session.publish({ data: facts(20) });
    expect(lines((await inbox.next()).added)).toHaveLength(400);
  });
});

describe("an insertion", () => {
  it("that take all the time of a publish are suspended, and the publish goes on", async () => {
    const { session } = await open({ clock: systemClock, limits: { transactionMs: 300 } });
    const slow = `CONSTRUCT { ?a <${E}q> ?b } WHERE { ?a <${E}p> ?x . ?b <${E}p> ?y . ?c <${E}p> ?z FILTER(STRLEN(CONCAT(STR(?x), STR(?y), STR(?z))) < 0) }`;
    const { insertion } = await session.registerInsertion({ query: slow });
    const innocent = await session.registerInsertion({ query: `CONSTRUCT { ?o <${E}r> ?s } WHERE { ?s <${E}p> ?o }` });
    const answer = await session.publish({ data: Array.from({ length: 400 }, (_, n) => triple(`n${n}`, "p", `m${n}`)).join("") });
    expect(answer).toMatchObject({ added: 400, derivedAdded: 400 });
    expect(session.insertion(insertion).suspended).toContain("300 ms");
    expect(session.insertion(innocent.insertion).suspended).toBeUndefined();
  });

  it("that take all the time are told apart from others of their shape, also when these are newer", async () => {
    const { session } = await open({ clock: systemClock, limits: { transactionMs: 300 } });
    const ofKind = (kind: string): string =>
      `CONSTRUCT { ?a <${E}q> ?b } WHERE { ${["a", "b", "c"].map((v) => `?${v} <${E}p> <${E}${kind}> .`).join(" ")}
        FILTER(STRLEN(CONCAT(STR(?a), STR(?b), STR(?c))) < 0) }`;
    const heavy = await session.registerInsertion({ query: ofKind("heavy") });
    const light = await session.registerInsertion({ query: ofKind("light") });
    await session.publish({ data: Array.from({ length: 300 }, (_, n) => triple(`n${n}`, "p", "heavy")).join("") });
    expect(session.insertion(heavy.insertion).suspended).toContain("300 ms");
    expect(session.insertion(light.insertion).suspended).toBeUndefined();
  });

  it("that derives too much is suspended, not the innocent of its shape", async () => {
    const { session } = await open({ limits: { derivationsMax: 1_000 } });
    const ofKind = (kind: string): string => `CONSTRUCT { ?a <${E}with> ?b } WHERE { ?a <${E}p> <${E}${kind}> . ?b <${E}p> <${E}${kind}> }`;
    const heavy = await session.registerInsertion({ query: ofKind("heavy") });
    const light = await session.registerInsertion({ query: ofKind("light") });
    const data = Array.from({ length: 50 }, (_, n) => triple(`n${n}`, "p", "heavy")).join("");
    expect(await session.publish({ data: data + triple("a", "p", "light") })).toMatchObject({ added: 51, derivedAdded: 1 });
    expect(session.insertion(heavy.insertion).suspended).toContain("more than 1000 derivations");
    expect(session.insertion(light.insertion).suspended).toBeUndefined();
  });
});

describe("the text of a transaction", () => {
  it("above the limit refuses the change whole, whether stated or derived", async () => {
    const { kb, session } = await open({ reasoning: "rdfs", limits: { transactionCharactersMax: 2_000 } });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p") }, inbox);
    const many = (count: number): string => Array.from({ length: count }, (_, n) => triple(`n${n}`, "p", "m")).join("");
    await expect(session.publish({ data: many(60) })).rejects.toMatchObject({ code: "SENS_TOO_LARGE" });
    expect(kb.figures()).toMatchObject({ quads: 0 });
    await session.publish({ data: many(20) });
    expect(lines((await inbox.next()).added)).toHaveLength(20);
    const below = `<${E}p> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <${E}${"q".repeat(100)}> .\n`;
    await expect(session.putOntology({ name: "o", contentType: "text/turtle", content: below })).rejects.toMatchObject({
      code: "SENS_TOO_LARGE",
    });
    expect(kb.figures()).toMatchObject({ quads: 20, ontology_documents: 0 });
  });
});

describe("memory", () => {
  it("that is used up refuses what adds, and goes on with the rest", async () => {
    const { kb, session } = await open({ limits: { memoryBytesMax: 20 * 1024 * 1024 } });
    const bulk = (from: number, count: number): string =>
      Array.from({ length: count }, (_, n) => triple(`n${from + n}`, "p", `m${from + n}`)).join("");
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o . ?s <${E}r> ?o }`, removals: true }, inbox);
    await session.publish({ data: triple("s", "p", "o") + triple("s", "r", "o") });
    await inbox.next();
    const refused = session.publish({ data: bulk(0, 200_000) });
    await expect(refused).rejects.toMatchObject({ code: "SENS_MEMORY_LIMIT", message: expect.stringContaining("20 MiB") });
    expect(kb.figures()).toMatchObject({ quads: 2, subscriptions: 1, ended_queries_total: 0 });
    expect((await session.query({ query: "ASK { ?s ?p ?o }" })).boolean).toBe(true);
    await session.retract({ data: triple("s", "r", "o") });
    expect((await inbox.next()).removed).toBe(triple("s", "q", "o"));
  });
});
