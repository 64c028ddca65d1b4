/** Found faults, each as the shortest sequence of operations that showed it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { SensError, seededRandom } from "../base/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, TASK, task, triple, UnreliableLog, until } from "./knowledge-base.fixture.ts";
import type { Processor } from "./processor.ts";
import { Phase } from "./step.ts";

const full = (): SensError => new SensError("SENS_STORAGE_FULL", "The disk is full.");
const COUNT = `CONSTRUCT { <${E}c> <${E}n> ?m } WHERE { <${E}c> <${E}n> ?n BIND(?n + 1 AS ?m) }`;
const ZERO = `<${E}c> <${E}n> "0"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`;
/** One that the engine does not maintain. */
const REACH = `CONSTRUCT { ?a <${E}reach> ?b } WHERE { ?a (<${E}p>|<${E}q>)+ ?b }`;
/** What claims ask of chance for their ids, and nothing else does. */
const CLAIM_ID_LENGTH = 12;
const WITHOUT_LIMIT = TASK.replace(" LIMIT 1", "");

/** A publish whose commit will fail as soon as it is released. */
async function behindAFailingCommit() {
  const unreliable = new UnreliableLog();
  const { kb, session } = await open({ log: unreliable.log });
  const { processor } = kb as unknown as { readonly processor: Processor };
  unreliable.failures.push(full());
  const release = unreliable.hold();
  const first = outcomeOf(session.publish({ data: triple("a", "p", "b") }));
  await until(() => kb.figures().commits_pending === 1);
  return { kb, session, processor, first, release };
}

describe("a start", () => {
  it("suspends again the insertion that breaches a limit, and keeps the others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sens-events-"));
    try {
      const options = { data: join(folder, "kb.db"), limits: { derivationRankMax: 50 } };
      const first = await open(options);
      const { insertion } = await first.session.registerInsertion({ query: COUNT });
      await first.session.registerInsertion({ query: `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }` });
      await first.session.publish({ data: ZERO + triple("a", "p", "b") });
      await first.kb.close();
      const second = await open(options);
      expect(second.session.insertion(insertion).suspended).toBeDefined();
      expect(second.kb.figures()).toMatchObject({ insertions: 2, insertions_suspended: 1, quads: 3 });
      await second.session.unregisterInsertion(insertion);
      await second.kb.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("also when an ontology document alone lets it breach the limit", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sens-events-"));
    try {
      const options = { data: join(folder, "kb.db"), limits: { derivationRankMax: 50 } };
      const first = await open(options);
      const { insertion } = await first.session.registerInsertion({ query: COUNT });
      await first.session.putOntology({ name: "zero", contentType: "text/turtle", content: ZERO });
      await first.kb.close();
      const second = await open(options);
      expect(second.session.insertion(insertion).suspended).toBeDefined();
      expect(second.kb.figures().quads).toBe(1);
      await second.kb.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a take", () => {
  it("that rests while its time runs out is answered with what it takes", async () => {
    const { kb, session, clock } = await open();
    const many = Array.from({ length: 3_000 }, (_, n) => task(n)).join("");
    await session.subscribe({ query: WITHOUT_LIMIT });
    const taking = session.remove({ query: WITHOUT_LIMIT, timeoutMs: 1_000 });
    await settled(session);
    const published = session.publish({ data: many });
    // The publish is applied and the take, which follows in the same turn of the writer, rests.
    await until(() => kb.figures().transactions_total === 1);
    expect(kb.figures().quads_asserted).toBeLessThan(3_000);
    clock.advance(1_000);
    await published;
    const { result } = await taking;
    await settled(session);
    const left = (await session.query({ query: WITHOUT_LIMIT })).graph?.size ?? 0;
    expect((result?.size ?? 0) + left).toBe(3_000);
  });

  it("that its key remembers is not given back to others when its client left", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    const release = unreliable.hold();
    const taking = outcomeOf(worker.remove({ query: TASK, key: "k" }));
    await until(() => kb.figures().commits_pending >= 2);
    worker.close();
    release();
    expect(await taking).toBe("SENS_CANCELLED");
    await settled(session);
    expect((await session.tryRemove({ query: TASK })).result).toBeUndefined();
    expect((await session.remove({ query: TASK, key: "k" })).result?.ntriples).toBe(task(1));
  });

  it("is given back also when the server stops in between", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    const release = unreliable.hold();
    const taking = outcomeOf(worker.remove({ query: TASK }));
    await until(() => kb.figures().commits_pending >= 2);
    const closing = kb.close();
    release();
    expect(await taking).toBe("SENS_CANCELLED");
    await closing;
    expect(kb.figures().quads_asserted).toBe(1);
  });

  it("with a key takes nothing for a session that was closed while the key was looked up", async () => {
    const { kb, session } = await open();
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    const taking = outcomeOf(worker.remove({ query: TASK, key: "k" }));
    worker.close();
    expect(await taking).toBe("SENS_CANCELLED");
    await settled(session);
    expect(kb.figures()).toMatchObject({ quads: 1, waits: 0 });
    expect((await session.remove({ query: TASK, key: "k" })).result?.ntriples).toBe(task(1));
  });

  it("has one place when its beginning and its take were taken back together", async () => {
    const { kb, session, processor, first, release } = await behindAFailingCommit();
    const taking = [session.remove({ query: TASK }), session.receive({ query: TASK })];
    const refused = outcomeOf(session.publish({ data: task(1) }));
    // Of each wait its query's and its beginning, then the publish with the take.
    await until(() => kb.figures().quads_asserted === 1 && kb.figures().commits_pending >= 6);
    const use = vi.spyOn(processor, "use");
    release();
    expect([await first, await refused]).toEqual(["SENS_STORAGE_FULL", "SENS_STORAGE_FULL"]);
    await session.publish({ data: task(2) });
    for (const { result } of await Promise.all(taking)) expect(result?.ntriples).toBe(task(2));
    expect(use).toHaveBeenCalledTimes(2);
  });

  it("is told when its query cannot be evaluated any more after its beginning was taken back", async () => {
    const { kb, session, processor, first, release } = await behindAFailingCommit();
    const waiting = outcomeOf(session.receive({ query: TASK }));
    await until(() => kb.figures().commits_pending >= 3);
    vi.spyOn(processor, "use").mockRejectedValueOnce(new SensError("SENS_QUERY_TIMEOUT", "Too slow."));
    release();
    expect([await first, await waiting]).toEqual(["SENS_STORAGE_FULL", "SENS_QUERY_TIMEOUT"]);
  });

  it("is found again after an undo that made its result only derived", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    await session.registerInsertion({ query: `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}p> ?o }` });
    await session.publish({ data: triple("a", "p", "b") });
    const taking = session.remove({ query: like("q") });
    await settled(session);
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const retracting = outcomeOf(session.retract({ data: triple("a", "p", "b") }));
    await until(() => kb.figures().commits_pending === 1);
    release();
    expect(await retracting).toBe("SENS_STORAGE_FULL");
    await session.publish({ data: triple("a", "q", "b") });
    expect((await taking).result?.ntriples).toBe(triple("a", "q", "b"));
  });
});

