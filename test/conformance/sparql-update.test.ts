/** Every evaluation test of the W3C's SPARQL 1.1 Update suites. */
import { readFileSync } from "node:fs";
import type * as RDF from "@rdfjs/types";
import { describe, expect, it } from "vitest";
import { areIsomorphic, ServerLabels } from "../../src/rdf/index.ts";
import { executeUpdate } from "../../src/sparql/index.ts";
import { skipReason } from "../skip-list.ts";
import { skippedWithout } from "./absent-input.ts";
import {
  change,
  iriOf,
  type LoadedStore,
  listedManifests,
  loadStore,
  manifestEntries,
  type SuiteEntry,
  suitePresent,
} from "./sparql-query-suite.ts";

if (!suitePresent()) {
  skippedWithout("../shared/data/tests.tsv", "SPARQL update suites");
} else {
  for (const [manifest, names] of listedManifests()) {
    const entries = (await manifestEntries(manifest, names)).filter((entry) => entry.type === "UpdateEvaluationTest");
    if (entries.length === 0) continue;
    describe(manifest, () => {
      for (const entry of entries) {
        const reason = skipReason(entry.id);
        it(entry.id, (ctx) => (reason === undefined ? run(entry) : ctx.skip(reason)));
      }
    });
  }
}

async function run(entry: SuiteEntry): Promise<void> {
  const store = await loadStore(entry.data, entry.graphData);
  const labels = new ServerLabels("update", () => false);
  executeUpdate(store, readFileSync(entry.action, "utf8"), { labels, baseIri: iriOf(entry.action) }, (planned) => {
    change(store, rowsOf(planned.inserts), rowsOf(planned.deletes));
  });
  const expected = await loadStore(entry.resultData, entry.resultGraphs);
  expect(areIsomorphic(quadsOf(store), quadsOf(expected))).toBe(true);
}

function rowsOf(quads: Int32Array): number[][] {
  const rows: number[][] = [];
  for (let i = 0; i < quads.length; i += 4) rows.push([...quads.subarray(i, i + 4)]);
  return rows;
}

function quadsOf(store: LoadedStore): RDF.BaseQuad[] {
  const quads: RDF.BaseQuad[] = [];
  const defaultGraph: RDF.DefaultGraph = { termType: "DefaultGraph", value: "", equals: (other) => other?.termType === "DefaultGraph" };
  store.engine.quads.reader().match(0, 0, 0, undefined, (s, p, o, g) => {
    const [subject, predicate, object] = [s, p, o].map((id) => store.terms.decode(id)) as [RDF.Term, RDF.Term, RDF.Term];
    const graph = g === 0 ? defaultGraph : store.terms.decode(g);
    quads.push({ termType: "Quad", value: "", subject, predicate, object, graph, equals: () => false });
    return true;
  });
  return quads;
}
