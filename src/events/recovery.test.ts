import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/index.ts";
import type { KnowledgeService } from "../protocol/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, TASK, task, triple } from "./knowledge-base.fixture.ts";
import type { Snapshots } from "./snapshots.ts";

const folders: string[] = [];
const running: KnowledgeService[] = [];
afterEach(async () => {
  for (const kb of running.splice(0)) await kb.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "sens-events-"));
  folders.push(folder);
  return join(folder, "kb.db");
}

async function start(data: string, options: Parameters<typeof open>[0] = {}) {
  const opened = await open({ data, ...options });
  running.push(opened.kb);
  return opened;
}

async function stop(kb: KnowledgeService): Promise<void> {
  running.splice(running.indexOf(kb), 1);
  await kb.close();
}

const SUB_CLASS = `<${E}A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${E}B> .\n`;

describe("restart", () => {
  it("P107: everything acknowledged is there, and what follows from it", async () => {
    const data = file();
    const first = await start(data, { reasoning: "rdfs" });
    await first.session.publish({ data: `${SUB_CLASS}<${E}x> a <${E}A> .`, contentType: "text/turtle" });
    for (let n = 0; n < 30; n++)
      await first.session.publish({ data: triple("a", "p", `"${n}"`), ...(n % 3 === 0 ? { graph: `${E}g` } : {}) });
    await first.session.retract({ data: triple("a", "p", '"4"') });
    await first.session.update({ update: `INSERT DATA { [] <${E}q> "blank" }` });
    const all = "SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }";
    const before = (await first.session.query({ query: all })).rows;
    const cursor = first.kb.cursor();
    await stop(first.kb);
    const second = await start(data, { reasoning: "rdfs" });
    expect(second.kb.cursor()).toBe(cursor);
    expect((await second.session.query({ query: all })).rows).toEqual(expect.arrayContaining([...before]));
    expect((await second.session.query({ query: all })).rows).toHaveLength(before.length);
    expect((await second.session.publish({ data: triple("a", "p", '"new"') })).revision).toBe(Number(cursor.split(":")[1]) + 1);
  });

  it("a named subscription whose query cannot be evaluated any more is ended, an insertion suspended, and the start goes on", async () => {
    const data = file();
    const first = await start(data);
    await first.session.publish({ data: Array.from({ length: 300 }, (_, n) => triple(`n${n}`, "p", `n${n + 1}`)).join("") });
    const path = { name: "far", query: `CONSTRUCT { ?a <${E}reach> ?b } WHERE { ?a <${E}p>+ ?b }` };
    expect(await first.session.subscribe(path)).toMatchObject({ mode: "re-evaluated" });
    await first.session.subscribe({ name: "near", query: like("p") });
    const { insertion } = await first.session.registerInsertion({ query: path.query, mode: "once" });
    await stop(first.kb);
    const second = await start(data, { clock: systemClock, limits: { queryTimeoutMs: 1 } });
    expect(second.session.insertion(insertion).suspended).toBeDefined();
    expect(second.session.subscriptions().map(({ name }) => name)).toEqual(["near"]);
    await stop(second.kb);
    const third = await start(data);
    expect(third.session.subscriptions()).toHaveLength(1);
    expect(third.session.insertion(insertion).suspended).toBeUndefined();
    expect(await third.session.subscribe(path)).toMatchObject({ mode: "re-evaluated" });
  });

  it("P112: rules, insertions, ontologies and named subscriptions exist exactly once after two restarts, and work", async () => {
    const data = file();
    const first = await start(data);
    await first.session.putRule({ name: "r", contentType: "text/n3", content: `{ ?s <${E}x> ?o } => { ?s <${E}byRule> ?o } .` });
    await first.session.putOntology({ name: "o", contentType: "text/turtle", content: `[] <${E}in> <${E}ontology> .` });
    await first.session.registerInsertion({ name: "w", query: `CONSTRUCT { ?s <${E}byWhile> ?o } WHERE { ?s <${E}x> ?o }` });
    await first.session.registerInsertion({ name: "1", query: `CONSTRUCT { ?s <${E}byOnce> ?o } WHERE { ?s <${E}x> ?o }`, mode: "once" });
    const { subscription } = await first.session.subscribe({ name: "n", query: `CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }` });
    await first.session.publish({ data: triple("a", "x", "b") });
    await settled(first.session);
    const { rows } = await first.session.query({ query: `SELECT ?s { ?s <${E}in> ?o }` });
    await first.session.retract({ data: triple("a", "byOnce", "b") });
    await stop(first.kb);
    await stop((await start(data)).kb);
    const { kb, session } = await start(data);
    expect(kb.figures()).toMatchObject({ insertions: 2, subscriptions: 1, ontology_documents: 1, rule_documents: 1 });
    expect((await session.query({ query: `SELECT ?s { ?s <${E}in> ?o }` })).rows).toEqual(rows);
    // What an insertion of mode once made and a client removed is not made again by a start.
    expect((await session.query({ query: like("byOnce") })).graph?.size).toBe(0);
    const inbox = new Inbox();
    await session.attach(subscription, inbox);
    await session.publish({ data: triple("c", "x", "d") });
    await settled(session);
    expect(inbox.all.flatMap(({ added }) => lines(added))).toEqual(
      lines(["byRule", "byWhile", "x"].map((p) => triple("c", p, "d")).join("")).concat(lines(triple("c", "byOnce", "d"))),
    );
  });

  it("F28: a named subscriber gets after the restart what it missed, from its cursor", async () => {
    const data = file();
    const first = await start(data);
    const { subscription, cursor } = await first.session.subscribe({ name: "n", query: like("p"), removals: true });
    await first.session.publish({ data: triple("a", "p", '"1"') });
    await first.session.publish({ data: triple("a", "p", '"2"') });
    await stop(first.kb);
    const { kb, session } = await start(data);
    await session.publish({ data: triple("a", "p", '"3"') });
    const inbox = new Inbox();
    expect((await session.subscribe({ name: "n", query: like("p"), from: cursor }, inbox)).subscription).toBe(subscription);
    for (const o of ['"1"', '"2"', '"3"']) expect((await inbox.next()).added).toBe(triple("a", "p", o));
    const foreign = await start(file());
    await expect(foreign.session.subscribe({ name: "n", query: like("p"), from: kb.cursor() })).rejects.toMatchObject({
      code: "SENS_CURSOR_FOREIGN",
    });
  });

  it("claims get a full lease again, with their counts", async () => {
    const data = file();
    const first = await start(data);
    await first.session.publish({ data: task(1) + task(2) });
    const { claim } = await first.session.remove({ query: TASK, leaseMs: 60_000 });
    await first.session.release(claim as string);
    const again = await first.session.remove({ query: TASK, leaseMs: 60_000 });
    expect(again.deliveries).toBe(2);
    first.clock.advance(59_000);
    await stop(first.kb);
    const { kb, session, clock } = await start(data);
    expect(kb.figures()).toMatchObject({ claims: 1, quads: 1 });
    clock.advance(59_999);
    await settled(session);
    expect(kb.figures().claims).toBe(1);
    clock.advance(1);
    await settled(session);
    expect(kb.figures()).toMatchObject({ claims: 0, quads: 2 });
    expect(await session.remove({ query: TASK, leaseMs: 60_000 })).toMatchObject({ deliveries: 3, result: { ntriples: task(1) } });
  });

  it("dead letters are listed, put back and forgotten after a restart as before it", async () => {
    const data = file();
    const limits = { deliveriesMax: 1 };
    const first = await start(data, { limits });
    await first.session.publish({ data: task(1) + task(2) });
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { claim = "" } = await first.session.remove({ query: TASK, leaseMs: 60_000 });
      await first.session.release(claim);
      ids.push(claim);
    }
    const before = first.session.claims();
    expect(before.map(({ claim, quads }) => [claim, quads])).toEqual([
      [ids[0], task(1)],
      [ids[1], task(2)],
    ]);
    await stop(first.kb);
    const second = await start(data, { limits });
    expect(second.session.claims()).toEqual(before);
    await second.session.requeue(ids[1]);
    await second.session.discard(ids[0]);
    await stop(second.kb);
    const { kb, session } = await start(data, { limits });
    expect(session.claims()).toEqual([]);
    expect(kb.figures()).toMatchObject({ dead_letters: 0, quads: 1 });
    expect(await session.remove({ query: TASK, leaseMs: 60_000 })).toMatchObject({ deliveries: 1, result: { ntriples: task(2) } });
  });

  it("idempotency keys are known after the restart", async () => {
    const data = file();
    const first = await start(data);
    const answer = await first.session.publish({ data: triple("a", "p", "b"), key: "k" });
    await stop(first.kb);
    const { session } = await start(data);
    expect(await session.publish({ data: triple("a", "p", "b"), key: "k" })).toEqual(answer);
  });

  it("a start and a snapshot do not stand in the line of clients: a full queue refuses neither", async () => {
    const data = file();
    const first = await start(data);
    await first.session.publish({ data: triple("a", "p", "b") });
    await stop(first.kb);
    const { kb, session } = await start(data, { limits: { queueLengthMax: 0 } });
    expect(await outcomeOf(session.publish({ data: "" }))).toBe("SENS_BUSY");
    const { snapshots } = kb as unknown as { readonly snapshots: Snapshots };
    snapshots.replayed(1_000_000);
    await snapshots.close();
    expect(kb.figures().snapshots_total).toBe(1);
  });

  it("a snapshot at close bounds the replay and changes nothing", async () => {
    const data = file();
    const first = await start(data);
    await first.session.publish({ data: Array.from({ length: 2_000 }, (_, n) => triple(`s${n}`, "p", `"${n}"`)).join("") });
    await first.session.retract({ data: triple("s7", "p", '"7"') });
    await stop(first.kb);
    const second = await start(data);
    expect(second.kb.figures()).toMatchObject({ quads_asserted: 1_999, revision: 2 });
    await second.session.publish({ data: triple("s7", "p", '"7"') });
    await stop(second.kb);
    const third = await start(data);
    expect(third.kb.figures()).toMatchObject({ quads_asserted: 2_000, revision: 3 });
    expect(
      lines(
        (await third.session.changes(third.kb.cursor().replace(/:.*/, ":1")))
          .map(({ asserted, retracted }) => asserted + retracted)
          .join(""),
      ),
    ).toHaveLength(2);
  });

  it("a second knowledge base on the same file is refused", async () => {
    const data = file();
    await start(data);
    await expect(open({ data })).rejects.toMatchObject({ code: "SENS_DATA_LOCKED" });
  });

  it("ontologies given at start are put once", async () => {
    const data = file();
    const ontologies = [{ name: "o", contentType: "text/turtle", content: SUB_CLASS }];
    const first = await start(data, { ontologies });
    expect(first.kb.cursor().split(":")[1]).toBe("1");
    await stop(first.kb);
    const second = await start(data, { ontologies });
    expect(second.kb.cursor()).toBe(first.kb.cursor());
  });
});
