/** What the SDK promises when lines are cut, servers restart and answers are lost. Cases P70, P103, P121. */
import { describe, expect, it } from "vitest";
import { SensError } from "../../src/base/index.ts";
import type { ConnectionStatus, Notification, Subscription } from "../../src/client/index.ts";
import { type ScriptedConnection, ScriptedServer, type SentFrame } from "./scripted-server.ts";

const QUERY = "CONSTRUCT WHERE { ?s ?p ?o }";
const line = (n: number): string => `<urn:s${n}> <urn:p> "${n}" .\n`;
const CHANGED = { cursor: "e:1", revision: 1, added: 1, removed: 0, derivedAdded: 0, derivedRemoved: 0 };

async function subscribed(server: ScriptedServer, subscribing: Promise<Subscription>, id = "s1", cursor = "e:0"): Promise<Subscription> {
  const connection = server.current;
  connection.answer(await connection.request("subscribe"), { subscription: id, cursor, mode: "incremental" });
  return subscribing;
}

function notify(connection: ScriptedConnection, revision: number, more: object = {}, subscription = "s1"): void {
  connection.say({ type: "notification", subscription, cursor: `e:${revision}`, added: line(revision), ...more });
}

function collector(): {
  readonly seen: Notification[];
  readonly count: (n: number) => Promise<void>;
  readonly on: (n: Notification) => void;
} {
  const seen: Notification[] = [];
  let check: () => void = () => undefined;
  return {
    seen,
    on: (notification) => {
      seen.push(notification);
      check();
    },
    count: (n) =>
      new Promise((resolve) => {
        check = () => seen.length >= n && resolve();
        check();
      }),
  };
}

describe("subscriptions over lost connections", () => {
  it("resumes by id from the last cursor, and drops what is replayed twice", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const news = collector();
    await subscribed(server, client.subscribe(QUERY, { onNotification: news.on }));
    notify(server.current, 1);
    notify(server.current, 2);
    const again = await server.reconnected();
    const attach = await again.request("attach");
    expect(attach).toMatchObject({ subscription: "s1", from: "e:2", reset: true });
    again.answer(attach, { subscription: "s1", cursor: "e:2", mode: "incremental" });
    notify(again, 2);
    notify(again, 3);
    await news.count(3);
    expect(news.seen.map((n) => n.cursor)).toEqual(["e:1", "e:2", "e:3"]);
    expect(news.seen.every((n) => !n.reset && !n.initial)).toBe(true);
    client.close();
  });

  it("subscribes anew when a restarted server does not know the id, and shows the whole result as a reset", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const news = collector();
    const subscription = await subscribed(server, client.subscribe(QUERY, { onNotification: news.on, removals: true }));
    notify(server.current, 1);
    const again = await server.reconnected();
    again.refuse(await again.request("attach"), "SENS_NOT_FOUND");
    const foreign = await again.request("subscribe");
    expect(foreign).toMatchObject({ query: QUERY, from: "e:1", reset: true, removals: true });
    again.refuse(foreign, "SENS_CURSOR_FOREIGN");
    const whole = await again.request("subscribe");
    expect(whole).toMatchObject({ query: QUERY, initial: true, removals: true });
    again.answer(whole, { subscription: "t9", cursor: "f:0", mode: "incremental" });
    again.say({ type: "notification", subscription: "t9", cursor: "f:0", initial: true, added: line(1) + line(7) });
    again.say({ type: "notification", subscription: "t9", cursor: "f:1", added: line(8) });
    await news.count(3);
    expect(news.seen.map((n) => [n.cursor, n.reset, n.added.length])).toEqual([
      ["e:1", false, 1],
      ["f:0", true, 2],
      ["f:1", false, 1],
    ]);
    expect(subscription.id).toBe("t9");
    client.close();
  });

  it("asks for the initial result again when the line was cut before it came, and calls it initial", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const news = collector();
    await subscribed(server, client.subscribe(QUERY, { onNotification: news.on, initial: true }));
    const again = await server.reconnected();
    const attach = await again.request("attach");
    expect(attach).toMatchObject({ subscription: "s1", initial: true });
    again.answer(attach, { subscription: "s1", cursor: "e:4", mode: "incremental" });
    notify(again, 4, { initial: true });
    await news.count(1);
    expect(news.seen[0]).toMatchObject({ initial: true, reset: false });
    client.close();
  });

  it("three subscriptions and a blocked receive survive a cut, each change arriving once", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const all = [collector(), collector(), collector()];
    for (const [i, news] of all.entries()) await subscribed(server, client.subscribe(QUERY, { onNotification: news.on }), `s${i}`);
    const waiting = client.receive(QUERY, { timeoutMs: 60_000 });
    await server.current.request("receive");
    server.clock.advance(10_000);
    const again = await server.reconnected();
    for (let i = 0; i < 3; i++) {
      const attach = await again.request("attach");
      again.answer(attach, { subscription: attach.subscription, cursor: "e:0", mode: "incremental" });
      notify(again, 1, {}, attach.subscription as string);
    }
    const resent = await again.request("receive");
    expect(resent.timeout).toBeLessThanOrEqual(50_000);
    again.answer(resent, { result: line(1), size: 1, cursor: "e:1" });
    expect((await waiting)?.quads).toHaveLength(1);
    await Promise.all(all.map((news) => news.count(1)));
    expect(all.map((news) => news.seen.length)).toEqual([1, 1, 1]);
    client.close();
  });

  it("a subscription the server ended for slowness is taken up again from its cursor", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const news = collector();
    await subscribed(server, client.subscribe(QUERY, { onNotification: news.on }));
    notify(server.current, 1);
    server.current.say({ type: "end", subscription: "s1", error: { code: "SENS_SLOW_CONSUMER", detail: "slow" } });
    server.clock.advance(1_000);
    expect(await server.current.request("attach")).toMatchObject({ from: "e:1" });
    client.close();
  });

  it("a refusal that no retry mends ends the subscription with its error", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const subscription = await subscribed(server, client.subscribe(QUERY));
    server.current.say({ type: "end", subscription: "s1", error: { code: "SENS_LIMIT", detail: "too many rows" } });
    await expect(subscription[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "SENS_LIMIT" });
    expect(await subscription.done).toMatchObject({ code: "SENS_LIMIT" });
    client.close();
  });
});

