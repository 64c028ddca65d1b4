/** A small knowledge base for tests of SPARQL: data in, queries ad hoc and standing, in N-Triples. */
import { Engine, type Relation } from "../../src/engine/index.ts";
import { TermDictionary } from "../../src/rdf/index.ts";
import {
  executeQuery,
  executeUpdate,
  parseQuery,
  planStanding,
  type QueryOptions,
  type QueryResult,
  type StandingPlan,
  type StandingPurpose,
} from "../../src/sparql/index.ts";

const PREFIXES = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";

export interface Subscription {
  readonly instance: number;
  readonly relation: Relation;
  readonly plan: StandingPlan & { mode: "incremental" };
  /** Present rows without the instance, sorted, as N-Triples terms; repeated as often as they count for bags. */
  result(): string[];
}

export class Knowledge {
  readonly terms = new TermDictionary();
  readonly engine: Engine;
  #label = 0;

  constructor(unionDefaultGraph = false) {
    this.engine = new Engine({ typePredicate: this.terms.iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), unionDefaultGraph });
  }

  /** Runs an update request as one transaction. */
  update(text: string): this {
    const transaction = this.engine.begin();
    const labels = { fresh: () => `sens-test-${(this.#label++).toString(36)}` };
    try {
      executeUpdate(this, PREFIXES + text, { labels }, ({ deletes, inserts }) => {
        for (let i = 0; i < deletes.length; i += 4) transaction.retract(deletes[i], deletes[i + 1], deletes[i + 2], deletes[i + 3]);
        for (let i = 0; i < inserts.length; i += 4) transaction.assert(inserts[i], inserts[i + 1], inserts[i + 2], inserts[i + 3]);
        for (const _ of transaction.settle());
      });
    } catch (error) {
      transaction.rollback();
      throw error;
    }
    transaction.commit();
    return this;
  }

  query(text: string, options: QueryOptions = {}): Promise<QueryResult> {
    return executeQuery(this, PREFIXES + text, options);
  }

  /** Rows of a SELECT in order; `-` for unbound. */
  async rows(text: string, options: QueryOptions = {}): Promise<string[]> {
    const result = await this.query(text, options);
    if (result.form !== "select") throw new Error(`a ${result.form} query has no rows`);
    return result.rows.map((row) => this.text(row));
  }

  async triples(text: string): Promise<string[]> {
    const result = await this.query(text);
    if (result.form !== "construct" && result.form !== "describe") throw new Error(`a ${result.form} query has no triples`);
    return Array.from({ length: result.triples.length / 3 }, (_, at) => this.text([...result.triples.subarray(3 * at, 3 * at + 3)])).sort();
  }

  plan(text: string, purpose: StandingPurpose = "subscription"): StandingPlan {
    return planStanding(parseQuery(PREFIXES + text), { terms: this.terms, quads: this.engine.quads, purpose });
  }

  subscribe(text: string, purpose: StandingPurpose = "subscription"): Subscription {
    const plan = this.plan(text, purpose);
    if (plan.mode !== "incremental") throw new Error(plan.why);
    const pipeline = this.engine.pipelineOf(plan.plan);
    const transaction = this.engine.begin();
    const instance = transaction.addInstance(pipeline, plan.plan.constants);
    for (const _ of transaction.settle());
    transaction.commit();
    const relation = pipeline.shape.output as Relation;
    const result = () =>
      [...relation.rows(instance)]
        .flatMap(({ values, weight }) => Array.from({ length: plan.bag ? weight : 1 }, () => this.text(values.slice(1))))
        .sort();
    return { instance, relation, plan, result };
  }

  text(ids: readonly number[]): string {
    return ids
      .map((id) =>
        id === 0
          ? "-"
          : this.terms
              .ntriples(id)
              .replace(/<http:\/\/e\/([^>]*)>/g, ":$1")
              .replace(/\^\^<[^>]*#(\w+)>/g, "^^$1"),
      )
      .join(" ");
  }
}
