/** Cases of area deliver: connections that die, lag, come early or come back. README.md beside this file lists all cases. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS, ManualClock } from "../../src/base/index.ts";
import { connect, type Notification } from "../../src/client/index.ts";
import { startServer } from "../../src/server/index.ts";
import { CuttableProxy } from "../sdk/cuttable-proxy.ts";
import { atEnd, RawSocket, readUntil } from "../surfaces/served.ts";
import { all, E, lines, listen, PREFIXES, publish, settled, subscribed, turn, until } from "./knowledge.fixture.ts";

const FULL = process.env.SENS_FULL === "1";

/** The upgrade and a first message in one write; nothing is answered to pings. */
function upgradeWith(port: number, message: object, headers = ""): Socket {
  const payload = Buffer.from(JSON.stringify(message));
  const mask = randomBytes(4);
  const length = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  const frame = Buffer.concat([Buffer.from([0x81, ...length]), mask, payload.map((byte, i) => byte ^ mask[i % 4])]);
  const request = `GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Protocol: sens.v1\r\n${headers}\r\n`;
  const socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => {}); // a reset is one way of being gone
  atEnd(() => void socket.destroy());
  socket.write(Buffer.concat([Buffer.from(request), frame]));
  return socket;
}

describe("receivers that do not receive", () => {
  it("P98: one that never reads and one that is gone hold up nobody else, and are cut off", async () => {
    const GOOD = FULL ? 100 : 20;
    const { url, session, service } = await listen({}, { limits: { outboundBytesMax: 200_000 } });
    const hole = await RawSocket.open(url);
    await hole.ask({ id: "s", op: "subscribe", query: all("e:n") });
    hole.socket.pause();
    const gone = await RawSocket.open(url);
    await gone.ask({ id: "s", op: "subscribe", query: all("e:n") });
    gone.socket.terminate();
    const good = await Promise.all(Array.from({ length: GOOD }, () => RawSocket.open(url)));
    for (const socket of good) await socket.ask({ id: "s", op: "subscribe", query: all("e:n") });
    // Each change is told to all good ones before the next is made: the bad ones are never waited for.
    const large = "x".repeat(1_000_000);
    const isCut = async (): Promise<boolean> => (await (await fetch(`${url}/metrics`)).text()).includes("sens_slow_consumers_total 1");
    let changes = 0;
    while (changes < 40 && !(await isCut())) {
      await publish(session, `e:s e:n "${changes++} ${large}" .`);
      for (const socket of good) expect(await socket.next()).toMatchObject({ type: "notification" });
    }
    expect(await isCut()).toBe(true);
    const CHANGES = FULL ? 1_000 : 50;
    for (let n = 0; n < CHANGES; n++) await publish(session, `e:s e:n ${n} .`);
    for (const socket of good) for (let n = 0; n < CHANGES; n++) expect(lines(String((await socket.next()).added))[0]).toContain(`"${n}"`);
    expect(service.figures().subscription_sinks).toBe(GOOD);
  });

  it("P100: a hundred connections that died without a goodbye are gone after two heartbeats, with all they held", async () => {
    const COUNT = 100;
    const clock = new ManualClock();
    const { port, url, session, service } = await listen({ clock });
    const sockets = Array.from({ length: COUNT }, (_, n) => {
      const query = `${PREFIXES}CONSTRUCT { ?s e:p${n} ?o } WHERE { ?s e:p${n} ?o }`;
      const socket = upgradeWith(
        port,
        n % 2 === 0 ? { id: "s", op: "subscribe", query } : { id: "w", op: "remove", query, timeout: 300_000 },
      );
      socket.resume();
      return new Promise<void>((resolve) => socket.once("close", () => resolve()));
    });
    await until(() => service.figures().subscription_sinks === COUNT / 2 && service.figures().waits === COUNT / 2);
    clock.advance(LIMITS.heartbeatMs);
    clock.advance(LIMITS.heartbeatMs);
    await Promise.all(sockets);
    await until(() => service.figures().waits === 0 && service.figures().subscription_sinks === 0);
    clock.advance(LIMITS.unnamedSubscriptionGraceMs);
    await settled(session);
    expect(service.figures()).toMatchObject({ subscriptions: 0, standing_queries: 0 });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("sens_websocket_connections 0");
  });
});

