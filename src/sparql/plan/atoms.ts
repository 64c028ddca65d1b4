/** Triple patterns as atoms over the quads, in the graph that is active. */
import type { Arg, Literal, Slot } from "../../engine/index.ts";
import type { Pattern } from "../parse/index.ts";
import { isParameter } from "./canonical.ts";
import { type ActiveGraph, type Context, NEVER, noMatch } from "./context.ts";

/** One triple in the active graph. FROM with several graphs is their union as a set: a triple counts in the first that has it. */
export function pushAtom(
  context: Context,
  subject: Arg,
  predicate: Arg,
  object: Arg,
  into: Literal[],
  graph: ActiveGraph = context.graph,
): void {
  const atom = (g: Arg): Literal => ({
    kind: "atom",
    relation: context.plan.settings.quads,
    args: [subject, predicate, object, g],
    reading: "set",
    // Stored graphs are read as they were stated.
    expanded: "value" in g,
  });
  context.plan.count(1);
  switch (graph.kind) {
    case "default":
      into.push(atom({ value: 0 }));
      break;
    case "graph":
      into.push(atom({ slot: graph.slot }));
      break;
    case "merge": {
      if (graph.slots.length === 0) into.push(NEVER);
      else if (graph.slots.length === 1) into.push(atom({ slot: graph.slots[0] as Slot }));
      else {
        context.plan.count(graph.slots.length ** 2);
        const branches = graph.slots.map((slot, index) => ({
          literals: [atom({ slot }), ...graph.slots.slice(0, index).map((earlier) => noMatch([atom({ slot: earlier })]))],
        }));
        into.push({ kind: "union", branches });
      }
      break;
    }
  }
}

export function pushPatterns(context: Context, patterns: readonly Pattern[], into: Literal[]): void {
  const graphVariables = new Set<Slot>();
  for (const pattern of patterns) {
    const arg = (term: Pattern["subject"]): Arg => ({ slot: context.scope.slot(term.value) });
    const graph = graphOf(context, pattern, graphVariables);
    pushAtom(context, arg(pattern.subject), arg(pattern.predicate), arg(pattern.object), into, graph);
  }
  for (const slot of graphVariables) into.push(namedGraphOnly(context, slot));
}

/** GRAPH ranges over named graphs, those of FROM NAMED when there are any. */
export function namedGraphOnly(context: Context, slot: Slot): Literal {
  const { named } = context;
  if (!named) return { kind: "filter", reads: [slot], test: (frame) => frame[slot] !== 0 };
  return {
    kind: "filter",
    reads: [slot, ...named],
    test: (frame) => frame[slot] !== 0 && named.some((other) => frame[other] === frame[slot]),
  };
}

/** Patterns of an update carry their graph themselves. */
function graphOf(context: Context, pattern: Pattern, variables: Set<Slot>): ActiveGraph {
  const { graph } = pattern;
  if (graph.termType === "DefaultGraph") return context.graph;
  const slot = context.scope.slot(graph.value);
  if (!isParameter(graph.value)) variables.add(slot);
  return { kind: "graph", slot, constant: isParameter(graph.value) };
}
