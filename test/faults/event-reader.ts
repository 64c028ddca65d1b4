/** A reader of one subscription over Server-Sent Events, by hand: it keeps the result and every cursor it was told. */
import { type ClientRequest, get, type IncomingMessage } from "node:http";

interface Told {
  readonly cursor: string;
  readonly added: string;
  readonly removed?: string;
  readonly initial?: boolean;
}

export class EventReader {
  readonly subscription: string;
  readonly #url: string;
  readonly #statements = new Set<string>();
  readonly #cursors: string[] = [];
  readonly #twice: string[] = [];
  #waiting: { readonly count: number; readonly reached: () => void }[] = [];
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #ended: Promise<void> = Promise.resolve();

  private constructor(url: string, subscription: string) {
    this.#url = url;
    this.subscription = subscription;
  }

  /** Subscribes, and reads from the answer's cursor on. */
  static async subscribe(url: string, query: string, options: object = {}): Promise<EventReader> {
    const response = await fetch(`${url}/subscriptions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, ...options }),
    });
    if (response.status !== 201) throw new Error(`subscribe: ${response.status} ${await response.text()}`);
    const reader = new EventReader(url, ((await response.json()) as { subscription: string }).subscription);
    await reader.connect();
    return reader;
  }

  /** Connects, again after the last cursor; at another address when the server has moved. */
  async connect(url = this.#url): Promise<void> {
    const last = this.#cursors.at(-1);
    const headers = { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      this.#request = get(`${url}/subscriptions/${this.subscription}/events`, { headers, agent: false }, resolve).once("error", reject);
    });
    if (response.statusCode !== 200) throw new Error(`events: ${response.statusCode}`);
    this.#response = response;
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const events = (text + chunk).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) this.#read(event);
    });
    this.#ended = new Promise((resolve) => response.once("close", () => resolve()));
    response.on("error", () => {}); // `close` follows
  }

  /** Lines of the result as it was told. */
  statements(): ReadonlySet<string> {
    return this.#statements;
  }

  get cursors(): readonly string[] {
    return this.#cursors;
  }

  /** Statements that were added while they were there. */
  get twice(): readonly string[] {
    return this.#twice;
  }

  /** Resolves when the result has so many statements. */
  holds(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, reached: resolve });
      this.#tell();
    });
  }

  /** Stops reading without closing, as a reader does that hangs. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  /** Resolves when the connection is gone. */
  ended(): Promise<void> {
    return this.#ended;
  }

  close(): void {
    this.#request?.destroy();
  }

  #read(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined || /^event: /m.test(event)) return;
    const { cursor, added, removed = "", initial } = JSON.parse(data) as Told;
    if (initial) this.#statements.clear();
    for (const line of removed.split("\n")) this.#statements.delete(line);
    for (const line of added.split("\n")) {
      if (line === "") continue;
      if (this.#statements.has(line)) this.#twice.push(line);
      this.#statements.add(line);
    }
    this.#cursors.push(cursor);
    this.#tell();
  }

  #tell(): void {
    this.#waiting = this.#waiting.filter(({ count, reached }) => {
      if (this.#statements.size < count) return true;
      reached();
      return false;
    });
  }
}
