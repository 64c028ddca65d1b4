/**
 * A query taken apart for planning: form, dataset, pattern, modifiers; constants out.
 */
import { createHash } from "node:crypto";
import type { AnyRelation, PipelinePlan, PipelineShape, RelationFactory, Slot } from "../../engine/index.ts";
import type { TermId, TermTable } from "../../rdf/index.ts";
import type { Operation, Pattern } from "../parse/index.ts";
import { walkAlgebra } from "../parse/index.ts";
import { type CanonicalQuery, canonicalQuery, parameterIndex } from "./canonical.ts";
import type { ActiveGraph, Context } from "./context.ts";
import { PlanBuilder, type PlanSettings, parameterSlot, RuleBuilder, Scope } from "./rule-builder.ts";
import { translate } from "./translate.ts";

export interface QueryShape {
  /** Without `from`. */
  readonly operation: Operation;
  readonly template: readonly Pattern[] | undefined;
  readonly key: string;
  readonly constants: readonly TermId[];
  readonly identity: number | undefined;
  readonly graph: ActiveGraph;
  readonly named: readonly Slot[] | undefined;
  nameOf(variable: string): string | undefined;
}

export interface ShapeOptions {
  /** Tells evaluations of the same text apart (ad hoc); standing queries have none. */
  readonly nonce?: string;
  readonly baseIri?: string | undefined;
  /** Part of the key: what the plan is made for. */
  readonly purpose: string;
}

const FRESH_FUNCTIONS: ReadonlySet<string> = new Set(["uuid", "struuid", "bnode"]);

export function queryShape(operation: Operation, terms: TermTable, options: ShapeOptions): QueryShape {
  const canonical = canonicalQuery(operation, terms, `${options.purpose} ${options.baseIri ?? ""}\n`);
  const from = canonical.operation.type === "from" ? canonical.operation : undefined;
  const inner = from ? from.input : canonical.operation;
  const template = templateOf(inner);
  const identity = needsIdentity(operation, template) ? canonical.constants.length : undefined;
  const constants = identity === undefined ? canonical.constants : [...canonical.constants, identityOf(canonical, terms, options.nonce)];
  const slots = (graphs: readonly { readonly value: string }[]) => graphs.map((graph) => parameterSlot(parameterIndex(graph.value)));
  return {
    operation: inner,
    template,
    key: canonical.key,
    constants,
    identity,
    graph: from?.default ? { kind: "merge", slots: slots(from.default) } : { kind: "default" },
    named: from?.named ? slots(from.named) : undefined,
    nameOf: canonical.nameOf,
  };
}

/** Where the patterns of a shape are translated: a fresh rule of `plan`. */
export function rootContext(plan: PlanBuilder, shape: QueryShape): Context {
  const rule = new RuleBuilder(plan.settings.constants);
  return { plan, rule, scope: Scope.root(rule), graph: shape.graph, named: shape.named, given: new Set(), translate };
}

/** The plan of a shape; `fill` pushes the steps and answers the relation that has the result. */
export function pipelinePlan(shape: QueryShape, settings: PlanSettings, fill: (context: Context) => AnyRelation): PipelinePlan {
  return {
    key: shape.key,
    constants: shape.constants,
    build(relations: RelationFactory): PipelineShape {
      const plan = new PlanBuilder(settings, shape.key, relations);
      const output = fill(rootContext(plan, shape));
      return { key: shape.key, constants: shape.constants.length, steps: plan.steps, output };
    },
  };
}

function templateOf(operation: Operation): readonly Pattern[] | undefined {
  const construct = operation.type === "slice" ? operation.input : operation;
  return construct.type === "construct" ? construct.template : undefined;
}

function needsIdentity(operation: Operation, template: readonly Pattern[] | undefined): boolean {
  let needed = (template ?? []).some((pattern) =>
    [pattern.subject, pattern.predicate, pattern.object].some((term) => term.termType === "BlankNode"),
  );
  walkAlgebra(operation, (node) => {
    if (node.type === "expression" && node.subType === "operator" && FRESH_FUNCTIONS.has(node.operator)) needed = true;
  });
  return needed;
}

/** One text for one query, however its variables are called; with a nonce, for one evaluation. */
function identityOf(canonical: CanonicalQuery, terms: TermTable, nonce = ""): TermId {
  const hash = createHash("sha256").update(canonical.key);
  for (const constant of canonical.constants) hash.update(`\n${terms.ntriples(constant)}`);
  return terms.string(hash.update(`\n${nonce}`).digest("base64url").slice(0, 22));
}
