import { expect, it } from "vitest";
import { checkOrigin } from "./origin.ts";

const loopback = { loopback: true, allowedHosts: [], allowedOrigins: [] };
const beyond = { loopback: false, allowedHosts: [], allowedOrigins: ["https://app.example"] };

it.each([
  ["localhost:7007", undefined],
  ["127.0.0.1:7007", "http://127.0.0.1:7007"],
  ["[::1]:7007", "http://[::1]:7007"],
  [undefined, undefined],
])("on loopback host %j with origin %j is let in", (host, origin) => {
  expect(() => checkOrigin(loopback, host, origin)).not.toThrow();
});

it.each([
  ["evil.example", undefined],
  ["localhost.evil.example", undefined],
  ["user@localhost", "http://localhost"],
  ["localhost/x", undefined],
  ["localhost:7007", "http://localhost:8080"],
  ["localhost:7007", "null"],
  ["localhost:7007", "https://evil.example"],
  ["127.0.0.1:7007", "http://localhost:7007"],
])("on loopback host %j with origin %j is refused", (host, origin) => {
  expect(() => checkOrigin(loopback, host, origin)).toThrow();
});

it("beyond loopback the own and the listed origins are let in, others refused", () => {
  expect(() => checkOrigin(beyond, "sens.example", "https://sens.example")).not.toThrow();
  expect(() => checkOrigin(beyond, "sens.example", "https://app.example")).not.toThrow();
  expect(() => checkOrigin(beyond, "sens.example", "https://app.example.evil")).toThrow();
});

it("with listed hosts others are refused beyond loopback too", () => {
  const listed = { ...beyond, allowedHosts: ["Sens.example"] };
  expect(() => checkOrigin(listed, "sens.example:443", undefined)).not.toThrow();
  expect(() => checkOrigin(listed, "127.0.0.1", undefined)).toThrow();
});
