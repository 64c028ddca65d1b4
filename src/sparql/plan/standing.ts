/**
 * Standing queries: what a subscription, a wait or a continuous insertion adds to the engine.
 *
 *     CONSTRUCT, subscription   result(instance, s, p, o)      weight = number of supports; present while > 0
 *     CONSTRUCT, solutions      result(instance, variables…)   weight = multiplicity; `instantiate` gives the triples
 *     CONSTRUCT, insertion      quad(s, p, o, default graph)   derived knowledge
 *     SELECT                    result(instance, variables…)   weight = multiplicity
 *
 * A query that cannot be maintained is told so with the reason; the caller evaluates it again after relevant changes.
 * Planning is tried once per shape and remembered (at most `SHAPES_MAX` answers); a further instance costs its canonical
 * form only.
 */
import { quoteInput, SensError } from "../../base/index.ts";
import { type AnyRelation, type PipelinePlan, Relation } from "../../engine/index.ts";
import type { TermId, TermTable } from "../../rdf/index.ts";
import { forbidOutgoing, type Operation, type ParsedQuery, type Pattern, walkAlgebra } from "../parse/index.ts";
import { isHidden } from "./canonical.ts";
import type { Context } from "./context.ts";
import { type Dependencies, dependenciesOf } from "./dependencies.ts";
import { pipelinePlan, type QueryShape, queryShape, rootContext } from "./query-shape.ts";
import { INSTANCE, NotPlanned, PlanBuilder, type PlanSettings } from "./rule-builder.ts";
import { computedVariables, TemplateInstances, type Triple, templateHeads, templateVariables } from "./template.ts";
import { VariableAnalysis } from "./variables.ts";

export type StandingPurpose = "subscription" | "solutions" | "insertion";

export interface StandingContext {
  readonly terms: TermTable;
  readonly quads: AnyRelation;
  readonly purpose: StandingPurpose;
  /** Told each time a template triple is left out because it would not be valid RDF. */
  readonly onLeftOut?: () => void;
}

interface StandingFacts {
  /** Names of the columns of the result after the instance, without `?`; empty when the result is triples. */
  readonly outputVariables: readonly string[];
  /** False when a row counts once however often it has support: DISTINCT, and triples. */
  readonly bag: boolean;
  readonly dependsOn: Dependencies;
}

export interface IncrementalPlan extends StandingFacts {
  readonly mode: "incremental";
  readonly plan: PipelinePlan;
  /** CONSTRUCT for solutions: the triples of one row (without the instance). */
  readonly instantiate: ((row: readonly number[]) => Triple[]) | undefined;
}

export interface ReEvaluatedPlan extends StandingFacts {
  readonly mode: "re-evaluated";
  readonly why: string;
}

export type StandingPlan = IncrementalPlan | ReEvaluatedPlan;

const SHAPES_MAX = 10_000;
/** Why a shape cannot be maintained, "" when it can; by the quads it is planned for. */
const outcomes = new WeakMap<AnyRelation, Map<string, string>>();

/**
 * Plans a SELECT or CONSTRUCT to be kept up to date.
 * Throws SENS_QUERY_FORM, SENS_NON_DETERMINISTIC, SENS_QUERY_UNSAFE, SENS_SERVICE_DISABLED.
 */
export function planStanding(query: ParsedQuery, context: StandingContext): StandingPlan {
  checkForm(query, context.purpose);
  forbidOutgoing(query);
  checkDeterminism(query.algebra);
  const shape = queryShape(query.algebra, context.terms, { purpose: context.purpose, baseIri: query.baseIri });
  const names = new Map<string, string>();
  for (const variable of variablesOf(query.algebra)) {
    const name = shape.nameOf(variable);
    if (name !== undefined) names.set(name, variable);
  }
  if (shape.template) checkTemplate(shape, names);
  const target = targetOf(shape, context.purpose);
  const facts: StandingFacts = {
    outputVariables: target.columns.map((name) => names.get(name) ?? name),
    bag: target.bag,
    dependsOn: dependenciesOf(shape),
  };
  const settings = settingsOf(query, shape, context);
  const plan = pipelinePlan(shape, settings, (root) => target.fill(root, context));
  const why = obstacle(shape, settings, context, target);
  if (why !== "") return { mode: "re-evaluated", why, ...facts };
  return { mode: "incremental", plan, instantiate: instantiatorOf(shape, context, target), ...facts };
}

