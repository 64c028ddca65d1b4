/**
 * Patterns of the algebra as literals of one rule.
 *
 *     A ⋈ B          literals of A, literals of B (compatibility is the engine's: an unbound slot is a wildcard)
 *     A ⟕ B if e     A, union([B, e], [not exists (B', e')])        B' = B, its own variables renamed apart
 *     A − B          A, filter(not exists (B', a shared variable is bound in both and all agree))
 *     σ, extend      filters and assignments
 *     π              inner variables renamed apart; DISTINCT, GROUP BY and LIMIT through a relation of their own (steps.ts)
 *
 * SPARQL evaluates bottom-up, a rule evaluates in any order. They agree unless a *fragile* variable (variables.ts) is
 * shared: such a variable gets a slot of its own inside and is joined back by a copy, which is the identity where it is
 * bound and no constraint where it is not. Source: SPARQL 1.1 Query Language, sections 18.2-18.6.
 */
import type { Literal, Slot } from "../../engine/index.ts";
import type { Operation } from "../parse/index.ts";
import { namedGraphOnly, pushPatterns } from "./atoms.ts";
import { isParameter } from "./canonical.ts";
import { type Context, copyOf, noMatch } from "./context.ts";
import { pushBind, pushFilter } from "./expressions-in-rules.ts";
import { pushMinus } from "./minus.ts";
import { pushPath } from "./paths.ts";
import { NotPlanned } from "./rule-builder.ts";
import { pushDistinct, pushGroup, pushNamedGraphs, pushSlice } from "./steps.ts";
import type { VariableFacts } from "./variables.ts";

export function translate(operation: Operation, context: Context, into: Literal[]): void {
  switch (operation.type) {
    case "nop":
      return;
    case "bgp":
      pushPatterns(context, operation.patterns, into);
      return;
    case "path":
      pushPath(context, operation, into);
      return;
    case "values":
      pushValues(context, operation, into);
      return;
    case "join":
      pushJoin(context, operation.input, into);
      return;
    case "union":
      into.push({ kind: "union", branches: operation.input.map((input) => ({ literals: literalsOf(context, input) })) });
      return;
    case "leftjoin":
      pushLeftJoin(context, operation, into);
      return;
    case "minus":
      pushMinus(context, operation, into);
      return;
    case "filter":
      translate(operation.input, context, into);
      pushFilter(context, factsOf(context, operation.input), operation.expression, into);
      return;
    case "extend":
      translate(operation.input, context, into);
      pushBind(
        context,
        factsOf(context, operation.input),
        solutionOf(context, operation),
        operation.expression,
        context.scope.slot(operation.variable.value),
        into,
      );
      return;
    case "graph":
      pushGraph(context, operation, into);
      return;
    case "project":
      pushProject(context, operation, into);
      return;
    case "reduced":
    case "orderby":
      translate(operation.input, context, into);
      return;
    case "distinct":
      pushDistinct(context, operation, into);
      return;
    case "slice":
      pushSlice(context, operation, into);
      return;
    case "group":
      pushGroup(context, operation, into);
      return;
    default:
      throw new NotPlanned(`${operation.type} inside a pattern`);
  }
}

function literalsOf(context: Context, operation: Operation): Literal[] {
  const literals: Literal[] = [];
  translate(operation, context, literals);
  return literals;
}

function factsOf(context: Context, operation: Operation): VariableFacts {
  return context.plan.analysis.of(operation, context.given);
}

/** Variables that tell solutions apart where a chain of assignments begins: BNODE("a") twice in one solution is one node. */
function solutionOf(context: Context, operation: Operation): ReadonlySet<string> {
  let base = operation;
  while (base.type === "extend") base = base.input;
  return factsOf(context, base).maybe;
}

/** Translates a part of a join in which the `shared` fragile variables are kept apart and joined back afterwards. */
function pushApart(context: Context, operation: Operation, shared: ReadonlySet<string>, into: Literal[]): void {
  const scope = context.scope.renamed(shared);
  translate(operation, { ...context, scope }, into);
  for (const name of shared) into.push(copyOf(scope.slot(name), context.scope.slot(name)));
}

function fragileShared(part: VariableFacts, others: readonly VariableFacts[]): Set<string> {
  return new Set([...part.fragile].filter((name) => others.some((other) => other.maybe.has(name))));
}

function pushJoin(context: Context, inputs: readonly Operation[], into: Literal[]): void {
  const facts = inputs.map((input) => factsOf(context, input));
  for (const [index, input] of inputs.entries()) {
    const others = facts.filter((_, at) => at !== index);
    pushApart(context, input, fragileShared(facts[index] as VariableFacts, others), into);
  }
}

