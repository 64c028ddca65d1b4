/**
 * Walks an algebra tree without recursion on the JS stack, so that a long chain of operators cannot overflow it.
 * The tree is plain data: everything with a `type` is a node, everything with a `termType` is a leaf.
 */
import type * as RDF from "@rdfjs/types";
import type { Expression, Operation, Pattern, PropertyPath, UpdateOperation } from "./algebra.ts";

export type AlgebraNode = Operation | UpdateOperation | Expression | PropertyPath | Pattern;

/** Calls `visit` for every node below and including `root`, parents first, with its depth. */
export function walkAlgebra(root: AlgebraNode | readonly AlgebraNode[], visit: (node: AlgebraNode, depth: number) => void): void {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { value, depth } = item;
    if (typeof value !== "object" || value === null || "termType" in value) {
      if (!isPattern(value)) continue;
    }
    if (!Array.isArray(value) && "type" in (value as object)) visit(value as AlgebraNode, depth);
    const children = Array.isArray(value) ? value : Object.values(value as object);
    for (let index = children.length - 1; index >= 0; index--) {
      if (typeof children[index] === "object") stack.push({ value: children[index], depth: Array.isArray(value) ? depth : depth + 1 });
    }
  }
}

/** Traqula's patterns are quads and nodes at once. */
function isPattern(value: unknown): value is Pattern {
  return typeof value === "object" && value !== null && (value as { type?: unknown }).type === "pattern";
}

/** Replaces the terms of one node in place; `inTemplate` tells whether they are those of a template. */
export function replaceTerms(
  node: AlgebraNode,
  replace: (term: RDF.Term, inTemplate: boolean) => RDF.Term,
  templates: ReadonlySet<unknown>,
): void {
  switch (node.type) {
    case "pattern": {
      const inTemplate = templates.has(node);
      const pattern = node as Pattern;
      pattern.subject = replace(pattern.subject, inTemplate);
      pattern.predicate = replace(pattern.predicate, inTemplate);
      pattern.object = replace(pattern.object, inTemplate);
      pattern.graph = replace(pattern.graph, inTemplate);
      break;
    }
    case "path":
      node.subject = replace(node.subject, false);
      node.object = replace(node.object, false);
      node.graph = replace(node.graph, false);
      break;
    case "expression":
      if (node.subType === "term") node.term = replace(node.term, false);
      break;
    case "values":
      for (const row of node.bindings) for (const name of Object.keys(row)) row[name] = replace(row[name], false);
      break;
    case "describe":
      node.terms = node.terms.map((term) => replace(term, false) as RDF.NamedNode);
      break;
    default:
  }
}
