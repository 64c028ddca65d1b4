/**
 * The one set of operations of SENS, as requests and answers. In process, over HTTP, WebSocket, in the SDK and the CLI
 * the names, the fields and the meaning are these (DESIGN sections 5 and 9). RDF travels as text; graphs in answers are
 * canonical N-Triples unless another format is asked for at the surface.
 */
import type * as RDF from "@rdfjs/types";
import type { SensError } from "../base/index.ts";

/** `epoch:revision`. */
export type Cursor = string;

export interface DocumentRequest {
  /** An RDF document, or for `text/plain` surfaces N-Quads text. */
  readonly data: string | Uint8Array;
  /** Media type with parameters; default `application/n-quads` (N-Triples included). */
  readonly contentType?: string;
  /** Graph for the triples of the document that name none. */
  readonly graph?: string;
  readonly baseIri?: string;
  /** Idempotency key. */
  readonly key?: string;
}

export interface UpdateRequest {
  readonly update: string;
  readonly key?: string;
  /** SPARQL protocol's using-graph-uri / using-named-graph-uri. */
  readonly usingGraphs?: readonly string[];
  readonly usingNamedGraphs?: readonly string[];
}

/** What a change did. Counts are of really changed things. */
export interface ChangeAnswer {
  readonly cursor: Cursor;
  readonly revision: number;
  readonly added: number;
  readonly removed: number;
  readonly derivedAdded: number;
  readonly derivedRemoved: number;
}

export interface QueryRequest {
  readonly query: string;
  readonly defaultGraphs?: readonly string[];
  readonly namedGraphs?: readonly string[];
  readonly timeoutMs?: number;
  /** Refuse other forms with SENS_QUERY_FORM. */
  readonly forms?: readonly QueryForm[];
  /** Wait until this cursor is durable before answering (read your writes). */
  readonly atLeast?: Cursor;
  readonly signal?: AbortSignal;
}

export type QueryForm = "select" | "ask" | "construct" | "describe";

export interface QueryAnswer {
  readonly cursor: Cursor;
  readonly form: QueryForm;
  /** Who evaluated it: `engine`, or `comunica` where the engine does not plan it, with the reason. */
  readonly evaluator: "engine" | "comunica";
  readonly why?: string;
  /** select: names without `?`. */
  readonly variables: readonly string[];
  /** select: one array per solution, in the order of `variables`. */
  readonly rows: readonly (readonly (RDF.Term | undefined)[])[];
  /** ask */
  readonly boolean?: boolean;
  /** construct, describe */
  readonly graph?: GraphText;
}

/** A result graph: canonical N-Triples lines (with `\n`), and how many. */
export interface GraphText {
  readonly ntriples: string;
  readonly size: number;
}

export interface SubscribeRequest {
  readonly query: string;
  /** Durable, and shared by all who attach with the same name. */
  readonly name?: string;
  /** Send the current result first. */
  readonly initial?: boolean;
  /** Also send triples that are no longer in the result. */
  readonly removals?: boolean;
  /** `triples` (default): new triples of the result graph. `solutions`: every new solution's whole template instance. */
  readonly deliver?: "triples" | "solutions";
  /** Replay what came after this cursor. */
  readonly from?: Cursor;
  /** With `from` too old: send the full result instead of refusing. */
  readonly reset?: boolean;
}

export interface SubscribeAnswer {
  readonly subscription: string;
  readonly cursor: Cursor;
  readonly mode: "incremental" | "re-evaluated";
  readonly why?: string;
}

export interface Notification {
  readonly subscription: string;
  readonly cursor: Cursor;
  /** The current result, as the first message or after a reset. */
  readonly initial?: true;
  readonly added: string;
  /** Only when removals were asked for. */
  readonly removed?: string;
}

/** Who receives a subscription's notifications, in order. Must not throw and must not block. */
export interface NotificationSink {
  notify(notification: Notification): void;
  /** No more will come: unsubscribed, server stopping, limit breached. The reason is a problem object. */
  end(reason: { readonly code: string; readonly detail: string }): void;
}

export interface SubscriptionStatus extends SubscribeAnswer {
  readonly query: string;
  readonly name?: string;
  readonly options: { readonly removals: boolean; readonly deliver: "triples" | "solutions" };
  /** Sinks attached now. */
  readonly attached: number;
  /** Notifications made since it exists (or since start, for durable ones). */
  readonly notified: number;
  readonly resultSize: number;
  readonly lastNotified?: Cursor;
  readonly lastError?: string;
}

export interface WaitRequest {
  readonly query: string;
  /** Default 30 s, at most 5 min. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ReceiveAnswer {
  /** Absent when there is none or time is up. */
  readonly result?: GraphText;
  readonly cursor: Cursor;
}

export interface RemoveRequest extends WaitRequest {
  /** Keep the taken triples as a claim for this long. */
  readonly leaseMs?: number;
  /** Take from this named graph. */
  readonly graph?: string;
  readonly key?: string;
}

export interface RemoveAnswer extends ReceiveAnswer {
  /** Triples of the result that are still visible because they are derivable. */
  readonly stillEntailed?: string;
  readonly stillEntailedCount?: number;
  readonly claim?: string;
  readonly deliveries?: number;
  /** tryRemove: there is a result, but nothing of it is asserted. */
  readonly nothingAsserted?: boolean;
}

/** Triples that are taken and neither confirmed nor given back. */
export interface ClaimStatus {
  readonly claim: string;
  /** `held`: with a client, under a lease. `dead`: a dead letter, put aside after too many deliveries. */
  readonly state: ClaimState;
  /** Canonical N-Quads; empty when all of it was retracted meanwhile. */
  readonly quads: string;
  /** How often it was handed out. */
  readonly deliveries: number;
  /** Of the last delivery. */
  readonly leaseMs: number;
}

