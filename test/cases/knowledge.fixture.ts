/** A knowledge base for the cases, asked in process or over the wire; everything is closed when the test ends. */
import { createKnowledgeBase, type KnowledgeBaseOptions } from "../../src/events/index.ts";
import type { KnowledgeService, Notification, NotificationSink, Session } from "../../src/protocol/index.ts";
import { type ServeOptions, serve } from "../../src/server/index.ts";
import { atEnd } from "../surfaces/served.ts";

export const E = "http://example.org/";
export const XSD = "http://www.w3.org/2001/XMLSchema#";
/** Put before every document and query of the cases. */
export const PREFIXES = `PREFIX e: <${E}>
PREFIX xsd: <${XSD}>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
`;

export interface Opened {
  readonly service: KnowledgeService;
  readonly session: Session;
}

export async function open(options: Partial<KnowledgeBaseOptions> = {}): Promise<Opened> {
  const service = await createKnowledgeBase({ data: ":memory:", reasoning: "none", ...options });
  atEnd(() => service.close());
  return { service, session: service.openSession() };
}

export interface Server extends Opened {
  readonly url: string;
  readonly port: number;
}

/** The same behind HTTP and WebSocket, on a free port. */
export async function listen(options: Partial<KnowledgeBaseOptions> = {}, serving: ServeOptions = {}): Promise<Server> {
  const opened = await open(options);
  const server = await serve(opened.service, { port: 0, clock: options.clock, ...serving });
  atEnd(() => server.close());
  return { ...opened, url: server.url, port: Number(new URL(server.url).port) };
}

/** Publishes Turtle; the prefixes are given. */
export function publish(session: Session, turtle: string, graph?: string) {
  return session.publish({ data: PREFIXES + turtle, contentType: "text/turtle", graph });
}

export function retract(session: Session, turtle: string) {
  return session.retract({ data: PREFIXES + turtle, contentType: "text/turtle" });
}

export function update(session: Session, text: string) {
  return session.update({ update: PREFIXES + text });
}

/** The lines of a CONSTRUCT, sorted. */
export async function graph(session: Session, query: string): Promise<string[]> {
  return lines((await session.query({ query: PREFIXES + query })).graph?.ntriples);
}

/** The rows of a SELECT as lexical forms, in the order of the answer; unbound cells are empty. */
export async function rows(session: Session, query: string): Promise<string[][]> {
  const answer = await session.query({ query: PREFIXES + query });
  return answer.rows.map((row) => row.map((term) => term?.value.replace(E, "e:") ?? ""));
}

export async function ask(session: Session, query: string): Promise<boolean> {
  return (await session.query({ query: `${PREFIXES}ASK { ${query} }` })).boolean === true;
}

/** What a query for all triples with that predicate gives. */
export function all(predicate: string): string {
  return `${PREFIXES}CONSTRUCT { ?s ${predicate} ?o } WHERE { ?s ${predicate} ?o }`;
}

/** Sorted lines, with `e:` instead of the long namespace. */
export function lines(ntriples: string | undefined): string[] {
  return (ntriples ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map(short)
    .sort();
}

export function short(line: string): string {
  return line.replaceAll(/<http:\/\/example\.org\/([^>]*)>/g, "e:$1").replace(/ \.$/, "");
}

/** Keeps what a subscription was told. */
export class Told implements NotificationSink {
  readonly notifications: Notification[] = [];
  ended: string | undefined;
  #wake: (() => void)[] = [];

  notify(notification: Notification): void {
    this.notifications.push(notification);
    for (const wake of this.#wake.splice(0)) wake();
  }

  end({ code }: { readonly code: string }): void {
    this.ended = code;
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** What was added and removed, one pair per notification. */
  get deltas(): { readonly added: string[]; readonly removed: string[] }[] {
    return this.notifications.map(({ added, removed }) => ({ added: lines(added), removed: lines(removed) }));
  }

  get added(): string[] {
    return this.deltas.flatMap(({ added }) => added);
  }

  get removed(): string[] {
    return this.deltas.flatMap(({ removed }) => removed);
  }

  /** Resolves when the condition holds, after whatever came. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
}

/** Subscribes and keeps what is told, losses included. */
export async function subscribed(session: Session, query: string, options: { readonly initial?: boolean; readonly name?: string } = {}) {
  const told = new Told();
  const answer = await session.subscribe({ query: PREFIXES + query, removals: true, ...options }, told);
  return Object.assign(told, { answer });
}

/** Resolves when everything asked before has been processed, and told. */
export async function settled(session: Session): Promise<void> {
  await session.tryRemove({ query: all("e:nothingHasThis") });
}

/** Gives everything else its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Gives everything else its turn until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}
