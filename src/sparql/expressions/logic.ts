/** `&& || !`, `=` and its relatives, IN, IF, COALESCE: the forms that decide, in three-valued logic. Source: SPARQL 1.1, 17.2 to 17.4.1. */

import { equalValues, orderValues } from "./comparison.ts";
import type { Truth } from "./compiled-expression.ts";
import { type Compilation, type Node, truthNode, valueNode } from "./nodes.ts";

export function andNode(a: Node, b: Node): Node {
  return truthNode((frame, env) => {
    const left = a.test(frame, env);
    if (left === 0) return 0;
    const right = b.test(frame, env);
    return right === 0 ? 0 : left < 0 ? left : right;
  });
}

export function orNode(a: Node, b: Node): Node {
  return truthNode((frame, env) => {
    const left = a.test(frame, env);
    if (left === 1) return 1;
    const right = b.test(frame, env);
    return right === 1 ? 1 : left < 0 ? left : right;
  });
}

export function notNode(a: Node): Node {
  return truthNode((frame, env) => negate(a.test(frame, env)));
}

export function negate(truth: Truth): Truth {
  return truth < 0 ? -1 : truth === 0 ? 1 : 0;
}

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

export function isComparison(operator: string): operator is ComparisonOperator {
  return operator === "=" || operator === "!=" || operator === "<" || operator === "<=" || operator === ">" || operator === ">=";
}

/**
 * Comparisons of a slot with a slot or a number, the everyday filter, read two doubles from the reader's cache and touch no
 * object; everything that a double does not tell exactly takes the general way.
 */
export function comparisonNode(compilation: Compilation, operator: ComparisonOperator, a: Node, b: Node): Node {
  const general = generalComparison(operator, a, b);
  const { reader } = compilation;
  const numeric = numericComparison(operator);
  const left = a.slot;
  const right = b.slot;
  if (left !== undefined && right !== undefined) {
    return truthNode((frame, env) => {
      const x = reader.number(frame[left]);
      const y = reader.number(frame[right]);
      return !Number.isNaN(x) && !Number.isNaN(y) ? numeric(x, y) : general(frame, env);
    });
  }
  const constant = reader.number(b.constant ?? a.constant ?? 0);
  if (Number.isNaN(constant)) return truthNode(general);
  if (left !== undefined) {
    return truthNode((frame, env) => {
      const x = reader.number(frame[left]);
      return Number.isNaN(x) ? general(frame, env) : numeric(x, constant);
    });
  }
  if (right !== undefined) {
    return truthNode((frame, env) => {
      const y = reader.number(frame[right]);
      return Number.isNaN(y) ? general(frame, env) : numeric(constant, y);
    });
  }
  return truthNode(general);
}

export function inNode(item: Node, list: readonly Node[], negated: boolean): Node {
  return truthNode((frame, env) => {
    const value = item.value(frame, env);
    let found: Truth = 0;
    for (const entry of list) {
      const other = entry.value(frame, env);
      const truth = value === undefined || other === undefined ? -1 : equalValues(value, other);
      if (truth === 1) {
        found = 1;
        break;
      }
      if (truth < 0) found = -1;
    }
    return negated ? negate(found) : found;
  });
}

export function ifNode(condition: Node, yes: Node, no: Node): Node {
  return valueNode((frame, env) => {
    const truth = condition.test(frame, env);
    return truth < 0 ? undefined : truth === 1 ? yes.value(frame, env) : no.value(frame, env);
  });
}

export function coalesceNode(parts: readonly Node[]): Node {
  return valueNode((frame, env) => {
    for (const part of parts) {
      const value = part.value(frame, env);
      if (value !== undefined) return value;
    }
    return undefined;
  });
}

function generalComparison(operator: ComparisonOperator, a: Node, b: Node): Node["test"] {
  if (operator === "=" || operator === "!=") {
    return (frame, env) => {
      const left = a.value(frame, env);
      const right = b.value(frame, env);
      if (left === undefined || right === undefined) return -1;
      const equal = equalValues(left, right);
      return operator === "=" ? equal : negate(equal);
    };
  }
  const numeric = numericComparison(operator);
  return (frame, env) => {
    const left = a.value(frame, env);
    const right = b.value(frame, env);
    if (left === undefined || right === undefined) return -1;
    const order = orderValues(left, right);
    return order === undefined ? -1 : numeric(order, 0);
  };
}

function numericComparison(operator: ComparisonOperator): (a: number, b: number) => Truth {
  switch (operator) {
    case "=":
      return (a, b) => (a === b ? 1 : 0);
    case "!=":
      return (a, b) => (a === b ? 0 : 1);
    case "<":
      return (a, b) => (a < b ? 1 : 0);
    case "<=":
      return (a, b) => (a <= b ? 1 : 0);
    case ">":
      return (a, b) => (a > b ? 1 : 0);
    case ">=":
      return (a, b) => (a >= b ? 1 : 0);
  }
}
