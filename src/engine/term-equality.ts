/** What others know of equal terms: rules join modulo equality, the fixpoint keeps the classes, readers expand statements. */
import type { Mode } from "./mode.ts";
import type { Relation } from "./relation.ts";

export interface EqualityOptions {
  /** owl:sameAs, for proofs. */
  readonly sameAs: number;
  /** Predicates that say nothing between a term and itself: `x p x` does not follow from `x p y`, x ≡ y. */
  readonly irreflexive: readonly number[];
  /** Classes that everything is in: membership does not pass on to equal terms. */
  readonly universal: readonly number[];
}

/** A row of `members` or `tree` that came or went. */
export interface EqualityChange {
  readonly relation: Relation;
  readonly row: number;
  readonly present: boolean;
}

/** A statement of the default graph. The same object is handed out again and again. */
export interface EqualStatement {
  s: number;
  p: number;
  o: number;
  /** Of the row and the equalities that it takes. */
  rank: number;
}

export interface StatementChange {
  s: number;
  p: number;
  o: number;
  sign: 1 | -1;
}

export interface StatementsModuloEquality {
  /** Statements that agree with the bound positions (0 = any); each once, where ranks are not bounded. */
  scan(s: number, p: number, o: number, mode: Mode): Iterable<EqualStatement>;
  holds(s: number, p: number, o: number, mode: Mode): boolean;
  /** The statements that a row stands for. */
  ofRow(row: number, mode: Mode): Iterable<EqualStatement>;
  /** A visible row of rank below `bound` that stands for the statement, or -1. */
  rowFor(s: number, p: number, o: number, bound: number): number;
  /** What the running transaction changed, each statement once; `rows` are the quads it touched. */
  changes(rows: ArrayLike<number>, count: number, concerns: (p: number) => boolean): Iterable<StatementChange>;
}

export interface TermEquality {
  readonly links: Relation;
  readonly tree: Relation;
  readonly members: Relation;
  readonly sameAs: number;
  readonly statements: StatementsModuloEquality;
  /** Whether any state that can be read knows equal terms. */
  readonly active: boolean;
  hub(...values: readonly number[]): number;
  // Classes follow links.
  begin(): void;
  forget(): void;
  gain(row: number): void;
  lose(row: number): void;
  readonly hasGained: boolean;
  merge(): EqualityChange[];
  split(): EqualityChange[];
  regather(): void;
  // Reading.
  equals(term: number, mode: Mode): readonly number[] | undefined;
  withEquals(term: number, mode: Mode): readonly number[];
  representative(term: number, mode: Mode): number;
  rankOf(a: number, b: number, mode: Mode): number;
  estimate(term: number): number;
  linksBetween(from: number, to: number, bound: number): number[] | undefined;
  termsOfChangedClasses(): Set<number>;
}