describe("coming early and coming back", () => {
  const COUNT = FULL ? 1_000 : 100;
  it(`P101: what is sent with the upgrade is acknowledged, ${COUNT} times, however slow the check of the token`, async () => {
    const checks: (() => void)[] = [];
    const verifyToken = async () => {
      await new Promise<void>((resolve) => checks.push(resolve));
      return { name: "slow", roles: new Set(["admin"] as const) };
    };
    const BATCH = 40; // connections per address that are not yet checked are bounded
    const { port, service } = await listen({}, { verifyToken });
    for (let done = 0; done < COUNT; done += BATCH) {
      const count = Math.min(BATCH, COUNT - done);
      const answers = Array.from({ length: count }, async (_, n) => {
        const socket = upgradeWith(port, { id: `s${n}`, op: "subscribe", query: all("e:p") }, "Authorization: Bearer t\r\n");
        const text = await readUntil(socket, /"ok":(true|false)/);
        socket.destroy();
        return text;
      });
      await until(() => checks.length === count);
      for (const check of checks.splice(0)) check();
      for (const [n, text] of (await Promise.all(answers)).entries()) expect(text).toMatch(new RegExp(`"id":"s${n}","ok":true`));
    }
    await until(() => service.figures().subscription_sinks === 0);
  });

  it("P103: after a cut line, a restart and an expired token each change arrives once per subscription, and the receive still waits", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sens-cases-"));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    atEnd(() => void process.off("unhandledRejection", onUnhandled));
    const start = async (port: number, token: string) => {
      const server = await startServer({
        port,
        data: join(folder, "kb.db"),
        reasoning: "none",
        ontologies: [],
        tokens: `app:admin:${token}`,
      });
      atEnd(() => server.close());
      return server;
    };
    const first = await start(0, "monday");
    let token = "monday";
    const proxy = await CuttableProxy.before(first.url);
    atEnd(() => proxy.close());
    const connected = async (url: string) => {
      const client = await connect(url, { token: () => token, backoffMaxMs: 200 });
      atEnd(() => client.close());
      return client;
    };
    const reader = await connected(proxy.url);
    const inboxes: Notification[][] = [[], [], []];
    for (const [n, inbox] of inboxes.entries())
      await reader.subscribe(all("e:n"), { name: `reader${n}`, onNotification: (notification) => void inbox.push(notification) });
    const waiting = reader.receive(all("e:awaited"), { timeoutMs: 120_000 });
    const seen = (inbox: Notification[]): string[] => inbox.flatMap(({ added }) => added.map(({ object }) => object.value));
    await (await connected(first.url)).publish(`<${E}s> <${E}n> "before" .`);
    await until(() => inboxes.every((inbox) => seen(inbox).includes("before")));
    proxy.cut();
    token = "tuesday"; // what the client had is no longer valid when it comes back
    await first.close();
    const second = await start(Number(new URL(first.url).port), "tuesday");
    const writer = await connected(second.url);
    for (const value of ["one", "two"]) await writer.publish(`<${E}s> <${E}n> "${value}" .`);
    await until(() => inboxes.every((inbox) => seen(inbox).includes("two")));
    for (const inbox of inboxes) expect(seen(inbox)).toEqual(["before", "one", "two"]);
    await writer.publish(`<${E}s> <${E}awaited> "yes" .`);
    expect((await waiting)?.quads.map(({ object }) => object.value)).toEqual(["yes"]);
    await turn();
    expect(unhandled).toEqual([]);
  });

  it("P106: what a lost connection held returns after its few seconds, in its old order before newer items, marked", async () => {
    const clock = new ManualClock();
    const { url, session, service } = await listen({ clock });
    const next = `${PREFIXES}CONSTRUCT { ?t a e:Task } WHERE { ?t a e:Task } LIMIT 1`;
    const told = await subscribed(session, "CONSTRUCT { ?t a e:Task } WHERE { ?t a e:Task }");
    for (const n of [1, 2, 3, 4, 5]) await publish(session, `e:t${n} a e:Task .`);
    const worker = await RawSocket.open(url);
    for (const n of [1, 2, 3, 4, 5])
      expect(await worker.ask({ id: `${n}`, op: "remove", query: next, lease: 600_000 })).toMatchObject({
        ok: true,
        deliveries: 1,
        result: expect.stringContaining(`t${n}>`),
      });
    for (const n of [6, 7]) await publish(session, `e:t${n} a e:Task .`);
    const sessions = service.figures().sessions;
    worker.socket.terminate();
    await until(() => service.figures().sessions < sessions);
    clock.advance(LIMITS.claimDisconnectGraceMs - 1);
    await settled(session);
    expect(service.figures().claims).toBe(5);
    clock.advance(1);
    await settled(session);
    expect(service.figures().claims).toBe(0);
    const order: unknown[] = [];
    for (let n = 0; n < 7; n++) {
      const { result, deliveries } = await session.remove({ query: next, leaseMs: 600_000 });
      order.push([lines(result?.ntriples)[0].split(" ")[0], deliveries]);
    }
    expect(order).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => [`e:t${n}`, n <= 5 ? 2 : 1]));
    expect(told.added).toHaveLength(12);
  });
});
