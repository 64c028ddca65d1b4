/** Tokens, roles, origins: who may do what, on every route and operation. */
import { describe, expect, it } from "vitest";
import { OPERATIONS, type Operation } from "../../src/protocol/index.ts";
import { OPERATION_ROLES, ROLES, type Role, type ServedOperation } from "../../src/server/index.ts";
import { problemOf, RawSocket, refusedUpgrade, served } from "./served.ts";

const TOKENS = ROLES.map((role) => `${role}-user:${role}:token-of-${role}`).join(",");
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** One request per operation that HTTP offers; what they answer beside 401 and 403 does not matter here. */
const REQUESTS: { readonly [O in ServedOperation]?: readonly [method: string, path: string, contentType?: string, body?: string] } = {
  publish: ["POST", "/publish", "text/turtle", ""],
  retract: ["POST", "/retract", "text/turtle", ""],
  update: ["POST", "/update", "application/sparql-update", "INSERT DATA {}"],
  query: ["POST", "/query", "application/sparql-query", "ASK {}"],
  graphs: ["GET", "/graphs"],
  getGraph: ["GET", "/graphs?default"],
  putGraph: ["PUT", "/graphs?default", "text/turtle", ""],
  deleteGraph: ["DELETE", "/graphs?graph=urn:g"],
  subscribe: ["POST", "/subscriptions", "application/json", "{}"],
  subscriptions: ["GET", "/subscriptions"],
  subscription: ["GET", "/subscriptions/x"],
  unsubscribe: ["DELETE", "/subscriptions/x"],
  attach: ["GET", "/subscriptions/x/events"],
  result: ["GET", "/subscriptions/x/result"],
  receive: ["POST", "/receive?timeout=0", "application/sparql-query", "CONSTRUCT WHERE { ?s <urn:none> ?o }"],
  tryReceive: ["POST", "/try-receive", "application/sparql-query", "CONSTRUCT WHERE { ?s <urn:none> ?o }"],
  remove: ["POST", "/remove?timeout=0", "application/sparql-query", "CONSTRUCT WHERE { ?s <urn:none> ?o }"],
  tryRemove: ["POST", "/try-remove", "application/sparql-query", "CONSTRUCT WHERE { ?s <urn:none> ?o }"],
  confirm: ["POST", "/claims/x/confirm"],
  release: ["POST", "/claims/x/release"],
  extend: ["POST", "/claims/x/extend"],
  claims: ["GET", "/claims"],
  claim: ["GET", "/claims/x"],
  requeue: ["POST", "/claims/x/requeue"],
  discard: ["DELETE", "/claims/x"],
  registerInsertion: ["POST", "/insertions", "application/json", "{}"],
  insertions: ["GET", "/insertions"],
  insertion: ["GET", "/insertions/x"],
  unregisterInsertion: ["DELETE", "/insertions/x"],
  putOntology: ["PUT", "/ontologies/x", "text/turtle", ""],
  getOntology: ["GET", "/ontologies/none"],
  deleteOntology: ["DELETE", "/ontologies/none"],
  ontologies: ["GET", "/ontologies"],
  putRule: ["PUT", "/rules/x", "text/n3", ""],
  getRule: ["GET", "/rules/none"],
  deleteRule: ["DELETE", "/rules/none"],
  rules: ["GET", "/rules"],
  explain: ["POST", "/explain", "application/n-triples", "<urn:a> <urn:b> <urn:c> ."],
  changes: ["GET", "/changes?after=x"],
  metrics: ["GET", "/metrics"],
};
/** Of WebSocket only. */
const SOCKET_ONLY: readonly ServedOperation[] = ["detach", "cancel", "ping"];

const allowed = (role: Role, operation: ServedOperation): boolean =>
  role === "admin" || OPERATION_ROLES[operation] === undefined || OPERATION_ROLES[operation] === role;