describe("slow consumers", () => {
  it("detach when the queue is full, and fetch the rest by cursor: nothing is missed, nothing twice", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const subscription = await subscribed(server, client.subscribe(QUERY, { queueLengthMax: 2 }));
    for (let revision = 1; revision <= 4; revision++) notify(server.current, revision);
    expect(await server.current.request("detach")).toMatchObject({ subscription: "s1" });
    const iterator = subscription[Symbol.asyncIterator]();
    const seen = [(await iterator.next()).value?.cursor];
    const attach = await server.current.request("attach");
    expect(attach).toMatchObject({ from: "e:2", reset: true });
    server.current.answer(attach, { subscription: "s1", cursor: "e:2", mode: "incremental" });
    seen.push((await iterator.next()).value?.cursor);
    for (let revision = 3; revision <= 4; revision++) notify(server.current, revision);
    seen.push((await iterator.next()).value?.cursor, (await iterator.next()).value?.cursor);
    expect(seen).toEqual(["e:1", "e:2", "e:3", "e:4"]);
    expect(subscription.cursor).toBe("e:4");
    client.close();
  });

  it("end with SENS_SLOW_CONSUMER after what is queued, when they asked for that", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const subscription = await subscribed(server, client.subscribe(QUERY, { queueLengthMax: 1, onOverflow: "error" }));
    for (let revision = 1; revision <= 3; revision++) notify(server.current, revision);
    const iterator = subscription[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.cursor).toBe("e:1");
    await expect(iterator.next()).rejects.toMatchObject({ code: "SENS_SLOW_CONSUMER" });
    expect((await iterator.next()).done).toBe(true);
    client.close();
  });

  it.each(["before", "after"])("ending it by its id ends callbacks and loops quietly, told %s the answer", async (told) => {
    const server = new ScriptedServer();
    const errors: Error[] = [];
    const client = await server.connect({ onError: (error) => errors.push(error) });
    const news = collector();
    const called = await subscribed(server, client.subscribe(QUERY, { onNotification: news.on }));
    const iterated = await subscribed(server, client.subscribe(QUERY));
    notify(server.current, 1);
    const ending = client.unsubscribe("s1");
    const request = await server.current.request("unsubscribe");
    const end = { type: "end", subscription: "s1", error: { code: "SENS_NOT_FOUND", detail: "The subscription was ended." } };
    if (told === "before") server.current.say(end);
    server.current.answer(request);
    if (told === "after") server.current.say(end);
    await ending;
    expect([await called.done, await iterated.done]).toEqual([undefined, undefined]);
    const seen: string[] = [];
    for await (const { cursor } of iterated) seen.push(cursor);
    expect([seen, news.seen.length, errors]).toEqual([["e:1"], 1, []]);
    client.close();
  });

  it("ending it over a lost connection does not take it up anew", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const subscription = await subscribed(server, client.subscribe(QUERY));
    const ending = client.unsubscribe("s1");
    await server.current.request("unsubscribe");
    const again = await server.reconnected();
    again.refuse(await again.request("attach"), "SENS_NOT_FOUND");
    expect(await subscription.done).toBeUndefined();
    again.answer(await again.request("unsubscribe"));
    await ending;
    expect(again.unread).toEqual([]);
    client.close();
  });

  it("one that somebody else ended is told why", async () => {
    const server = new ScriptedServer();
    let report: (error: Error) => void = () => undefined;
    const reported = new Promise<Error>((resolve) => {
      report = resolve;
    });
    const client = await server.connect({ onError: (error) => report(error) });
    await subscribed(server, client.subscribe(QUERY, { onNotification: () => undefined }));
    const other = client.unsubscribe("s2");
    server.current.answer(await server.current.request("unsubscribe"));
    await other;
    server.current.say({ type: "end", subscription: "s1", error: { code: "SENS_NOT_FOUND", detail: "The subscription was ended." } });
    expect(await reported).toMatchObject({ code: "SENS_NOT_FOUND" });
    client.close();
  });

  it("a callback that throws ends its subscription and is reported", async () => {
    const server = new ScriptedServer();
    const errors: Error[] = [];
    const client = await server.connect({ onError: (error) => errors.push(error) });
    const fail = (): void => {
      throw new Error("broken callback");
    };
    const subscription = await subscribed(server, client.subscribe(QUERY, { onNotification: fail }));
    notify(server.current, 1);
    expect((await subscription.done)?.message).toBe("broken callback");
    await server.current.request("unsubscribe");
    expect(errors.map((error) => error.message)).toEqual(["broken callback"]);
    client.close();
  });
});

