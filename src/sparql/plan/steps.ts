/**
 * Parts of a query that need a relation of their own: DISTINCT, LIMIT and GROUP BY of subselects, and the named graphs.
 *
 *     rule:  R(instance, columns…) ← pattern           aggregate or slice:  T ← R            use:  an atom over R or T
 *
 * A column is 0 where its variable is unbound; such columns are read into a slot of their own and joined by a copy, so
 * that joins never have to look for 0. State: the rows of R and T.
 */
import type { Accumulator, Arg, Literal, Relation, Slot } from "../../engine/index.ts";
import { createAggregate } from "../expressions/index.ts";
import type { BoundAggregate, Expression, Operation } from "../parse/index.ts";
import { namedGraphOnly } from "./atoms.ts";
import { isHidden } from "./canonical.ts";
import { type Context, copyOf } from "./context.ts";
import { pushBind } from "./expressions-in-rules.ts";
import { modifiersOf } from "./modifiers.ts";
import { compareRows, type SortKey } from "./row-order.ts";
import { INSTANCE, INSTANCE_SLOT, NotPlanned, RuleBuilder, Scope } from "./rule-builder.ts";
import type { VariableFacts } from "./variables.ts";

/** A place to translate a subselect in: a rule of its own that shares only constants. */
export function ownRule(context: Context): Context {
  if (context.graph.kind === "graph" && !context.graph.constant)
    throw new NotPlanned("a subselect inside GRAPH with a variable", "each-graph");
  const rule = new RuleBuilder(context.plan.settings.constants);
  return { ...context, rule, scope: Scope.root(rule), given: new Set() };
}

/** LIMIT and OFFSET of a subselect. */
export function pushSlice(context: Context, operation: Extract<Operation, { type: "slice" }>, into: Literal[]): void {
  const { relation, names, facts, ignored } = sliceRelation(context, operation);
  pushRows(context, relation, names, facts, ignored, "bag", into);
}

export function pushDistinct(context: Context, operation: Extract<Operation, { type: "distinct" | "reduced" }>, into: Literal[]): void {
  const inner = ownRule(context);
  const facts = context.plan.analysis.of(operation, context.given);
  const names = columnsOf(operation, facts);
  const literals: Literal[] = [];
  context.translate(operation.input, inner, literals);
  const relation = context.plan.relation("distinct", 1 + names.length, !names.every((name) => facts.certain.has(name)));
  context.plan.rule(inner.rule, literals, [{ relation, args: [INSTANCE, ...names.map((name) => ({ slot: inner.scope.slot(name) }))] }]);
  pushRows(context, relation, names, facts, 0, "set", into);
}

export interface SlicedRelation {
  readonly relation: Relation;
  /** Variables of the columns after the instance and `ignored` sort keys. */
  readonly names: readonly string[];
  readonly facts: VariableFacts;
  readonly ignored: number;
}

/** Rows in order, from OFFSET on, LIMIT many; without ORDER BY by the order of terms, so that the choice is the same everywhere. */
export function sliceRelation(context: Context, operation: Extract<Operation, { type: "slice" }>): SlicedRelation {
  const { plan } = context;
  const inner = ownRule(context);
  const facts = plan.analysis.of(operation, new Set());
  const names = columnsOf(operation, facts);
  const { pattern, order: expressions, distinct } = modifiersOf(operation);
  const literals: Literal[] = [];
  const ordered = distinct ? operation.input : pattern;
  const orderedFacts = plan.analysis.of(ordered, new Set());
  if (distinct && expressions.some((expression) => [...plan.analysis.reads(expression)].some((name) => !orderedFacts.maybe.has(name)))) {
    throw new NotPlanned("DISTINCT ordered by a variable that is not selected");
  }
  context.translate(ordered, inner, literals);
  const keys = pushSortKeys(inner, orderedFacts, expressions, literals);
  const args: Arg[] = [INSTANCE, ...keys.map(({ slot }) => ({ slot })), ...names.map((name) => ({ slot: inner.scope.slot(name) }))];
  const source = plan.relation("rows", args.length, true);
  plan.rule(inner.rule, literals, [{ relation: source, args }]);
  const target = plan.relation("slice", args.length, true);
  plan.steps.push({
    kind: "slice",
    shape: {
      source,
      target,
      offset: operation.start,
      limit: operation.length ?? Number.MAX_SAFE_INTEGER,
      compare: compareRows(plan.settings.terms, keys, 1),
    },
  });
  return { relation: target, names, facts, ignored: keys.length };
}

/** Binds the sort keys of ORDER BY and tells slot and direction of each. */
export function pushSortKeys(
  context: Context,
  facts: VariableFacts,
  expressions: readonly Expression[],
  into: Literal[],
): (SortKey & { readonly slot: Slot })[] {
  return expressions.map((expression) => {
    const descending = expression.subType === "operator" && expression.operator === "desc";
    const directed = expression.subType === "operator" && (descending || expression.operator === "asc");
    const key = directed ? (expression.args[0] as Expression) : expression;
    if (key.subType === "term" && key.term.termType === "Variable" && facts.maybe.has(key.term.value))
      return { slot: context.scope.slot(key.term.value), descending };
    const slot = context.rule.newSlot();
    pushBind(context, facts, facts.maybe, key, slot, into);
    return { slot, descending };
  });
}