describe("a failure in the middle", () => {
  /** The take is applied in the engine when its claim cannot be made. */
  async function withFailingClaims() {
    const random = seededRandom(11);
    let fails = true;
    const opened = await open({
      random: {
        ...random,
        id: (length: number) => {
          if (fails && length === CLAIM_ID_LENGTH) throw new Error("no chance");
          return random.id(length);
        },
      },
    });
    return { ...opened, repair: () => (fails = false) };
  }

  it("between the engine and the log takes the transaction back, and leaves no trace", async () => {
    const { kb, session, repair } = await withFailingClaims();
    const inbox = new Inbox();
    await session.subscribe({ query: WITHOUT_LIMIT, removals: true }, inbox);
    await session.publish({ data: task(1) });
    expect(await outcomeOf(session.remove({ query: TASK, leaseMs: 1_000 }))).toBe("Error: no chance");
    expect(kb.figures()).toMatchObject({ quads: 1, quads_asserted: 1, claims: 0, waits: 0, revision: 1 });
    repair();
    expect((await session.remove({ query: TASK, leaseMs: 1_000 })).cursor.split(":")[1]).toBe("2");
    expect(inbox.all.map(({ added, removed }) => [added, removed])).toEqual([
      [task(1), ""],
      ["", task(1)],
    ]);
  });

  it("of a take is told to its remover alone: the next in the line gets what there is, and the publish goes on", async () => {
    const { kb, session } = await withFailingClaims();
    const failing = outcomeOf(session.remove({ query: TASK, leaseMs: 1_000 }));
    const next = session.remove({ query: TASK });
    const other = session.remove({ query: like("p") });
    await settled(session);
    expect((await session.publish({ data: task(1) + triple("a", "p", "b") })).revision).toBe(1);
    expect(await failing).toBe("Error: no chance");
    expect([await next, await other].map(({ cursor }) => cursor.split(":")[1])).toEqual(["2", "3"]);
    expect(kb.figures()).toMatchObject({ quads: 0, waits: 0 });
  });

  it("of what is done when a step is durable stops nothing else of it, and no step after", async () => {
    const { kb, session } = await open();
    const { processor } = kb as unknown as { readonly processor: Processor };
    const done: string[] = [];
    processor.enter(
      (step) => {
        step.whenDurable(Phase.acknowledge, () => {
          throw new Error("a fault");
        });
        step.whenDurable(Phase.acknowledge, () => done.push("acknowledged"));
        step.whenDurable(Phase.remove, () => done.push("removed"));
      },
      () => done.push("failed"),
    );
    expect((await session.publish({ data: triple("a", "p", "b") })).revision).toBe(1);
    expect(done).toEqual(["acknowledged", "removed"]);
    expect(kb.figures().commits_pending).toBe(0);
  });
});

