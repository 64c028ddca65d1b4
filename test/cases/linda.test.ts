/** Cases of area linda: who waits, who takes, and who gave up. README.md beside this file lists all cases. */
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/base/index.ts";
import { connect } from "../../src/client/index.ts";
import { atEnd, RawSocket } from "../surfaces/served.ts";
import { all, ask, E, graph, lines, listen, open, PREFIXES, publish, settled, subscribed, until } from "./knowledge.fixture.ts";

const ONE_TASK = `${PREFIXES}CONSTRUCT { ?t a e:Task } WHERE { ?t a e:Task } LIMIT 1`;
const A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const taskOf = (ntriples: string | undefined): string => lines(ntriples).join().split(" ")[0];

describe("who gave up", () => {
  it("P70: a remove past its deadline takes nothing later, and its answer goes to no other call", async () => {
    const { url, session, service } = await listen();
    const client = await connect(url);
    atEnd(() => client.close());
    expect(await client.remove(ONE_TASK, { timeoutMs: 50 })).toBeUndefined();
    expect(service.figures().waits).toBe(0);
    await publish(session, "e:t1 a e:Task .");
    const second = await client.remove(ONE_TASK, { timeoutMs: 10_000 });
    expect(second?.quads.map(({ subject }) => subject.value)).toEqual([`${E}t1`]);
    // Abandoned by its caller: cancelled on the server before anything can be taken for it.
    const abandon = new AbortController();
    const abandoned = client.remove(ONE_TASK, { signal: abandon.signal });
    await until(() => service.figures().waits === 1);
    abandon.abort();
    await expect(abandoned).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    await until(() => service.figures().waits === 0);
    await publish(session, "e:t2 a e:Task .");
    expect((await client.remove(ONE_TASK, { timeoutMs: 10_000 }))?.quads.map(({ subject }) => subject.value)).toEqual([`${E}t2`]);
  });

  it("P70: an HTTP caller that hangs up is taken off the list of waits", async () => {
    const { url, session, service } = await listen();
    const controller = new AbortController();
    const request = fetch(`${url}/remove`, {
      method: "POST",
      headers: { "content-type": "application/sparql-query" },
      body: ONE_TASK,
      signal: controller.signal,
    });
    await until(() => service.figures().waits === 1);
    controller.abort();
    await expect(request).rejects.toThrow();
    await until(() => service.figures().waits === 0);
    await publish(session, "e:t1 a e:Task .");
    expect(await ask(session, "e:t1 a e:Task")).toBe(true);
  });

  it("P71: living waiters are served in order of arrival; the dead are gone, and nothing is lost on them", async () => {
    const { url, session, service } = await listen();
    const WAITERS = 20;
    const served: number[] = [];
    const sockets: RawSocket[] = [];
    const answered: Promise<void>[] = [];
    for (let n = 0; n < WAITERS; n++) {
      const socket = await RawSocket.open(url);
      sockets.push(socket);
      socket.send({ id: "w", op: "remove", query: ONE_TASK });
      await until(() => service.figures().waits === n + 1);
      if (n === 3 || n === 7) continue;
      answered.push(
        socket.next().then((answer) => {
          expect(answer).toMatchObject({ ok: true, result: expect.stringContaining("Task") });
          served.push(n);
        }),
      );
    }
    for (const n of [3, 7]) sockets[n].socket.terminate();
    await until(() => service.figures().waits === WAITERS - 2);
    for (let n = 0; n < WAITERS - 2; n++) {
      await publish(session, `e:item${n} a e:Task .`);
      await until(() => served.length === n + 1);
    }
    await Promise.all(answered);
    expect(served).toEqual(Array.from({ length: WAITERS }, (_, n) => n).filter((n) => n !== 3 && n !== 7));
    expect(service.figures()).toMatchObject({ waits: 0, quads: 0 });
  });
});

