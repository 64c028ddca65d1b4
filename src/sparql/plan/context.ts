/** Where a piece of a query is being translated: the rule, the names in scope, the graph that is read. */
import type { Literal, Slot } from "../../engine/index.ts";
import type { Operation } from "../parse/index.ts";
import type { PlanBuilder, RuleBuilder, Scope } from "./rule-builder.ts";

/**
 * What patterns read. `default`: the default graph as queries see it; `merge`: the graphs of FROM, given as slots, as one
 * set; `graph`: the graph whose IRI the slot carries.
 */
export type ActiveGraph =
  | { readonly kind: "default" }
  | { readonly kind: "merge"; readonly slots: readonly Slot[] }
  | { readonly kind: "graph"; readonly slot: Slot; readonly constant: boolean };

export interface Context {
  readonly plan: PlanBuilder;
  readonly rule: RuleBuilder;
  readonly scope: Scope;
  readonly graph: ActiveGraph;
  /** Slots of the graphs of FROM NAMED; `undefined` when all stored graphs can be named. */
  readonly named: readonly Slot[] | undefined;
  /** Variables that an enclosing EXISTS hands in: bound everywhere inside, even in nested groups. */
  readonly given: ReadonlySet<string>;
  /** Translates an operation into literals of the present rule; here so that files need not import each other in a ring. */
  readonly translate: (operation: Operation, context: Context, into: Literal[]) => void;
}

/** A literal nothing satisfies. */
export const NEVER: Literal = { kind: "values", slots: [], rows: [] };

/** Joins `target` with what `source` carries; nothing when that is unbound. */
export function copyOf(source: Slot, target: Slot): Literal {
  return { kind: "bind", reads: [source], target, compute: (frame) => frame[source] as number };
}

/** Holds when the sub-body has no match. */
export function noMatch(literals: readonly Literal[]): Literal {
  return { kind: "filter", reads: [], test: (_frame, exists) => !exists(0), exists: [{ literals }] };
}
