/**
 * What careless and hostile clients send, row by row (table E of the list of bad inputs; E01 to E04, E09, E11 to E19 and E26
 * are in http-protocol, websocket-protocol and access.test.ts; E30, targets of webhooks, waits for webhooks).
 */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Logger, silentLogger } from "../../src/base/index.ts";
import { atEnd, post, problemOf, RawSocket, rawExchange, SPARQL, served, TURTLE } from "./served.ts";

const QUERY = "CONSTRUCT WHERE { ?s <urn:p> ?o }";
const OTHER = "CONSTRUCT WHERE { ?s <urn:q> ?o }";
const TRIPLE = "<urn:a> <urn:p> <urn:b> .";
const JSON_TYPE = { "content-type": "application/json" };

const subscribe = (url: string, body: object): Promise<Response> => post(`${url}/subscriptions`, JSON_TYPE, JSON.stringify(body));

describe("cursors", () => {
  it("E05: a negative or malformed one is a bad request, never the latest", async () => {
    const { url } = await served();
    for (const cursor of ["-1", "abc", "x:1.5", `${"9".repeat(400)}`, "0123456789abcdef:-1", "0123456789abcdef:1e3"])
      expect((await problemOf(await fetch(`${url}/changes?after=${encodeURIComponent(cursor)}`))).status, cursor).toBe(400);
  });

  it("E06, E07: one of the future, beyond what numbers hold, or of another epoch is a conflict", async () => {
    const { url } = await served();
    const { cursor } = (await (await post(`${url}/publish`, TURTLE, TRIPLE)).json()) as { cursor: string };
    const [epoch, revision] = cursor.split(":");
    for (const other of [`${epoch}:${Number(revision) + 1}`, `${epoch}:9007199254740992`, `${"0".repeat(epoch.length)}:${revision}`]) {
      const { status } = await problemOf(await fetch(`${url}/changes?after=${other}`));
      expect(status, other).toBe(409);
    }
  });
});