describe("roles", () => {
  it("every operation is in the table of requests", () => {
    expect(
      Object.keys(OPERATION_ROLES)
        .filter((operation) => !(operation in REQUESTS))
        .sort(),
    ).toEqual([...SOCKET_ONLY].sort());
  });

  it.each(ROLES)("over HTTP the role %s may do what the table says, and nothing else", async (role) => {
    const { url } = await served({ tokens: TOKENS });
    for (const [operation, [method, path, type, body]] of Object.entries(REQUESTS)) {
      const headers = { ...bearer(`token-of-${role}`), ...(type === undefined ? {} : { "content-type": type }) };
      const response = await fetch(url + path, { method, headers, body });
      const may = response.status !== 403 && response.status !== 401;
      expect(`${operation}: ${may}`).toBe(`${operation}: ${allowed(role, operation as ServedOperation)}`);
    }
  });

  it.each(ROLES)("over WebSocket the role %s may do what the table says, and nothing else", async (role) => {
    const { url } = await served({ tokens: TOKENS });
    const socket = await RawSocket.open(url, { headers: bearer(`token-of-${role}`) });
    for (const operation of Object.keys(OPERATIONS) as Operation[]) {
      const fields = Object.entries(OPERATIONS[operation]).flatMap(([name, field]) => ("optional" in field ? [] : [[name, "x"]]));
      const answer = await socket.ask({
        id: operation,
        op: operation,
        ...Object.fromEntries(fields),
        ...(operation.endsWith("eceive") || operation.endsWith("emove") ? { query: "nonsense" } : {}),
      });
      expect(answer.id).toBe(operation);
      expect(`${operation}: ${answer.error?.code !== "SENS_FORBIDDEN"}`).toBe(`${operation}: ${allowed(role, operation)}`);
    }
  });

  it("without a token nothing but health, readiness and the description is answered", async () => {
    const { url } = await served({ tokens: TOKENS });
    for (const [method, path, type, body] of Object.values(REQUESTS)) {
      const response = await fetch(url + path, { method, headers: type === undefined ? {} : { "content-type": type }, body });
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
      expect(await problemOf(response)).toEqual({ status: 401, code: "SENS_UNAUTHORIZED" });
    }
    for (const path of ["/health", "/ready", "/openapi.json", "/docs"]) expect((await fetch(url + path)).status).toBe(200);
    expect(await refusedUpgrade(`${url}/ws`)).toBe(401);
  });
});

describe("tokens", () => {
  it("a wrong token, another scheme and a token in the address are refused", async () => {
    const { url } = await served({ tokens: TOKENS });
    for (const headers of [bearer("wrong"), bearer("token-of-rea"), { authorization: "Basic YTpi" }, { authorization: "Bearer" }]) {
      expect((await problemOf(await fetch(`${url}/graphs`, { headers }))).status).toBe(401);
    }
    const inAddress = await fetch(`${url}/graphs?access_token=token-of-read`, { headers: bearer("token-of-read") });
    expect((await problemOf(inAddress)).status).toBe(401);
    expect(await refusedUpgrade(`${url}/ws?token=token-of-read`, { headers: bearer("token-of-read") })).toBe(401);
  });

  it("a browser's token comes as a subprotocol, and only sens.v1 is echoed", async () => {
    const { url } = await served({ tokens: TOKENS });
    const protocol = `bearer.${Buffer.from("token-of-read").toString("base64url")}`;
    const socket = await RawSocket.open(url, { protocols: ["sens.v1", protocol] });
    expect(socket.socket.protocol).toBe("sens.v1");
    expect(await refusedUpgrade(`${url}/ws`, { protocols: ["sens.v1", "bearer.d3Jvbmc"] })).toBe(401);
  });

  it("listening where others can connect, without a token, is refused at start", async () => {
    await expect(served({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "SENS_CONFIG" });
    const { port } = await served({ host: "0.0.0.0", tokens: TOKENS });
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });

  it.each(["noroles:token", "a:reader:token", "a:read:to ken", "a:read:same,b:read:same"])(
    "the setting %j is refused without repeating the token",
    async (tokens) => {
      const failure = await served({ tokens }).then(
        () => undefined,
        (error: Error & { code: string }) => error,
      );
      expect(failure?.code).toBe("SENS_CONFIG");
      expect(failure?.message).not.toMatch(/to ken|same,|:token$/);
    },
  );
});

describe("origins", () => {
  it("a foreign origin and a rebound host are refused on every route", async () => {
    const { url, port } = await served();
    const foreign = await fetch(`${url}/health`, { headers: { origin: "https://evil.example" } });
    expect(await problemOf(foreign)).toEqual({ status: 403, code: "SENS_FOREIGN_ORIGIN" });
    const { rawExchange } = await import("./served.ts");
    for (const host of ["evil.example", "localhost.evil.example:7007", "127.0.0.1@evil.example", "2130706433.example"]) {
      expect(await rawExchange(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    }
    for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:7007", "[::1]:7007"]) {
      expect(await rawExchange(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it("a listed origin gets CORS headers and its preflight answered; others get none", async () => {
    const origin = "https://listed.example";
    const { url } = await served({ allowedOrigins: [origin] });
    const preflight = await fetch(`${url}/sparql`, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    const response = await fetch(`${url}/health`, { headers: { origin } });
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect((await fetch(`${url}/health`)).headers.get("access-control-allow-origin")).toBeNull();
  });
});
