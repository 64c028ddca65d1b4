/**
 * The README's shell blocks do what the text around them says; only the port is another. That each of them works in a fresh
 * clone is tested in test/packaging.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";

describe("README.md", () => {
  it("does what it says, pasted block by block", async () => {
    const blocks = [...readFileSync("README.md", "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
    expect(blocks.length).toBeGreaterThan(8);
    const port = await freePort();
    const [start, ...rest] = blocks;
    const script = `${start?.trim()} &\n${READY}\n${rest.join("\n").replace(/^wait$/gm, "wait $! || true")}`
      .replaceAll("127.0.0.1:7007", `127.0.0.1:${port}`)
      .replace("--data :memory:", `--data :memory: --port ${port}`);
    const { code, output } = await runShell(script, { SENS_URL: `http://127.0.0.1:${port}` });
    expect(output).toContain("Randy> <http://example.org/family#isSiblingOf> <http://example.org/family#Mark>");
    expect(output).toContain("<http://example.org/family#canReceiveBloodFrom> <http://example.org/family#Lucille>");
    expect(output).toContain("<http://example.org/family#toDo> <http://example.org/family#callLucille>");
    expect([...output.matchAll(/"boolean":\s*(true|false)/g)].map(([, value]) => value)).toEqual(["true", "true", "false"]);
    expect(output).toContain("+ <urn:a> <urn:knows> <urn:b> .");
    expect(output).toContain("ALARM in TownHall: Detector7");
    expect(output).toContain("done: dry, fold, wash");
    expect(output).not.toMatch(/SENS_[A-Z]+_|SENS_SYNTAX|error/i);
    expect(code).toBe(0);
  }, 120_000);
});

const READY = "curl -s --retry 60 --retry-delay 1 --retry-all-errors -o /dev/null http://127.0.0.1:7007/ready";

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

/** Runs it in a process group of its own, which is ended whatever happens. */
function runShell(script: string, env: Record<string, string>): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
      detached: true,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (text: string): void => {
      output += text;
    };
    shell.stdout.setEncoding("utf8").on("data", collect);
    shell.stderr.setEncoding("utf8").on("data", collect);
    shell.on("error", reject);
    shell.on("exit", (code) => {
      try {
        process.kill(-(shell.pid as number), "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") reject(error as Error);
      }
      resolve({ code, output });
    });
  });
}