describe("an undo", () => {
  it("does not leave the initial result of what was taken back", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    await session.subscribe({ query: like("p") });
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const refused = outcomeOf(session.publish({ data: triple("a", "p", "gone") }));
    await until(() => kb.figures().commits_pending === 1);
    const subscribing = outcomeOf(session.subscribe({ query: like("p"), initial: true }, new Inbox()));
    await until(() => kb.figures().commits_pending >= 3);
    release();
    expect([await refused, await subscribing]).toEqual(["SENS_STORAGE_FULL", "SENS_STORAGE_FULL"]);
    await session.publish({ data: triple("a", "p", "there") });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p"), initial: true }, inbox);
    expect((await inbox.next()).added).toBe(triple("a", "p", "there"));
  });

  it("brings back an insertion whose end it takes back together with one of its shape that came after", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    const rule = (from: string) => `CONSTRUCT { ?s <${E}q> ?o } WHERE { ?s <${E}${from}> ?o }`;
    const { insertion } = await session.registerInsertion({ query: rule("p") });
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const ended = outcomeOf(session.unregisterInsertion(insertion));
    const other = outcomeOf(session.registerInsertion({ query: rule("r") }));
    await until(() => kb.figures().commits_pending === 2);
    release();
    expect([await ended, await other]).toEqual(["SENS_STORAGE_FULL", "SENS_STORAGE_FULL"]);
    expect(await session.publish({ data: triple("a", "p", "b") })).toMatchObject({ added: 1, derivedAdded: 1 });
  });
});

describe("a claim", () => {
  it("does not return while its extension is on its way to the disk", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session, clock } = await open({ log: unreliable.log });
    await session.publish({ data: task(1) });
    const { claim } = await session.remove({ query: TASK, leaseMs: 1_000 });
    const release = unreliable.hold();
    const extending = session.extend(claim as string, 5_000);
    await until(() => kb.figures().commits_pending === 1);
    clock.advance(1_000);
    await until(() => kb.figures().writer_queue_length === 0);
    release();
    await extending;
    await settled(session);
    expect(kb.figures()).toMatchObject({ claims: 1, quads: 0 });
  });

  it("returns although its lease ended while a confirmation was refused", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session, clock } = await open({ log: unreliable.log });
    await session.publish({ data: task(1) });
    const { claim } = await session.remove({ query: TASK, leaseMs: 1_000 });
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const confirming = outcomeOf(session.confirm(claim as string));
    await until(() => kb.figures().commits_pending === 1);
    clock.advance(1_000);
    await until(() => kb.figures().writer_queue_length === 0);
    release();
    expect(await confirming).toBe("SENS_STORAGE_FULL");
    clock.advance(1_000);
    await settled(session);
    expect(kb.figures()).toMatchObject({ claims: 0, quads: 1 });
  });
});

describe("a dead letter", () => {
  it("is one still, where it was, when putting it back or forgetting it was not written", async () => {
    const unreliable = new UnreliableLog();
    const { session } = await open({ log: unreliable.log, limits: { deliveriesMax: 1 } });
    await session.publish({ data: task(1) });
    const { claim = "" } = await session.remove({ query: TASK, leaseMs: 1_000 });
    await session.release(claim);
    const before = session.claims();
    expect(before).toMatchObject([{ claim, state: "dead", quads: task(1) }]);
    for (const end of [() => session.requeue(claim), () => session.discard(claim)]) {
      unreliable.failures.push(full());
      expect(await outcomeOf(end())).toBe("SENS_STORAGE_FULL");
      expect(session.claims()).toEqual(before);
      expect((await session.tryReceive({ query: TASK })).result).toBeUndefined();
    }
    await session.requeue(claim);
    expect((await session.tryReceive({ query: TASK })).result?.ntriples).toBe(task(1));
  });
});

