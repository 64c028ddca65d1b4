/**
 * Rule bodies: what every standing query, axiom and ad-hoc query is normalised to.
 *
 * A body is a bag-valued expression over a *frame*, an Int32Array of slots (0 = unbound):
 *     B(frame) = l1 ⋈ l2 ⋈ … ⋈ ln
 * where a literal is an atom over a relation, a union of bodies, inline rows, an assignment or a filter; filters may ask
 * whether sub-bodies have a match (EXISTS, NOT EXISTS, MINUS, the bare half of OPTIONAL). All literals of a body and of
 * its sub-bodies share one frame; local variables of a sub-body have slots of their own.
 *
 * Order does not matter for atoms, unions and rows: joining treats an unbound slot as a wildcard (SPARQL compatibility).
 * Assignments and filters run as soon as every slot they read is *certain* (bound in every solution of the body) and
 * bound; otherwise after all literals that stand before them in the list. So list literals in syntactic order.
 *
 * OPTIONAL { R } is written  union([R], [filter(not exists R')])  with R' a copy whose variables that do not occur on the
 * left are renamed apart.
 */
import type { QuadReader, QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";

/** What atoms and heads name: the quads, or any other relation. */
export type AnyRelation = Relation | QuadRelation;

export type Slot = number;
export type Frame = Int32Array;

/** An argument of an atom or head: a slot, or a constant id. */
export type Arg = { readonly slot: Slot } | { readonly value: number };

/**
 * How an atom reads its relation. `set`: present or not (default). `bag`: a row counts as often as its weight.
 * `base`: for quads, only rows that are asserted or derived by something other than a transitivity rule.
 */
export type Reading = "set" | "bag" | "base";

export interface AtomLiteral {
  readonly kind: "atom";
  readonly relation: AnyRelation;
  readonly args: readonly Arg[];
  readonly reading?: Reading;
  /** For quads of the default graph: what holds modulo equality of terms (equality.ts), as if all of it were written out. */
  readonly expanded?: boolean;
}

/** Both stand for equal terms (equality.ts): the same one where nothing is said of them. One must be bound by other literals. */
export interface SameLiteral {
  readonly kind: "same";
  readonly left: Arg;
  readonly right: Arg;
}

/** Answers whether sub-body `index` of the filter has a match under the present frame. */
export type ExistsCheck = (index: number) => boolean;

export interface FilterLiteral {
  readonly kind: "filter";
  /** Slots the test reads (those of sub-bodies are found by the engine). */
  readonly reads: readonly Slot[];
  readonly test: (frame: Frame, exists: ExistsCheck) => boolean;
  readonly exists?: readonly Body[];
}

export interface BindLiteral {
  readonly kind: "bind";
  readonly reads: readonly Slot[];
  readonly target: Slot;
  /** The value, or 0 to leave the target unbound (an error in SPARQL). Must depend on the frame alone. */
  readonly compute: (frame: Frame, exists: ExistsCheck) => number;
  readonly exists?: readonly Body[];
}

export interface UnionLiteral {
  readonly kind: "union";
  readonly branches: readonly Body[];
}

/** Inline rows; 0 is UNDEF. Equal rows count as often as they occur. */
export interface ValuesLiteral {
  readonly kind: "values";
  readonly slots: readonly Slot[];
  readonly rows: readonly (readonly number[])[];
}

/**
 * A binary relation computed on demand (property path closures). Not maintained: a body that has one cannot stand.
 * `pairs` calls back for each pair that agrees with the given ends (0 = free), each once.
 */
export interface CallLiteral {
  readonly kind: "call";
  readonly from: Arg;
  readonly to: Arg;
  /** Slots that must be bound before, if any (a graph variable). */
  readonly reads: readonly Slot[];
  readonly pairs: (from: number, to: number, frame: Frame, reader: QuadReader, emit: (from: number, to: number) => boolean) => void;
}

export type Literal = AtomLiteral | SameLiteral | FilterLiteral | BindLiteral | UnionLiteral | ValuesLiteral | CallLiteral;

export interface Body {
  readonly literals: readonly Literal[];
}

/** What a solution adds to a relation. */
export interface Head {
  readonly relation: AnyRelation;
  readonly args: readonly Arg[];
  /** Solutions that do not pass are left out (an unbound variable, a literal as subject, an invalid IRI). Reads `args` only. */
  readonly guard?: (frame: Frame) => boolean;
  /** The rule closes a transitive property: what it derives is not `base`. */
  readonly transitive?: boolean;
}

/**
 * A rule with its constants taken out. Instances give the constants: `parameters` are the slots that carry them,
 * `instance` the slot that carries the instance's number (needed when the head is a private result relation).
 * Shapes with equal `key` must be equal in all else and share one plan. Literals may also hold constants of their own
 * (`value`): those are part of the shape.
 */
export interface RuleShape {
  readonly key: string;
  readonly slotCount: number;
  readonly parameters: readonly Slot[];
  readonly instance?: Slot;
  readonly body: Body;
  readonly heads: readonly Head[];
}

/** Incremental aggregate of one group; weights are multiplicities, negative ones take values back. */
export interface Accumulator {
  add(value: number, weight: number): void;
  /** The aggregate's term id; 0 on error. */
  result(): number;
  /** Whether `add` with a negative weight is exact; if not, the group is computed again. */
  readonly removable: boolean;
}

/**
 * Groups the bag `source` by its first `keys` columns; column keys+i is the argument of aggregate i.
 *     target(key…, a1…an) = { (k, A1(…), …) | k ∈ π_keys(source) }
 * With `everyInstance`, a group exists for each instance of that rule even when it has no rows (SPARQL without GROUP BY);
 * its key is the instance number alone.
 */
export interface AggregateShape {
  readonly source: Relation;
  readonly target: Relation;
  readonly keys: number;
  readonly aggregates: readonly (() => Accumulator)[];
  readonly everyInstance?: boolean;
}

/**
 * Keeps, for each value of the first column (the instance), the rows from `offset` up to `offset + limit` in the order
 * `compare` gives, counting multiplicities. `compare` must be total over rows and independent of ids.
 */
export interface SliceShape {
  readonly source: Relation;
  readonly target: Relation;
  readonly offset: number;
  readonly limit: number;
  readonly compare: (a: readonly number[], b: readonly number[]) => number;
}

/** A standing query's machinery, run in this order: rules fill relations, aggregates and slices read them. */
export type PipelineStep =
  | { readonly kind: "rule"; readonly shape: RuleShape }
  | { readonly kind: "aggregate"; readonly shape: AggregateShape }
  | { readonly kind: "slice"; readonly shape: SliceShape };

/** Makes the relations between the steps: shared ones for standing queries, temporary ones for ad-hoc evaluation. */
export type RelationFactory = (name: string, arity: number, options?: { readonly nullable?: boolean }) => Relation;

/**
 * A whole query as rules over intermediate relations, constants taken out. Equal keys share everything; each instance is
 * one row (instance, c1…ck) of the pipeline's parameter relation, which the engine joins into every rule step: in each
 * of them `parameters` gives one slot per constant (all k, in order) and `instance` the slot of the instance number.
 * Every relation between the steps and the output has the instance as its first column. The output is a relation of the
 * last step, or the engine's quads (arguments s, p, o, g; g constant 0) for a query whose result is derived knowledge.
 */
export interface PipelineShape {
  readonly key: string;
  readonly constants: number;
  readonly steps: readonly PipelineStep[];
  readonly output: AnyRelation;
}

export interface PipelinePlan {
  readonly key: string;
  /** The constants of this query, in the order of the shape's parameters. */
  readonly constants: readonly number[];
  readonly build: (relations: RelationFactory) => PipelineShape;
}