function checkForm(query: ParsedQuery, purpose: StandingPurpose): void {
  if (query.form === "construct" || (query.form === "select" && purpose === "subscription")) return;
  const allowed = purpose === "subscription" ? "CONSTRUCT or SELECT" : "CONSTRUCT";
  throw new SensError(
    "SENS_QUERY_FORM",
    `A standing query is a ${allowed} query, not ${query.form.toUpperCase()}. Rewrite it as CONSTRUCT.`,
  );
}

function checkDeterminism(algebra: Operation): void {
  walkAlgebra(algebra, (node) => {
    if (node.type !== "expression" || node.subType !== "operator" || (node.operator !== "now" && node.operator !== "rand")) return;
    throw new SensError(
      "SENS_NON_DETERMINISTIC",
      `${node.operator.toUpperCase()}() has no value that could be kept up to date. Compare with a time or number in the data instead.`,
    );
  });
}

/** A variable of the template that the pattern never binds is a mistake; the triple would never be told. */
function checkTemplate(shape: QueryShape, names: ReadonlyMap<string, string>): void {
  const bound = new VariableAnalysis().of(shape.operation, new Set()).maybe;
  for (const name of templateVariables(shape.template ?? [])) {
    if (bound.has(name)) continue;
    throw new SensError(
      "SENS_QUERY_UNSAFE",
      `Variable ${quoteInput(`?${names.get(name) ?? name}`)} is in the template but not in the pattern. Bind it in WHERE.`,
    );
  }
}

function settingsOf(query: ParsedQuery, shape: QueryShape, context: StandingContext): PlanSettings {
  return {
    terms: context.terms,
    quads: context.quads,
    baseIri: query.baseIri,
    constants: shape.constants.length,
    identity: shape.identity,
    nowMs: 0,
    random: () => 0,
  };
}

/** Plans the shape once on relations nobody uses, to learn whether it can be maintained. */
function obstacle(shape: QueryShape, settings: PlanSettings, context: StandingContext, target: Target): string {
  let known = outcomes.get(context.quads);
  if (!known) {
    known = new Map();
    outcomes.set(context.quads, known);
  }
  let why = known.get(shape.key);
  if (why === undefined) {
    why = tryPlan(shape, settings, context, target);
    if (known.size >= SHAPES_MAX) known.delete(known.keys().next().value as string);
    known.set(shape.key, why);
  }
  return why;
}

function tryPlan(shape: QueryShape, settings: PlanSettings, context: StandingContext, target: Target): string {
  try {
    const plan = new PlanBuilder(settings, shape.key, (name, arity, options) => new Relation(0, name, arity, options));
    target.fill(rootContext(plan, shape), { ...context, onLeftOut: () => {} });
    return plan.hasCalls ? "paths with *, + or ? are followed anew after each relevant change" : "";
  } catch (error) {
    if (error instanceof NotPlanned) return error.message;
    throw error;
  }
}

/** What the result is and how the steps that make it are pushed. */
interface Target {
  readonly columns: readonly string[];
  readonly bag: boolean;
  readonly fill: (root: Context, context: StandingContext) => AnyRelation;
}

function targetOf(shape: QueryShape, purpose: StandingPurpose): Target {
  const { pattern, template } = constructParts(shape);
  if (!template) return selectTarget(shape.operation);
  if (purpose !== "solutions") return { columns: [], bag: false, fill: (root, context) => fillTriples(root, pattern, template, context) };
  const columns = solutionColumns(pattern, template);
  return { columns, bag: true, fill: (root) => fillRows(root, pattern, columns) };
}