describe("names and keys", () => {
  it("E08: a name that another query has is a conflict", async () => {
    const { url } = await served();
    expect((await subscribe(url, { query: QUERY, name: "n" })).status).toBe(201);
    expect(await problemOf(await subscribe(url, { query: OTHER, name: "n" }))).toEqual({ status: 409, code: "SENS_SUBSCRIPTION_CONFLICT" });
  });

  it("E27: an idempotency key with another body is refused, with the same it answers the same", async () => {
    const { url } = await served();
    const keyed = { ...TURTLE, "idempotency-key": "k" };
    const first = await (await post(`${url}/publish`, keyed, TRIPLE)).json();
    expect(await (await post(`${url}/publish`, keyed, TRIPLE)).json()).toEqual(first);
    expect(await problemOf(await post(`${url}/publish`, keyed, "<urn:a> <urn:p> <urn:c> ."))).toEqual({
      status: 422,
      code: "SENS_IDEMPOTENCY_CONFLICT",
    });
  });

  it("E22: names and graphs that look like paths are names, or refused; nothing is read or written there", async () => {
    const { url } = await served();
    expect((await problemOf(await fetch(`${url}/graphs?graph=../../x`))).status).toBe(400);
    const answer = await fetch(`${url}/ontologies/${encodeURIComponent("../../x")}`, { method: "PUT", headers: TURTLE, body: TRIPLE });
    expect([200, 201, 204, 400]).toContain(answer.status);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe("numbers", () => {
  it("E10: time-outs that are no number from 0 to 300000 are refused on every surface", async () => {
    const { url } = await served();
    for (const timeout of ["-1", "Infinity", "2147483648", "5s", "NaN", "1e9", "300001"])
      expect((await problemOf(await post(`${url}/receive?timeout=${timeout}`, SPARQL, QUERY))).status, timeout).toBe(400);
    const socket = await RawSocket.open(url);
    for (const timeout of [-1, 2 ** 31, "5s", 300_001])
      expect(await socket.ask({ id: "1", op: "receive", query: QUERY, timeout }), String(timeout)).toMatchObject({ ok: false });
    expect(await socket.ask({ id: "2", op: "ping" })).toMatchObject({ ok: true });
  });

  it("E29: waits and subscriptions beyond their cap are refused with 429 or 503, those within it go on", async () => {
    const { url, service } = await served({}, { waitsMax: 3, subscriptionsMax: 3 });
    const waiting = [1, 2, 3].map(() => post(`${url}/receive?timeout=20000`, SPARQL, QUERY));
    await service.waitsBegun(3);
    const refused = await problemOf(await post(`${url}/receive?timeout=1000`, SPARQL, QUERY));
    expect([429, 503]).toContain(refused.status);
    for (let n = 0; n < 3; n++) expect((await subscribe(url, { query: QUERY, name: `n${n}` })).status).toBe(201);
    expect([429, 503]).toContain((await problemOf(await subscribe(url, { query: OTHER, name: "more" }))).status);
    await post(`${url}/publish`, TURTLE, TRIPLE);
    expect((await Promise.all(waiting)).map((response) => response.status)).toEqual([200, 200, 200]);
  });
});

describe("addresses and bodies", () => {
  it("E21: a path that leads out of itself is not found", async () => {
    const { port } = await served();
    for (const path of ["/files/..%2f..%2fetc%2fpasswd", "/..%2f..%2fetc/passwd", "/docs/%2e%2e/%2e%2e/etc/passwd", "/graphs/%00"]) {
      const answer = await rawExchange(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(answer).not.toContain("root:");
    }
  });

  it("E23: a broken escape is a bad request", async () => {
    const { port } = await served();
    expect(await rawExchange(port, "GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("two Host headers are a bad request, whichever is allowed", async () => {
    const { port } = await served();
    for (const hosts of [
      ["localhost", "evil.example"],
      ["evil.example", "localhost"],
    ]) {
      const headers = hosts.map((host) => `Host: ${host}\r\n`).join("");
      expect(await rawExchange(port, `GET /health HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it("a client that goes away in the middle of its body is no error of the server, and stores nothing", async () => {
    const errors: string[] = [];
    const logger: Logger = { ...silentLogger, error: (_fields, message) => void errors.push(message) };
    const { port, service, url } = await served({ logger });
    const openRequests = async (): Promise<number> =>
      Number(/^sens_http_requests_in_flight (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
    const head = "POST /publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\nContent-Length: 1000\r\n\r\n";
    const socket = connect(port, "127.0.0.1");
    socket.write(head + TRIPLE);
    // Beside the one that asks.
    while ((await openRequests()) < 2);
    socket.destroy();
    while ((await openRequests()) > 1);
    expect(errors).toEqual([]);
    expect(service.figures().quads).toBe(0);
  });

  it("what a route's description does not have is refused, also where it has nothing", async () => {
    const { url } = await served();
    for (const path of [
      "/insertions",
      "/insertions/x",
      "/subscriptions",
      "/rules",
      "/ontologies",
      "/graphs",
      "/metrics",
      "/health",
      "/claims",
    ])
      expect(await problemOf(await fetch(`${url}${path}?tiemout=1`)), path).toEqual({ status: 400, code: "SENS_BAD_REQUEST" });
  });

  it("E24, E25: a wrong type of body and another charset are refused, and nothing is stored", async () => {
    const { url } = await served();
    for (const type of ["text/html", "application/octet-stream", "text/turtle; charset=iso-8859-1", "application/json"])
      expect((await problemOf(await post(`${url}/publish`, { "content-type": type }, TRIPLE))).status, type).toBe(415);
    const { boolean } = (await (
      await post(`${url}/sparql`, { ...SPARQL, accept: "application/sparql-results+json" }, "ASK { ?s ?p ?o }")
    ).json()) as {
      boolean: boolean;
    };
    expect(boolean).toBe(false);
  });
});

describe("the WebSocket", () => {
  it("E13: messages are not decompressed: the extension is not agreed on", async () => {
    const { url } = await served();
    const socket = new WebSocket(`${url.replace("http:", "ws:")}/ws`, ["sens.v1"], { perMessageDeflate: true });
    atEnd(() => socket.terminate());
    await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
    expect(socket.extensions).toBe("");
  });

  it("E20: one address cannot take all connections without a token, and those who have one are served", async () => {
    const { url } = await served({ limits: { connectionsMax: 20 } });
    const sockets = Array.from({ length: 60 }, () => new WebSocket(`${url.replace("http:", "ws:")}/ws`, ["sens.v1"]));
    atEnd(() => {
      for (const socket of sockets) socket.terminate();
    });
    const opened = await Promise.all(
      sockets.map(
        (socket) => new Promise<boolean>((resolve) => socket.once("open", () => resolve(true)).once("error", () => resolve(false))),
      ),
    );
    expect(opened.filter(Boolean).length).toBeLessThanOrEqual(20);
    for (const socket of sockets) socket.terminate();
    await expect.poll(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status, { timeout: 5000 }).toBe(200);
  });
});
