/** Starts processes of this folder and reads what they acknowledged. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Fault tools that are not part of the project. */
const TOOLS = join(HERE, "../../../shared/reliability/tools");

export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  /** Settles at its end. */
  readonly ended: Promise<{ readonly code: number | null; readonly lines: readonly string[]; readonly stderr: string }>;
  /** Calls back at each line. */
  onLine(callback: (line: string) => void): void;
}

export function startChild(file: string, seed: number, until: number, env: NodeJS.ProcessEnv = {}, prefix: readonly string[] = []): Child {
  return startScript("storage-child.ts", [file, String(seed), String(until)], env, prefix);
}

/** Starts a script of this folder, by `prefix` when there is one. */
export function startScript(
  script: string,
  scriptArgs: readonly string[],
  env: NodeJS.ProcessEnv = {},
  prefix: readonly string[] = [],
): Child {
  const [command = process.execPath, ...args] = [...prefix, process.execPath, join(HERE, script), ...scriptArgs];
  const child = spawn(command, args, { env: { ...process.env, ...env, NODE_OPTIONS: "" }, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const callbacks: ((line: string) => void)[] = [];
  let rest = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      for (const callback of callbacks) callback(line);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; lines: string[]; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, lines, stderr }));
  });
  return { process: child, ended, onLine: (callback) => callbacks.push(callback) };
}

export function lastAcknowledged(lines: readonly string[]): number {
  const last = lines.findLast((line) => line.startsWith("ack "));
  return last ? Number(last.slice(4)) : 0;
}

/** Builds a preload library in `directory`; undefined, with the reason printed, when that is not possible here. */
export function buildPreload(name: string, directory: string): string | undefined {
  const source = join(TOOLS, `${name}.c`);
  const output = join(directory, `${name}.so`);
  const reason = !existsSync(source) ? `${source} is absent` : cc(source, output);
  if (reason === undefined) return output;
  console.warn(`SKIPPED: ${name} faults are not tried: ${reason}`);
  return undefined;
}

function cc(source: string, output: string): string | undefined {
  const result = spawnSync("cc", ["-shared", "-fPIC", "-O2", "-w", "-o", output, source, "-ldl"], { encoding: "utf8" });
  if (result.error) return `no C compiler (${result.error.message})`;
  return result.status === 0 ? undefined : `cc failed: ${result.stderr}`;
}
