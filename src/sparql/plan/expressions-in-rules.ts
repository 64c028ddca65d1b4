/** Expressions as filters and assignments of a rule. */
import { createHash } from "node:crypto";
import type { Body, ExistsCheck, Frame, Literal, Slot } from "../../engine/index.ts";
import { type CompiledExpression, compileExpression, type EvaluationEnv } from "../expressions/index.ts";
import type { Expression, Operation } from "../parse/index.ts";
import { isHidden } from "./canonical.ts";
import { type Context, copyOf } from "./context.ts";
import { NotPlanned, parameterSlot } from "./rule-builder.ts";
import type { VariableFacts } from "./variables.ts";

interface Prepared {
  readonly compiled: CompiledExpression;
  readonly bodies: readonly Body[];
  readonly reads: readonly Slot[];
  readonly env: RuleEnv;
}

/** Pushes filters that hold where `expression` is true; `facts` are those of the pattern the filter stands on. */
export function pushFilter(context: Context, facts: VariableFacts, expression: Expression, into: Literal[]): void {
  if (expression.subType === "operator" && expression.operator === "&&") {
    for (const argument of expression.args) pushFilter(context, facts, argument, into);
    return;
  }
  const { compiled, bodies, reads, env } = prepare(context, facts, facts.maybe, expression);
  context.plan.count(1);
  into.push({
    kind: "filter",
    reads,
    exists: bodies,
    test: (frame, exists) => compiled.test(frame, env.under(exists)) === 1,
  });
}

/** Pushes an assignment; `solution` are the variables that tell one solution from another. */
export function pushBind(
  context: Context,
  facts: VariableFacts,
  solution: ReadonlySet<string>,
  expression: Expression,
  target: Slot,
  into: Literal[],
): void {
  const { compiled, bodies, reads, env } = prepare(context, facts, solution, expression);
  context.plan.count(1);
  if (compiled.slot !== undefined) {
    into.push(copyOf(compiled.slot, target));
    return;
  }
  into.push({
    kind: "bind",
    reads,
    target,
    exists: bodies,
    compute: (frame, exists) => compiled.evaluate(frame, env.under(exists)),
  });
}

function prepare(context: Context, facts: VariableFacts, solution: ReadonlySet<string>, expression: Expression): Prepared {
  const { settings } = context.plan;
  const bodies: Body[] = [];
  const compiled = compileExpression(expression, {
    terms: settings.terms,
    baseIri: settings.baseIri,
    slotOf: (name) => (isVisible(context, facts, name) ? context.scope.slot(name) : undefined),
    exists(pattern: Operation): number {
      bodies.push(existsBody(context, facts, pattern));
      return bodies.length - 1;
    },
  });
  const slots = compiled.usesFresh ? [...solution].filter((name) => !isHidden(name)).map((name) => context.scope.slot(name)) : [];
  const env = new RuleEnv(context, slots, context.plan.siteOf(expression));
  return { compiled, bodies, reads: [...new Set([...compiled.reads, ...slots])], env };
}

function isVisible(context: Context, facts: VariableFacts, name: string): boolean {
  return name.startsWith("$") || facts.maybe.has(name) || context.given.has(name);
}

/** The pattern of an EXISTS over the frame of the solution it is asked about. */
function existsBody(context: Context, facts: VariableFacts, pattern: Operation): Body {
  const { analysis } = context.plan;
  const { given, copied } = analysis.existsSharing(pattern, facts, context.given);
  const inside = analysis.of(pattern, given);
  const scope = context.scope.apart(given);
  const literals: Literal[] = [];
  for (const name of copied) {
    if (inside.fragile.has(name) || inside.foreign.has(name)) {
      throw new NotPlanned("EXISTS reads, inside a group, a variable that may be unbound around it and may be bound in it");
    }
    literals.push(copyOf(context.scope.slot(name), scope.slot(name)));
  }
  context.translate(pattern, { ...context, scope, given }, literals);
  return { literals };
}

/** What an expression may ask for while it runs within a rule. */
class RuleEnv implements EvaluationEnv {
  readonly nowMs: number;
  readonly random: () => number;
  readonly #context: Context;
  readonly #solution: readonly Slot[];
  readonly #site: number;
  #exists: ExistsCheck = () => false;

  constructor(context: Context, solution: readonly Slot[], site: number) {
    this.#context = context;
    this.#solution = solution;
    this.#site = site;
    this.nowMs = context.plan.settings.nowMs;
    this.random = context.plan.settings.random;
  }

  under(exists: ExistsCheck): this {
    this.#exists = exists;
    return this;
  }

  exists(index: number): boolean {
    return this.#exists(index);
  }

  fresh(kind: "uuid" | "bnode", key: string, frame: Frame): string {
    const { terms, identity } = this.#context.plan.settings;
    const values = this.#solution.map((slot) => frame[slot] as number);
    const query = identity === undefined ? 0 : (frame[parameterSlot(identity)] as number);
    // BNODE("text") is one node wherever it is called; every other call is a node or id of its own.
    const site = key.startsWith("text:") ? key : `${this.#site} ${key}`;
    return kind === "bnode" ? skolemLabel(terms, query, site, values) : solutionText(terms, query, site, values);
  }
}

/** Text that is the same for the same query, key and solution, whatever ids the terms have. */
function solutionText(terms: Context["plan"]["settings"]["terms"], query: number, key: string, values: readonly number[]): string {
  const parts = [query === 0 ? "" : terms.value(query), key, ...values.map((value) => (value === 0 ? "" : terms.ntriples(value)))];
  return parts.map((part) => `${part.length}:${part}`).join("");
}

/** A label in the form the server gives out, by hash: 124 bits of it, so that nodes of different solutions never meet. */
export function skolemLabel(terms: Context["plan"]["settings"]["terms"], query: number, key: string, values: readonly number[]): string {
  const digest = createHash("sha256")
    .update(solutionText(terms, query, key, values))
    .digest("hex");
  return `sens-${BigInt(`0x${digest.slice(0, 31)}`).toString(36)}-k`;
}
