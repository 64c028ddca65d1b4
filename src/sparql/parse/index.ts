export type {
  AggregateExpression,
  AggregateKind,
  BoundAggregate,
  ExistenceExpression,
  Expression,
  NamedExpression,
  Operation,
  OperatorExpression,
  ParsedQuery,
  ParsedUpdate,
  Path,
  Pattern,
  PatternOperation,
  PropertyPath,
  QueryForm,
  QueryOperation,
  StoredBlankNode,
  TermExpression,
  UpdateOperation,
  UpdateTarget,
  WildcardExpression,
} from "./algebra.ts";
export { type AlgebraNode, walkAlgebra } from "./algebra-walk.ts";
export { castName, XSD } from "./function-names.ts";
export { resolveIri } from "./iri-reference.ts";
export { isStoredBlank } from "./normalize.ts";
export { forbidOutgoing } from "./outgoing.ts";
export { type ParseOptions, parseQuery, parseUpdate } from "./parse.ts";
