/** One client of SENS as the contract suite uses it, whatever the surface. RDF in answers is N-Triples lines, sorted. */
import type {
  ChangeAnswer,
  ChangesEntry,
  ClaimState,
  ClaimStatus,
  Cursor,
  InsertionStatus,
  KnowledgeService,
  NamedDocument,
  Notification,
  Proof,
  SubscribeRequest,
} from "../../src/protocol/index.ts";

export interface PublishOptions {
  readonly contentType?: string;
  readonly graph?: string;
  readonly key?: string;
}
export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}
export interface TakeOptions extends WaitOptions {
  readonly leaseMs?: number;
  readonly graph?: string;
}
export interface Taken {
  /** Absent when there is none or time is up. */
  readonly graph?: string;
  readonly cursor?: Cursor;
  readonly claim?: string;
  readonly deliveries?: number;
  readonly stillEntailed?: number;
  readonly nothingAsserted?: boolean;
}
export interface ContractSubscription {
  readonly id: string;
  readonly cursor: Cursor;
  readonly mode: "incremental" | "re-evaluated";
  /** The next notification, its lines sorted. Rejects with the SensError that ended the subscription. */
  next(): Promise<Notification>;
  /** Stops listening; the subscription stays. */
  close(): Promise<void>;
}

export interface ContractClient {
  publish(data: string, options?: PublishOptions): Promise<ChangeAnswer>;
  retract(data: string, options?: PublishOptions): Promise<ChangeAnswer>;
  update(update: string, key?: string): Promise<ChangeAnswer>;
  /** Rows as `{variable: lexical value}`. */
  select(query: string): Promise<readonly Readonly<Record<string, string>>[]>;
  ask(query: string): Promise<boolean>;
  construct(query: string): Promise<string>;
  subscribe(request: SubscribeRequest): Promise<ContractSubscription>;
  unsubscribe(subscription: string): Promise<void>;
  subscriptions(): Promise<readonly string[]>;
  result(subscription: string): Promise<string>;
  receive(query: string, options?: WaitOptions): Promise<Taken>;
  tryReceive(query: string): Promise<Taken>;
  remove(query: string, options?: TakeOptions): Promise<Taken>;
  tryRemove(query: string, options?: TakeOptions): Promise<Taken>;
  confirm(claim: string): Promise<void>;
  release(claim: string): Promise<void>;
  extend(claim: string, leaseMs?: number): Promise<void>;
  /** `quads` as sorted lines. */
  claims(state?: ClaimState): Promise<readonly ClaimStatus[]>;
  requeue(claim: string): Promise<ChangeAnswer>;
  discard(claim: string): Promise<void>;
  registerInsertion(query: string, options?: { readonly name?: string; readonly mode?: "while" | "once" }): Promise<InsertionStatus>;
  unregisterInsertion(insertion: string): Promise<void>;
  insertions(): Promise<readonly InsertionStatus[]>;
  putOntology(document: NamedDocument): Promise<ChangeAnswer>;
  getOntology(name: string): Promise<NamedDocument>;
  deleteOntology(name: string): Promise<ChangeAnswer>;
  ontologies(): Promise<readonly string[]>;
  putRule(document: NamedDocument): Promise<ChangeAnswer>;
  getRule(name: string): Promise<NamedDocument>;
  deleteRule(name: string): Promise<ChangeAnswer>;
  rules(): Promise<readonly string[]>;
  explain(statement: string): Promise<Proof>;
  changes(after: Cursor): Promise<readonly ChangesEntry[]>;
  /** Goes away, as a client does that ends. */
  close(): Promise<void>;
}

/** A knowledge base behind one surface. */
export interface ContractHost {
  readonly service: KnowledgeService;
  connect(): Promise<ContractClient>;
  close(): Promise<void>;
}

export interface Surface {
  readonly name: string;
  open(service: KnowledgeService): Promise<ContractHost>;
  /** What the surface does not have, with the reason. */
  readonly lacks?: { readonly [N in Need]?: string };
}

/** An operation, or that a wait is one request with the time-out of its caller. */
export type Need = keyof ContractClient | "undividedWaits";

export function sortLines(ntriples: string): string {
  return ntriples
    .split("\n")
    .filter((line) => line !== "")
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}

/** Values handed over one by one; the end rejects who waits and who comes later. */
export class Mailbox<T> {
  readonly #values: T[] = [];
  readonly #takers: { resolve(value: T): void; reject(error: unknown): void }[] = [];
  #end: { readonly error: unknown } | undefined;

  put(value: T): void {
    const taker = this.#takers.shift();
    if (taker) taker.resolve(value);
    else this.#values.push(value);
  }

  end(error: unknown): void {
    this.#end ??= { error };
    for (const taker of this.#takers.splice(0)) taker.reject(error);
  }

  take(): Promise<T> {
    if (this.#values.length > 0) return Promise.resolve(this.#values.shift() as T);
    if (this.#end) return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }
}

export function sortedNotification(notification: Notification): Notification {
  const { added, removed } = notification;
  return { ...notification, added: sortLines(added), ...(removed === undefined ? {} : { removed: sortLines(removed) }) };
}
