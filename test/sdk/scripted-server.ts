/** A server whose every frame a test decides: it records what the client sends, and says what it is told to say. */
import { ManualClock, type SensError, seededRandom } from "../../src/base/index.ts";
import { connect } from "../../src/client/index.ts";

type Options = NonNullable<Parameters<typeof connect>[1]>;
type Parts = NonNullable<Parameters<typeof connect>[2]>;
type SocketEvents = Parameters<NonNullable<Parts["openSocket"]>>[2];

export interface SentFrame {
  readonly id: string;
  readonly op: string;
  readonly [field: string]: unknown;
}

/** One connection the client opened. */
export class ScriptedConnection {
  readonly protocols: readonly string[];
  readonly #events: SocketEvents;
  readonly #frames: SentFrame[] = [];
  #waiter: (() => void) | undefined;
  closed = false;

  constructor(protocols: readonly string[], events: SocketEvents) {
    this.protocols = protocols;
    this.#events = events;
  }

  sent(text: string): void {
    const frame = JSON.parse(text) as SentFrame;
    this.#frames.push(frame);
    this.#waiter?.();
  }

  /** The next request of one operation; others stay. Resolves as soon as it is there. */
  async request(op: string): Promise<SentFrame> {
    for (;;) {
      const index = this.#frames.findIndex((frame) => frame.op === op);
      if (index >= 0) return this.#frames.splice(index, 1)[0] as SentFrame;
      await new Promise<void>((resolve) => {
        this.#waiter = resolve;
      });
    }
  }

  /** Requests not looked at yet. */
  get unread(): readonly SentFrame[] {
    return this.#frames;
  }

  answer(request: SentFrame, fields: object = {}): void {
    this.say({ id: request.id, ok: true, ...fields });
  }

  refuse(request: SentFrame, code: string, detail = "because the test says so"): void {
    this.say({ id: request.id, ok: false, error: { code, detail, status: 400, title: code, type: "urn:x", retryable: false } });
  }

  say(frame: object): void {
    if (!this.closed) this.#events.frame(JSON.stringify(frame));
  }

  /** The line is cut. */
  cut(code = 1006): void {
    this.closed = true;
    this.#events.closed({ code, reason: "" });
  }

  open(): void {
    this.#events.open();
  }
}

export class ScriptedServer {
  readonly clock = new ManualClock();
  readonly connections: ScriptedConnection[] = [];
  /** Why connections are refused now, if they are. */
  refusal: SensError | undefined;
  #waiter: (() => void) | undefined;

  readonly parts: Parts = {
    clock: this.clock,
    random: seededRandom(7),
    openSocket: (_url, protocols, events) => {
      const connection = new ScriptedConnection(protocols, events);
      queueMicrotask(() => {
        if (this.refusal) {
          connection.cut();
          return;
        }
        this.connections.push(connection);
        connection.open();
        this.#waiter?.();
      });
      return {
        send: (text) => connection.sent(text),
        bufferedBytes: () => 0,
        close: () => {
          connection.closed = true;
        },
      };
    },
    diagnose: () => Promise.resolve(this.refusal),
  };

  connect(options: Options = {}): ReturnType<typeof connect> {
    return connect("http://scripted.test", options, this.parts);
  }

  get current(): ScriptedConnection {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error("The client has not connected yet.");
    return connection;
  }

  /** Cuts the line and lets time pass until the client is back. */
  async reconnected(): Promise<ScriptedConnection> {
    const before = this.connections.length;
    const back = new Promise<void>((resolve) => {
      this.#waiter = resolve;
    });
    if (!this.current.closed) this.current.cut();
    this.clock.advance(20_000);
    if (this.connections.length === before) await back;
    return this.current;
  }
}
