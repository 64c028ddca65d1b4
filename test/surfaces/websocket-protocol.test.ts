/** The WebSocket as it is spoken badly, lost, slowly read or shut down. */
import { randomBytes } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { describe, expect, it } from "vitest";
import { LIMITS, ManualClock } from "../../src/base/index.ts";
import { atEnd, RawSocket, rawExchange, readUntil, refusedUpgrade, SPARQL, served, TURTLE } from "./served.ts";

const TRIPLE = "<urn:a> <urn:p> <urn:b> .";
const LIKE_P = "CONSTRUCT WHERE { ?s <urn:p> ?o }";

/** A masked client frame (RFC 6455, 5.2) with up to 65535 bytes. */
function clientFrame(payload: Buffer, { opcode = 1, final = true } = {}): Buffer {
  const mask = randomBytes(4);
  const length =
    payload.length < 126 ? Buffer.from([0x80 | payload.length]) : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 255]);
  const masked = payload.map((byte, i) => byte ^ mask[i % 4]);
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | opcode]), length, mask, masked]);
}

function upgradeRequest(headers: Record<string, string> = {}): string {
  const all = {
    Host: "localhost",
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Protocol": "sens.v1",
    ...headers,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `GET /ws HTTP/1.1\r\n${lines.join("")}\r\n`;
}

describe("frames", () => {
  it("bad requests are answered and the connection stays open", async () => {
    const { url } = await served();
    const socket = await RawSocket.open(url);
    expect(await socket.ask("{")).toMatchObject({ id: null, ok: false, error: { code: "SENS_BAD_REQUEST" } });
    expect(await socket.ask({ id: "1", op: "nothing" })).toMatchObject({ id: "1", ok: false, error: { code: "SENS_UNKNOWN_OP" } });
    expect(await socket.ask({ id: "2", op: "receive", query: 5 })).toMatchObject({
      id: "2",
      ok: false,
      error: { code: "SENS_BAD_REQUEST" },
    });
    expect(await socket.ask('{"id":"3","op":"ping","__proto__":{}}')).toMatchObject({ ok: false, error: { code: "SENS_BAD_REQUEST" } });
    expect(await socket.ask({ id: "4", op: "ping" })).toMatchObject({ id: "4", ok: true });
  });

  it("ten bad requests in a row close it, fewer with a good one between do not", async () => {
    const { url } = await served();
    const socket = await RawSocket.open(url);
    for (let n = 0; n < 9; n++) await socket.ask("x");
    expect(await socket.ask({ id: "1", op: "ping" })).toMatchObject({ ok: true });
    for (let n = 0; n < 10; n++) await socket.ask("x");
    expect((await socket.closed).code).toBe(1008);
  });

  it("invalid UTF-8 closes with 1007", async () => {
    const { url } = await served();
    const socket = await RawSocket.open(url);
    socket.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await socket.closed).code).toBe(1007);
  });

  it("a message larger than the limit closes with 1009, whole or in fragments that never end", async () => {
    const { url } = await served({ limits: { bodyBytesMax: 1000 } });
    const whole = await RawSocket.open(url);
    whole.send("x".repeat(2000));
    expect((await whole.closed).code).toBe(1009);
    const parts = await RawSocket.open(url);
    for (let n = 0; n < 40; n++) parts.socket.send("x".repeat(50), { fin: false });
    expect((await parts.closed).code).toBe(1009);
  });

  it("an id that is still waiting cannot be used again, and waiting requests do not block others", async () => {
    const { url, service } = await served();
    const socket = await RawSocket.open(url);
    socket.send({ id: "w", op: "receive", query: LIKE_P });
    await service.waitsBegun(1);
    expect(await socket.ask({ id: "w", op: "ping" })).toMatchObject({ id: "w", ok: false, error: { code: "SENS_BAD_REQUEST" } });
    expect(await socket.ask({ id: "2", op: "query", query: "ASK {}" })).toMatchObject({ id: "2", ok: true, result: { boolean: true } });
    socket.send({ id: "c", op: "cancel", request: "w" });
    const answers = [await socket.next(), await socket.next()];
    expect(answers).toContainEqual({ id: "c", ok: true });
    expect(answers.find((answer) => answer.id === "w")).toMatchObject({ ok: false, error: { code: "SENS_CANCELLED" } });
  });

  it("an answer that announces notifications comes before them", async () => {
    const { url } = await served();
    const socket = await RawSocket.open(url);
    await socket.ask({ id: "p", op: "publish", data: TRIPLE });
    const answer = await socket.ask({ id: "s", op: "subscribe", query: LIKE_P, initial: true, format: "application/ld+json" });
    expect(answer).toMatchObject({ id: "s", ok: true, mode: expect.any(String) });
    const first = await socket.next();
    expect(first).toMatchObject({ type: "notification", subscription: answer.subscription, initial: true });
    expect(JSON.parse(String(first.added))).toMatchObject([{ "@id": "urn:a" }]);
  });

  it("the feed of changes goes on until it is cancelled", async () => {
    const { url, service } = await served();
    const socket = await RawSocket.open(url);
    const after = service.cursor();
    expect(await socket.ask({ id: "f", op: "changes", after, watch: true })).toMatchObject({ id: "f", ok: true, entries: [] });
    const publisher = await RawSocket.open(url);
    await publisher.ask({ id: "p", op: "publish", data: TRIPLE });
    expect(await socket.next()).toMatchObject({ type: "change", request: "f", revision: 1 });
    expect(await socket.ask({ id: "c", op: "cancel", request: "f" })).toMatchObject({ id: "c", ok: true });
  });
});