describe("changes whose answer was lost", () => {
  it("are sent again under the same idempotency key", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const publishing = client.publish(line(1));
    const first = await server.current.request("publish");
    const again = await server.reconnected();
    const second = await again.request("publish");
    expect(second.key).toBe(first.key);
    expect(first.key).toMatch(/^[0-9a-f]{24}$/);
    again.answer(second, CHANGED);
    expect(await publishing).toEqual(CHANGED);
    client.close();
  });

  it("are sent again when the server says that it does not know the outcome", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const publishing = client.publish(line(1));
    const first = await server.current.request("publish");
    server.current.refuse(first, "SENS_OUTCOME_UNKNOWN");
    server.clock.advance(1_000);
    const second = await server.current.request("publish");
    expect(second.key).toBe(first.key);
    server.current.answer(second, CHANGED);
    await publishing;
    client.close();
  });

  it("a large frame reports progress, and a split publish is one event per part", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const { parseNQuads } = await import("../../src/client/index.ts");
    const done: number[] = [];
    const publishing = client.publish(parseNQuads(line(1) + line(2) + line(3)), {
      split: { quads: 2 },
      onProgress: (p) => done.push(p.doneQuads),
    });
    const one = await server.current.request("publish");
    expect(one.data).toBe(line(1) + line(2));
    server.current.answer(one, { ...CHANGED, added: 2 });
    const two = await server.current.request("publish");
    expect(two.key).not.toBe(one.key);
    server.current.answer(two, { ...CHANGED, cursor: "e:2", revision: 2 });
    expect(await publishing).toMatchObject({ added: 3, cursor: "e:2" });
    expect(done.at(-1)).toBe(3);
    client.close();
  });
});

