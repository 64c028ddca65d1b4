/** In-scope variables, and the rule that AS gives a new name. Source: SPARQL 1.1, sections 18.2.1 and 19.8, note 12. */
import { SensError } from "../../base/index.ts";
import type { Operation } from "./algebra.ts";
import type { AlgebraNode } from "./algebra-walk.ts";

/** For a projection: no `(… AS ?x)` may name a variable that the pattern, or an earlier AS, has in scope. */
export function checkProjection(node: AlgebraNode): void {
  if (node.type !== "project") return;
  const names: string[] = [];
  let below = node.input;
  while (below.type === "extend" || below.type === "orderby" || below.type === "filter") {
    if (below.type === "extend") names.push(below.variable.value);
    below = below.input;
  }
  if (names.length === 0) return;
  const scope = variablesInScope(below);
  for (const name of names.reverse()) {
    if (scope.has(name))
      throw new SensError("SENS_SYNTAX", `AS ?${name} names a variable that already has a value there. Choose another name.`);
    scope.add(name);
  }
}

function variablesInScope(root: Operation): Set<string> {
  const names = new Set<string>();
  const stack: Operation[] = [root];
  const add = (term: { readonly termType: string; readonly value: string }): void => {
    if (term.termType === "Variable") names.add(term.value);
  };
  for (let node = stack.pop(); node; node = stack.pop()) {
    switch (node.type) {
      case "bgp":
        for (const { subject, predicate, object, graph } of node.patterns)
          for (const term of [subject, predicate, object, graph]) add(term);
        break;
      case "path":
        for (const term of [node.subject, node.object, node.graph]) add(term);
        break;
      case "values":
        node.variables.forEach(add);
        break;
      case "project":
        node.variables.forEach(add);
        break;
      case "group":
        for (const variable of [...node.variables, ...node.aggregates.map((aggregate) => aggregate.variable)]) add(variable);
        break;
      case "minus":
        stack.push(node.input[0]);
        break;
      case "join":
      case "union":
      case "leftjoin":
        for (const input of node.input) stack.push(input);
        break;
      case "nop":
        break;
      default:
        if (node.type === "extend") add(node.variable);
        if (node.type === "graph" || node.type === "service") add(node.name);
        stack.push(node.input);
    }
  }
  return names;
}