describe("handshake", () => {
  it("a subprotocol that is not ours, blanks without end, and another path are refused", async () => {
    const { url, port } = await served();
    expect(await refusedUpgrade(`${url}/ws`, { protocols: ["graphql-ws"] })).toBe(400);
    expect(await refusedUpgrade(`${url}/elsewhere`)).toBe(404);
    expect(await rawExchange(port, upgradeRequest({ "Sec-WebSocket-Protocol": `sens.v1${" ".repeat(15_000)}x y` }))).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
  });

  it("a foreign origin is refused before the upgrade, an absent and the own one are not", async () => {
    const { url } = await served({ allowedOrigins: ["https://listed.example"] });
    expect(await refusedUpgrade(`${url}/ws`, { headers: { origin: "https://evil.example" } })).toBe(403);
    expect(await refusedUpgrade(`${url}/ws`, { headers: { origin: "null" } })).toBe(403);
    expect(await refusedUpgrade(`${url}/ws`, { headers: { host: "evil.example" } })).toBe(403);
    await RawSocket.open(url);
    for (const origin of [url, "https://listed.example"]) await RawSocket.open(url, { headers: { origin } });
  });

  it("what is sent in the same write as the upgrade is answered, however slow the check of the token", async () => {
    const checks: (() => void)[] = [];
    const verifyToken = async () => {
      await new Promise<void>((resolve) => checks.push(resolve));
      return { name: "slow", roles: new Set(["admin"] as const) };
    };
    const { port } = await served({ verifyToken });
    const count = 200;
    const answers = Array.from({ length: count }, async (_, n) => {
      const socket = connectTcp(port, "127.0.0.1");
      atEnd(() => void socket.destroy());
      const first = clientFrame(Buffer.from(JSON.stringify({ id: `first-${n}`, op: "ping" })));
      socket.write(Buffer.concat([Buffer.from(upgradeRequest({ Authorization: "Bearer t" })), first]));
      const text = await readUntil(socket, new RegExp(`"id":"first-${n}","ok":true`));
      socket.destroy();
      return text;
    });
    await expect.poll(() => checks.length, { timeout: 10_000 }).toBe(count);
    for (const check of checks) check();
    for (const text of await Promise.all(answers)) expect(text).toContain('"ok":true');
  });
});

