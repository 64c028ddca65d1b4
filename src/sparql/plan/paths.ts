/**
 * Property paths as literals.
 *
 *     p1/p2   a variable between         p1|p2   union         ^p   ends swapped         !(p…)   any predicate, filtered
 *     p? p* p+   a relation computed on demand (closure.ts): sets, where the others keep multiplicities
 *
 * Source: SPARQL 1.1 Query Language, sections 9 and 18.4.
 */
import type { Arg, Literal, Slot } from "../../engine/index.ts";
import type { Operation, PropertyPath } from "../parse/index.ts";
import { pushAtom } from "./atoms.ts";
import { isParameter, parameterIndex } from "./canonical.ts";
import { closurePairs, type PathGraph } from "./closure.ts";
import { type ActiveGraph, type Context, NEVER } from "./context.ts";
import { parameterSlot } from "./rule-builder.ts";

export function pushPath(context: Context, operation: Extract<Operation, { type: "path" }>, into: Literal[]): void {
  const subject = { slot: context.scope.slot(operation.subject.value) };
  const object = { slot: context.scope.slot(operation.object.value) };
  const { graph } = operation;
  if (graph.termType === "DefaultGraph") {
    pushStep(context, subject, operation.predicate, object, into);
    return;
  }
  const slot = context.scope.slot(graph.value);
  const constant = isParameter(graph.value);
  pushStep({ ...context, graph: { kind: "graph", slot, constant } }, subject, operation.predicate, object, into);
  if (!constant) into.push({ kind: "filter", reads: [slot], test: (frame) => frame[slot] !== 0 });
}

function pushStep(context: Context, subject: Arg, path: PropertyPath, object: Arg, into: Literal[]): void {
  context.plan.count(1);
  switch (path.type) {
    case "link":
      pushAtom(context, subject, { slot: predicateSlot(path.iri) }, object, into);
      return;
    case "inv":
      pushStep(context, object, path.path, subject, into);
      return;
    case "seq": {
      let from = subject;
      for (const [index, part] of path.input.entries()) {
        const to: Arg = index === path.input.length - 1 ? object : { slot: context.rule.newSlot() };
        pushStep(context, from, part, to, into);
        from = to;
      }
      return;
    }
    case "alt":
      into.push({
        kind: "union",
        branches: path.input.map((part) => {
          const literals: Literal[] = [];
          pushStep(context, subject, part, object, literals);
          return { literals };
        }),
      });
      return;
    case "nps":
      pushNegatedSet(context, subject, path.iris.map(predicateSlot), object, into);
      return;
    default:
      pushClosure(context, subject, path, object, into);
  }
}

function pushNegatedSet(context: Context, subject: Arg, excluded: readonly Slot[], object: Arg, into: Literal[]): void {
  const predicate = context.rule.newSlot();
  pushAtom(context, subject, { slot: predicate }, object, into);
  into.push({
    kind: "filter",
    reads: [predicate, ...excluded],
    test: (frame) => excluded.every((slot) => frame[slot] !== frame[predicate]),
  });
}

function pushClosure(context: Context, from: Arg, path: PropertyPath, to: Arg, into: Literal[]): void {
  const { graph } = context;
  if (graph.kind === "merge" && graph.slots.length === 0 && path.type === "OneOrMorePath") {
    into.push(NEVER);
    return;
  }
  context.plan.hasCalls = true;
  const anyEnd = isConstant(context, from) || isConstant(context, to);
  const reads = graph.kind === "merge" ? [...graph.slots] : graph.kind === "graph" ? [graph.slot] : [];
  into.push({
    kind: "call",
    from,
    to,
    reads,
    pairs: (fromId, toId, frame, reader, emit) =>
      closurePairs(
        path,
        fromId,
        toId,
        { reader, graphs: graphsOf(graph, frame), idOf: (iri) => frame[predicateSlot(iri)] as number, anyEnd },
        emit,
      ),
  });
}

/** Constants of the query, and variables that an EXISTS replaces by the values outside. */
function isConstant(context: Context, arg: Arg): boolean {
  if ("value" in arg) return true;
  return arg.slot <= context.plan.settings.constants || [...context.given].some((name) => context.scope.slot(name) === arg.slot);
}

function graphsOf(graph: ActiveGraph, frame: Int32Array): PathGraph {
  switch (graph.kind) {
    case "default":
      return [0];
    case "graph":
      return [frame[graph.slot] as number];
    case "merge":
      return graph.slots.map((slot) => frame[slot] as number);
  }
}

function predicateSlot(iri: { readonly value: string }): Slot {
  return parameterSlot(parameterIndex(iri.value));
}
