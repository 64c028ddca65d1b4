/**
 * Every evaluation test of the W3C's SPARQL 1.0 and 1.1 query suites, twice: ad hoc in the engine, and as a standing
 * query that is registered first, fed quad by quad in random order with removals in between, and compared with ad hoc.
 */
import { readFileSync } from "node:fs";
import type * as RDF from "@rdfjs/types";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import type { Relation } from "../../src/engine/index.ts";
import { areIsomorphic, dataFactory } from "../../src/rdf/index.ts";
import { executeQuery, type IncrementalPlan, parseQuery, planStanding, type QueryResult } from "../../src/sparql/index.ts";
import { skipReason } from "../skip-list.ts";
import { skippedWithout } from "./absent-input.ts";
import { type Row, rowsDifference } from "./sparql-query-compare.ts";
import { FALLBACKS, RE_EVALUATED } from "./sparql-query-skips.ts";
import {
  change,
  type GraphFile,
  iriOf,
  type LoadedStore,
  listedManifests,
  loadStore,
  manifestEntries,
  pathOf,
  readResult,
  type SuiteEntry,
  suitePresent,
} from "./sparql-query-suite.ts";

const STEPS_COMPARED = 6;

if (!suitePresent()) {
  skippedWithout("../shared/data/tests.tsv", "SPARQL query suites");
} else {
  for (const [manifest, names] of listedManifests()) {
    const entries = (await manifestEntries(manifest, names)).filter(
      (entry) => entry.type === "QueryEvaluationTest" && !entry.isEntailment && !entry.id.includes("/service "),
    );
    if (entries.length === 0) continue;
    describe(manifest, () => {
      for (const entry of entries) {
        for (const [how, check] of [
          ["ad hoc", adHoc],
          ["standing", standing],
        ] as const) {
          const title = `${entry.id} ${how}`;
          const reason = skipReason(title);
          it(title, (ctx) => (reason === undefined ? check(entry) : ctx.skip(reason)));
        }
      }
    });
  }
}

/** FROM names documents of the suite: they are stored graphs here, because nothing is fetched. */
function graphsOfQuery(text: string, entry: SuiteEntry): GraphFile[] {
  const { algebra } = parseQuery(text, { baseIri: iriOf(entry.action) });
  if (algebra.type !== "from") return [...entry.graphData];
  const iris = new Set([...(algebra.default ?? []), ...(algebra.named ?? [])].map((graph) => graph.value));
  return [
    ...entry.graphData,
    ...[...iris].filter((iri) => !entry.graphData.some(({ graph }) => graph === iri)).map((iri) => ({ graph: iri, file: pathOf(iri) })),
  ];
}

async function adHoc(entry: SuiteEntry): Promise<void> {
  const text = readFileSync(entry.action, "utf8");
  const store = await loadStore(entry.data, graphsOfQuery(text, entry));
  const result = await executeQuery(store, text, { baseIri: iriOf(entry.action) });
  const expected = await readResult(entry.result as string);
  if (result.form === "ask") expect(expected).toEqual({ kind: "boolean", value: result.boolean });
  else if (result.form === "select") {
    if (expected.kind !== "rows") throw new Error(`expected ${expected.kind}`);
    const ordered = expected.ordered && /order\s+by/i.test(text);
    const wanted = expected.rows.map((row) => result.variables.map((name) => row.get(name)));
    expect(rowsDifference(decodedRows(result, store), wanted, { ordered, lax: entry.laxCardinality })).toBeUndefined();
  } else {
    if (expected.kind !== "graph") throw new Error(`expected ${expected.kind}`);
    expect(areIsomorphic(triplesOf(result.triples, store), expected.quads)).toBe(true);
  }
  expect(result.evaluator).toBe(FALLBACKS[entry.id] ? "comunica" : "engine");
}

