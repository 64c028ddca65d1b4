/** Starts programs the way a user's shell or a container would, away from the environment of this test run. */
import { type ChildProcess, spawn } from "node:child_process";

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Run as this user (and the group of the same number); needs to be root. */
  readonly uid?: number;
}

/** The environment without what npm and the test runner put into it: their PATH entries, NODE_ENV, npm's own variables. */
export function userEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const foreign = /^(npm_(?!config_registry$)|VITEST|NODE_ENV$|NODE_OPTIONS$|SENS_|TEST$|INIT_CWD$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = (process.env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  return { ...Object.fromEntries(kept), PATH: path.join(":"), ...extra };
}

/** A running program, its output so far, and its end. It is the leader of a process group of its own. */
export class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #watchers = new Set<() => void>();
  #output = "";
  #isOver = false;

  constructor(command: string, args: readonly string[], options: ProgramOptions) {
    const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
    this.#child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      ...identity,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        for (const watch of this.#watchers) watch();
      });
    }
    this.#ended = new Promise((resolve) => {
      const end = (status: number): void => {
        this.#isOver = true;
        for (const watch of this.#watchers) watch();
        resolve(status);
      };
      this.#child.on("error", (error) => {
        this.#output += `${error.message}\n`;
        end(127);
      });
      this.#child.on("close", (code, signal) => end(code ?? (signal === null ? 1 : 128)));
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`not started: ${this.#output}`);
    return this.#child.pid;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get output(): string {
    return this.#output;
  }

  /** The first match in the output. Throws, with the output, when the program ends or the time is over before there is one. */
  waitFor(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        this.#watchers.delete(watch);
        settle();
      };
      const watch = (): void => {
        const match = pattern.exec(this.#output);
        if (match) finish(() => resolve(match));
        else if (this.#isOver) finish(() => reject(new Error(`ended before ${pattern}:\n${this.#output}`)));
      };
      const timer = setTimeout(() => finish(() => reject(new Error(`no ${pattern} in ${timeoutMs} ms:\n${this.#output}`))), timeoutMs);
      this.#watchers.add(watch);
      watch();
    });
  }

  /** Exit status; a program that outlives the time is killed and its output thrown. */
  async exit(timeoutMs: number): Promise<number> {
    const timer = setTimeout(() => {
      this.#output += `\nkilled after ${timeoutMs} ms`;
      this.signal("SIGKILL");
    }, timeoutMs);
    try {
      return await this.#ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a signal to the program and everything it started. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  /** Asks it to stop, as an operator would, and answers its exit status. */
  async stop(timeoutMs = 15_000): Promise<number> {
    if (this.#isOver) return await this.#ended;
    this.signal("SIGTERM");
    return await this.exit(timeoutMs);
  }
}

/** Runs to the end and throws, with the output, unless the program succeeded. */
export async function runToEnd(command: string, args: readonly string[], options: ProgramOptions, timeoutMs: number): Promise<string> {
  const program = new Program(command, args, options);
  const status = await program.exit(timeoutMs);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${program.output}`);
  return program.output;
}

/** What a server prints when it is up; with `--port 0` the system picks the port. */
export const LISTENING = /listening on (http:\/\/[^\s"]+?:\d+)/;
