/**
 * SENS as a library: the knowledge base in process, with its queue, transactions, log and notifications. Loading keeps
 * some publishes under way, each a transaction of its own, as a loading client does; the durable log syncs them in groups.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKnowledgeBase } from "../../src/events/index.ts";
import type { KnowledgeService, Notification, Session } from "../../src/protocol/index.ts";
import type { ClosureRelation, Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { FAMILY_ONTOLOGY, NAMESPACE } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";
import { Pipelined } from "./pipelined.ts";
import { ToldByCursor } from "./told-by-cursor.ts";

const contentType = "application/n-triples";

export class SensService implements Contender {
  readonly #service: KnowledgeService;
  readonly #session: Session;
  readonly #folder: string | undefined;
  readonly #under = new Pipelined();
  readonly #ids = new Map<number, string>();
  readonly #told = new ToldByCursor();
  #axiomCount = 0;

  static async make(isDurable: boolean): Promise<SensService> {
    const folder = isDurable ? await mkdtemp(join(tmpdir(), "sens-bench-")) : undefined;
    const ontologies = [{ name: "family", contentType, content: FAMILY_ONTOLOGY }];
    const service = await createKnowledgeBase({
      data: folder === undefined ? ":memory:" : join(folder, "bench.db"),
      reasoning: "owl",
      ontologies,
    });
    const contender = new SensService(service, folder);
    contender.#axiomCount = (await contender.factCount()) ?? 0;
    return contender;
  }

  private constructor(service: KnowledgeService, folder: string | undefined) {
    this.#service = service;
    this.#session = service.openSession();
    this.#folder = folder;
  }

  load(document: Buffer): Promise<void> {
    return this.#under.add(() => this.#session.publish({ data: document, contentType }));
  }

  loaded(): Promise<void> {
    return this.#under.settled();
  }

  async withdraw(document: Buffer): Promise<void> {
    await this.#session.retract({ data: document, contentType });
  }

  async closure(facts: Fingerprint): Promise<void> {
    const each = async (relation: ClosureRelation, pattern: string): Promise<void> => {
      const { rows } = await this.#session.query({ query: `PREFIX : <${NAMESPACE}> SELECT ?s ?o WHERE { ${pattern} }`, timeoutMs: 30_000 });
      for (const [s, o] of rows) facts.add(relation, local(s?.value), local(o?.value));
    };
    await each("Person", "?s a :Person");
    for (const relation of ["isParentOf", "isChildOf", "isAncestorOf"] as const) await each(relation, `?s :${relation} ?o`);
  }

  async factCount(): Promise<number> {
    const { rows } = await this.#session.query({ query: "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", timeoutMs: 30_000 });
    return Number(rows[0]?.[0]?.value) - this.#axiomCount;
  }

  async subscribe({ query, number }: Target): Promise<void> {
    const sink = {
      notify: ({ cursor, added }: Notification) => this.#told.add(cursor, number, added),
      end: ({ code, detail }: { readonly code: string; readonly detail: string }) => this.#told.fail(new Error(`${code}: ${detail}`)),
    };
    const { subscription, mode, why } = await this.#session.subscribe({ query }, sink);
    if (mode !== "incremental") throw new Error(`subscription ${number} is not maintained: ${why}`);
    this.#ids.set(number, subscription);
  }

  async unsubscribe({ number }: Target): Promise<void> {
    const id = this.#ids.get(number);
    this.#ids.delete(number);
    if (id === undefined) return;
    this.#told.ending = true;
    await this.#session.unsubscribe(id);
    this.#told.ending = false;
  }

  async publish({ document }: Publication): Promise<Told[]> {
    const { cursor } = await this.#session.publish({ data: document, contentType });
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
    this.#told.ending = true;
    this.#session.close();
    await this.#service.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true });
  }
}

function local(value: string | undefined): string {
  return value === undefined ? "" : value.slice(NAMESPACE.length);
}
