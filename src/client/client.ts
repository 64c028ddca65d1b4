/** The operations of SENS over one connection that looks after itself. One method per operation, RDF as RDF/JS quads. */
import type * as RDF from "@rdfjs/types";
import { type Clock, LIMITS, type Random, SensError, systemRandom } from "../base/index.ts";
import type {
  ChangeAnswer,
  Cursor,
  InsertionStatus,
  NamedDocument,
  OkFrame,
  Operation,
  Proof,
  QueryResultFields,
  SubscriptionStatus,
} from "../protocol/index.ts";
import { readAddress } from "./address.ts";
import { type Change, ChangesFeeds, type ChangesOptions } from "./changes-feed.ts";
import { type ClaimsOptions, type ListedClaim, ServerClaims } from "./claims.ts";
import type {
  CallerOptions,
  ConnectOptions,
  PublishOptions,
  QueryOptions,
  RegisterInsertionOptions,
  UpdateOptions,
} from "./client-options.ts";
import { Connection, type ConnectionParts, type ConnectionStatus, type TokenSource } from "./connection.ts";
import type { DocumentSource } from "./document.ts";
import { parseServerQuads, writeRequestQuad } from "./ntriples.ts";
import { withAdvice } from "./problem-error.ts";
import { changeAnswer, Publishing } from "./publishing.ts";
import { type Bindings, listOf, type QueryResult, readSparqlJson } from "./results.ts";
import { diagnose, type OpenSocket, openWebSocket } from "./socket.ts";
import { type SubscribeOptions, Subscription } from "./subscription.ts";
import { SubscriptionHub } from "./subscription-hub.ts";
import type { Taken } from "./taken.ts";
import { waitingClock } from "./waiting-clock.ts";
import {
  type NothingAsserted,
  type Received,
  type Removed,
  type RemoveOptions,
  type TakeOptions,
  type WaitOptions,
  Waits,
} from "./waits.ts";

/** What tests replace. */
export interface ConnectParts {
  readonly openSocket?: OpenSocket;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly diagnose?: ConnectionParts["diagnose"];
}

const BACKOFF_MAX_MS = 15_000;

/**
 * Connects to a server. Rejects when the first connection fails; later ones are renewed until the client is closed.
 *
 * @example
 * const client = await connect(url);
 * await client.publish("<urn:a> <urn:knows> <urn:b> .");
 * console.log(await client.ask("ASK { <urn:a> <urn:knows> <urn:b> }")); // true
 * client.close();
 */
export async function connect(url: string | URL, options: ConnectOptions = {}, parts: ConnectParts = {}): Promise<SensClient> {
  options.signal?.throwIfAborted();
  const client = new SensClient(url, options, parts);
  await client.opened;
  return client;
}

export class SensClient {
  readonly #connection: Connection;
  readonly #hub = new SubscriptionHub();
  readonly #waits: Waits;
  readonly #claims: ServerClaims;
  readonly #feeds: ChangesFeeds;
  readonly #publishing: Publishing;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #reportError: (error: Error) => void;
  #forgetSignal: () => void = () => undefined;
  #status: ConnectionStatus = { status: "connecting", attempt: 1 };
  /** The first connection. */
  readonly opened: Promise<void>;

  /** Use `connect`. */
  constructor(url: string | URL, options: ConnectOptions, parts: ConnectParts) {
    this.#clock = parts.clock ?? waitingClock;
    this.#random = parts.random ?? systemRandom;
    this.#reportError = options.onError ?? ((error) => console.error(error));
    this.#connection = new Connection(
      {
        address: readAddress(url),
        token: options.token,
        reconnect: options.reconnect ?? true,
        backoffMaxMs: options.backoffMaxMs ?? BACKOFF_MAX_MS,
        heartbeatMs: options.heartbeatMs ?? LIMITS.heartbeatMs,
        clock: this.#clock,
        random: this.#random,
        openSocket: parts.openSocket ?? openWebSocket,
        diagnose: parts.diagnose ?? diagnose,
      },
      {
        status: (status) => this.#setStatus(status, options.onStatus),
        error: (error) => this.#reportError(error),
        opened: () => this.#reopened(),
        notification: (frame) => this.#hub.notification(frame),
        end: (frame) => this.#hub.end(frame),
        change: (frame) => this.#feeds.change(frame),
      },
    );
    this.#waits = new Waits(this.#connection, this.#clock, this.#random);
    this.#claims = new ServerClaims(this.#connection);
    this.#feeds = new ChangesFeeds(this.#connection);
    this.#publishing = new Publishing(this.#connection, this.#random, this.#reportError);
    this.#closeOn(options.signal);
    this.opened = this.#connection.open();
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** Signs in again after `signed-out`, or provides for the next connection. Nothing was missed meanwhile. */
  setToken(token: TokenSource | undefined): void {
    this.#connection.setToken(token);
  }

