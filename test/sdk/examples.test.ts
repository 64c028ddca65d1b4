/** Runs what the documentation shows: the JSDoc examples of the SDK, and the programs in examples/. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as sdk from "../../src/client/index.ts";
import { startServer } from "../../src/server/index.ts";

const CLIENT = "src/client";
let server: { readonly url: string; close(): Promise<void> };

beforeEach(async () => {
  server = await startServer({ host: "127.0.0.1", port: 0, data: ":memory:", reasoning: "owl", ontologies: [] });
});
afterEach(() => server.close());

interface Example {
  readonly where: string;
  readonly code: string;
}

/** Every `@example` of a doc comment, up to the end of the comment or the next tag. */
function examplesOf(file: string): Example[] {
  const text = readFileSync(`${CLIENT}/${file}`, "utf8");
  const examples: Example[] = [];
  for (const comment of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const line = text.slice(0, comment.index).split("\n").length;
    const body = comment[0].replace(/\*\/$/, "").replace(/^[ \t]*\* ?/gm, "");
    for (const [, code = ""] of body.matchAll(/^@example\n([\s\S]*?)(?=^@|$(?![\s\S]))/gm))
      examples.push({ where: `${file}:${line}`, code });
  }
  return examples;
}

/** Runs an example as the body of an async function; a comment behind `console.log(…)` is what it must print. */
async function run({ code }: Example): Promise<{ readonly printed: string[]; readonly expected: string[] }> {
  const printed: string[] = [];
  const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value as string);
  const client = await sdk.connect(server.url);
  const names = ["sdk", "url", "console", ...(code.includes("await connect(") ? [] : ["client"])];
  const body = `const { ${Object.keys(sdk).join(", ")} } = sdk;\n${code}`;
  try {
    const example = Reflect.construct(AsyncFunction, [...names, body]) as (...values: unknown[]) => Promise<void>;
    await example(sdk, server.url, { log: (value: unknown) => printed.push(String(value)) }, client);
  } finally {
    client.close();
  }
  return { printed, expected };
}

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;

describe("the examples in the SDK's comments", () => {
  const all = readdirSync(CLIENT)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap(examplesOf);

  it("are found", () => {
    expect(all.length).toBeGreaterThan(10);
  });

  it.each(all)("$where prints what it says", async (example) => {
    const { printed, expected } = await run(example);
    expect(printed).toEqual(expected);
  });
});

describe("the programs in examples/", () => {
  it.each([
    ["alarm.ts", "ALARM in TownHall: Detector7\n"],
    ["work-queue.ts", "done: dry, fold, wash\n"],
    ["live-view.ts", "at first: tea\ncoffee arrives: coffee, tea\ntea is sold: coffee\n"],
  ])("%s runs to its end, twice", async (program, ending) => {
    for (let time = 0; time < 2; time++) {
      const { code, output } = await runProgram(`examples/${program}`);
      expect(output.endsWith(ending) ? "" : output).toBe("");
      expect(code).toBe(0);
    }
  });
});

function runProgram(path: string): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, server.url], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
