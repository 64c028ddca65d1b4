/** The paper's scenario holds, as the demo plays it. */
import { describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/index.ts";

describe("sens demo", () => {
  it("plays siblings, donors, an insertion and coordination, and every expectation holds", async () => {
    let output = "";
    const write = (text: string): void => {
      output += text;
    };
    const code = await runCli(["demo"], {
      out: write,
      err: write,
      errIsTerminal: false,
      env: {},
      stdin: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }) }),
      interrupted: new AbortController().signal,
    });
    expect(output).not.toContain("NOT ");
    expect(output).toMatch(/All 19 expectations held/);
    for (const part of ["a. Siblings", "b. Ancestors", "c. Continuous insertion", "d. Coordination"]) expect(output).toContain(part);
    expect(code).toBe(0);
  });
});
