import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../base/index.ts";
import type { RemoveAnswer } from "../protocol/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, TASK, TYPE, task, triple } from "./knowledge-base.fixture.ts";

describe("receive", () => {
  it("answers with the whole result as soon as it has one triple, and receives take nothing", async () => {
    const { session } = await open();
    const receiving = session.receive({ query: like("p") });
    await settled(session);
    const { cursor } = await session.publish({ data: triple("a", "p", '"1"') + triple("a", "p", '"2"') });
    const answer = await receiving;
    expect(answer.cursor).toBe(cursor);
    expect(answer.result?.size).toBe(2);
    expect((await session.receive({ query: like("p") })).result?.size).toBe(2);
  });

  it("tryReceive answers at once, possibly with nothing", async () => {
    const { session } = await open();
    expect((await session.tryReceive({ query: like("p") })).result).toBeUndefined();
  });

  it("time-outs: 30 s unless said otherwise, above 5 min refused", async () => {
    const { kb, session, clock } = await open();
    let ended = 0;
    const counted = (wait: Promise<unknown>): Promise<unknown> => wait.finally(() => ended++);
    const waits = [counted(session.receive({ query: like("p") })), counted(session.remove({ query: like("p"), timeoutMs: 300_000 }))];
    await settled(session);
    clock.advance(29_999);
    await settled(session);
    expect(ended).toBe(0);
    clock.advance(1);
    expect(await waits[0]).toEqual({ cursor: kb.cursor() });
    clock.advance(270_000);
    expect(await waits[1]).toEqual({ cursor: kb.cursor() });
    for (const timeoutMs of [300_001, -1, Number.NaN])
      await expect(session.receive({ query: like("p"), timeoutMs })).rejects.toMatchObject({ code: "SENS_LIMIT" });
    expect(kb.figures()).toMatchObject({ waits: 0, standing_queries: 0 });
  });

  it("find no less than their try forms, however short their time", async () => {
    const { session } = await open({ clock: systemClock });
    const jobs = (p: string): string => Array.from({ length: 20_000 }, (_, n) => triple(`job${n}`, p, `"${n}"`)).join("");
    await session.publish({ data: jobs("toDo") + jobs("toSign") });
    const one = (p: string): string => `CONSTRUCT { ?t <${E}${p}> ?w } WHERE { ?t <${E}${p}> ?w }`;
    for (const order of [" LIMIT 1", " ORDER BY DESC(?w) LIMIT 1"]) {
      expect((await session.receive({ query: one("toDo") + order, timeoutMs: 0 })).result?.size).toBe(1);
      expect((await session.remove({ query: one("toSign") + order, timeoutMs: 0 })).result?.size).toBe(1);
    }
    expect(await session.receive({ query: like("none"), timeoutMs: 0 })).toEqual({ cursor: expect.any(String) });
    expect(await session.remove({ query: like("none"), timeoutMs: 0 })).toEqual({ cursor: expect.any(String) });
  });

  it("cancel and the end of the session take the wait away", async () => {
    const { kb, session } = await open();
    const controller = new AbortController();
    const other = kb.openSession();
    const cancelled = expect(session.receive({ query: like("p"), signal: controller.signal })).rejects.toMatchObject({
      code: "SENS_CANCELLED",
    });
    const closed = expect(other.remove({ query: like("p") })).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    await settled(session);
    controller.abort();
    other.close();
    await Promise.all([cancelled, closed]);
    expect(kb.figures().waits).toBe(0);
  });
});

