/**
 * GRAPH ?g { P } as a union over the graphs there are:  ⋃ GRAPH <g> { P } ⋈ (?g = g).
 *
 * The definition itself (SPARQL 1.1, section 18.6), used when P holds a subselect whose groups, rows or limits belong to
 * one graph each. Cost: one plan part per graph.
 */
import type * as RDF from "@rdfjs/types";
import type { Operation } from "../parse/index.ts";

export function overEachGraph(operation: Operation, graphs: readonly RDF.NamedNode[]): Operation {
  return rewritten(operation, graphs) as Operation;
}

function rewritten(node: unknown, graphs: readonly RDF.NamedNode[]): unknown {
  if (typeof node !== "object" || node === null || "termType" in node) return node;
  if (Array.isArray(node)) return node.map((part) => rewritten(part, graphs));
  const copy = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, name === "metadata" ? undefined : rewritten(value, graphs)]),
  );
  const graph = copy as Extract<Operation, { type: "graph" }>;
  if (graph.type !== "graph" || graph.name.termType !== "Variable") return copy;
  const variable = graph.name;
  if (graphs.length === 0) return { type: "values", variables: [variable], bindings: [] } satisfies Operation;
  return {
    type: "union",
    input: graphs.map((name) => ({
      type: "join",
      input: [
        { type: "graph", input: graph.input, name },
        { type: "values", variables: [variable], bindings: [{ [variable.value]: name }] },
      ],
    })),
  };
}
