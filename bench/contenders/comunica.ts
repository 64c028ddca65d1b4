/**
 * Comunica, a SPARQL engine, asked every subscription's query again after each publication; what was not in the answer
 * before is told. It has no reasoner: the store is given the closure, and each publication brings its own inferences.
 */
import { QueryEngine } from "@comunica/query-sparql-rdfjs";
import type * as RDF from "@rdfjs/types";
import { Reasoner, Store } from "n3";
import type { Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { FAMILY_ONTOLOGY } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";
import { FAMILY_RULES, parse } from "./n3-reasoner.ts";
import { ntriplesTerm } from "./rdfjs-lines.ts";

export class ComunicaRerun implements Contender {
  readonly #engine = new QueryEngine();
  readonly #store = new Store(parse(FAMILY_ONTOLOGY));
  readonly #last = new Map<number, { readonly query: string; lines: ReadonlySet<string> }>();

  load(document: Buffer): void {
    this.#store.addQuads(parse(document.toString("latin1")));
  }

  /** The closure of what was loaded, once. */
  async loaded(): Promise<void> {
    new Reasoner(this.#store).reason(new Store(parse(FAMILY_RULES, "text/n3")));
  }

  withdraw(document: Buffer): void {
    this.#store.removeQuads(parse(document.toString("latin1")));
  }

  closure(_facts: Fingerprint): void {
    throw new Error("Comunica does not reason");
  }

  factCount(): undefined {
    return undefined;
  }

  async subscribe({ query, number }: Target): Promise<void> {
    this.#last.set(number, { query, lines: await this.#answer(query) });
  }

  unsubscribe({ number }: Target): void {
    this.#last.delete(number);
  }

  async publish({ document, inferred }: Publication): Promise<Told[]> {
    this.load(document);
    this.#store.addQuads(parse(inferred.join("\n")));
    const told: Told[] = [];
    for (const [subscription, last] of this.#last) {
      const lines = await this.#answer(last.query);
      const added = [...lines].filter((line) => !last.lines.has(line));
      last.lines = lines;
      if (added.length > 0) told.push({ subscription, added });
    }
    return told;
  }

  async #answer(query: string): Promise<Set<string>> {
    const lines = new Set<string>();
    const stream = await this.#engine.queryQuads(query, { sources: [this.#store] as [RDF.Source] });
    for await (const quad of stream) {
      const { subject, predicate, object } = quad as RDF.Quad;
      lines.add(`${ntriplesTerm(subject)} ${ntriplesTerm(predicate)} ${ntriplesTerm(object)} .`);
    }
    return lines;
  }

  takeBack({ document, inferred }: Publication): boolean {
    this.withdraw(document);
    this.#store.removeQuads(parse(inferred.join("\n")));
    return true;
  }

  async refresh(): Promise<void> {
    for (const last of this.#last.values()) last.lines = await this.#answer(last.query);
  }

  memory(): Record<string, number> {
    return {};
  }

  close(): void {}
}
