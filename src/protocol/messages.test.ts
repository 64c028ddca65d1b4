import { describe, expect, it } from "vitest";
import { type ErrorCode, LIMITS } from "../base/index.ts";
import { parseGuardedJson } from "./guarded-json.ts";
import { readRequestFrame } from "./messages.ts";

function refusal(frame: string): { id: string | null; code: ErrorCode } {
  const incoming = readRequestFrame(frame);
  if (incoming.ok) throw new Error(`accepted: ${frame}`);
  return { id: incoming.id, code: incoming.error.code };
}

describe("request frames", () => {
  it("answers the checked request with its fields", () => {
    const frame = { id: "1", op: "remove", query: "CONSTRUCT WHERE {?s ?p ?o}", timeout: 0, lease: 1000, graph: "urn:g" };
    expect(readRequestFrame(JSON.stringify(frame))).toEqual({ ok: true, request: frame });
  });

  it("takes null for an absent optional field", () => {
    const incoming = readRequestFrame('{"id":"1","op":"publish","data":"","graph":null}');
    expect(incoming).toEqual({ ok: true, request: { id: "1", op: "publish", data: "" } });
  });

  it.each([
    ["a timeout below zero", { timeout: -1 }, "SENS_LIMIT"],
    ["a timeout above five minutes", { timeout: LIMITS.waitMaxMs + 1 }, "SENS_LIMIT"],
    ["a timeout that would overflow a timer", { timeout: 2 ** 31 }, "SENS_LIMIT"],
    ["a timeout with a unit", { timeout: "5s" }, "SENS_BAD_REQUEST"],
    ["a fraction", { timeout: 0.5 }, "SENS_BAD_REQUEST"],
    ["a field nobody knows", { tiemout: 5 }, "SENS_BAD_REQUEST"],
    ["a query that is no text", { query: ["x"] }, "SENS_BAD_REQUEST"],
    ["an operation nobody knows", { op: "toString" }, "SENS_UNKNOWN_OP"],
    ["an operation that is no text", { op: 5 }, "SENS_BAD_REQUEST"],
  ])("refuses %s under the id of the request", (_what, change, code) => {
    expect(refusal(JSON.stringify({ id: "7", op: "receive", query: "q", ...change }))).toEqual({ id: "7", code });
  });

  it("refuses JSON's Infinity literal, which is no JSON", () => {
    expect(refusal('{"id":"7","op":"receive","query":"q","timeout":Infinity}').code).toBe("SENS_BAD_REQUEST");
    expect(refusal('{"id":"7","op":"receive","query":"q","timeout":1e999}').code).toBe("SENS_BAD_REQUEST");
  });

  it.each(["", "null", "[]", '"x"', "{", '{"op":"ping"}', '{"id":5,"op":"ping"}', '{"id":"","op":"ping"}'])(
    "refuses %j, which names no request, without an id",
    (frame) => {
      expect(refusal(frame)).toEqual({ id: null, code: "SENS_BAD_REQUEST" });
    },
  );

  it.each([
    '{"id":"1","op":"ping","__proto__":{"x":1}}',
    '{"id":"1","op":"ping","\\u005f_proto__":1}',
    '{"id":"1","constructor":{"prototype":{}}}',
  ])("refuses the prototype keys of %j", (frame) => {
    expect(refusal(frame).code).toBe("SENS_BAD_REQUEST");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe("guarded JSON", () => {
  it("refuses nesting beyond the limit before the parser sees it", () => {
    expect(() => parseGuardedJson("[".repeat(5000))).toThrow(/deeper than 100/);
    expect(parseGuardedJson(`${"[".repeat(100)}${"]".repeat(100)}`)).toBeInstanceOf(Array);
  });

  it("does not count brackets inside strings, whatever is escaped", () => {
    const deep = "[".repeat(200);
    expect(parseGuardedJson(JSON.stringify({ a: deep, b: `\\" ${deep}`, c: `${deep}\\` }))).toEqual({
      a: deep,
      b: `\\" ${deep}`,
      c: `${deep}\\`,
    });
  });
});
