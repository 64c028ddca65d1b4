/** One client's view: the operations, and what ends when it goes away. */
import { SensError } from "../base/index.ts";
import type * as P from "../protocol/index.ts";
import type { Attachment } from "./attachment.ts";
import type { Claims } from "./claims.ts";
import type { Documents } from "./documents.ts";
import type { Explanations } from "./explanations.ts";
import type { Feeds } from "./feeds.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Insertions } from "./insertions.ts";
import type { ClaimHolder } from "./leases.ts";
import type { Publishing } from "./publishing.ts";
import type { Queries } from "./queries.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Updates } from "./updates.ts";
import type { Wait } from "./wait.ts";
import type { Waits } from "./waits.ts";

export interface SessionParts {
  readonly publishing: Publishing;
  readonly updates: Updates;
  readonly queries: Queries;
  readonly subscriptions: Subscriptions;
  readonly waits: Waits;
  readonly claims: Claims;
  readonly insertions: Insertions;
  readonly documents: Documents;
  readonly explanations: Explanations;
  readonly feeds: Feeds;
  readonly idempotency: Idempotency;
}

export class KnowledgeSession implements P.Session, ClaimHolder {
  readonly #parts: SessionParts;
  readonly #onClosed: (session: KnowledgeSession) => void;
  readonly #waits = new Set<Wait>();
  readonly #attachments = new Set<Attachment>();
  readonly #unwatch = new Set<() => void>();
  closed = false;

  constructor(parts: SessionParts, onClosed: (session: KnowledgeSession) => void) {
    this.#parts = parts;
    this.#onClosed = onClosed;
  }

  async publish(request: P.DocumentRequest): Promise<P.ChangeAnswer> {
    return this.#open.publishing.publish(request);
  }

  async retract(request: P.DocumentRequest): Promise<P.ChangeAnswer> {
    return this.#open.publishing.retract(request);
  }

  async update(request: P.UpdateRequest): Promise<P.ChangeAnswer> {
    return this.#open.updates.update(request);
  }

  async query(request: P.QueryRequest): Promise<P.QueryAnswer> {
    return this.#open.queries.query(request);
  }

  async subscribe(request: P.SubscribeRequest, sink?: P.NotificationSink): Promise<P.SubscribeAnswer> {
    const { subscriptions } = this.#open;
    if (!sink) return subscriptions.subscribe(request, undefined);
    return this.#letIn(sink, request.removals, (attachment) => subscriptions.subscribe(request, attachment));
  }

  async attach(
    subscription: string,
    sink: P.NotificationSink,
    options: { readonly from?: P.Cursor; readonly initial?: boolean; readonly reset?: boolean } = {},
  ): Promise<P.SubscribeAnswer> {
    const { subscriptions } = this.#open;
    const { removals } = subscriptions.get(subscription).options;
    return this.#letIn(sink, removals, (attachment) => subscriptions.attach(subscription, attachment, options));
  }

