/** What the parts of an expression compile to, and the state of one compilation. */
import type { TermId } from "../../rdf/index.ts";
import type { EvaluationEnv, ExpressionScope, Frame, Truth } from "./compiled-expression.ts";
import { effectiveBoolean } from "./effective-boolean.ts";
import { booleanValue, type Value } from "./value.ts";
import type { ValueReader } from "./value-reader.ts";

/** A compiled part. `undefined` is an error or an unbound variable. */
export interface Node {
  value(frame: Frame, env: EvaluationEnv): Value | undefined;
  test(frame: Frame, env: EvaluationEnv): Truth;
  /** Set when the value is that of a slot. */
  readonly slot?: number;
  /** Set when the value is a constant of the text. */
  readonly constant?: TermId;
}

export interface Compilation {
  readonly scope: ExpressionScope;
  readonly reader: ValueReader;
  readonly reads: Set<number>;
  readonly exists: Set<number>;
  usesNow: boolean;
  usesRandom: boolean;
  usesFresh: boolean;
  /** Call sites of functions that give something new each time, counted. */
  freshSites: number;
}

export function valueNode(value: Node["value"]): Node {
  return { value, test: (frame, env) => effectiveBoolean(value(frame, env)) };
}

/** For parts that decide: their truth is computed first, the boolean from it. */
export function truthNode(test: Node["test"]): Node {
  return {
    test,
    value(frame, env) {
      const truth = test(frame, env);
      return truth < 0 ? undefined : booleanValue(truth === 1);
    },
  };
}