describe("who takes", () => {
  const ITEMS = process.env.SENS_FULL === "1" ? 10_000 : 1_000;
  it(`P73: sixteen workers get each of 3 and of ${ITEMS} items exactly once`, async () => {
    const { session, service } = await open();
    const taken: string[] = [];
    let wanted = 3;
    const work = async (): Promise<void> => {
      const own = service.openSession();
      for (;;) {
        const { result } = await own.remove({ query: ONE_TASK });
        taken.push(taskOf(result?.ntriples));
        if (taken.length === wanted && wanted === ITEMS + 3) return;
      }
    };
    const working = Array.from({ length: 16 }, () =>
      work().catch((error: unknown) => expect(error).toMatchObject({ code: "SENS_SHUTTING_DOWN" })),
    );
    await publish(session, "e:x0 a e:Task . e:x1 a e:Task . e:x2 a e:Task .");
    await until(() => taken.length === 3);
    expect([...taken].sort()).toEqual(["e:x0", "e:x1", "e:x2"]);
    wanted = ITEMS + 3;
    for (let n = 0; n < ITEMS; n += 50) await publish(session, Array.from({ length: 50 }, (_, k) => `e:y${n + k} a e:Task .`).join("\n"));
    await until(() => taken.length === wanted);
    expect(new Set(taken).size).toBe(wanted);
    expect(service.figures().quads).toBe(0);
    await service.close();
    await Promise.all(working);
    expect(taken).toHaveLength(wanted);
  });

  it("P73: where a lease makes a second delivery, it is marked as one, and the first holder is told that it came too late", async () => {
    const clock = new ManualClock();
    const { session } = await open({ clock });
    await publish(session, "e:t a e:Task .");
    const first = await session.remove({ query: ONE_TASK, leaseMs: 1_000 });
    clock.advance(1_000);
    const second = await session.remove({ query: ONE_TASK, leaseMs: 1_000 });
    expect([first.deliveries, second.deliveries]).toEqual([1, 2]);
    await expect(session.confirm(String(first.claim))).rejects.toMatchObject({ code: "SENS_CLAIM_EXPIRED" });
    await session.confirm(String(second.claim));
  });

  it("P74: a derived task is not taken, and that is said; a stated one that stays derivable is taken once and reported", async () => {
    const { session, service } = await open();
    await session.putRule({ name: "orders", contentType: "text/n3", content: `${PREFIXES}{ ?o a e:Order } => { ?o e:task e:Pack } .` });
    const query = all("e:task");
    await publish(session, "e:o1 a e:Order .");
    expect(await session.tryRemove({ query })).toMatchObject({ nothingAsserted: true });
    const waiting = session.remove({ query });
    await settled(session);
    expect(service.figures().waits).toBe(1);
    await publish(session, "e:o1 e:task e:Pack .");
    const taken = await waiting;
    expect(taken).toMatchObject({ stillEntailedCount: 1 });
    expect(lines(taken.result?.ntriples)).toEqual(["e:o1 e:task e:Pack"]);
    expect(await graph(session, "CONSTRUCT { ?o e:task ?t } WHERE { ?o e:task ?t }")).toEqual(["e:o1 e:task e:Pack"]);
    expect(await session.tryRemove({ query })).toMatchObject({ nothingAsserted: true });
    // The way for tasks that follow from data: an insertion of mode once states each of them, once.
    await session.deleteRule("orders");
    await session.registerInsertion({ query: `${PREFIXES}CONSTRUCT { ?o e:task e:Pack } WHERE { ?o a e:Order }`, mode: "once" });
    await publish(session, "e:o2 a e:Order . e:o3 a e:Order .");
    const handedOut: string[] = [];
    for (let n = 0; n < 2; n++) handedOut.push(...lines((await session.remove({ query: `${query} LIMIT 1` })).result?.ntriples));
    expect(handedOut.sort()).toEqual(["e:o2 e:task e:Pack", "e:o3 e:task e:Pack"]);
    expect((await session.tryRemove({ query })).result).toBeUndefined();
  });
});

describe("who does not answer", () => {
  it("P76: a request to a partner that is gone ends at its deadline with nothing, and the wait is gone", async () => {
    const clock = new ManualClock();
    const { url, session, service } = await listen({ clock });
    const responder = await RawSocket.open(url);
    await responder.ask({ id: "s", op: "subscribe", query: all("e:request") });
    responder.socket.terminate();
    await publish(session, "e:r1 e:request e:price .");
    const answer = fetch(`${url}/receive?timeout=2000`, {
      method: "POST",
      headers: { "content-type": "application/sparql-query" },
      body: `${PREFIXES}CONSTRUCT { e:r1 e:answer ?a } WHERE { e:r1 e:answer ?a }`,
    });
    await until(() => service.figures().waits === 1);
    clock.advance(2_000);
    expect((await answer).status).toBe(204);
    expect(service.figures().waits).toBe(0);
  });

  it("P76: with 5,000 waits open, a publish wakes those it concerns and touches no other", async () => {
    const { session, service } = await open();
    const own = (n: number): string => `${PREFIXES}CONSTRUCT { e:r${n} e:answer ?a } WHERE { e:r${n} e:answer ?a }`;
    const waits = Array.from({ length: 5_000 }, (_, n) => session.receive({ query: own(n) }));
    const ends = Promise.allSettled(waits);
    await settled(session);
    expect(service.figures()).toMatchObject({ waits: 5_000 });
    const told = await subscribed(session, "CONSTRUCT { ?r e:answer ?a } WHERE { ?r e:answer ?a }");
    await publish(session, "e:r17 e:answer e:yes .");
    expect(lines((await waits[17]).result?.ntriples)).toEqual(["e:r17 e:answer e:yes"]);
    expect(told.added).toEqual(["e:r17 e:answer e:yes"]);
    expect(await ask(session, `e:r17 e:answer e:yes . FILTER NOT EXISTS { ?x ${A} e:Task }`)).toBe(true);
    expect(service.figures().waits).toBe(4_999);
    session.close();
    expect((await ends).filter(({ status }) => status === "rejected").length).toBe(4_999);
  });
});
