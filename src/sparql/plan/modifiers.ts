/**
 * The solution modifiers of one SELECT, apart from its pattern.
 *
 *     slice( distinct( project( order by( pattern ))))        any of them may be missing, none may come out of order:
 *
 * what stands below the pattern's place belongs to a subselect, with modifiers of its own.
 */
import type { Expression, Operation } from "../parse/index.ts";

export interface Modifiers {
  readonly pattern: Operation;
  /** Canonical names of the selected variables; `undefined` when the form has none (CONSTRUCT). */
  readonly variables: readonly string[] | undefined;
  readonly order: readonly Expression[];
  readonly distinct: boolean;
  readonly offset: number;
  readonly limit: number | undefined;
}

export function modifiersOf(operation: Operation): Modifiers {
  let pattern = operation;
  let variables: readonly string[] | undefined;
  let order: readonly Expression[] = [];
  let distinct = false;
  let offset = 0;
  let limit: number | undefined;
  if (pattern.type === "slice") {
    offset = pattern.start;
    limit = pattern.length;
    pattern = pattern.input;
  }
  if (pattern.type === "distinct" || pattern.type === "reduced") {
    distinct = pattern.type === "distinct";
    pattern = pattern.input;
  }
  if (pattern.type === "project") {
    variables = pattern.variables.map((variable) => variable.value);
    pattern = pattern.input;
  } else if (pattern.type === "construct" || pattern.type === "describe" || pattern.type === "ask") pattern = pattern.input;
  if (pattern.type === "orderby") {
    order = pattern.expressions;
    pattern = pattern.input;
  }
  return { pattern, variables, order, distinct, offset, limit };
}