  /** Ends the connection and all that waits on it. Safe to call twice. */
  close(): void {
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * States knowledge: one publish is one event. Resolves when it is durable.
   *
   * @example
   * const answer = await client.publish("@prefix : <http://example.org/> . :Tim :isParentOf :Randy .", { contentType: "text/turtle" });
   * console.log(answer.added); // 1
   */
  publish(source: DocumentSource, options: PublishOptions = {}): Promise<ChangeAnswer> {
    return this.#publishing.send("publish", source, options);
  }

  /**
   * Withdraws statements, whoever made them. What followed from them only is gone with them.
   *
   * @example
   * await client.publish("<urn:a> <urn:knows> <urn:b> .");
   * const answer = await client.retract("<urn:a> <urn:knows> <urn:b> .");
   * console.log(answer.removed); // 1
   */
  retract(source: DocumentSource, options: PublishOptions = {}): Promise<ChangeAnswer> {
    return this.#publishing.send("retract", source, options);
  }

  /**
   * Runs a SPARQL update as one transaction.
   *
   * @example
   * const answer = await client.update("INSERT DATA { <urn:a> <urn:age> 8 }");
   * console.log(answer.added); // 1
   */
  async update(update: string, options: UpdateOptions = {}): Promise<ChangeAnswer> {
    const { signal, key = this.#random.id(), usingGraphs, usingNamedGraphs } = options;
    return changeAnswer(await this.#call("update", { update, key, usingGraphs, usingNamedGraphs }, signal));
  }

  /** Answers a query of any form once. `select`, `construct` and `ask` are this with the form known. */
  async query(query: string, options: QueryOptions = {}): Promise<QueryResult & { readonly cursor: Cursor }> {
    const { signal, defaultGraphs, namedGraphs, timeoutMs: timeout, atLeast } = options;
    const answer = await this.#call("query", { query, defaultGraphs, namedGraphs, timeout, atLeast }, signal);
    const { result, cursor } = answer as unknown as QueryResultFields;
    if (typeof result === "string") return { form: "construct", quads: parseServerQuads(result), cursor };
    return { ...readSparqlJson(result), cursor };
  }

  /**
   * The solutions of a SELECT query.
   *
   * @example
   * await client.publish("<urn:Randy> <urn:age> \"8\" .");
   * const rows = await client.select("SELECT ?age { <urn:Randy> <urn:age> ?age }");
   * console.log(rows[0].get("age").value); // 8
   */
  async select(query: string, options: QueryOptions = {}): Promise<readonly Bindings[]> {
    const result = await this.query(query, options);
    return result.form === "select" ? result.rows : wrongForm("select", result.form);
  }

  /** The graph of a CONSTRUCT or DESCRIBE query. */
  async construct(query: string, options: QueryOptions = {}): Promise<readonly RDF.Quad[]> {
    const result = await this.query(query, options);
    return result.form === "construct" ? result.quads : wrongForm("construct", result.form);
  }

  /** The answer of an ASK query. */
  async ask(query: string, options: QueryOptions = {}): Promise<boolean> {
    const result = await this.query(query, options);
    return result.form === "ask" ? result.boolean : wrongForm("ask", result.form);
  }

  /**
   * Is told every change of the result of a CONSTRUCT query, by iteration or by callback.
   *
   * @example
   * const news = await client.subscribe("CONSTRUCT WHERE { ?who <urn:likes> ?what }");
   * await client.publish("<urn:Ann> <urn:likes> <urn:tea> .");
   * for await (const { added } of news) {
   *   console.log(added[0].object.value); // urn:tea
   *   break;
   * }
   */
  async subscribe(query: string, options: SubscribeOptions = {}): Promise<Subscription> {
    const parts = { connection: this.#connection, clock: this.#clock, hub: this.#hub, reportError: this.#reportError };
    const subscription = new Subscription(query, options, parts);
    await subscription.start();
    return subscription;
  }

  /**
   * Ends a subscription for all its readers, by its id; this is how a named one, which outlives those who listen, ends for
   * good. This client's own readers of it just end; those of others are told SENS_NOT_FOUND. To stop listening use the
   * subscription's `close`.
   *
   * @example
   * const tea = await client.subscribe("CONSTRUCT WHERE { ?who <urn:drinks> ?what }", { name: "tea" });
   * await client.unsubscribe(tea.id);
   * console.log(await tea.done); // undefined
   */
  async unsubscribe(subscription: string, options: CallerOptions = {}): Promise<void> {
    await this.#hub.ending(subscription, () => this.#call("unsubscribe", { subscription }, options.signal));
  }

  /** The subscriptions the server knows, of all clients. */
  async subscriptions(options: CallerOptions = {}): Promise<readonly SubscriptionStatus[]> {
    return listOf(await this.#call("subscriptions", {}, options.signal), "subscriptions");
  }

  /**
   * Waits until the result has at least one triple, and answers the whole of it; `undefined` when time is up.
   *
   * @example
   * const waiting = client.receive("CONSTRUCT WHERE { ?order <urn:status> <urn:ready> }", { timeoutMs: 5000 });
   * await client.publish("<urn:order1> <urn:status> <urn:ready> .");
   * console.log((await waiting).quads[0].subject.value); // urn:order1
   */
  async receive(query: string, options: WaitOptions = {}): Promise<Received | undefined> {
    return this.#waits.receive("receive", query, options);
  }

  /** Answers the result at once; `undefined` when it is empty. */
  async tryReceive(query: string, options: CallerOptions = {}): Promise<Received | undefined> {
    return this.#waits.receive("tryReceive", query, options);
  }

  /**
   * Waits like `receive`, and withdraws what it answers; each statement goes to one remover. The triples are gone for good
   * when the promise resolves: for work that must not be lost with its worker use `take`.
   *
   * @example
   * await client.publish("<urn:job1> <urn:state> <urn:open> .");
   * const job = await client.remove("CONSTRUCT WHERE { ?job <urn:state> <urn:open> } LIMIT 1");
   * console.log(job.quads.length); // 1
   * console.log(await client.ask("ASK { ?job <urn:state> <urn:open> }")); // false
   */
  async remove(query: string, options: RemoveOptions = {}): Promise<Removed | undefined> {
    return this.#waits.remove(query, options);
  }

  /**
   * Like `remove`, without waiting. `undefined` when there is no result; `{ nothingAsserted: true }` when there is one that
   * only follows from other statements, so that nothing can be taken.
   *
   * @example
   * console.log(await client.tryRemove("CONSTRUCT WHERE { ?job <urn:state> <urn:lost> }")); // undefined
   */
  async tryRemove(query: string, options: Omit<RemoveOptions, "timeoutMs"> = {}): Promise<Removed | NothingAsserted | undefined> {
    return this.#waits.tryRemove(query, options);
  }

  /**
   * Like `remove`, but the server keeps what was taken until it is confirmed: a worker that dies, loses its connection or
   * takes longer than the lease gives it back to the others.
   *
   * @example
   * await client.publish("<urn:job2> <urn:state> <urn:open> .");
   * const taken = await client.take("CONSTRUCT WHERE { ?job <urn:state> <urn:open> } LIMIT 1", { leaseMs: 10_000 });
   * console.log(taken.deliveries); // 1
   * await taken.confirm();
   */
  async take(query: string, options: TakeOptions = {}): Promise<Taken | undefined> {
    return this.#waits.take(query, options);
  }

  /** Like `take`, without waiting; answers without triples are those of `tryRemove`. */
  async tryTake(query: string, options: Omit<TakeOptions, "timeoutMs"> = {}): Promise<Taken | NothingAsserted | undefined> {
    return this.#waits.tryTake(query, options);
  }

  /** What is taken and not confirmed yet, by any client, and dead letters, first delivered first; only those in `state` if given. */
  claims(options: ClaimsOptions = {}): Promise<readonly ListedClaim[]> {
    return this.#claims.list(options);
  }

  /**
   * Asserts the triples of a dead letter again, as if they had never been taken.
   *
   * @example
   * for (const { claim } of await client.claims({ state: "dead" })) await client.requeue(claim);
   */
  requeue(claim: string, options: CallerOptions = {}): Promise<ChangeAnswer> {
    return this.#claims.requeue(claim, options.signal);
  }

  /** Forgets a dead letter. */
  discard(claim: string, options: CallerOptions = {}): Promise<void> {
    return this.#claims.discard(claim, options.signal);
  }

  /**
   * Keeps the result of a CONSTRUCT query in the knowledge base, for everybody to see, as long as it holds.
   *
   * @example
   * const { insertion } = await client.registerInsertion("CONSTRUCT { ?b <urn:childOf> ?a } WHERE { ?a <urn:parentOf> ?b }");
   * await client.publish("<urn:Tim> <urn:parentOf> <urn:Randy> .");
   * console.log(await client.ask("ASK { <urn:Randy> <urn:childOf> <urn:Tim> }")); // true
   * await client.unregisterInsertion(insertion);
   */
  async registerInsertion(query: string, options: RegisterInsertionOptions = {}): Promise<InsertionStatus> {
    // A name makes a repeated registration the same one, should its first answer be lost.
    const { signal, name = `i-${this.#random.id()}`, mode } = options;
    const { id: _id, ok: _ok, ...status } = await this.#call("registerInsertion", { query, name, mode }, signal);
    return status as unknown as InsertionStatus;
  }

  async unregisterInsertion(insertion: string, options: CallerOptions = {}): Promise<void> {
    await this.#call("unregisterInsertion", { insertion }, options.signal);
  }

  async insertions(options: CallerOptions = {}): Promise<readonly InsertionStatus[]> {
    return listOf(await this.#call("insertions", {}, options.signal), "insertions");
  }

  /** Puts an ontology document in place of the one of this name. */
  putOntology(name: string, source: DocumentSource, options: PublishOptions = {}): Promise<ChangeAnswer> {
    return this.#publishing.putNamed("putOntology", name, source, options);
  }

  async getOntology(name: string, options: CallerOptions = {}): Promise<NamedDocument> {
    return namedDocument(await this.#call("getOntology", { name }, options.signal));
  }

  async deleteOntology(name: string, options: CallerOptions = {}): Promise<ChangeAnswer> {
    return changeAnswer(await this.#call("deleteOntology", { name }, options.signal));
  }

  async ontologies(options: CallerOptions = {}): Promise<readonly string[]> {
    return listOf(await this.#call("ontologies", {}, options.signal), "ontologies");
  }

  /** Puts a rule document (`text/n3`) in place of the one of this name. */
  putRule(name: string, source: DocumentSource, options: PublishOptions = {}): Promise<ChangeAnswer> {
    return this.#publishing.putNamed("putRule", name, source, { contentType: "text/n3", ...options });
  }

  async getRule(name: string, options: CallerOptions = {}): Promise<NamedDocument> {
    return namedDocument(await this.#call("getRule", { name }, options.signal));
  }

  async deleteRule(name: string, options: CallerOptions = {}): Promise<ChangeAnswer> {
    return changeAnswer(await this.#call("deleteRule", { name }, options.signal));
  }

  async rules(options: CallerOptions = {}): Promise<readonly string[]> {
    return listOf(await this.#call("rules", {}, options.signal), "rules");
  }

  /**
   * Why a statement holds, as a tree of what it follows from.
   *
   * @example
   * await client.publish("<urn:a> <urn:knows> <urn:b> .");
   * console.log((await client.explain("<urn:a> <urn:knows> <urn:b> .")).kind); // asserted
   */
  async explain(statement: string | RDF.Quad, options: CallerOptions & { readonly depthMax?: number } = {}): Promise<Proof> {
    const text = typeof statement === "string" ? statement : writeRequestQuad(statement);
    try {
      const answer = await this.#call("explain", { statement: text, depthMax: options.depthMax }, options.signal);
      return (answer as unknown as { readonly proof: Proof }).proof;
    } catch (error) {
      throw withAdvice(
        error,
        "SENS_SYNTAX",
        "A statement is one line of N-Triples with full IRIs: <http://…/s> <http://…/p> <http://…/o> .",
      );
    }
  }

  /**
   * Every change of the knowledge base, in order, without end unless `untilNow`.
   *
   * @example
   * const after = await client.cursor();
   * await client.publish("<urn:a> <urn:knows> <urn:b> .");
   * for await (const change of client.changes({ after, untilNow: true })) console.log(change.asserted.length); // 1
   */
  changes(options: ChangesOptions = {}): AsyncIterable<Change, void> {
    return this.#feeds.feed(options);
  }

  /** Where the knowledge base stands now. */
  async cursor(options: CallerOptions = {}): Promise<Cursor> {
    return ((await this.#call("ping", {}, options.signal)) as unknown as { readonly cursor: Cursor }).cursor;
  }

  #call(op: Operation, fields: object, signal: AbortSignal | undefined): Promise<OkFrame> {
    return this.#connection.call(op, fields, { signal });
  }

  #closeOn(signal: AbortSignal | undefined): void {
    if (!signal) return;
    const close = (): void => this.close();
    signal.addEventListener("abort", close, { once: true });
    this.#forgetSignal = () => signal.removeEventListener("abort", close);
  }

  #reopened(): void {
    this.#hub.reconnected();
    this.#waits.reconnected();
  }

  #setStatus(status: ConnectionStatus, onStatus: ((status: ConnectionStatus) => void) | undefined): void {
    this.#status = status;
    if (status.status === "closed") {
      this.#forgetSignal();
      this.#hub.closed(status.error);
    }
    try {
      onStatus?.(status);
    } catch (error) {
      this.#reportError(error as Error);
    }
  }
}

function namedDocument(answer: OkFrame): NamedDocument {
  const { name, contentType, content } = answer as unknown as NamedDocument;
  return { name, contentType, content };
}

function wrongForm(wanted: string, form: string): never {
  throw new SensError(
    "SENS_QUERY_FORM",
    `This is ${form === "ask" ? "an" : "a"} ${form.toUpperCase()} query; ${wanted}() takes only its own form. Use query() for any form.`,
  );
}
