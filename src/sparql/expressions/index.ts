export { type Aggregate, createAggregate } from "./aggregate.ts";
export { compileExpression } from "./compile.ts";
export type { CompiledExpression, EvaluationEnv, ExpressionScope, Frame, Truth } from "./compiled-expression.ts";
export { compareSortKeys, compareTerms } from "./term-order.ts";