describe("waits", () => {
  async function leased(connection: ScriptedConnection, request: SentFrame, claim = "c1"): Promise<void> {
    connection.answer(request, { result: line(1), size: 1, cursor: "e:1", claim, deliveries: 1 });
    await Promise.resolve();
  }

  it("remove confirms its claim before it hands the result over", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    let handed = false;
    const removing = client.remove(QUERY).finally(() => {
      handed = true;
    });
    const remove = await server.current.request("remove");
    expect(remove.lease).toBeGreaterThan(0);
    await leased(server.current, remove);
    const confirm = await server.current.request("confirm");
    expect(confirm.claim).toBe("c1");
    expect(handed).toBe(false);
    server.current.answer(confirm);
    expect((await removing)?.quads).toHaveLength(1);
    client.close();
  });

  it("an aborted remove is cancelled on the server, and what a late answer took goes back", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const controller = new AbortController();
    const removing = client.remove(QUERY, { signal: controller.signal });
    const remove = await server.current.request("remove");
    controller.abort();
    await expect(removing).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    expect(await server.current.request("cancel")).toMatchObject({ request: remove.id });
    await leased(server.current, remove);
    expect(await server.current.request("release")).toMatchObject({ claim: "c1" });
    client.close();
  });

  it("the time-out is the server's, and the client gives up by itself only later", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const removing = client.remove(QUERY, { timeoutMs: 1_000 });
    const remove = await server.current.request("remove");
    expect(remove.timeout).toBe(1_000);
    server.clock.advance(3_100);
    expect(await removing).toBeUndefined();
    expect(await server.current.request("cancel")).toMatchObject({ request: remove.id });
    client.close();
  });

  it("time passes while there is no connection, too", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const waiting = client.receive(QUERY, { timeoutMs: 5_000 });
    await server.current.request("receive");
    server.refusal = new SensError("SENS_NOT_READY", "no server");
    server.current.cut();
    server.clock.advance(8_000);
    expect(await waiting).toBeUndefined();
    client.close();
  });

  it("a wait longer than the server allows is several", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const controller = new AbortController();
    const waiting = client.receive(QUERY, { timeoutMs: Number.POSITIVE_INFINITY, signal: controller.signal });
    const first = await server.current.request("receive");
    expect(first.timeout).toBe(300_000);
    server.current.answer(first, { cursor: "e:0" });
    await server.current.request("receive");
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    client.close();
  });

  it("open claims are carried over to the new connection", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const taking = client.take(QUERY, { leaseMs: 60_000 });
    await leased(server.current, await server.current.request("remove"));
    const taken = await taking;
    const again = await server.reconnected();
    const extend = await again.request("extend");
    expect(extend).toMatchObject({ claim: "c1", lease: 60_000 });
    again.answer(extend);
    const confirming = taken?.confirm();
    again.answer(await again.request("confirm"));
    await confirming;
    client.close();
  });

  it("a repeated answer whose claim has gone back meanwhile is not taken for a result", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const taking = client.take(QUERY, { timeoutMs: 100_000 });
    const lost = await server.current.request("remove");
    const again = await server.reconnected();
    const resent = await again.request("remove");
    expect(resent.key).toBe(lost.key);
    await leased(again, resent, "old");
    again.refuse(await again.request("extend"), "SENS_CLAIM_EXPIRED");
    const anew = await again.request("remove");
    expect(anew.key).not.toBe(lost.key);
    await leased(again, anew, "new");
    expect((await taking)?.claim).toBe("new");
    client.close();
  });

  it("a remove that joined the one of the lost connection, and ended with it, goes on waiting", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const taking = client.take(QUERY, { timeoutMs: 100_000 });
    await server.current.request("remove");
    const again = await server.reconnected();
    again.refuse(await again.request("remove"), "SENS_CANCELLED");
    server.clock.advance(1_000);
    await leased(again, await again.request("remove"), "c2");
    again.answer(await again.request("extend"));
    expect((await taking)?.claim).toBe("c2");
    client.close();
  });

  it("a confirmation whose answer was lost and whose claim is over has an unknown outcome", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const taking = client.take(QUERY);
    await leased(server.current, await server.current.request("remove"));
    const confirming = (await taking)?.confirm();
    await server.current.request("confirm");
    const again = await server.reconnected();
    again.refuse(await again.request("confirm"), "SENS_CLAIM_EXPIRED");
    await expect(confirming).rejects.toMatchObject({ code: "SENS_OUTCOME_UNKNOWN" });
    client.close();
  });
});

