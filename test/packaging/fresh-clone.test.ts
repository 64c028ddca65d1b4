import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LISTENING, Program, runToEnd, userEnvironment } from "./process.ts";
import { shellBlocks } from "./readme-blocks.ts";

const REPOSITORY = join(import.meta.dirname, "../..");

describe("a fresh clone", () => {
  const folder = mkdtempSync(join(tmpdir(), "sens-clone-"));
  const clone = join(folder, "sens");
  const env = userEnvironment();
  const running: Program[] = [];

  beforeAll(() => runToEnd("git", ["clone", "--quiet", "--no-hardlinks", REPOSITORY, clone], { cwd: folder, env }, 60_000));

  afterEach(async () => {
    await Promise.all(running.splice(0).map((program) => program.stop()));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function start(script: string): Program {
    const program = new Program("bash", ["-euo", "pipefail", "-c", script], { cwd: clone, env });
    running.push(program);
    return program;
  }

  test("starts with one command, which installs what it needs", { timeout: 300_000 }, async () => {
    expect(existsSync(join(clone, "node_modules"))).toBe(false);
    const server = start("npm start -- --port 0 --data :memory:");
    const [, address = ""] = await server.waitFor(LISTENING, 240_000);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    const published = await fetch(`${address}/publish`, {
      method: "POST",
      headers: { "content-type": "text/turtle" },
      body: "<http://example.org/s> <http://example.org/p> <http://example.org/o> .",
    });
    expect(await published.json()).toMatchObject({ added: 1, removed: 0 });
  });

  test("runs its scripts under the Node it brings, whatever the system has", async () => {
    const version = await runToEnd("npm", ["run", "--silent", "node", "--", "-v"], { cwd: clone, env }, 60_000);
    expect(version.trim()).toMatch(/^v24\./);
  });

  // The page names the default port, so this test, alone of all, uses it.
  test("every command of README works, in the page's order", { timeout: 900_000 }, async () => {
    const blocks = shellBlocks(readFileSync(join(clone, "README.md"), "utf8"));
    expect(blocks.filter((block) => block.kind !== "not-run").length).toBeGreaterThan(0);
    const backgrounds: Program[] = [];
    for (const block of blocks) {
      if (block.kind === "not-run") continue;
      const program = start(block.script);
      if (block.kind === "ends") {
        const status = await program.exit(600_000);
        expect(status, `README.md:${block.line} failed:\n${block.script}\n${program.output}`).toBe(0);
      } else {
        // npm prints two lines that begin with ">"; the first other line is the program's own.
        await program.waitFor(/npm start|\bserve\b/.test(block.script) ? LISTENING : /^(?!>)\S.*$/m, 60_000);
        backgrounds.push(program);
      }
      for (const background of backgrounds) expect(background.isOver, `ended too early:\n${background.output}`).toBe(false);
    }
  });
});
