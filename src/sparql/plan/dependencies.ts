/** Which predicates a query reads: nothing else can change its result. */
import type { TermId } from "../../rdf/index.ts";
import { type PropertyPath, walkAlgebra } from "../parse/index.ts";
import { isParameter, parameterIndex } from "./canonical.ts";
import type { QueryShape } from "./query-shape.ts";

/** Ids of predicates, or "*" for all. */
export type Dependencies = "*" | ReadonlySet<TermId>;

export function dependenciesOf(shape: QueryShape): Dependencies {
  const predicates = new Set<TermId>();
  const template = new Set<unknown>(shape.template);
  let everything = false;
  walkAlgebra(shape.operation, (node) => {
    if (node.type === "pattern" && !template.has(node)) add(node.predicate);
    if (node.type === "path" && "predicate" in node) addPath(node.predicate as PropertyPath);
    // The named graphs themselves are read.
    if (node.type === "graph") everything = true;
  });
  return everything ? "*" : predicates;

  function add(term: { readonly termType: string; readonly value: string }): void {
    if (term.termType === "Variable" && isParameter(term.value)) predicates.add(shape.constants[parameterIndex(term.value)] as TermId);
    else everything = true;
  }

  function addPath(path: PropertyPath): void {
    switch (path.type) {
      case "link":
        add(path.iri);
        break;
      case "seq":
      case "alt":
        for (const part of path.input) addPath(part);
        break;
      case "inv":
      case "OneOrMorePath":
        addPath(path.path);
        break;
      default:
        // Negated sets read every predicate; a path of length zero, every node.
        everything = true;
    }
  }
}
