/** A server that is fed bad input: what it holds, whether it still answers others, what it tried to reach, how long it hung. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ServerProcess, startServerProcess } from "../faults/server-process.ts";

export const INPUTS = join(import.meta.dirname, "../../../shared/reliability/inputs");
export const inputsAreThere = existsSync(INPUTS);
if (!inputsAreThere) console.warn(`SKIPPED: hostile inputs are not tried: ${INPUTS} is absent`);

export function input(name: string): Buffer<ArrayBuffer> {
  return readFileSync(join(INPUTS, name)) as Buffer<ArrayBuffer>;
}

export interface Answered {
  readonly status: number;
  /** Of a problem. */
  readonly code: string | undefined;
  readonly text: string;
}

/** Echo of input in a problem: 80 characters, escaped and in quotes, and the sentence around them. */
const DETAIL_CHARACTERS_MAX = 600;

export class HostileServer {
  readonly url: string;
  readonly port: number;
  readonly process: ServerProcess;
  /** Longest event loop delay of each row, in ms: noted, not asserted. */
  readonly delays = new Map<string, number>();
  #probes = 0;

  private constructor(server: ServerProcess) {
    this.process = server;
    this.url = server.url;
    this.port = Number(new URL(server.url).port);
  }

  static async start(triples: number, env: NodeJS.ProcessEnv = {}): Promise<HostileServer> {
    const hook = join(import.meta.dirname, "no-outgoing.js");
    const server = new HostileServer(await startServerProcess(":memory:", { node: ["--import", hook], env }));
    const data = Array.from({ length: triples }, (_, i) => `<http://h/s${i}> <http://h/p${i % 3}> "${i}" .\n`).join("");
    if (triples > 0) expect((await server.send("/publish", "application/n-triples", data)).status).toBe(200);
    return server;
  }

  async send(path: string, type: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answered> {
    return this.request(path, { method: "POST", headers: { "content-type": type, ...headers }, body });
  }

  async request(path: string, init: RequestInit = {}): Promise<Answered> {
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    if (response.status < 400) return { status: response.status, code: undefined, text };
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    const problem = JSON.parse(text) as { readonly status: number; readonly code: string; readonly title: string; readonly detail: string };
    expect(problem).toMatchObject({ status: response.status, code: expect.stringMatching(/^SENS_[A-Z_]+$/), title: expect.any(String) });
    expect(problem.detail.length, problem.detail).toBeLessThan(DETAIL_CHARACTERS_MAX);
    expect(text, "no inner details").not.toMatch(/node_modules|\.ts:\d|\n\s*at /);
    return { status: response.status, code: problem.code, text };
  }

  /** All that is asserted outside the probe's graph, and what stands. */
  async state(): Promise<string> {
    const paths = ["/graphs?default", "/subscriptions", "/insertions", "/ontologies", "/rules"];
    const answers = await Promise.all(
      paths.map((path) =>
        fetch(`${this.url}${path}`, {
          headers: { accept: path.startsWith("/graphs") ? "application/n-triples" : "application/json" },
        }).then((r) => r.text()),
      ),
    );
    return answers.join("\n----\n");
  }

  /** Another client's publish is still answered. */
  async probe(): Promise<void> {
    const text = `<http://probe/${++this.#probes}> <http://probe/p> "x" .`;
    expect(await this.send("/publish?graph=http://probe/g", "application/n-triples", text)).toMatchObject({ status: 200 });
  }

  /** Runs a row; afterwards the process lives, nothing changed when it was refused, others are answered, nobody was called. */
  async row(id: string, run: () => Promise<{ readonly refused: boolean }>): Promise<void> {
    await this.loopDelayMs();
    const before = await this.state();
    const { refused } = await run();
    if (refused) expect(await this.state(), `${id}: the state after a refusal`).toBe(before);
    await this.probe();
    expect(this.process.child.exitCode, `${id}: the process`).toBeNull();
    expect(this.process.output(), id).not.toContain("OUTGOING");
    this.delays.set(id, await this.loopDelayMs());
  }

  /** Longest delay of the event loop since the last call. */
  async loopDelayMs(): Promise<number> {
    const stderr = this.process.child.stderr;
    if (!stderr) throw new Error("no stderr");
    return new Promise((resolve) => {
      const read = (chunk: Buffer): void => {
        const found = /LOOP (\d+)/.exec(chunk.toString());
        if (!found) return;
        stderr.off("data", read);
        resolve(Number(found[1]));
      };
      stderr.on("data", read);
      this.process.child.kill("SIGUSR2");
    });
  }

  report(title: string): void {
    const rows = [...this.delays].filter(([, ms]) => ms > 200).map(([id, ms]) => `${id} ${ms} ms`);
    console.log(`${title}: event loop delays above 200 ms: ${rows.join(", ") || "none"}`);
  }

  async close(): Promise<void> {
    expect(await this.process.stop(), this.process.output()).toBe(0);
  }
}