function pushLeftJoin(context: Context, operation: Extract<Operation, { type: "leftjoin" }>, into: Literal[]): void {
  const [left, right] = operation.input;
  const leftFacts = factsOf(context, left);
  const rightFacts = factsOf(context, right);
  pushApart(context, left, fragileShared(leftFacts, [rightFacts]), into);
  const rightShared = fragileShared(rightFacts, [leftFacts]);
  const joined: VariableFacts = {
    ...leftFacts,
    certain: new Set([...leftFacts.certain, ...rightFacts.certain]),
    maybe: new Set([...leftFacts.maybe, ...rightFacts.maybe]),
  };
  const found: Literal[] = [];
  pushApart(context, right, rightShared, found);
  if (operation.expression) pushFilter(context, joined, operation.expression, found);

  // The copy sees what the left side has; what both may have is joined by a copy where the left may leave it unbound.
  const visible: string[] = [...context.given];
  const copied: string[] = [];
  for (const name of leftFacts.maybe) {
    if (leftFacts.certain.has(name) || !rightFacts.maybe.has(name) || context.given.has(name)) visible.push(name);
    else copied.push(name);
  }
  const inner: Context = { ...context, scope: context.scope.apart(visible) };
  const missing: Literal[] = [];
  for (const name of copied) missing.push(copyOf(context.scope.slot(name), inner.scope.slot(name)));
  const needed = operation.expression ? right : withoutOptionals(context, right, leftFacts);
  pushApart(inner, needed, new Set([...rightShared].filter((name) => factsOf(context, needed).maybe.has(name))), missing);
  if (operation.expression) pushFilter(inner, joined, operation.expression, missing);
  into.push({ kind: "union", branches: [{ literals: found }, { literals: [noMatch(missing)] }] });
}

/** Whether anything matches does not depend on optional parts that share nothing more with the outside; without this, nesting doubles. */
function withoutOptionals(context: Context, operation: Operation, outside: VariableFacts): Operation {
  let needed = operation;
  while (needed.type === "leftjoin") {
    const [left, right] = needed.input;
    const kept = factsOf(context, left).maybe;
    if ([...factsOf(context, right).maybe].some((name) => !kept.has(name) && outside.maybe.has(name))) break;
    needed = left;
  }
  return needed;
}

function pushValues(context: Context, operation: Extract<Operation, { type: "values" }>, into: Literal[]): void {
  const { terms } = context.plan.settings;
  const names = operation.variables.map((variable) => variable.value);
  into.push({
    kind: "values",
    slots: names.map((name) => context.scope.slot(name)),
    rows: operation.bindings.map((row) => names.map((name) => (row[name] ? terms.encode(row[name]) : 0))),
  });
}

/** A subselect: what it does not project is its own. What an EXISTS hands in reaches it by joining only. */
function pushProject(context: Context, operation: Extract<Operation, { type: "project" }>, into: Literal[]): void {
  const facts = factsOf(context, operation);
  const apart = new Set([...facts.fragile].filter((name) => context.given.has(name)));
  const outer = context.scope.renamed(apart);
  const scope = outer.apart(operation.variables.map((variable) => variable.value));
  translate(operation.input, { ...context, scope, given: new Set() }, into);
  for (const name of apart) into.push(copyOf(outer.slot(name), context.scope.slot(name)));
}

/**
 * GRAPH ?g { P } is P in each named graph, joined with ?g. Inside P, ?g is bound only where P itself binds it: then one
 * slot serves both; otherwise the graph has a slot of its own.
 */
function pushGraph(context: Context, operation: Extract<Operation, { type: "graph" }>, into: Literal[]): void {
  const name = operation.name.value;
  const slot = context.scope.slot(name);
  const constant = isParameter(name);
  const facts = factsOf(context, operation.input);
  const mentioned = facts.maybe.has(name) || facts.foreign.has(name);
  const own = mentioned && !facts.certain.has(name) ? context.rule.newSlot() : slot;
  const literals = literalsOf({ ...context, graph: { kind: "graph", slot: own, constant } }, operation.input);
  if (bindsGraph(context, literals, own)) into.push(...literals);
  else {
    pushNamedGraphs(context, own, into);
    into.push(...literals);
  }
  if (context.named || !constant) into.push(namedGraphOnly(context, own));
  if (own !== slot) into.push(copyOf(own, slot));
}

/** Whether every solution reads a quad of the graph in `slot`: then there is such a graph. */
function bindsGraph(context: Context, literals: readonly Literal[], slot: Slot): boolean {
  return literals.some((literal) => {
    if (literal.kind === "union")
      return literal.branches.length > 0 && literal.branches.every((branch) => bindsGraph(context, branch.literals, slot));
    if (literal.kind !== "atom" || literal.relation !== context.plan.settings.quads) return false;
    const graph = literal.args[3];
    return graph !== undefined && "slot" in graph && graph.slot === slot;
  });
}