describe("lost and slow connections", () => {
  it("a client that answers no ping is gone after one missed pong, and its waits with it", async () => {
    const clock = new ManualClock();
    const { url, service, port } = await served({ clock });
    const socket = connectTcp(port, "127.0.0.1");
    atEnd(() => void socket.destroy());
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {}); // reset is one way of being gone
    const wait = clientFrame(Buffer.from(JSON.stringify({ id: "w", op: "remove", query: LIKE_P })));
    socket.write(Buffer.concat([Buffer.from(upgradeRequest()), wait]));
    socket.resume(); // reads, and answers nothing
    await service.waitsBegun(1);
    await expect.poll(() => service.figures().waits).toBe(1);
    clock.advance(LIMITS.heartbeatMs);
    clock.advance(LIMITS.heartbeatMs);
    await gone;
    await expect.poll(() => service.figures().waits).toBe(0);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain("sens_dead_connections_total 1");
    expect(metrics).toContain("sens_websocket_connections 0");
  });

  it("a client that answers pings stays", async () => {
    const clock = new ManualClock();
    const { url } = await served({ clock });
    const socket = await RawSocket.open(url);
    for (let n = 0; n < 3; n++) {
      const pinged = new Promise((resolve) => socket.socket.once("ping", resolve));
      clock.advance(LIMITS.heartbeatMs);
      await pinged;
      await socket.ask({ id: String(n), op: "ping" });
    }
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  });

  it("a reader that does not read is cut off at the limit, and resumes by cursor without a gap", async () => {
    const { url, service } = await served({ limits: { outboundBytesMax: 200_000 } });
    const slow = await RawSocket.open(url);
    const { subscription, cursor } = await slow.ask({ id: "s", op: "subscribe", query: LIKE_P, name: "slow" });
    slow.socket.pause();
    const publisher = await RawSocket.open(url);
    const published: unknown[] = [];
    const cut = async (): Promise<boolean> => (await (await fetch(`${url}/metrics`)).text()).includes("sens_slow_consumers_total 1");
    const large = "x".repeat(1_000_000);
    for (let n = 0; n < 20 && !(await cut()); n++) {
      const data = ["1", "2", "3", "4"].map((part) => `<urn:a> <urn:p> "${n} ${part} ${large}" .`).join("\n");
      published.push((await publisher.ask({ id: String(n), op: "publish", data })).cursor);
    }
    expect(await cut()).toBe(true);
    expect(service.ready()).toBe(true);
    const again = await RawSocket.open(url);
    await again.ask({ id: "a", op: "attach", subscription, from: published.at(-2) ?? cursor });
    expect(await again.next()).toMatchObject({ type: "notification", cursor: published.at(-1) });
  });

  it("claims of a lost connection return before newer items, in their order, marked as delivered again", async () => {
    const { url } = await served();
    const worker = await RawSocket.open(url);
    const first = "CONSTRUCT { ?s <urn:p> ?o } WHERE { ?s <urn:p> ?o } ORDER BY ?o LIMIT 1";
    for (const n of [1, 2, 3]) await worker.ask({ id: `p${n}`, op: "publish", data: `<urn:a> <urn:p> "${n}" .` });
    for (const n of [1, 2, 3])
      expect(await worker.ask({ id: `t${n}`, op: "remove", query: first, lease: 600_000 })).toMatchObject({ ok: true, deliveries: 1 });
    worker.socket.terminate();
    const next = await RawSocket.open(url);
    for (const n of [1, 2, 3]) {
      const taken = await next.ask({ id: `r${n}`, op: "remove", query: first, lease: 600_000, timeout: 15_000 });
      expect(taken).toMatchObject({ ok: true, deliveries: 2, result: `<urn:a> <urn:p> "${n}" .\n` });
    }
  });
});

describe("stopping", () => {
  it("ends in time with a hundred sockets on both loopback addresses and fifty waits, each told", async () => {
    const { server, service, port } = await served({ host: "localhost" });
    const addresses = await loopbackAddresses(port);
    const sockets = await Promise.all(
      Array.from({ length: 100 }, (_, n) => RawSocket.open(`http://${addresses[n % addresses.length]}:${port}`)),
    );
    for (const socket of sockets.slice(0, 40)) socket.send({ id: "w", op: "remove", query: LIKE_P });
    const overHttp = Array.from({ length: 10 }, () =>
      fetch(`http://127.0.0.1:${port}/remove`, { method: "POST", headers: SPARQL, body: LIKE_P }),
    );
    await service.waitsBegun(50);
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(LIMITS.shutdownMs);
    for (const socket of sockets) expect((await socket.closed).code).toBe(1001);
    for (const socket of sockets.slice(0, 40))
      expect(await socket.next()).toMatchObject({ id: "w", ok: false, error: { code: "SENS_SHUTTING_DOWN" } });
    for (const response of await Promise.all(overHttp)) {
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "SENS_SHUTTING_DOWN" });
    }
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });

  it("an event stream is told, and a publish under way is finished", async () => {
    const { server, url } = await served();
    const made = await fetch(`${url}/subscriptions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: LIKE_P }),
    });
    const events = await fetch(`${url + made.headers.get("location")}/events`);
    const publishing = fetch(`${url}/publish`, { method: "POST", headers: TURTLE, body: TRIPLE });
    expect((await publishing).status).toBe(200);
    await server.close();
    expect(await events.text()).toContain('event: end\ndata: {"code":"SENS_SHUTTING_DOWN"');
  });
});

/** 127.0.0.1 and, where the system has it, ::1. */
async function loopbackAddresses(port: number): Promise<string[]> {
  const hasSix = await fetch(`http://[::1]:${port}/health`).then(
    (response) => response.ok,
    () => false,
  );
  return hasSix ? ["127.0.0.1", "[::1]"] : ["127.0.0.1"];
}
