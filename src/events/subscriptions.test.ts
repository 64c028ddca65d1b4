import { describe, expect, it } from "vitest";
import { SensError } from "../base/index.ts";
import { E, Inbox, like, lines, open, outcomeOf, settled, triple, UnreliableLog, until } from "./knowledge-base.fixture.ts";

const NODES = `CONSTRUCT { [] <${E}of> ?s ; <${E}value> ?o } WHERE { ?s <${E}p> ?o }`;

describe("the result graph is a set", () => {
  it("P28: three readings are told once, two gone are silence, the last is gone", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?s <${E}active> true } WHERE { ?s <${E}reading> ?v }`, removals: true }, inbox);
    for (const value of ["1", "2", "3"]) await session.publish({ data: triple("s", "reading", `"${value}"`) });
    await session.retract({ data: triple("s", "reading", '"1"') + triple("s", "reading", '"2"') });
    expect(inbox.all).toHaveLength(1);
    await session.retract({ data: triple("s", "reading", '"3"') });
    expect(inbox.all.map(({ added, removed }) => [lines(added).length, lines(removed).length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("P29: an unchanged solution is an unchanged blank node", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    await session.subscribe({ query: NODES, removals: true }, inbox);
    await session.publish({ data: triple("b", "p", '"1"') });
    await session.publish({ data: triple("a", "p", '"1"') });
    expect(inbox.all.map(({ removed }) => removed)).toEqual(["", ""]);
    const labels = inbox.all.map(({ added }) => new Set(lines(added).map((line) => line.split(" ")[0])));
    expect(labels.map((set) => set.size)).toEqual([1, 1]);
    expect([...labels[0]]).not.toEqual([...labels[1]]);
    const again = new Inbox();
    await session.subscribe({ query: NODES, initial: true }, again);
    expect(lines((await again.next()).added)).toEqual(lines(inbox.all.map(({ added }) => added).join("")));
  });

  it("P55: the optional part that comes later is told, what was told is not repeated", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    const query = `CONSTRUCT { ?s <${E}name> ?n . ?s <${E}event> ?e } WHERE { ?s <${E}name> ?n OPTIONAL { ?s <${E}event> ?e } }`;
    await session.subscribe({ query, removals: true }, inbox);
    await session.publish({ data: triple("a", "name", '"Ann"') });
    await session.publish({ data: triple("a", "event", "e") });
    await session.retract({ data: triple("a", "event", "e") });
    expect(inbox.all.map(({ added, removed }) => [added, removed])).toEqual([
      [triple("a", "name", '"Ann"'), ""],
      [triple("a", "event", "e"), ""],
      ["", triple("a", "event", "e")],
    ]);
  });

  it("P56: told exactly when the same query asked ad hoc changes, for all four uses of graphs", async () => {
    const queries = [like("p"), `CONSTRUCT { ?s <${E}p> ?o } WHERE { GRAPH <${E}g> { ?s <${E}p> ?o } }`];
    for (const defaultGraph of ["own", "union"] as const)
      for (const query of queries)
        for (const graph of [undefined, `${E}g`]) {
          const { session } = await open({ defaultGraph });
          const inbox = new Inbox();
          await session.subscribe({ query }, inbox);
          await session.publish({ data: triple("a", "p", "b"), ...(graph === undefined ? {} : { graph }) });
          const adHoc = (await session.query({ query })).graph?.ntriples;
          expect(inbox.all.map(({ added }) => added).join("")).toBe(adHoc);
        }
  });

  it("P65: nobody is told of the loss of what it never had", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    await session.subscribe({ query: `CONSTRUCT { ?s <${E}v> ?v } WHERE { ?s <${E}v> ?v FILTER(?v > 10) }`, removals: true }, inbox);
    const value = (n: number): string => triple("a", "v", `"${n}"^^<http://www.w3.org/2001/XMLSchema#integer>`);
    await session.publish({ data: value(5) });
    await session.retract({ data: value(5) });
    expect(inbox.all).toEqual([]);
    await session.publish({ data: value(15) });
    await session.update({ update: `DELETE { ?s <${E}v> ?v } INSERT { ?s <${E}v> 5 } WHERE { ?s <${E}v> ?v }` });
    expect(inbox.all.map(({ added, removed }) => [lines(added).length, lines(removed).length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("whole solutions are delivered with their context when asked for", async () => {
    const { session } = await open();
    const inbox = new Inbox();
    const query = `CONSTRUCT { ?p <${E}name> ?n ; <${E}knows> ?k } WHERE { ?p <${E}name> ?n ; <${E}knows> ?k }`;
    await session.subscribe({ query, deliver: "solutions", removals: true }, inbox);
    await session.publish({ data: triple("a", "name", '"Ann"') + triple("a", "knows", "b") + triple("a", "knows", "c") });
    expect(lines(inbox.all[0].added)).toHaveLength(3);
    await session.publish({ data: triple("a", "knows", "d") });
    expect(lines(inbox.all[1].added)).toEqual(lines(triple("a", "name", '"Ann"') + triple("a", "knows", "d")));
  });

  it("the size of a result counts a triple that solutions share once, also after a commit was taken back", async () => {
    const unreliable = new UnreliableLog();
    const { session } = await open({ log: unreliable.log });
    const query = `CONSTRUCT { ?p <${E}name> ?n ; <${E}knows> ?k } WHERE { ?p <${E}name> ?n ; <${E}knows> ?k }`;
    await session.publish({ data: triple("a", "name", '"Ann"') + triple("a", "knows", "b") + triple("a", "knows", "c") });
    const { subscription } = await session.subscribe({ query, deliver: "solutions" });
    const size = async (): Promise<number> => {
      await settled(session);
      return session.subscription(subscription).resultSize;
    };
    expect(await size()).toBe(3);
    await session.publish({ data: triple("a", "knows", "d") });
    expect(await size()).toBe(4);
    unreliable.failures.push(new SensError("SENS_STORAGE_FULL", "The disk is full."));
    expect(await outcomeOf(session.publish({ data: triple("a", "knows", "e") }))).toBe("SENS_STORAGE_FULL");
    expect(await size()).toBe(4);
    await session.retract({ data: triple("a", "knows", "b") });
    expect(await size()).toBe(3);
    await session.retract({ data: triple("a", "name", '"Ann"') });
    expect(await size()).toBe(0);
  });
});

describe("one point in time", () => {
  it("P59: initial results and what follows have every number exactly once", async () => {
    const { session } = await open();
    const inboxes: Inbox[] = [];
    const publishes: Promise<unknown>[] = [];
    const subscribes: Promise<unknown>[] = [];
    for (let n = 0; n < 300; n++) {
      publishes.push(session.publish({ data: triple("a", "p", `"${n}"`) }));
      if (n % 10 === 3) {
        const inbox = new Inbox();
        inboxes.push(inbox);
        subscribes.push(session.subscribe({ query: like("p"), initial: true }, inbox));
      }
      if (n % 7 === 0) await Promise.resolve();
    }
    await Promise.all([...publishes, ...subscribes]);
    for (const inbox of inboxes) {
      const told = inbox.all.flatMap(({ added }) => lines(added));
      expect(told).toHaveLength(300);
      expect(new Set(told).size).toBe(300);
      const revisions = inbox.all.map(({ cursor }) => Number(cursor.split(":")[1]));
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    }
  });

  it("P61: what is refused or changes nothing is met with silence", async () => {
    const { session } = await open();
    await session.publish({ data: triple("a", "p", "b") });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p"), removals: true }, inbox);
    await session.publish({ data: triple("a", "p", "b") });
    await outcomeOf(session.publish({ data: "<broken" }));
    await session.update({ update: `INSERT DATA { <${E}a> <${E}p> <${E}c> } ; DELETE DATA { <${E}a> <${E}p> <${E}c> }` });
    await settled(session);
    expect(inbox.all).toEqual([]);
  });

  it("P62: every way of writing gives the same delta", async () => {
    const write: Record<string, (session: Awaited<ReturnType<typeof open>>["session"]) => Promise<unknown>> = {
      publish: (session) => session.publish({ data: triple("a", "p", "b") }),
      turtle: (session) => session.publish({ data: `@prefix e: <${E}> . e:a e:p e:b .`, contentType: "text/turtle" }),
      update: (session) => session.update({ update: `INSERT DATA { <${E}a> <${E}p> <${E}b> }` }),
      putGraph: (session) => session.putGraph({ data: triple("a", "p", "b") }),
      ontology: (session) => session.putOntology({ name: "o", contentType: "text/turtle", content: triple("a", "p", "b") }),
      insertion: async (session) => {
        await session.registerInsertion({ query: `CONSTRUCT { <${E}a> <${E}p> ?o } WHERE { ?s <${E}x> ?o }` });
        await session.publish({ data: triple("s", "x", "b") });
      },
      once: async (session) => {
        await session.registerInsertion({ query: `CONSTRUCT { <${E}a> <${E}p> ?o } WHERE { ?s <${E}x> ?o }`, mode: "once" });
        await session.publish({ data: triple("s", "x", "b") });
        await settled(session);
      },
      rule: async (session) => {
        await session.putRule({ name: "r", contentType: "text/n3", content: `{ ?s <${E}x> ?o } => { <${E}a> <${E}p> ?o } .` });
        await session.publish({ data: triple("s", "x", "b") });
      },
    };
    for (const [way, run] of Object.entries(write)) {
      const { session } = await open();
      const inbox = new Inbox();
      await session.subscribe({ query: like("p"), removals: true }, inbox);
      await run(session);
      expect(
        inbox.all.map(({ added, removed }) => [added, removed]),
        way,
      ).toEqual([[triple("a", "p", "b"), ""]]);
    }
  });

  it("P64: what cannot stand is refused before anything is registered", async () => {
    const { kb, session } = await open();
    const inbox = new Inbox();
    await session.subscribe({ query: like("p") }, inbox);
    for (const query of [
      "",
      "ASK { ?s ?p ?o }",
      "DESCRIBE <http://e/x>",
      "DROP ALL",
      "SELECT * { ?s ?p ?o }",
      "CONSTRUCT { ?s",
      `CONSTRUCT { ?s <${E}p> ?o } WHERE { SERVICE <http://e/> { ?s <${E}p> ?o } }`,
      `CONSTRUCT { ?s <${E}p> ?t } WHERE { ?s <${E}p> ?o BIND(NOW() AS ?t) }`,
    ])
      await expect(session.subscribe({ query })).rejects.toHaveProperty("code");
    expect(kb.figures()).toMatchObject({ subscriptions: 1, standing_queries: 1 });
    await session.publish({ data: triple("a", "p", "b") });
    expect(inbox.all).toHaveLength(1);
  });

  it("P68: ten share one evaluation, nine leave, the tenth is told everything once, then nothing is left", async () => {
    const { kb, session, clock } = await open();
    const others = Array.from({ length: 9 }, () => kb.openSession());
    const answers = [];
    for (const [n, other] of others.entries())
      answers.push(await other.subscribe({ query: like("p").replaceAll("?o", `?x${n}`) }, new Inbox()));
    const inbox = new Inbox();
    const tenth = await session.subscribe({ query: like("p") }, inbox);
    expect(kb.figures()).toMatchObject({ subscriptions: 10, standing_queries: 1 });
    for (const [n, other] of others.entries()) {
      if (n % 2 === 0) other.close();
      else await other.unsubscribe(answers[n].subscription);
    }
    clock.advance(300_000);
    await settled(session);
    expect(kb.figures()).toMatchObject({ subscriptions: 1, standing_queries: 1 });
    await session.publish({ data: triple("a", "p", "b") });
    expect(inbox.all).toHaveLength(1);
    await session.unsubscribe(tenth.subscription);
    await settled(session);
    expect(kb.figures()).toMatchObject({ subscriptions: 0, standing_queries: 0 });
    expect(inbox.ended?.code).toBe("SENS_NOT_FOUND");
  });
});

describe("names and resume", () => {
  it("a name stands wherever an id is asked for", async () => {
    const { session } = await open();
    const made = await session.subscribe({ query: like("p"), name: "mine" });
    await session.publish({ data: triple("a", "p", "b") });
    expect(session.subscription("mine")).toEqual(session.subscription(made.subscription));
    expect(session.result("mine").graph.size).toBe(1);
    const inbox = new Inbox();
    expect(await session.attach("mine", inbox, { from: made.cursor })).toMatchObject({ subscription: made.subscription });
    expect((await inbox.next()).added).toBe(triple("a", "p", "b"));
    const insertion = await session.registerInsertion({ query: `CONSTRUCT { ?o <${E}q> ?s } WHERE { ?s <${E}p> ?o }`, name: "mine" });
    expect(session.insertion("mine")).toEqual(session.insertion(insertion.insertion));
    await session.unregisterInsertion("mine");
    await session.unsubscribe("mine");
    expect([session.subscriptions(), session.insertions()]).toEqual([[], []]);
    await expect(session.unsubscribe("mine")).rejects.toMatchObject({ code: "SENS_NOT_FOUND" });
  });

  it("several sinks of one name each receive everything", async () => {
    const { kb, session } = await open();
    const [one, two] = [new Inbox(), new Inbox()];
    const first = await session.subscribe({ query: like("p"), name: "n" }, one);
    const second = await kb.openSession().subscribe({ query: like("p"), name: "n", removals: true }, two);
    expect(second.subscription).toBe(first.subscription);
    await session.publish({ data: triple("a", "p", "b") });
    await session.retract({ data: triple("a", "p", "b") });
    expect(one.all.map(({ added }) => added)).toEqual([triple("a", "p", "b")]);
    expect(two.all).toHaveLength(2);
    await expect(session.subscribe({ query: like("q"), name: "n" })).rejects.toMatchObject({ code: "SENS_SUBSCRIPTION_CONFLICT" });
  });

  it("from replays one notification per missed revision, then goes on", async () => {
    for (const name of [undefined, "n"]) {
      const { kb, session } = await open();
      const { subscription, cursor } = await session.subscribe({ query: like("p"), name, removals: true });
      await session.publish({ data: triple("a", "p", '"1"') });
      await session.publish({ data: triple("a", "q", '"silent"') });
      await session.publish({ data: triple("a", "p", '"2"') });
      await session.retract({ data: triple("a", "p", '"1"') });
      const inbox = new Inbox();
      const attaching = session.attach(subscription, inbox, { from: cursor });
      const publishing = session.publish({ data: triple("a", "p", '"3"') });
      await Promise.all([attaching, publishing]);
      await until(() => inbox.all.length >= 4);
      expect(inbox.all.map(({ added, removed }) => added + removed)).toEqual(['"1"', '"2"', '"1"', '"3"'].map((o) => triple("a", "p", o)));
      expect(inbox.all.map(({ cursor: at }) => Number(at.split(":")[1]))).toEqual([1, 3, 4, 5]);
      expect(kb.cursor().endsWith(":5")).toBe(true);
    }
  });

  it("cursors that are none, foreign, of the future or too old are refused, and a reset sends everything", async () => {
    const { kb, session } = await open();
    await session.publish({ data: triple("a", "p", '"0"') });
    const [epoch] = kb.cursor().split(":");
    const early = kb.cursor();
    await session.publish({ data: triple("a", "p", '"1"') });
    const { subscription } = await session.subscribe({ query: like("p") });
    for (const [from, code] of [
      ["nonsense", "SENS_CURSOR_INVALID"],
      [`${epoch}:-1`, "SENS_CURSOR_INVALID"],
      ["f00d:1", "SENS_CURSOR_FOREIGN"],
      [`${epoch}:99`, "SENS_CURSOR_FUTURE"],
      [early, "SENS_CURSOR_EXPIRED"],
    ])
      await expect(session.attach(subscription, new Inbox(), { from }), from).rejects.toMatchObject({ code });
    const inbox = new Inbox();
    await session.attach(subscription, inbox, { from: early, reset: true });
    expect(await inbox.next()).toMatchObject({ initial: true });
    expect(lines(inbox.all[0].added)).toHaveLength(2);
  });

  it("one that would begin after the cursor it shall resume from is refused, and not made", async () => {
    const { kb, session } = await open();
    const early = kb.cursor();
    await session.publish({ data: triple("a", "p", '"0"') });
    for (const name of ["n", undefined])
      await expect(session.subscribe({ query: like("p"), name, from: early }, new Inbox())).rejects.toMatchObject({
        code: "SENS_CURSOR_EXPIRED",
      });
    expect(session.subscriptions()).toEqual([]);
    expect(kb.figures()).toMatchObject({ subscriptions: 0 });
    const inbox = new Inbox();
    await session.subscribe({ query: like("p"), name: "n", from: early, reset: true }, inbox);
    expect(await inbox.next()).toMatchObject({ initial: true });
  });

  it("an unnamed one outlives its last sink by five minutes, a named one for ever", async () => {
    const { kb, session, clock } = await open();
    const inbox = new Inbox();
    const unnamed = await session.subscribe({ query: like("p") }, inbox);
    const named = await session.subscribe({ query: like("p"), name: "n" }, inbox);
    session.detach(unnamed.subscription, inbox);
    session.detach(named.subscription, inbox);
    clock.advance(299_999);
    await settled(session);
    expect(kb.figures().subscriptions).toBe(2);
    const back = new Inbox();
    await session.attach(unnamed.subscription, back, { from: unnamed.cursor });
    clock.advance(1_000_000);
    await settled(session);
    expect(kb.figures().subscriptions).toBe(2);
    session.detach(unnamed.subscription, back);
    clock.advance(300_000);
    await settled(session);
    expect(session.subscriptions().map((status) => status.name)).toEqual(["n"]);
  });

  it("its status says what was told last, how often, and how large the result is (P122)", async () => {
    const { session } = await open();
    const { subscription } = await session.subscribe({ query: like("p") }, new Inbox());
    await session.publish({ data: triple("a", "p", "b") });
    const { cursor } = await session.publish({ data: triple("a", "p", "c") });
    expect(session.subscription(subscription)).toMatchObject({
      mode: "incremental",
      attached: 1,
      notified: 2,
      resultSize: 2,
      lastNotified: cursor,
      query: like("p"),
    });
    expect(lines(session.result(subscription).graph.ntriples)).toHaveLength(2);
  });
});

describe("what the engine cannot maintain", () => {
  const PATH = `CONSTRUCT { ?a <${E}reach> ?b } WHERE { ?a (<${E}p>|<${E}q>)+ ?b }`;

  it("is evaluated again after relevant changes only, and told as a difference", async () => {
    const { kb, session } = await open();
    const inbox = new Inbox();
    const answer = await session.subscribe({ query: PATH, removals: true }, inbox);
    expect(answer.mode).toBe("re-evaluated");
    expect(answer.why).not.toBe("");
    const evaluations = (): number => kb.figures().re_evaluations_total;
    const before = evaluations();
    await session.publish({ data: triple("x", "unrelated", "y") });
    expect(evaluations()).toBe(before);
    await session.publish({ data: triple("a", "p", "b") });
    await session.publish({ data: triple("b", "q", "c") });
    await session.retract({ data: triple("a", "p", "b") });
    expect(inbox.all.map(({ added, removed }) => [lines(added).length, lines(removed).length])).toEqual([
      [1, 0],
      [2, 0],
      [0, 2],
    ]);
    expect(lines(session.result(answer.subscription).graph.ntriples)).toEqual(lines(triple("b", "reach", "c")));
  });

  it("waits on it are answered", async () => {
    const { session } = await open();
    const receiving = session.receive({ query: PATH });
    await settled(session);
    await session.publish({ data: triple("a", "p", "b") });
    expect((await receiving).result?.size).toBe(1);
  });

  it("its kept result falls back with a refused group", async () => {
    const unreliable = new UnreliableLog();
    const { session } = await open({ log: unreliable.log });
    const inbox = new Inbox();
    const { subscription } = await session.subscribe({ query: PATH }, inbox);
    const { SensError } = await import("../base/index.ts");
    unreliable.failures.push(new SensError("SENS_STORAGE_FULL", "The disk is full."));
    await outcomeOf(session.publish({ data: triple("a", "p", "b") }));
    expect(session.result(subscription).graph.size).toBe(0);
    await session.publish({ data: triple("a", "p", "b") });
    expect(inbox.all).toHaveLength(1);
  });
});

describe("a notification to very many", () => {
  const COUNT = 3_000;

  it("lets others have their turn, and everybody still gets everything once and in order", async () => {
    const { kb, session } = await open();
    const inboxes = Array.from({ length: COUNT }, () => new Inbox());
    const { subscription } = await session.subscribe({ query: like("p") }, inboxes[0]);
    for (const inbox of inboxes.slice(1)) await session.attach(subscription, inbox);
    const told = (): number => inboxes.filter(({ all }) => all.length > 0).length;
    const publishing = [session.publish({ data: triple("a", "p", "b") }), session.publish({ data: triple("a", "p", "c") })];
    await until(() => told() > 0);
    expect(told()).toBeLessThan(COUNT);
    // Readers are where the sinks are told to be, not further.
    expect(kb.cursor()).toBe(inboxes[0].all[0].cursor);
    expect(lines(session.result(subscription).graph.ntriples)).toHaveLength(1);
    session.detach(subscription, inboxes[COUNT - 1]);
    const late = new Inbox();
    const attaching = session.attach(subscription, late, { initial: true });
    const [first, second] = await Promise.all(publishing);
    await attaching;
    await settled(session);
    expect(inboxes[COUNT - 1].all).toEqual([]);
    for (const { all } of inboxes.slice(0, -1)) expect(all.map(({ cursor }) => cursor)).toEqual([first.cursor, second.cursor]);
    expect(late.all.map(({ added, initial }) => [lines(added).length, initial])).toEqual([[2, true]]);
    await kb.close();
  });

  it("is complete before an unsubscribe ends it, for many subscriptions of one query as for many sinks", async () => {
    const { session } = await open();
    const inboxes = Array.from({ length: COUNT }, () => new Inbox());
    const ids: string[] = [];
    for (const inbox of inboxes) ids.push((await session.subscribe({ query: like("p") }, inbox)).subscription);
    const publishing = session.publish({ data: triple("a", "p", "b") });
    await until(() => inboxes[0].all.length > 0);
    expect(inboxes.at(-1)?.all).toEqual([]);
    await session.unsubscribe(ids[COUNT - 1]);
    await publishing;
    expect(inboxes.at(-1)).toMatchObject({ ended: { code: "SENS_NOT_FOUND" } });
    for (const { all } of inboxes) expect(all).toHaveLength(1);
  });
});
