import { describe, expect, it } from "vitest";
import { E, Inbox, like, lines, open, settled, TASK, task, triple } from "./knowledge-base.fixture.ts";

type Session = Awaited<ReturnType<typeof open>>["session"];
const present = async (session: Session): Promise<string[]> =>
  lines((await session.query({ query: TASK.replace(" LIMIT 1", "") })).graph?.ntriples).map((line) => `${line}\n`);
const lease = (session: Session, leaseMs = 60_000) => session.remove({ query: TASK, leaseMs });

describe("leases", () => {
  it("an unconfirmed claim returns in its graph, counted, and is told to subscribers", async () => {
    const { session, clock } = await open();
    await session.publish({ data: triple("a", "p", "b"), graph: `${E}g` });
    const inbox = new Inbox();
    const query = `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${E}g> { ?s ?p ?o } }`;
    await session.subscribe({ query, removals: true }, inbox);
    const { claim, deliveries } = await session.remove({ query, graph: `${E}g`, leaseMs: 1_000 });
    expect(deliveries).toBe(1);
    clock.advance(1_000);
    await settled(session);
    expect(inbox.all.map(({ added, removed }) => [added, removed])).toEqual([
      ["", triple("a", "p", "b")],
      [triple("a", "p", "b"), ""],
    ]);
    await expect(session.confirm(claim as string)).rejects.toMatchObject({ code: "SENS_CLAIM_EXPIRED" });
    expect(await session.remove({ query, graph: `${E}g`, leaseMs: 1_000 })).toMatchObject({ deliveries: 2 });
  });

  it("P106: what a lost connection held returns after 5 s, before newer items, marked", async () => {
    const { kb, session, clock } = await open();
    await session.publish({ data: [1, 2, 3, 4, 5].map(task).join("") });
    const worker = kb.openSession();
    for (let n = 0; n < 5; n++) await lease(worker);
    await session.publish({ data: [6, 7].map(task).join("") });
    worker.close();
    clock.advance(4_999);
    await settled(session);
    expect(await present(session)).toHaveLength(2);
    clock.advance(1);
    await settled(session);
    const order: [string | undefined, number | undefined][] = [];
    for (let n = 0; n < 7; n++) {
      const { result, deliveries } = await lease(session);
      order.push([result?.ntriples, deliveries]);
    }
    expect(order).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => [task(n), n <= 5 ? 2 : 1]));
  });

  it("a lost connection does not lengthen what is left of a lease", async () => {
    const { kb, session, clock } = await open();
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    await lease(worker, 6_000);
    clock.advance(5_000);
    worker.close();
    clock.advance(999);
    await settled(session);
    expect(await present(session)).toEqual([]);
    clock.advance(1);
    await settled(session);
    expect(await present(session)).toEqual([task(1)]);
  });

  it("a lost connection does not put off the return of a claim whose lease has ended", async () => {
    const { kb, session, clock } = await open();
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    await lease(worker, 6_000);
    clock.advance(6_000);
    worker.close();
    await settled(session);
    expect(await present(session)).toEqual([task(1)]);
  });

  it("a claim extended or confirmed over another connection stays away", async () => {
    const { kb, session, clock } = await open();
    await session.publish({ data: task(1) + task(2) });
    const worker = kb.openSession();
    const [one, two] = [await lease(worker), await lease(worker)];
    worker.close();
    await session.extend(one.claim as string);
    await session.confirm(two.claim as string);
    clock.advance(59_999);
    await settled(session);
    expect(await present(session)).toEqual([]);
    clock.advance(1);
    await settled(session);
    expect(await present(session)).toEqual([task(1)]);
  });

  it("a repeated confirm is not refused", async () => {
    const { session } = await open();
    await session.publish({ data: task(1) });
    const { claim } = await lease(session);
    await session.confirm(claim as string);
    await session.confirm(claim as string);
    await expect(session.confirm("none")).rejects.toMatchObject({ code: "SENS_CLAIM_EXPIRED" });
    await expect(session.extend(claim as string)).rejects.toMatchObject({ code: "SENS_CLAIM_EXPIRED" });
  });

  it("after ten deliveries it is a dead letter, outside the quads", async () => {
    const { kb, session } = await open();
    await session.publish({ data: task(1) });
    for (let n = 1; n <= 10; n++) {
      const { claim, deliveries } = await lease(session);
      expect(deliveries).toBe(n);
      await session.release(claim as string);
    }
    expect(await present(session)).toEqual([]);
    expect(kb.figures()).toMatchObject({ dead_letters: 1, dead_letters_total: 1, claims: 0 });
  });

  it("only what is absent returns, and a retraction, CLEAR or DELETE DATA reaches what is claimed", async () => {
    for (const reach of [
      (session: Session) => session.retract({ data: task(1) }),
      (session: Session) => session.update({ update: "CLEAR DEFAULT" }),
      (session: Session) => session.update({ update: `DELETE DATA { <${E}1> a <${E}Task> }` }),
      (session: Session) => session.putGraph({ data: "" }),
    ]) {
      const { session } = await open();
      await session.publish({ data: task(1) });
      const { claim } = await lease(session);
      await reach(session);
      await session.release(claim as string);
      expect(await present(session)).toEqual([]);
    }
    const { session } = await open();
    await session.publish({ data: task(1) });
    const { claim } = await lease(session);
    await session.publish({ data: task(1) });
    const { revision } = await session.publish({ data: task(1) });
    await session.release(claim as string);
    expect((await session.publish({ data: "" })).revision).toBe(revision);
  });

  it("a lease that is no lease is refused", async () => {
    const { session } = await open();
    for (const leaseMs of [0, -1, 3_600_001, Number.NaN])
      await expect(lease(session, leaseMs)).rejects.toMatchObject({ code: "SENS_LIMIT" });
  });

  it("what was taken without a lease does not come back", async () => {
    const { kb, session, clock } = await open();
    await session.publish({ data: task(1) });
    const worker = kb.openSession();
    await worker.remove({ query: TASK });
    worker.close();
    clock.advance(4_000_000);
    await settled(session);
    expect(await present(session)).toEqual([]);
    expect((await session.query({ query: like("p") })).graph?.size).toBe(0);
  });
});