describe("remove", () => {
  it("each take is a transaction of its own, right after the one that made it possible, before anything queued", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }`, removals: true }, inbox);
    const takes = [session.remove({ query: TASK }), session.remove({ query: TASK })];
    await settled(session);
    const publishes = [session.publish({ data: task("1") + task("2") }), session.publish({ data: triple("queued", "p", "x") })];
    const revisions = (await Promise.all(publishes)).map(({ revision }) => revision);
    expect(revisions).toEqual([1, 4]);
    expect((await Promise.all(takes)).map(({ cursor, result }) => [cursor.split(":")[1], result?.ntriples])).toEqual([
      ["2", task("1")],
      ["3", task("2")],
    ]);
    expect(inbox.all.map(({ added, removed }) => [lines(added).length, lines(removed).length])).toEqual([
      [2, 0],
      [0, 1],
      [0, 1],
      [1, 0],
    ]);
  });

  it("takes are served by arrival across queries, and one may enable another", async () => {
    const { session } = await open();
    await session.registerInsertion({
      query: `CONSTRUCT { <${E}second> <${E}is> <${E}Ready> } WHERE { ?s <${E}p> ?o FILTER NOT EXISTS { ?t a <${E}Task> } }`,
    });
    await session.publish({ data: triple("a", "p", "b") + task("blocker") });
    const order: string[] = [];
    const waits = [
      session
        .remove({ query: `CONSTRUCT { ?s <${E}p> ?o } WHERE { <${E}second> <${E}is> <${E}Ready> . ?s <${E}p> ?o }` })
        .then(({ cursor }) => order.push(`p ${cursor.split(":")[1]}`)),
      session
        .remove({ query: `CONSTRUCT { ?t a <${E}Task> } WHERE { ?t a <${E}Task> . <${E}go> <${E}x> ?x }` })
        .then(({ cursor }) => order.push(`task ${cursor.split(":")[1]}`)),
    ];
    await settled(session);
    await session.publish({ data: triple("go", "x", "now") });
    await Promise.all(waits);
    expect(order.sort()).toEqual(["p 5", "task 4"]);
  });

  it("a take may disable another, which goes on waiting", async () => {
    const { session, kb } = await open();
    const first = session.remove({ query: like("p") });
    const second = session.remove({ query: `CONSTRUCT { ?s <${E}p> ?o } WHERE { ?s <${E}p> ?o } LIMIT 5` });
    await settled(session);
    await session.publish({ data: triple("a", "p", "b") });
    expect((await first).result?.ntriples).toBe(triple("a", "p", "b"));
    expect(kb.figures().waits).toBe(1);
    await session.publish({ data: triple("a", "p", "c") });
    expect((await second).result?.ntriples).toBe(triple("a", "p", "c"));
  });

  it("P71: living waiters are served in order of arrival, dead ones are gone from the queue", async () => {
    const { kb, session } = await open();
    const order: number[] = [];
    const controllers: AbortController[] = [];
    const waits = Array.from({ length: 20 }, (_, n) => {
      controllers.push(new AbortController());
      return session.remove({ query: TASK, signal: controllers[n].signal }).then(() => order.push(n));
    });
    const gone = [3, 7].map((n) => expect(waits[n]).rejects.toMatchObject({ code: "SENS_CANCELLED" }));
    await settled(session);
    for (const n of [3, 7]) controllers[n].abort();
    await Promise.all(gone);
    for (let n = 0; n < 18; n++) await session.publish({ data: task(n) });
    await Promise.all(waits.filter((_, n) => n !== 3 && n !== 7));
    expect(order).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(kb.figures()).toMatchObject({ waits: 0, quads: 0 });
  });

  it("P70: a client that gave up never takes", async () => {
    const { session, clock } = await open();
    const late = session.remove({ query: TASK, timeoutMs: 1_000 });
    await settled(session);
    clock.advance(2_000);
    expect((await late).result).toBeUndefined();
    await session.publish({ data: task("1") });
    expect((await session.remove({ query: TASK })).result?.ntriples).toBe(task("1"));
  });

  it("a client that left between the take and its durability gives back what it took", async () => {
    const { UnreliableLog, until } = await import("./knowledge-base.fixture.ts");
    const unreliable = new UnreliableLog();
    const { kb, session } = await open({ log: unreliable.log });
    const controller = new AbortController();
    const gone = expect(session.remove({ query: TASK, signal: controller.signal })).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    await settled(session);
    const release = unreliable.hold();
    const publishing = session.publish({ data: task("1") });
    await until(() => kb.figures().commits_pending === 2);
    controller.abort();
    release();
    await Promise.all([publishing, gone]);
    expect((await session.remove({ query: TASK })).result?.ntriples).toBe(task("1"));
  });

  it("P73, F31: 64 waiting removers and 1,000 items: each exactly once, nobody starves", async () => {
    const { kb, session } = await open();
    const wins = new Map<number, number>();
    const taken: string[] = [];
    const work = Array.from({ length: 64 }, async (_, n) => {
      const own = kb.openSession();
      while (taken.length < 1_000) {
        const { result } = await own.remove({ query: TASK, timeoutMs: 300_000 }).catch((): RemoveAnswer => ({ cursor: "" }));
        if (!result) return;
        taken.push(result.ntriples);
        wins.set(n, (wins.get(n) ?? 0) + 1);
        if (taken.length === 1_000) await kb.close();
      }
    });
    for (let n = 0; n < 1_000; n += 10) await session.publish({ data: Array.from({ length: 10 }, (_, k) => task(n + k)).join("") });
    await Promise.all(work);
    expect(new Set(taken).size).toBe(1_000);
    expect(taken).toHaveLength(1_000);
    expect(Math.min(...wins.values())).toBeGreaterThan(5);
    expect(wins.size).toBe(64);
  }, 60_000);

  it("P74: what is still derivable stays visible and is reported; what is only derived is not taken", async () => {
    const { session } = await open();
    await session.registerInsertion({ query: `CONSTRUCT { ?o a <${E}Task> } WHERE { ?o a <${E}Order> }` });
    await session.publish({ data: `${task("x")}<${E}x> <${TYPE}> <${E}Order> .\n` });
    expect(await session.tryRemove({ query: TASK })).toMatchObject({
      result: { ntriples: task("x") },
      stillEntailed: task("x"),
      stillEntailedCount: 1,
    });
    expect(await session.tryRemove({ query: TASK })).toMatchObject({ nothingAsserted: true });
    const waiting = session.remove({ query: TASK });
    await settled(session);
    await session.publish({ data: triple("other", "p", "x") });
    await session.publish({ data: task("x") });
    expect((await waiting).result?.ntriples).toBe(task("x"));
  });

  it("takes from the graph it names, and in union mode from every graph that has the triple", async () => {
    const { session } = await open({ defaultGraph: "union" });
    for (const graph of ["g", "h"]) await session.publish({ data: triple("a", "p", "b"), graph: E + graph });
    expect((await session.remove({ query: like("p") })).result?.ntriples).toBe(triple("a", "p", "b"));
    expect((await session.query({ query: "ASK { GRAPH ?g { ?s ?p ?o } }" })).boolean).toBe(false);
    await expect(session.remove({ query: `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }` })).rejects.toMatchObject({
      code: "SENS_GRAPH_REQUIRED",
    });
  });

  it("P76: with 5,000 waits open a publish touches only those it concerns", async () => {
    const { kb, session } = await open();
    const waits = Array.from({ length: 5_000 }, (_, n) =>
      session.receive({ query: `CONSTRUCT { <${E}${n}> <${E}p> ?o } WHERE { <${E}${n}> <${E}p> ?o }` }),
    );
    await settled(session);
    await session.publish({ data: triple("17", "p", "x") });
    expect((await waits[17]).result?.ntriples).toBe(triple("17", "p", "x"));
    expect(kb.figures().waits).toBe(4_999);
    for (const wait of waits) void outcomeOf(wait);
    await kb.close();
  }, 60_000);

  it("produced = confirmed + present, whatever publishers, removers and lost clients do", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ act: fc.constantFrom("publish", "take", "lease", "confirm", "release", "expire", "lose", "cancel"), n: fc.nat(9) }),
          { maxLength: 60 },
        ),
        async (acts) => {
          const { kb, session, clock } = await open();
          const produced = new Set<string>();
          const consumed: string[] = [];
          const claims: { claim: string; triples: string }[] = [];
          const running: Promise<unknown>[] = [];
          let next = 0;
          let lossy = kb.openSession();
          const take = async (own: typeof session, leaseMs: number | undefined, signal?: AbortSignal): Promise<void> => {
            const { result, claim } = await own.remove({ query: TASK, leaseMs, timeoutMs: 50_000, signal });
            if (!result) return;
            if (claim === undefined) consumed.push(result.ntriples);
            else claims.push({ claim, triples: result.ntriples });
          };
          for (const { act, n } of acts) {
            switch (act) {
              case "publish": {
                const item = task(next++);
                produced.add(item);
                running.push(session.publish({ data: item }));
                break;
              }
              case "take":
                running.push(take(session, undefined));
                break;
              case "lease":
                running.push(outcomeOf(take(n < 5 ? session : lossy, 60_000)));
                break;
              case "confirm": {
                const claim = claims.shift();
                if (claim)
                  running.push(
                    session.confirm(claim.claim).then(
                      () => consumed.push(claim.triples),
                      () => {},
                    ),
                  );
                break;
              }
              case "release": {
                const claim = claims.pop();
                if (claim) running.push(outcomeOf(session.release(claim.claim)));
                break;
              }
              case "expire":
                clock.advance(6_000 * n);
                break;
              case "lose":
                lossy.close();
                lossy = kb.openSession();
                break;
              case "cancel": {
                const controller = new AbortController();
                running.push(outcomeOf(take(session, undefined, controller.signal)));
                if (n < 5) controller.abort();
                else queueMicrotask(() => controller.abort());
                break;
              }
            }
            if (n % 3 === 0) await settled(session);
          }
          await settled(session);
          clock.advance(400_000);
          await settled(session);
          await Promise.all(running);
          clock.advance(400_000);
          await settled(session);
          await settled(session);
          const present = lines((await session.query({ query: TASK.replace(" LIMIT 1", "") })).graph?.ntriples).map((line) => `${line}\n`);
          expect(kb.figures()).toMatchObject({ claims: 0, waits: 0 });
          const dead = kb.figures().dead_letters;
          expect(new Set([...consumed, ...present]).size).toBe(consumed.length + present.length);
          expect(consumed.length + present.length + dead).toBe(produced.size);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
