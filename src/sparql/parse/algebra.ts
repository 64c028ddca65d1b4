/**
 * The SPARQL algebra as plain tagged data: the shapes that Traqula's translation produces, after our own passes
 * (`<_:label>` became blank node constants, blank nodes of patterns became variables; in updates GRAPH went into the quads).
 * Source: SPARQL 1.1 Query Language, section 18.2.
 */
import type * as RDF from "@rdfjs/types";

/** A node of the stored data that a query addresses as `<_:label>`: a constant, unlike other blank nodes of a template. */
export interface StoredBlankNode extends RDF.BlankNode {
  readonly stored: true;
}

export type Expression =
  | AggregateExpression
  | ExistenceExpression
  | NamedExpression
  | OperatorExpression
  | TermExpression
  | WildcardExpression;

export type AggregateKind = "count" | "sum" | "min" | "max" | "avg" | "sample" | "group_concat";

export interface AggregateExpression {
  type: "expression";
  subType: "aggregate";
  aggregator: AggregateKind;
  distinct: boolean;
  /** A wildcard for COUNT(*). */
  expression: Expression;
  separator?: string;
}
/** An aggregate of a group and the variable that carries its result upwards. */
export interface BoundAggregate extends AggregateExpression {
  variable: RDF.Variable;
}
export interface ExistenceExpression {
  type: "expression";
  subType: "existence";
  not: boolean;
  input: Operation;
}
/** A function called by IRI. */
export interface NamedExpression {
  type: "expression";
  subType: "named";
  name: RDF.NamedNode;
  args: Expression[];
}
/** Operators and built-in calls, by lower-case name: `+`, `in`, `notin`, `regex`, `desc`, … */
export interface OperatorExpression {
  type: "expression";
  subType: "operator";
  operator: string;
  args: Expression[];
}
export interface TermExpression {
  type: "expression";
  subType: "term";
  term: RDF.Term;
}
export interface WildcardExpression {
  type: "expression";
  subType: "wildcard";
}

export type PropertyPath =
  | { type: "link"; iri: RDF.NamedNode }
  | { type: "inv"; path: PropertyPath }
  | { type: "seq"; input: PropertyPath[] }
  | { type: "alt"; input: PropertyPath[] }
  | { type: "nps"; iris: RDF.NamedNode[] }
  | { type: "ZeroOrMorePath" | "OneOrMorePath" | "ZeroOrOnePath"; path: PropertyPath };

export interface Pattern {
  type: "pattern";
  subject: RDF.Term;
  predicate: RDF.Term;
  object: RDF.Term;
  graph: RDF.Term;
}
export interface Path {
  type: "path";
  subject: RDF.Term;
  predicate: PropertyPath;
  object: RDF.Term;
  graph: RDF.Term;
}

export type PatternOperation =
  | { type: "nop" }
  | { type: "bgp"; patterns: Pattern[] }
  | Path
  | { type: "join" | "union"; input: Operation[] }
  | { type: "leftjoin"; input: [Operation, Operation]; expression?: Expression }
  | { type: "minus"; input: [Operation, Operation]; graphScopeVar?: RDF.Variable }
  | { type: "filter"; input: Operation; expression: Expression }
  | { type: "extend"; input: Operation; variable: RDF.Variable; expression: Expression }
  | { type: "graph"; input: Operation; name: RDF.Variable | RDF.NamedNode }
  | { type: "service"; input: Operation; name: RDF.Variable | RDF.NamedNode; silent: boolean }
  | { type: "values"; variables: RDF.Variable[]; bindings: Record<string, RDF.Term>[] }
  | { type: "group"; input: Operation; variables: RDF.Variable[]; aggregates: BoundAggregate[] }
  | { type: "orderby"; input: Operation; expressions: Expression[] }
  | { type: "project"; input: Operation; variables: RDF.Variable[] }
  | { type: "distinct" | "reduced"; input: Operation }
  | { type: "slice"; input: Operation; start: number; length?: number }
  /** Without `named`, every stored graph can be named (WITH of an update). */
  | { type: "from"; input: Operation; default: RDF.NamedNode[]; named: RDF.NamedNode[] | undefined };

export type QueryOperation =
  | { type: "ask"; input: Operation }
  | { type: "construct"; input: Operation; template: Pattern[] }
  | { type: "describe"; input: Operation; terms: (RDF.Variable | RDF.NamedNode)[] };

export type UpdateTarget = "DEFAULT" | "NAMED" | "ALL" | RDF.NamedNode;

export type UpdateOperation =
  | { type: "nop" }
  | { type: "deleteinsert"; delete?: Pattern[]; insert?: Pattern[]; where?: Operation }
  | { type: "load"; silent?: boolean; source: RDF.NamedNode; destination?: RDF.NamedNode }
  | { type: "clear" | "drop"; silent?: boolean; source: UpdateTarget }
  | { type: "create"; silent?: boolean; source: RDF.NamedNode }
  | { type: "add" | "move" | "copy"; silent?: boolean; source: "DEFAULT" | RDF.NamedNode; destination: "DEFAULT" | RDF.NamedNode };

export type Operation = PatternOperation | QueryOperation;

export type QueryForm = "select" | "construct" | "ask" | "describe" | "update";

export interface ParsedQuery {
  readonly form: Exclude<QueryForm, "update">;
  readonly algebra: Operation;
  /** What relative references of IRI() are resolved against; `undefined` when there is none. */
  readonly baseIri: string | undefined;
}

export interface ParsedUpdate {
  readonly form: "update";
  /** The operations of the request, in order. */
  readonly updates: readonly UpdateOperation[];
  readonly baseIri: string | undefined;
}