export type ClaimState = "held" | "dead";

export interface InsertionRequest {
  readonly query: string;
  readonly name?: string;
  readonly mode?: "while" | "once";
}

export interface InsertionStatus {
  readonly insertion: string;
  readonly name?: string;
  readonly query: string;
  readonly mode: "while" | "once";
  readonly suspended?: string;
  readonly cursor: Cursor;
}

export interface NamedDocument {
  readonly name: string;
  readonly contentType: string;
  readonly content: string;
}

export interface ChangesEntry {
  readonly cursor: Cursor;
  readonly revision: number;
  readonly asserted: string;
  readonly retracted: string;
  readonly derivedAdded: string;
  readonly derivedRemoved: string;
}

/** One step of a proof, first found first. */
export interface Proof {
  /** Canonical N-Triples of the statement. */
  readonly statement: string;
  readonly kind: "asserted" | "ontology" | "derived" | "unknown";
  /** Derived: the rule, insertion or axiom kind. */
  readonly rule?: string;
  readonly premises?: readonly Proof[];
  /** The proof goes on deeper than was asked for. */
  readonly cut?: boolean;
}

/** Graph store operations work on assertions. */
export interface GraphRequest {
  /** `undefined` is the default graph. */
  readonly graph?: string;
}

/**
 * One client's view. Waits and sinks end when it is closed; claims it holds return after a grace unless confirmed.
 * Refusals are SensError.
 */
export interface Session {
  publish(request: DocumentRequest): Promise<ChangeAnswer>;
  retract(request: DocumentRequest): Promise<ChangeAnswer>;
  update(request: UpdateRequest): Promise<ChangeAnswer>;
  query(request: QueryRequest): Promise<QueryAnswer>;
  /** The sink gets what follows the answer (the initial result and a replay included); it may be called before this resolves only after the answer's cursor is fixed. */
  subscribe(request: SubscribeRequest, sink?: NotificationSink): Promise<SubscribeAnswer>;
  /** Attaches a further sink to a subscription by id; `from` replays. Answers the cursor it continues from. */
  attach(
    subscription: string,
    sink: NotificationSink,
    options?: { readonly from?: Cursor; readonly initial?: boolean; readonly reset?: boolean },
  ): Promise<SubscribeAnswer>;
  /** Takes the sink away; the subscription stays for its grace (unnamed) or for ever (named). */
  detach(subscription: string, sink: NotificationSink): void;
  unsubscribe(subscription: string): Promise<void>;
  subscriptions(): readonly SubscriptionStatus[];
  subscription(id: string): SubscriptionStatus;
  result(subscription: string): { readonly graph: GraphText; readonly cursor: Cursor };
  receive(request: WaitRequest): Promise<ReceiveAnswer>;
  tryReceive(request: WaitRequest): Promise<ReceiveAnswer>;
  remove(request: RemoveRequest): Promise<RemoveAnswer>;
  tryRemove(request: RemoveRequest): Promise<RemoveAnswer>;
  confirm(claim: string): Promise<void>;
  release(claim: string): Promise<void>;
  extend(claim: string, leaseMs?: number): Promise<void>;
  /** Claims of all clients, in the order of their first deliveries; only those in `state` if given. */
  claims(state?: ClaimState): readonly ClaimStatus[];
  /** Throws SENS_NOT_FOUND. */
  claim(claim: string): ClaimStatus;
  /** Asserts the triples of a dead letter again, as if they had never been taken. Throws SENS_NOT_FOUND. */
  requeue(claim: string): Promise<ChangeAnswer>;
  /** Forgets a dead letter. Throws SENS_NOT_FOUND. */
  discard(claim: string): Promise<void>;
  registerInsertion(request: InsertionRequest): Promise<InsertionStatus>;
  unregisterInsertion(insertion: string): Promise<void>;
  insertions(): readonly InsertionStatus[];
  insertion(id: string): InsertionStatus;
  putOntology(document: NamedDocument): Promise<ChangeAnswer>;
  getOntology(name: string): NamedDocument;
  deleteOntology(name: string): Promise<ChangeAnswer>;
  ontologies(): readonly string[];
  putRule(document: NamedDocument): Promise<ChangeAnswer>;
  getRule(name: string): NamedDocument;
  deleteRule(name: string): Promise<ChangeAnswer>;
  rules(): readonly string[];
  /** `statement` is one N-Triples line. */
  explain(statement: string, options?: { readonly depthMax?: number }): Promise<Proof>;
  changes(after: Cursor, limit?: number): Promise<readonly ChangesEntry[]>;
  /** Calls back after each durable revision, in order; the answer stops it. */
  watchChanges(listener: (entry: ChangesEntry) => void): () => void;
  /** Graph store protocol: the assertions of one graph as N-Triples pieces; SENS_NOT_FOUND for an absent named graph. */
  getGraph(request: GraphRequest): Promise<GraphText>;
  putGraph(request: GraphRequest & DocumentRequest): Promise<ChangeAnswer & { readonly created: boolean }>;
  deleteGraph(request: GraphRequest): Promise<ChangeAnswer>;
  graphs(): readonly string[];
  close(): void;
}

/** The knowledge base as surfaces see it. */
export interface KnowledgeService {
  openSession(): Session;
  /** Durable position now. */
  cursor(): Cursor;
  ready(): boolean;
  /** Why writes are refused at the moment, if they are. */
  degraded(): string | undefined;
  /** Resolves when nothing can be written any more and only a start from disk helps (SENS_OUTCOME_UNKNOWN); else never. */
  whenFailed(): Promise<SensError>;
  /** Current figures for /metrics: name -> value (gauges and counters in Prometheus naming without the `sens_` prefix). */
  figures(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
