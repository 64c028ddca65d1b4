/** A server in a process of its own, so that it can be killed, paused, and given a bad disk. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "src/cli/main.ts");

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Its exit code when it has ended; null after a signal. */
  readonly ended: Promise<number | null>;
  /** What it has written so far. */
  output(): string;
  /** Ends it at once, as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
}

export interface ServerProcessOptions {
  /** Options of `sens serve`. */
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Options of node. */
  readonly node?: readonly string[];
  /** A command that runs it. */
  readonly prefix?: readonly string[];
}

/** Starts `sens serve` on a free port over `data` and waits until it listens. */
export async function startServerProcess(data: string, options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const line = [...(options.node ?? []), MAIN, "serve", "--port", "0", "--data", data, ...(options.options ?? [])];
  const [command = process.execPath, ...args] = [...(options.prefix ?? []), process.execPath, ...line];
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /listening on (http:\/\/\S+)/.exec(output);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    ended.then((code) => reject(new Error(`the server ended with ${code} before it listened:\n${output}`)), reject);
  });
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  return { url, child, ended, output: () => output, kill: async () => void (await end("SIGKILL")), stop: () => end("SIGTERM") };
}

/** Runs `sens verify` on a file: exit code and what it wrote. */
export async function verifyProcess(data: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [MAIN, "verify", data], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, output };
}
