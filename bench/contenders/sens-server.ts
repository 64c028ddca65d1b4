/**
 * SENS as a server in a process of its own: publishes over HTTP on kept connections, subscriptions over one WebSocket.
 * A publication is over when its notification has arrived.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import type { Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { FAMILY_ONTOLOGY } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";
import { Pipelined } from "./pipelined.ts";
import { ToldByCursor } from "./told-by-cursor.ts";

const CLI = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

interface Frame {
  readonly id?: string;
  readonly ok?: boolean;
  readonly type?: string;
  readonly subscription?: string;
  readonly cursor?: string;
  readonly added?: string;
  readonly error?: { readonly code: string; readonly detail: string };
}

export class SensServer implements Contender {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #under = new Pipelined();
  readonly #told = new ToldByCursor();
  readonly #numbers = new Map<string, number>();
  readonly #answers = new Map<string, (frame: Frame) => void>();
  #lastId = 0;

  static async make(isDurable: boolean): Promise<SensServer> {
    const folder = await mkdtemp(join(tmpdir(), "sens-bench-"));
    const ontology = join(folder, "family.nt");
    await writeFile(ontology, FAMILY_ONTOLOGY);
    const data = isDurable ? join(folder, "bench.db") : ":memory:";
    const child = spawn(process.execPath, [CLI, "serve", "--port", "0", "--data", data, "--ontology", ontology], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = await listening(child);
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, ["sens.v1"]);
    await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
    return new SensServer(child, url, folder, socket);
  }

  private constructor(child: ChildProcess, url: string, folder: string, socket: WebSocket) {
    this.#child = child;
    this.#url = url;
    this.#folder = folder;
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as Frame));
  }

  #receive(frame: Frame): void {
    if (frame.type === "notification")
      this.#told.add(frame.cursor ?? "", this.#numbers.get(frame.subscription ?? "") ?? -1, frame.added ?? "");
    else if (frame.id !== undefined) {
      this.#answers.get(frame.id)?.(frame);
      this.#answers.delete(frame.id);
    }
  }

  async #ask(op: string, fields: object): Promise<Frame> {
    const id = String(++this.#lastId);
    const answer = new Promise<Frame>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, op, ...fields }));
    const frame = await answer;
    if (!frame.ok) throw new Error(`${op} was refused: ${frame.error?.code} ${frame.error?.detail}`);
    return frame;
  }

  #post(path: string, document: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/n-triples", "content-length": document.length };
      const outgoing = request(this.#url + path, { method: "POST", agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      });
      outgoing.on("error", reject);
      outgoing.end(document);
    });
  }

  load(document: Buffer): Promise<void> {
    return this.#under.add(() => this.#post("/publish", document));
  }

  loaded(): Promise<void> {
    return this.#under.settled();
  }

  async withdraw(document: Buffer): Promise<void> {
    await this.#post("/retract", document);
  }

  closure(_facts: Fingerprint): void {
    throw new Error("loads are checked in process");
  }

  factCount(): undefined {
    return undefined;
  }

  async subscribe({ query, number }: Target): Promise<void> {
    const { subscription = "" } = await this.#ask("subscribe", { query });
    this.#numbers.set(subscription, number);
  }

  async unsubscribe({ number }: Target): Promise<void> {
    const id = [...this.#numbers].find(([, known]) => known === number)?.[0];
    if (id === undefined) return;
    this.#numbers.delete(id);
    await this.#ask("unsubscribe", { subscription: id });
  }

  async publish({ document }: Publication): Promise<Told[]> {
    const { cursor } = JSON.parse(await this.#post("/publish", document)) as { readonly cursor: string };
    return this.#told.of(cursor);
  }

  async takeBack({ document }: Publication): Promise<boolean> {
    await this.withdraw(document);
    return true;
  }

  memory(): Record<string, number> {
    return {};
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#socket.close();
    this.#agent.destroy();
    this.#child.kill("SIGTERM");
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const address = /listening on (http:\S+)/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}
