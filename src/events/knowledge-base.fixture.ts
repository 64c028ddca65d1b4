/** Knowledge bases for tests: a clock that stands still, seeded chance, and a log that can fail. */
import { type ChangeLog, ManualClock, SensError, seededRandom, silentLogger } from "../base/index.ts";
import type { Notification, NotificationSink, Session } from "../protocol/index.ts";
import { openChangeLog } from "../storage/index.ts";
import { createKnowledgeBase, type KnowledgeBaseOptions } from "./index.ts";

export const E = "http://example.org/";
export const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** One N-Triples line; names are local to E, literals are written with quotes. */
export function triple(s: string, p: string, o: string): string {
  return `<${E}${s}> <${E}${p}> ${o.startsWith('"') ? o : `<${E}${o}>`} .\n`;
}

/** All triples with this predicate. */
export function like(p: string): string {
  return `CONSTRUCT { ?s <${E}${p}> ?o } WHERE { ?s <${E}${p}> ?o }`;
}

export const TASK = "CONSTRUCT { ?t a <http://example.org/Task> } WHERE { ?t a <http://example.org/Task> } LIMIT 1";

export function task(name: string | number): string {
  return `<${E}${name}> <${TYPE}> <${E}Task> .\n`;
}

let seed = 1;

export async function open(options: Partial<KnowledgeBaseOptions> = {}) {
  const clock = new ManualClock();
  const random = seededRandom(seed++);
  const kb = await createKnowledgeBase({ data: ":memory:", reasoning: "none", clock, random, ...options });
  return { kb, clock, session: kb.openSession() };
}

/** A memory log whose appends can be held back or made to fail. */
export class UnreliableLog {
  readonly log: ChangeLog;
  /** Fails the appends to come with these, one each. */
  readonly failures: SensError[] = [];
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  appends = 0;

  constructor() {
    const inner = openChangeLog({ file: ":memory:", clock: new ManualClock(), random: seededRandom(7), logger: silentLogger });
    this.log = new Proxy(inner, {
      get: (target, property) => {
        if (property === "append") return (records: Parameters<ChangeLog["append"]>[0]) => this.#append(target, records);
        const member: unknown = Reflect.get(target, property, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  /** Appends wait until the answer is called. */
  hold(): () => void {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate = { opened, open };
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  async #append(inner: ChangeLog, records: Parameters<ChangeLog["append"]>[0]): Promise<void> {
    this.appends++;
    if (this.#gate) await this.#gate.opened;
    const failure = this.failures.shift();
    if (failure) throw failure;
    await inner.append(records);
  }
}

/** A sink that collects, and lets a test wait for what comes next. */
export class Inbox implements NotificationSink {
  readonly all: Notification[] = [];
  ended: { readonly code: string; readonly detail: string } | undefined;
  #taken = 0;
  #waiting: (() => void)[] = [];

  notify(notification: Notification): void {
    this.all.push(notification);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  end(reason: { readonly code: string; readonly detail: string }): void {
    this.ended = reason;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The next notification that was not asked for yet. */
  async next(): Promise<Notification> {
    while (this.all.length <= this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.all[this.#taken++];
  }

  async whenEnded(): Promise<string> {
    while (!this.ended) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.ended.code;
  }
}

/** Resolves when everything asked of the session before has been processed. */
export async function settled(session: Session): Promise<void> {
  await session.tryRemove({ query: like("nothing-has-this") });
}

export function lines(ntriples: string | undefined): string[] {
  return (ntriples ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

/** For work that may be refused: how it ended, "done" or the code of the refusal. What it did is checked elsewhere. */
export function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "done",
    (error: unknown) => (error instanceof SensError ? error.code : String(error)),
  );
}

/** Lets everything else have its turn until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
}