/** The pattern of a CONSTRUCT with its LIMIT, as a subselect would have it. */
function constructParts(shape: QueryShape): { pattern: Operation; template: readonly Pattern[] | undefined } {
  const { operation, template } = shape;
  if (operation.type === "construct") return { pattern: operation.input, template };
  if (operation.type === "slice" && operation.input.type === "construct")
    return { pattern: { ...operation, input: operation.input.input }, template };
  return { pattern: operation, template: undefined };
}

function selectTarget(operation: Operation): Target {
  let inner = operation;
  let distinct = false;
  while (inner.type === "slice" || inner.type === "distinct" || inner.type === "reduced") {
    if (inner.type === "distinct") distinct = true;
    inner = inner.input;
  }
  const columns = inner.type === "project" ? inner.variables.map((variable) => variable.value) : [];
  const pattern = operation.type === "distinct" ? operation.input : operation;
  return { columns, bag: !distinct, fill: (root) => fillRows(root, pattern, columns) };
}

/** With blank nodes in the template the whole solution matters, else the variables of the template do. */
function solutionColumns(pattern: Operation, template: readonly Pattern[]): string[] {
  const visible = [...new VariableAnalysis().of(pattern, new Set()).maybe].filter((name) => !isHidden(name));
  if (template.some(({ subject, predicate, object }) => [subject, predicate, object].some((term) => term.termType === "BlankNode")))
    return visible;
  const used = templateVariables(template);
  return visible.filter((name) => used.has(name));
}

function fillRows(root: Context, pattern: Operation, columns: readonly string[]): Relation {
  const literals = literalsOf(root, pattern);
  const relation = root.plan.relation("result", 1 + columns.length, true);
  root.plan.rule(root.rule, literals, [{ relation, args: [INSTANCE, ...columns.map((name) => ({ slot: root.scope.slot(name) }))] }]);
  return relation;
}

function fillTriples(root: Context, pattern: Operation, template: readonly Pattern[], context: StandingContext): AnyRelation {
  const literals = literalsOf(root, pattern);
  const inserted = context.purpose === "insertion";
  const relation = inserted ? context.quads : root.plan.relation("result", 4, false);
  const output = { relation, prefix: inserted ? [] : [INSTANCE], suffix: inserted ? [{ value: 0 }] : [] };
  const heads = templateHeads(root, template, pattern, output, context.onLeftOut ?? (() => {}), literals);
  root.plan.rule(root.rule, literals, heads);
  return relation;
}

function literalsOf(root: Context, pattern: Operation): Parameters<Context["translate"]>[2] {
  const literals: Parameters<Context["translate"]>[2] = [];
  root.translate(pattern, root, literals);
  return literals;
}

function instantiatorOf(shape: QueryShape, context: StandingContext, target: Target): ((row: readonly number[]) => Triple[]) | undefined {
  const { pattern, template } = constructParts(shape);
  if (!template || context.purpose !== "solutions") return undefined;
  const identity = shape.identity === undefined ? 0 : (shape.constants[shape.identity] as TermId);
  const instances = new TemplateInstances(
    context.terms,
    template,
    target.columns,
    shape.constants,
    identity,
    computedVariables(pattern).size > 0,
  );
  return (row) => instances.of(row);
}

function variablesOf(algebra: Operation): Set<string> {
  const names = new Set<string>();
  walkAlgebra(algebra, (node) => {
    for (const value of Object.values(node)) {
      for (const term of Array.isArray(value) ? value : [value]) {
        if (typeof term === "object" && term !== null && (term as { termType?: string }).termType === "Variable")
          names.add((term as { value: string }).value);
      }
    }
  });
  return names;
}