describe("tokens", () => {
  it("travel as a subprotocol, and a function brings a fresh one at every connection", async () => {
    const server = new ScriptedServer();
    let n = 0;
    const client = await server.connect({ token: () => Promise.resolve(`t${++n}`) });
    expect(server.current.protocols).toEqual(["sens.v1", `bearer.${btoa("t1").replaceAll("=", "")}`]);
    const again = await server.reconnected();
    expect(again.protocols[1]).toBe(`bearer.${btoa("t2").replaceAll("=", "")}`);
    client.close();
  });

  it("a refused one shows as signed-out; a new one resumes where things stood", async () => {
    const server = new ScriptedServer();
    const statuses: ConnectionStatus[] = [];
    const client = await server.connect({ token: "old", onStatus: (status) => statuses.push(status) });
    const news = collector();
    await subscribed(server, client.subscribe(QUERY, { onNotification: news.on }));
    notify(server.current, 1);
    const waiting = client.receive(QUERY, { timeoutMs: 200_000 });
    await server.current.request("receive");
    server.refusal = new SensError("SENS_UNAUTHORIZED", "The token has expired.");
    server.current.cut(4401);
    server.clock.advance(20_000);
    await expect.poll(() => client.status.status).toBe("signed-out");
    await expect(client.ask("ASK {}")).rejects.toMatchObject({ code: "SENS_UNAUTHORIZED" });
    server.refusal = undefined;
    client.setToken("new");
    await expect.poll(() => client.status.status).toBe("connected");
    const again = server.current;
    const attach = await again.request("attach");
    expect(attach).toMatchObject({ from: "e:1" });
    again.answer(attach, { subscription: "s1", cursor: "e:1", mode: "incremental" });
    notify(again, 2);
    again.answer(await again.request("receive"), { result: line(2), size: 1, cursor: "e:2" });
    expect((await waiting)?.quads).toHaveLength(1);
    await news.count(2);
    expect(statuses.map((status) => status.status)).toContain("signed-out");
    client.close();
  });

  it("a refusal of the first connection is the error of connect", async () => {
    const server = new ScriptedServer();
    server.refusal = new SensError("SENS_UNAUTHORIZED", "No such token.");
    await expect(server.connect({ token: "wrong" })).rejects.toMatchObject({ code: "SENS_UNAUTHORIZED" });
  });
});

describe("the connection", () => {
  it("is given up when the server is silent for two heartbeats", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const first = server.current;
    server.clock.advance(15_000);
    await first.request("ping");
    server.clock.advance(15_000);
    expect(first.closed).toBe(true);
    expect(client.status.status).toBe("disconnected");
    client.close();
  });

  it("closing refuses what waits, ends loops quietly, and is safe twice", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const subscription = await subscribed(server, client.subscribe(QUERY));
    const next = subscription[Symbol.asyncIterator]().next();
    const waiting = client.receive(QUERY);
    client.close();
    client.close();
    await expect(waiting).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    expect((await next).done).toBe(true);
    await expect(client.ask("ASK {}")).rejects.toMatchObject({ code: "SENS_CANCELLED" });
  });
});

describe("the feed of changes", () => {
  const entry = (revision: number): object => ({
    cursor: `e:${revision}`,
    revision,
    asserted: line(revision),
    retracted: "",
    derivedAdded: "",
    derivedRemoved: "",
  });

  it("pages to the present, goes live, and goes back to pages when a revision is missing or the line is cut", async () => {
    const server = new ScriptedServer();
    const client = await server.connect();
    const revisions: number[] = [];
    const controller = new AbortController();
    const reading = (async () => {
      for await (const change of client.changes({ after: "e:0", signal: controller.signal })) revisions.push(change.revision);
    })();
    const page = async (connection: ScriptedConnection, after: string, ...entries: number[]): Promise<SentFrame> => {
      const request = await connection.request("changes");
      expect(request.after).toBe(after);
      connection.answer(request, { entries: entries.map(entry) });
      return request;
    };
    await page(server.current, "e:0", 1, 2);
    await page(server.current, "e:2");
    const watch = await page(server.current, "e:2");
    expect(watch.watch).toBe(true);
    server.current.say({ type: "change", request: watch.id, ...entry(3) });
    server.current.say({ type: "change", request: watch.id, ...entry(5) });
    await page(server.current, "e:3", 4, 5);
    await page(server.current, "e:5");
    await page(server.current, "e:5");
    const again = await server.reconnected();
    await page(again, "e:5", 6);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    expect(revisions).toEqual([1, 2, 3, 4, 5, 6]);
    client.close();
  });
});
