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

export interface StatementsModuloEquality {
  /** Statements that agree with the bound positions (0 = any), each once: records of s, p, o and the rank it takes. */
  scan(s: number, p: number, o: number, mode: Mode): number[];
  holds(s: number, p: number, o: number, mode: Mode): boolean;
  /** Calls back for each statement that a row stands for. */
  expandRow(row: number, mode: Mode, visit: (s: number, o: number, rank: number) => void): void;
  /** A visible row of rank below `bound` that stands for the statement, or -1. */
  rowFor(s: number, p: number, o: number, bound: number): number;
  /** What the running transaction changed: records of s, p, o and +1 or -1. */
  changes(rows: ArrayLike<number>, count: number, concerns: (p: number) => boolean): number[];
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
  rankOf(a: number, b: number, mode: Mode): number;
  estimate(term: number): number;
  linksBetween(from: number, to: number, bound: number): number[] | undefined;
  termsOfChangedClasses(): Set<number>;
}
