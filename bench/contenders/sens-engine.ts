/**
 * SENS without its surfaces: bytes -> parser -> transaction with OWL 2 RL reasoning -> net deltas -> N-Triples for each
 * subscription concerned. Subscriptions are parsed and planned by the product, one transaction each.
 */
import { Engine, type Pipeline, QuadRelation, type Relation, type Transaction } from "../../src/engine/index.ts";
import { BlankNodeScope, parseDocumentSync, ServerLabels, TermDictionary } from "../../src/rdf/index.ts";
import { axiomTerms, installReasoning, type OntologyLanguage } from "../../src/reasoning/index.ts";
import { parseQuery, planStanding } from "../../src/sparql/index.ts";
import type { Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";
import { FAMILY_ONTOLOGY, NAMESPACE, RDF_TYPE } from "../workload/vocabulary.ts";
import type { Contender, Told } from "./contender.ts";

/** As patterns of the quad relation have it. */
const ANY = 0;
const DEFAULT_GRAPH = 0;

interface Standing {
  readonly pipeline: Pipeline;
  readonly instance: number;
}

export class SensEngine implements Contender {
  readonly terms = new TermDictionary();
  readonly engine: Engine;
  readonly #labels = new ServerLabels("bench", () => false);
  readonly #outputs = new Set<Relation>();
  /** Instance -> subscription. */
  readonly #subscriptions = new Map<number, number>();
  readonly #standing = new Map<number, Standing>();
  #axiomQuads = 0;

  constructor(language: OntologyLanguage = "owl") {
    const { terms } = this;
    this.engine = new Engine({ typePredicate: terms.iri(RDF_TYPE), ...axiomTerms(terms, language) });
    installReasoning(this.engine, terms, { language });
    if (language === "none") return;
    this.load(Buffer.from(FAMILY_ONTOLOGY));
    this.#axiomQuads = this.engine.quads.size;
  }

  load(document: Buffer): void {
    this.change(document, "assert");
  }

  withdraw(document: Buffer): void {
    this.change(document, "retract");
  }

  /** One transaction, sealed at once as if it were durable. */
  change(document: Buffer, what: "assert" | "retract"): Transaction {
    const { terms, engine } = this;
    const { quads, count } = parseDocumentSync(document, {
      contentType: "application/n-triples",
      dictionary: terms,
      blankNodes: new BlankNodeScope(this.#labels),
    });
    return this.transact((transaction) => {
      for (let i = 0, end = 4 * count; i < end; i += 4) transaction[what](quads[i], quads[i + 1], quads[i + 2], quads[i + 3]);
    }, engine);
  }

  transact(stage: (transaction: Transaction) => void, engine = this.engine): Transaction {
    const transaction = engine.begin();
    stage(transaction);
    for (const _ of transaction.settle());
    transaction.commit();
    engine.seal(engine.tick);
    return transaction;
  }

  closure(facts: Fingerprint): void {
    const { terms, engine } = this;
    const local = (id: number): string => terms.value(id).slice(NAMESPACE.length);
    const each = (predicate: string, object: string, emit: (s: number, o: number) => void): void => {
      const o = object === "" ? ANY : terms.iri(object);
      engine.quads.match(ANY, terms.iri(predicate), o, DEFAULT_GRAPH, engine.tick, (s, _p, found) => {
        emit(s, found);
        return true;
      });
    };
    each(RDF_TYPE, `${NAMESPACE}Person`, (s) => facts.add("Person", local(s), ""));
    for (const relation of ["isParentOf", "isChildOf", "isAncestorOf"] as const)
      each(NAMESPACE + relation, "", (s, o) => facts.add(relation, local(s), local(o)));
  }

  factCount(): number {
    return this.engine.quads.size - this.#axiomQuads;
  }

  subscribe(target: Target): void {
    const { engine, terms } = this;
    const planned = planStanding(parseQuery(target.query), { terms, quads: engine.quads, purpose: "subscription" });
    if (planned.mode !== "incremental") throw new Error(`${target.shape} is not maintained: ${planned.why}`);
    this.transact((transaction) => {
      const pipeline = engine.pipelineOf(planned.plan);
      const instance = transaction.addInstance(pipeline, planned.plan.constants);
      const { output } = pipeline.shape;
      if (output instanceof QuadRelation) throw new Error("a subscription derives no quads");
      this.#outputs.add(output);
      this.#subscriptions.set(instance, target.number);
      this.#standing.set(target.number, { pipeline, instance });
    });
  }

  unsubscribe(target: Target): void {
    const standing = this.#standing.get(target.number);
    if (!standing) return;
    this.#standing.delete(target.number);
    this.#subscriptions.delete(standing.instance);
    this.transact((transaction) => transaction.removeInstance(standing.pipeline, standing.instance));
  }

  publish({ document }: Publication): Told[] {
    return this.told(this.change(document, "assert"));
  }

  takeBack({ document }: Publication): boolean {
    this.change(document, "retract");
    return true;
  }

  told(transaction: Transaction): Told[] {
    const lines = new Map<number, string[]>();
    for (const relation of transaction.changedRelations()) {
      if (!this.#outputs.has(relation)) continue;
      for (const { values, before, after } of transaction.delta(relation)) {
        if (before > 0 || after <= 0) continue;
        const subscription = this.#subscriptions.get(values[0]) ?? -1;
        const line = `${this.terms.ntriples(values[1])} ${this.terms.ntriples(values[2])} ${this.terms.ntriples(values[3])} .`;
        const told = lines.get(subscription);
        if (told) told.push(line);
        else lines.set(subscription, [line]);
      }
    }
    return [...lines].map(([subscription, added]) => ({ subscription, added }));
  }

  memory(): Record<string, number> {
    const { quads } = this.engine;
    let standing = 0;
    for (const { parameters } of this.engine.pipelines) standing += parameters.memoryBytes;
    return { quadBytes: quads.memoryBytes, termBytes: this.terms.memoryBytes, parameterBytes: standing };
  }

  close(): void {}
}