describe("what nobody uses", () => {
  it("is dropped down to the bound after many waits ended together", async () => {
    const { kb, session, clock } = await open();
    const waits = Array.from({ length: 600 }, (_, n) => session.receive({ query: like(`p${n}`), timeoutMs: 1_000 }));
    await settled(session);
    clock.advance(1_000);
    await Promise.all(waits);
    await settled(session);
    expect(kb.figures().standing_queries_idle).toBeLessThanOrEqual(256);
    expect(kb.figures().standing_queries).toBeLessThanOrEqual(1);
  });

  it("is not evaluated again, and is up to date when it is used again", async () => {
    const { kb, session } = await open();
    await session.tryReceive({ query: REACH });
    const before = kb.figures().re_evaluations_total;
    await session.publish({ data: triple("a", "p", "b") });
    expect(kb.figures().re_evaluations_total).toBe(before);
    expect(lines((await session.tryReceive({ query: REACH })).result?.ntriples)).toEqual(lines(triple("a", "reach", "b")));
  });

  it("ends although the queue was full when its grace was over", async () => {
    const { kb, session, clock } = await open({ limits: { queueLengthMax: 1 } });
    await session.registerInsertion({ query: `CONSTRUCT { ?a <${E}q> ?b } WHERE { ?a <${E}p> ?m . ?b <${E}p> ?m }` });
    await session.subscribe({ query: like("r") });
    // The writer rests in the middle of a long transaction; one request behind it fills the queue.
    const long = session.publish({ data: Array.from({ length: 200 }, (_, n) => triple(`n${n}`, "p", "m")).join("") });
    await until(() => kb.figures().quads_derived > 0);
    const queued = session.publish({ data: "" });
    await until(() => kb.figures().writer_queue_length === 1);
    clock.advance(5 * 60_000);
    await Promise.all([long, queued]);
    await settled(session);
    expect(kb.figures().subscriptions).toBe(0);
  });
});

describe("what only reads", () => {
  it("does not make the dictionary grow, whatever it names or computes", async () => {
    const { kb, session } = await open();
    await session.publish({ data: triple("a", "p", "b") });
    await session.query({ query: "ASK { ?s ?p ?o }" });
    const before = kb.figures().terms;
    const select = await session.query({
      query: `SELECT ?o (CONCAT(STR(?o), "-new") AS ?n) ("other"@en AS ?l) (1+1 AS ?two) { ?s ?p ?o OPTIONAL { ?s <${E}unknown1> ?x } }`,
    });
    expect(select.rows[0].map((term) => term?.value)).toEqual([`${E}b`, `${E}b-new`, "other", "2"]);
    const construct = await session.query({ query: `CONSTRUCT { ?s <${E}unknown2> [] } WHERE { ?s ?p ?o }` });
    expect(construct.graph?.ntriples).toContain(`<${E}a> <${E}unknown2> _:`);
    expect((await session.query({ query: `DESCRIBE <${E}unknown3>` })).graph?.size).toBe(0);
    await session.query({ query: "ASK { ?s ?p ?o }", namedGraphs: [`${E}unknown4`] });
    expect(await outcomeOf(session.getGraph({ graph: `${E}unknown5` }))).toBe("SENS_NOT_FOUND");
    expect(await outcomeOf(session.deleteGraph({ graph: `${E}unknown6` }))).toBe("SENS_NOT_FOUND");
    expect((await session.tryReceive({ query: like("unknown7") })).result).toBeUndefined();
    expect((await session.tryReceive({ query: `CONSTRUCT { ?s <${E}unknown8> ?o } WHERE { ?s ?p ?o }` })).result?.ntriples).toBe(
      triple("a", "unknown8", "b"),
    );
    expect(await session.tryRemove({ query: like("unknown9") })).not.toHaveProperty("nothingAsserted");
    expect(await session.explain(triple("a", "p", "unknown10"))).toMatchObject({
      kind: "unknown",
      statement: expect.stringContaining("unknown10"),
    });
    expect((await session.explain(triple("a", "p", "b"))).kind).toBe("asserted");
    expect(kb.figures().terms).toBe(before);
    expect(await session.tryRemove({ query: like("p"), graph: `${E}unknown11` })).toMatchObject({ nothingAsserted: true });
    expect(await session.tryRemove({ query: `CONSTRUCT { ?s <${E}unknown12> ?o } WHERE { ?s ?p ?o }` })).toMatchObject({
      nothingAsserted: true,
    });
    expect((await session.tryRemove({ query: like("p") })).result?.ntriples).toBe(triple("a", "p", "b"));
  });

  it("sees what a request before it in the queue brought", async () => {
    const { session } = await open();
    const change = session.update({ update: `INSERT DATA { <${E}a> <${E}p> <${E}b> GRAPH <${E}g> { <${E}c> <${E}d> <${E}e> } }` });
    const received = session.tryReceive({ query: like("p") });
    const graph = session.getGraph({ graph: `${E}g` });
    const proof = session.explain(triple("a", "p", "b"));
    const taken = session.tryRemove({ query: like("p") });
    await change;
    expect((await received).result?.size).toBe(1);
    expect((await graph).size).toBe(1);
    expect((await proof).kind).toBe("asserted");
    expect((await taken).result?.size).toBe(1);
  });
});
