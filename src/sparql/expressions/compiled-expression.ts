/**
 * The contract between expressions and the planner.
 *
 * A *frame* is one solution as an array of term ids, slot -> id, 0 = unbound. An expression is compiled once into a
 * closure over slots; it reads `frame` and the environment of the evaluation and writes nothing but new terms.
 * Errors of SPARQL (type errors, unbound variables) are values, -1 or 0; only breached limits throw.
 */

import type * as RDF from "@rdfjs/types";
import type { TermId, TermTable } from "../../rdf/index.ts";
import type { AggregateExpression, Operation } from "../parse/index.ts";

/** slot -> term id, 0 = unbound. */
export type Frame = Int32Array;

export interface ExpressionScope {
  readonly terms: TermTable;
  /** What IRI() resolves relative references against. */
  readonly baseIri?: string;
  /** The slot that carries a variable; `undefined` when nothing can bind it. */
  slotOf(variable: string): number | undefined;
  /** Registers the pattern of an EXISTS and returns its index for `EvaluationEnv.exists`; NOT is done here. */
  exists(pattern: Operation): number;
  /** The slot that carries the result of an aggregate, where aggregates are allowed. */
  aggregate?(expression: AggregateExpression): number;
  /** The slot that carries a constant taken out of the query; `undefined` leaves it where it is. */
  constant?(term: RDF.Term): number | undefined;
}

export interface EvaluationEnv {
  exists(index: number, frame: Frame): boolean;
  /** One instant for the whole query, ms since 1970. */
  readonly nowMs: number;
  /** Uniform in [0, 1). */
  random(): number;
  /**
   * A text that is unique to (query, kind, key, solution) and, where solutions are stable, always the same for it.
   * For `bnode` it is the label of the node; for `uuid` it is hashed into a UUID. `key` tells call sites apart, and for
   * BNODE(text) carries the text.
   */
  fresh(kind: "uuid" | "bnode", key: string, frame: Frame): string;
}

/** Effective boolean value: 1 true, 0 false, -1 error. */
export type Truth = -1 | 0 | 1;

export interface CompiledExpression {
  /** Slots read, ascending, those of aggregates and constants included; those inside EXISTS are the planner's to know. */
  readonly reads: readonly number[];
  /** Indexes of EXISTS patterns, as `ExpressionScope.exists` returned them. */
  readonly exists: readonly number[];
  readonly usesNow: boolean;
  readonly usesRandom: boolean;
  /** UUID, STRUUID or BNODE. */
  readonly usesFresh: boolean;
  /** Neither NOW nor RAND: the same frame gives the same value for ever. */
  readonly deterministic: boolean;
  /** When the expression is one variable or constant slot, that slot: BIND and ORDER BY need no call then. */
  readonly slot: number | undefined;
  test(frame: Frame, env: EvaluationEnv): Truth;
  /** Term id, 0 on error or unbound. */
  evaluate(frame: Frame, env: EvaluationEnv): TermId;
}
