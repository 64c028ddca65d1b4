import { describe, expect, it } from "vitest";
import { SensError, systemClock } from "../base/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, TASK, task, triple, UnreliableLog, until } from "./knowledge-base.fixture.ts";

const full = (): SensError => new SensError("SENS_STORAGE_FULL", "The disk is full.");
const ask = async (session: Awaited<ReturnType<typeof open>>["session"], query: string): Promise<boolean> =>
  (await session.query({ query })).boolean === true;

describe("revisions", () => {
  it("have no holes, and are given to invisible changes too", async () => {
    const { kb, session } = await open({ reasoning: "rdfs" });
    const subClass = `<${E}A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${E}B> .\n`;
    const type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    await session.publish({ data: `${subClass}<${E}x> ${type} <${E}A> .\n` });
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?x a <${E}B> } WHERE { ?x a <${E}B> }`, removals: true }, inbox);
    // Stating what is inferred already is a change of the assertions that nobody sees.
    expect(await session.publish({ data: `<${E}x> ${type} <${E}B> .\n` })).toMatchObject({ added: 1, derivedAdded: 0, revision: 2 });
    expect(await session.publish({ data: `<${E}x> ${type} <${E}B> .\n` })).toMatchObject({ added: 0, revision: 2 });
    expect(await session.retract({ data: `<${E}x> ${type} <${E}A> .\n` })).toMatchObject({ removed: 1, revision: 3 });
    expect(await session.retract({ data: `<${E}x> ${type} <${E}B> .\n` })).toMatchObject({ removed: 1, revision: 4 });
    expect(inbox.all).toHaveLength(1);
    expect(inbox.all[0].cursor).toBe(kb.cursor());
  });

  it("are acknowledged only when durable, a change of nothing with them", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    const release = unreliable.hold();
    const order: string[] = [];
    const first = session.publish({ data: triple("a", "p", "b") }).then(({ revision }) => order.push(`first ${revision}`));
    const same = session.publish({ data: triple("a", "p", "b") }).then(({ revision }) => order.push(`same ${revision}`));
    expect(await ask(session, "ASK { ?s ?p ?o }")).toBe(false);
    expect(order).toEqual([]);
    release();
    await Promise.all([first, same]);
    expect(order).toEqual(["first 1", "same 1"]);
    expect(kb.cursor().endsWith(":1")).toBe(true);
  });
});

describe("group commit", () => {
  it("appends together what was applied while the last append ran", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    const release = unreliable.hold();
    const publishes = Array.from({ length: 50 }, (_, n) => session.publish({ data: triple("a", "p", `"${n}"`) }));
    await until(() => kb.figures().commits_pending === 50);
    release();
    const answers = await Promise.all(publishes);
    expect(answers.map((answer) => answer.revision)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(unreliable.appends).toBe(2);
  });

  it("nobody sees what is not durable: not queries, not subscribers, not waits", async () => {
    const unreliable = new UnreliableLog();
    const { session } = await open({ log: unreliable.log });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p") }, inbox);
    const receiving = session.receive({ query: like("p") });
    await settled(session);
    const release = unreliable.hold();
    const published = session.publish({ data: triple("a", "p", "b") });
    for (let n = 0; n < 5; n++) expect(await ask(session, "ASK { ?s ?p ?o }")).toBe(false);
    expect(inbox.all).toEqual([]);
    release();
    await published;
    expect((await receiving).result?.ntriples).toBe(triple("a", "p", "b"));
    expect(inbox.all).toHaveLength(1);
  });

  it("notifies in the order of revisions, and answers receives before removes", async () => {
    const { session } = await open();
    const order: string[] = [];
    await session.subscribe(
      { query: like("p"), removals: true },
      { notify: ({ added }) => order.push(added === "" ? "removal told" : "addition told"), end: () => {} },
    );
    const taking = session.remove({ query: like("p") }).then(() => order.push("remove"));
    const receiving = session.receive({ query: like("p") }).then(() => order.push("receive"));
    await settled(session);
    await session.publish({ data: triple("a", "p", "b") });
    await Promise.all([taking, receiving]);
    expect(order.indexOf("addition told")).toBeLessThan(order.indexOf("removal told"));
    expect(order.indexOf("receive")).toBeLessThan(order.indexOf("remove"));
  });

  it("a full disk undoes and refuses the whole group, and the server stays up", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    await session.publish({ data: triple("a", "p", "before") });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p"), removals: true }, inbox);
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const publishes = ["x", "y", "z"].map((name) => session.publish({ data: triple("a", "p", name) }));
    const retracting = session.retract({ data: triple("a", "p", "before") });
    await until(() => kb.figures().commits_pending === 4);
    const subscribing = session.subscribe({ query: like("q") });
    await until(() => kb.figures().commits_pending === 7);
    release();
    for (const request of [...publishes, retracting, subscribing])
      await expect(request).rejects.toMatchObject({ code: "SENS_STORAGE_FULL" });
    expect(kb.degraded()).toContain("full");
    expect(session.subscriptions()).toHaveLength(1);
    expect(lines((await session.query({ query: like("p") })).graph?.ntriples)).toEqual(lines(triple("a", "p", "before")));
    expect(await session.publish({ data: triple("a", "p", "after") })).toMatchObject({ revision: 2 });
    expect(kb.degraded()).toBeUndefined();
    expect(inbox.all.map(({ added, removed }) => ({ added, removed }))).toEqual([{ added: triple("a", "p", "after"), removed: "" }]);
  });

  it("a full disk leaves waits waiting and gives back what they had taken", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    const receiving = session.receive({ query: TASK });
    const taking = session.remove({ query: TASK, leaseMs: 60_000 });
    await settled(session);
    unreliable.failures.push(full());
    await expect(session.publish({ data: task("one") })).rejects.toMatchObject({ code: "SENS_STORAGE_FULL" });
    expect(kb.figures()).toMatchObject({ quads: 0, claims: 0, waits: 2 });
    await settled(session);
    await session.publish({ data: task("two") });
    expect((await receiving).result?.ntriples).toBe(task("two"));
    expect(await taking).toMatchObject({ result: { ntriples: task("two") }, deliveries: 1 });
    expect(kb.figures()).toMatchObject({ waits: 0, claims: 1 });
  });

  it("a wait whose time ends while its answer is taken back ends then", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session, clock } = await open({ log: unreliable.log });
    const receiving = session.receive({ query: TASK });
    await settled(session);
    unreliable.failures.push(full());
    const release = unreliable.hold();
    const publishing = session.publish({ data: task("one") });
    await until(() => kb.figures().commits_pending === 1);
    clock.advance(30_000);
    release();
    await expect(publishing).rejects.toMatchObject({ code: "SENS_STORAGE_FULL" });
    expect((await receiving).result).toBeUndefined();
    expect(kb.figures().waits).toBe(0);
  });

  it("a claim that could not be returned for want of disk is returned later", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session, clock } = await open({ log: unreliable.log });
    await session.publish({ data: task("one") });
    await session.remove({ query: TASK, leaseMs: 1_000 });
    unreliable.failures.push(full());
    clock.advance(1_000);
    await outcomeOf(settled(session));
    expect(kb.figures()).toMatchObject({ claims: 1, quads: 0 });
    clock.advance(1_000);
    await settled(session);
    expect(kb.figures()).toMatchObject({ claims: 0, quads: 1 });
  });

  it("an unknown outcome is answered as such, and nothing more is accepted", async () => {
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    unreliable.failures.push(new SensError("SENS_OUTCOME_UNKNOWN", "The disk failed."));
    await expect(session.publish({ data: triple("a", "p", "b") })).rejects.toMatchObject({ code: "SENS_OUTCOME_UNKNOWN" });
    expect(kb.ready()).toBe(false);
    expect(kb.degraded()).toContain("disk failed");
    await expect(session.publish({ data: triple("a", "p", "b") })).rejects.toMatchObject({ code: "SENS_NOT_READY" });
    expect(await ask(session, "ASK { ?s ?p ?o }")).toBe(false);
    await kb.close();
  });
});

describe("the writer's queue", () => {
  it("is bounded: beyond it requests are refused as busy, those in it are done", async () => {
    const { session } = await open({ limits: { queueLengthMax: 5 } });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => session.publish({ data: triple("a", "p", `"${n}"`) })));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: "SENS_BUSY" });
    const { rows } = await session.query({ query: "SELECT * { ?s ?p ?o }" });
    expect(rows).toHaveLength(20 - refused.length);
  });

  it("a long transaction lets queries and timers run, which see nothing of it", async () => {
    const { kb, session } = await open({ clock: systemClock });
    await session.registerInsertion({ query: `CONSTRUCT { ?a <${E}q> ?b } WHERE { ?a <${E}p> ?m . ?b <${E}p> ?m }` });
    let isDone = false;
    const publishing = session
      .publish({ data: Array.from({ length: 300 }, (_, n) => triple(`n${n}`, "p", "m")).join("") })
      .then((answer) => {
        isDone = true;
        return answer;
      });
    let looked = 0;
    while (!isDone) {
      const seen = await ask(session, "ASK { ?s ?p ?o }");
      if (!isDone && kb.cursor().endsWith(":1")) {
        expect(seen).toBe(false);
        looked++;
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(looked).toBeGreaterThan(3);
    expect((await publishing).derivedAdded).toBe(300 * 300);
  });
});

describe("a caller that reads without a rest", () => {
  it("leaves the writer, timers and sockets their turns", async () => {
    const { session } = await open();
    let isDone = false;
    let turns = 0;
    const publishing = session
      .publish({ data: Array.from({ length: 5_000 }, (_, n) => triple(`n${n}`, "p", "m")).join("") })
      .finally(() => {
        isDone = true;
      });
    const count = (): void => {
      turns++;
      if (asked < 3_000) setImmediate(count);
    };
    setImmediate(count);
    let asked = 0;
    for (; asked < 3_000 || (asked < 20_000 && !isDone); asked++) await ask(session, `ASK { ?s <${E}q> ?n }`);
    expect(isDone).toBe(true);
    expect(turns).toBeGreaterThan(3);
    expect(await publishing).toMatchObject({ added: 5_000 });
  });
});

describe("a large graph", () => {
  it("is read, replaced and removed with rests", async () => {
    const { session } = await open();
    const graph = `${E}g`;
    const count = 40_000;
    const data = Array.from({ length: count }, (_, n) => triple(`n${n}`, "p", "m")).join("");
    await session.publish({ data, graph });
    const during = async <T>(work: Promise<T>): Promise<{ answer: T; turns: number }> => {
      let turns = 0;
      let isDone = false;
      const answer = work.finally(() => {
        isDone = true;
      });
      await until(() => {
        turns++;
        return isDone;
      });
      return { answer: await answer, turns };
    };
    const read = await during(session.getGraph({ graph }));
    expect(read.answer.size).toBe(count);
    // Twice over the rows, a rest after 512 times 64 of them: the clock stands still.
    expect(read.turns).toBeGreaterThanOrEqual(4);
    const replaced = await during(session.putGraph({ graph, data: triple("n0", "p", "m") + triple("new", "p", "m") }));
    expect(replaced.answer).toMatchObject({ added: 1, removed: count - 1, created: false });
    expect((await session.deleteGraph({ graph })).removed).toBe(2);
  });
});

describe("a long update", () => {
  it("rests while it looks for solutions and applies them, and nobody sees a part of it", async () => {
    const { kb, session } = await open({ clock: systemClock });
    const count = 30_000;
    await session.publish({ data: Array.from({ length: count }, (_, n) => triple(`n${n}`, "p", `m${n % 7}`)).join("") });
    const before = kb.cursor();
    let isDone = false;
    const updating = session
      .update({
        update: `INSERT { ?s <${E}q> ?n } WHERE { ?s <${E}p> ?o BIND(STRLEN(STR(?s)) AS ?n) } ; DELETE { ?s <${E}q> ?n } WHERE { ?s <${E}p> <${E}m1> ; <${E}q> ?n }`,
      })
      .finally(() => {
        isDone = true;
      });
    let turns = 0;
    while (!isDone) {
      if (kb.cursor() === before && turns % 5 === 0) expect(await ask(session, `ASK { ?s <${E}q> ?n }`)).toBe(false);
      turns++;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(turns).toBeGreaterThan(10);
    // Net: what the second operation took away was never stated.
    const taken = Math.ceil((count - 1) / 7);
    expect(await updating).toMatchObject({ added: count - taken, removed: 0 });
  });
});

describe("idempotency keys", () => {
  it("two requests under way with one key are one", async () => {
    const { session } = await open();
    const data = triple("a", "p", "b");
    const [one, two] = await Promise.all([session.publish({ data, key: "k" }), session.publish({ data, key: "k" })]);
    expect(two).toEqual(one);
    expect(one.added).toBe(1);
    await expect(session.retract({ data, key: "k" })).rejects.toMatchObject({ code: "SENS_IDEMPOTENCY_CONFLICT" });
  });

  it("a repeated remove answers what it took, and takes nothing more", async () => {
    const { session } = await open();
    await session.publish({ data: task("1") + task("2") });
    const first = await session.remove({ query: TASK, key: "k" });
    expect(await session.remove({ query: TASK, key: "k" })).toEqual(first);
    expect((await session.query({ query: `SELECT * { ?t a <${E}Task> }` })).rows).toHaveLength(1);
  });

  it("a key does not outlive a refused group", async () => {
    const unreliable = new UnreliableLog();
    const { session } = await open({ log: unreliable.log });
    unreliable.failures.push(full());
    await expect(session.publish({ data: triple("a", "p", "b"), key: "k" })).rejects.toMatchObject({ code: "SENS_STORAGE_FULL" });
    expect(await session.publish({ data: triple("a", "p", "b"), key: "k" })).toMatchObject({ added: 1, revision: 1 });
  });

  it("keys that are empty or too long are refused", async () => {
    const { session } = await open();
    await expect(session.publish({ data: "", key: "" })).rejects.toMatchObject({ code: "SENS_LIMIT" });
    await expect(session.publish({ data: "", key: "ü".repeat(128) })).rejects.toMatchObject({ code: "SENS_LIMIT" });
  });
});