async function standing(entry: SuiteEntry): Promise<void> {
  const text = readFileSync(entry.action, "utf8");
  const query = parseQuery(text, { baseIri: iriOf(entry.action) });
  if (query.form === "ask" || query.form === "describe") return;
  const store = await loadStore(entry.data, graphsOfQuery(text, entry), false);
  const plan = planOrNothing(query, store);
  if (!plan) return;
  const why = RE_EVALUATED.find((pattern) => pattern.test(plan.mode === "re-evaluated" ? plan.why : ""));
  if (plan.mode === "re-evaluated") {
    expect(why, plan.why).toBeDefined();
    return;
  }
  const { relation, instance } = register(plan, store);
  const random = seededRandom(entry.id.length * 7919 + store.rows.length);
  const steps = history(store.rows, random.next);
  const compared = new Set(Array.from({ length: STEPS_COMPARED }, () => Math.floor(random.next() * steps.length)));
  for (const [index, { row, insert }] of steps.entries()) {
    change(store, insert ? [row] : [], insert ? [] : [row]);
    if (compared.has(index) || index === steps.length - 1) await compareWithAdHoc(text, entry, plan, relation, instance, store);
  }
}

function planOrNothing(query: ReturnType<typeof parseQuery>, store: LoadedStore): ReturnType<typeof planStanding> | undefined {
  try {
    return planStanding(query, { terms: store.terms, quads: store.engine.quads, purpose: "subscription" });
  } catch (error) {
    // NOW and RAND, and templates with variables that nothing binds, are refused on purpose.
    if (/SENS_NON_DETERMINISTIC|SENS_QUERY_UNSAFE/.test(String((error as { code?: string }).code))) return undefined;
    throw error;
  }
}

function register(plan: IncrementalPlan, store: LoadedStore): { relation: Relation; instance: number } {
  const pipeline = store.engine.pipelineOf(plan.plan);
  const transaction = store.engine.begin();
  const instance = transaction.addInstance(pipeline, plan.plan.constants);
  for (const _ of transaction.settle());
  transaction.commit();
  return { relation: pipeline.shape.output as Relation, instance };
}

/** Every quad in random order; now and then one that is there goes, and comes back later. */
function history(rows: LoadedStore["rows"], random: () => number): { row: readonly number[]; insert: boolean }[] {
  const distinct = [...new Map(rows.map((row) => [row.join(), row])).values()];
  for (let i = distinct.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [distinct[i], distinct[j]] = [distinct[j], distinct[i]];
  }
  const steps: { row: readonly number[]; insert: boolean }[] = [];
  const removed: (readonly number[])[] = [];
  for (const [index, row] of distinct.entries()) {
    steps.push({ row, insert: true });
    if (random() < 0.3) {
      const victim = distinct[Math.floor(random() * (index + 1))];
      if (!removed.includes(victim)) {
        steps.push({ row: victim, insert: false });
        removed.push(victim);
      }
    }
  }
  for (const row of removed) steps.push({ row, insert: true });
  return steps;
}

async function compareWithAdHoc(
  text: string,
  entry: SuiteEntry,
  plan: IncrementalPlan,
  relation: Relation,
  instance: number,
  store: LoadedStore,
): Promise<void> {
  const result = await executeQuery(store, text, { baseIri: iriOf(entry.action) });
  const maintained = [...relation.rows(instance)];
  if (result.form === "select") {
    const rows: Row[] = [];
    for (const { values, weight } of maintained) {
      const row = values.slice(1).map((id) => (id === 0 ? undefined : store.terms.decode(id)));
      for (let copy = plan.bag ? weight : 1; copy > 0; copy--) rows.push(row);
    }
    expect(rowsDifference(rows, decodedRows(result, store))).toBeUndefined();
  } else if (result.form === "construct") {
    const triples = Int32Array.from(maintained.flatMap(({ values }) => values.slice(1)));
    expect(areIsomorphic(triplesOf(triples, store), triplesOf(result.triples, store))).toBe(true);
  }
}

function decodedRows(result: Extract<QueryResult, { form: "select" }>, store: LoadedStore): Row[] {
  return result.rows.map((row) => row.map((id) => (id === 0 ? undefined : store.terms.decode(id))));
}

function triplesOf(triples: Int32Array, store: LoadedStore): RDF.Quad[] {
  const quads: RDF.Quad[] = [];
  for (let i = 0; i < triples.length; i += 3) {
    const [s, p, o] = [...triples.subarray(i, i + 3)].map((id) => store.terms.decode(id));
    quads.push(dataFactory.quad(s as RDF.Quad_Subject, p as RDF.Quad_Predicate, o as RDF.Quad_Object));
  }
  return quads;
}