  detach(subscription: string, sink: P.NotificationSink): void {
    for (const attachment of [...this.#attachments])
      if (attachment.sink === sink && attachment.subscription === subscription) attachment.close();
  }

  async unsubscribe(subscription: string): Promise<void> {
    return this.#open.subscriptions.unsubscribe(subscription);
  }

  subscriptions(): readonly P.SubscriptionStatus[] {
    return this.#open.subscriptions.list();
  }

  subscription(id: string): P.SubscriptionStatus {
    return this.#open.subscriptions.get(id).status();
  }

  result(subscription: string): { readonly graph: P.GraphText; readonly cursor: P.Cursor } {
    return this.#open.subscriptions.result(subscription);
  }

  async receive(request: P.WaitRequest): Promise<P.ReceiveAnswer> {
    return this.#receive(request, false);
  }

  async tryReceive(request: P.WaitRequest): Promise<P.ReceiveAnswer> {
    return this.#receive(request, true);
  }

  async remove(request: P.RemoveRequest): Promise<P.RemoveAnswer> {
    return this.#open.waits.remove(request, this, false, (wait) => this.#keep(wait));
  }

  async tryRemove(request: P.RemoveRequest): Promise<P.RemoveAnswer> {
    return this.#open.waits.remove(request, this, true, (wait) => this.#keep(wait));
  }

  async confirm(claim: string): Promise<void> {
    return this.#open.claims.confirm(claim);
  }

  async release(claim: string): Promise<void> {
    return this.#open.claims.release(claim);
  }

  async extend(claim: string, leaseMs?: number): Promise<void> {
    return this.#open.claims.extend(claim, leaseMs, this);
  }

  claims(state?: P.ClaimState): readonly P.ClaimStatus[] {
    return this.#open.claims.list(state);
  }

  claim(claim: string): P.ClaimStatus {
    return this.#open.claims.status(claim);
  }

  async requeue(claim: string): Promise<P.ChangeAnswer> {
    return this.#open.claims.requeue(claim);
  }

  async discard(claim: string): Promise<void> {
    return this.#open.claims.discard(claim);
  }

  async registerInsertion(request: P.InsertionRequest): Promise<P.InsertionStatus> {
    return this.#open.insertions.register(request);
  }

  async unregisterInsertion(insertion: string): Promise<void> {
    return this.#open.insertions.unregister(insertion);
  }

  insertions(): readonly P.InsertionStatus[] {
    return this.#open.insertions.list();
  }

  insertion(id: string): P.InsertionStatus {
    return this.#open.insertions.status(id);
  }

  async putOntology(document: P.NamedDocument): Promise<P.ChangeAnswer> {
    return this.#open.documents.put("ontology", document);
  }

  getOntology(name: string): P.NamedDocument {
    return this.#open.documents.get("ontology", name);
  }

  async deleteOntology(name: string): Promise<P.ChangeAnswer> {
    return this.#open.documents.delete("ontology", name);
  }

  ontologies(): readonly string[] {
    return this.#open.documents.names("ontology");
  }

  async putRule(document: P.NamedDocument): Promise<P.ChangeAnswer> {
    return this.#open.documents.put("rules", document);
  }

  getRule(name: string): P.NamedDocument {
    return this.#open.documents.get("rules", name);
  }

  async deleteRule(name: string): Promise<P.ChangeAnswer> {
    return this.#open.documents.delete("rules", name);
  }

  rules(): readonly string[] {
    return this.#open.documents.names("rules");
  }

  async explain(statement: string, options: { readonly depthMax?: number } = {}): Promise<P.Proof> {
    return this.#open.explanations.explain(statement, options.depthMax);
  }

  async changes(after: P.Cursor, limit?: number): Promise<readonly P.ChangesEntry[]> {
    return this.#open.feeds.changes(after, limit);
  }

  watchChanges(listener: (entry: P.ChangesEntry) => void): () => void {
    const stop = this.#open.feeds.watch(listener);
    this.#unwatch.add(stop);
    return () => {
      this.#unwatch.delete(stop);
      stop();
    };
  }

  async getGraph(request: P.GraphRequest): Promise<P.GraphText> {
    return this.#open.publishing.getGraph(request);
  }

  async putGraph(request: P.GraphRequest & P.DocumentRequest): Promise<P.ChangeAnswer & { readonly created: boolean }> {
    return this.#open.publishing.putGraph(request);
  }

  async deleteGraph(request: P.GraphRequest): Promise<P.ChangeAnswer> {
    return this.#open.publishing.deleteGraph(request);
  }

  graphs(): readonly string[] {
    return this.#open.publishing.graphs();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const wait of [...this.#waits]) wait.cancel(new SensError("SENS_CANCELLED", "The session was closed while the request waited."));
    for (const attachment of [...this.#attachments]) attachment.close();
    for (const stop of this.#unwatch) stop();
    this.#parts.claims.lost(this);
    this.#onClosed(this);
  }

  get #open(): SessionParts {
    if (this.closed) throw new SensError("SENS_CANCELLED", "The session is closed. Open another.");
    return this.#parts;
  }

  #receive(request: P.WaitRequest, isTry: boolean): Promise<P.ReceiveAnswer> {
    const { wait, answer } = this.#open.waits.receive(request, this, isTry);
    this.#keep(wait);
    return answer;
  }

  #keep(wait: Wait): void {
    // It began only when its idempotency key had been looked up.
    if (this.closed) wait.cancel(new SensError("SENS_CANCELLED", "The session was closed before the request began."));
    this.#waits.add(wait);
    wait.whenOver(() => this.#waits.delete(wait));
  }

  /** A sink that is refused is not kept. */
  async #letIn(
    sink: P.NotificationSink,
    removals: boolean | undefined,
    ask: (attachment: Attachment) => Promise<P.SubscribeAnswer>,
  ): Promise<P.SubscribeAnswer> {
    const attachment = this.#parts.subscriptions.attachment(sink, removals ?? false);
    this.#attachments.add(attachment);
    attachment.whenOver(() => this.#attachments.delete(attachment));
    try {
      return await ask(attachment);
    } catch (error) {
      attachment.close();
      throw error;
    }
  }
}