export function pushGroup(context: Context, operation: Extract<Operation, { type: "group" }>, into: Literal[]): void {
  const { plan } = context;
  const inner = ownRule(context);
  const inputFacts = plan.analysis.of(operation.input, new Set());
  const literals: Literal[] = [];
  context.translate(operation.input, inner, literals);
  const keys = operation.variables.map((variable) => variable.value);
  const keyArgs = keys.map((name) => ({ slot: inner.scope.slot(name) }));
  const valueArgs = operation.aggregates.map((aggregate) => aggregateArgument(inner, inputFacts, aggregate, literals));
  const args: Arg[] = [INSTANCE, ...keyArgs, ...valueArgs];
  const source = plan.relation("group", args.length, true);
  plan.rule(inner.rule, literals, [{ relation: source, args }]);
  const target = plan.relation("aggregate", args.length, true);
  plan.steps.push({
    kind: "aggregate",
    shape: {
      source,
      target,
      keys: 1 + keys.length,
      aggregates: operation.aggregates.map((aggregate) => accumulatorOf(context, aggregate)),
      everyInstance: keys.length === 0,
    },
  });
  const facts = plan.analysis.of(operation, context.given);
  pushRows(context, target, [...keys, ...operation.aggregates.map((aggregate) => aggregate.variable.value)], facts, 0, "set", into);
}

function accumulatorOf(context: Context, aggregate: BoundAggregate): () => Accumulator {
  const { terms } = context.plan.settings;
  return () => {
    const state = createAggregate(aggregate.aggregator, aggregate.distinct, aggregate.separator, terms);
    return { add: (value, weight) => state.add(value, weight), result: () => state.result(), removable: state.removalExact };
  };
}

/** The column an aggregate reads; COUNT(*) counts rows, COUNT(DISTINCT *) counts texts of whole solutions. */
function aggregateArgument(context: Context, facts: VariableFacts, aggregate: BoundAggregate, into: Literal[]): Arg {
  const { terms } = context.plan.settings;
  const { expression } = aggregate;
  if (expression.subType !== "wildcard") {
    const slot = context.rule.newSlot();
    pushBind(context, facts, facts.maybe, expression, slot, into);
    return { slot };
  }
  if (!aggregate.distinct) return { value: terms.typed("true", "http://www.w3.org/2001/XMLSchema#boolean") };
  const slots = [...facts.maybe].filter((name) => !isHidden(name)).map((name) => context.scope.slot(name));
  const target = context.rule.newSlot();
  into.push({
    kind: "bind",
    reads: slots,
    target,
    compute: (frame) => terms.string(slots.map((slot) => (frame[slot] === 0 ? "" : terms.ntriples(frame[slot] as number))).join(" ")),
  });
  return { slot: target };
}

/** Joins the named graphs that GRAPH can mean with `slot`. */
export function pushNamedGraphs(context: Context, slot: Slot, into: Literal[]): void {
  const { plan } = context;
  let relation = plan.namedGraphs;
  if (!relation) {
    const rule = new RuleBuilder(plan.settings.constants);
    const [subject, predicate, object, graph] = [rule.newSlot(), rule.newSlot(), rule.newSlot(), rule.newSlot()];
    relation = plan.relation("graphs", 2, false);
    const atom: Literal = {
      kind: "atom",
      relation: plan.settings.quads,
      args: [{ slot: subject }, { slot: predicate }, { slot: object }, { slot: graph }],
      reading: "set",
    };
    plan.rule(rule, [atom, namedGraphOnly(context, graph)], [{ relation, args: [INSTANCE, { slot: graph }] }]);
    plan.namedGraphs = relation;
  }
  into.push({ kind: "atom", relation, args: [INSTANCE, { slot }], reading: "set" });
}

/** Joins the rows of a relation of ours; columns that may be 0 are joined by copies. */
export function pushRows(
  context: Context,
  relation: Relation,
  names: readonly string[],
  facts: VariableFacts,
  ignored: number,
  reading: "set" | "bag",
  into: Literal[],
): void {
  const copies: Literal[] = [];
  const args: Arg[] = [{ slot: INSTANCE_SLOT }];
  for (let index = 0; index < ignored; index++) args.push({ slot: context.rule.newSlot() });
  const seen = new Set<string>();
  for (const name of names) {
    const slot = context.scope.slot(name);
    if (facts.certain.has(name) && !seen.has(name)) args.push({ slot });
    else {
      const own = context.rule.newSlot();
      args.push({ slot: own });
      copies.push(copyOf(own, slot));
    }
    seen.add(name);
  }
  context.plan.count(1 + copies.length);
  into.push({ kind: "atom", relation, args, reading }, ...copies);
}

/** Variables a subselect lets out, in the order it names them. */
function columnsOf(operation: Operation, facts: VariableFacts): string[] {
  let inner = operation;
  while (inner.type === "distinct" || inner.type === "reduced" || inner.type === "slice") inner = inner.input;
  const names =
    inner.type === "project" ? inner.variables.map((variable) => variable.value) : [...facts.maybe].filter((name) => !isHidden(name));
  return [...new Set(names)].filter((name) => facts.maybe.has(name));
}
