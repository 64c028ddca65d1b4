import { describe, expect, it } from "vitest";
import { type DocumentSource, documentParts } from "./document.ts";
import { namedNode, quad } from "./terms.ts";

const one = quad(namedNode("urn:a"), namedNode("urn:b"), namedNode("urn:c"));

async function refusalOf(source: unknown): Promise<unknown> {
  try {
    for await (const part of documentParts(source as DocumentSource, undefined)) return part;
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("what cannot be published", () => {
  it.each([
    ["an object", { a: 1 }, 'type "Object"'],
    ["an object without a class", Object.create(null), 'type "object"'],
    ["nothing", undefined, 'type "undefined"'],
    ["null", null, 'type "null"'],
    ["a number", 7, 'type "Number"'],
    ["an array of something else", [{ a: 1 }], 'type "Object"'],
    ["one quad by itself", one, "A quad by itself"],
  ])("%s is refused with what can be", async (_, source, named) => {
    const refusal = await refusalOf(source);
    expect(refusal).toMatchObject({ name: "SensError", code: "SENS_BAD_REQUEST" });
    expect(String(refusal)).toContain(named);
    expect(String(refusal)).toMatch(/text or Uint8Array, or quads in an array/);
  });

  it("quads in an array are not", async () => {
    expect(await refusalOf([one])).toMatchObject({ quads: 1 });
  });
});
