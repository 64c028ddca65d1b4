export type {
  Accumulator,
  AggregateShape,
  AnyRelation,
  Arg,
  AtomLiteral,
  BindLiteral,
  Body,
  CallLiteral,
  ExistsCheck,
  FilterLiteral,
  Frame,
  Head,
  Literal,
  PipelinePlan,
  PipelineShape,
  PipelineStep,
  Reading,
  RelationFactory,
  RuleShape,
  SliceShape,
  Slot,
  UnionLiteral,
  ValuesLiteral,
} from "./body.ts";
export { Engine, type EngineOptions, type Pin } from "./engine.ts";
export type { SolveOptions } from "./engine-core.ts";
export type { RowSink } from "./evaluate-once.ts";
export type { Pipeline } from "./pipeline.ts";
export { ASSERTED, type QuadReader, QuadRelation, SUPPLIED } from "./quad-relation.ts";
export { Relation, type RelationOptions } from "./relation.ts";
export type { CycleStep } from "./stratifier.ts";
export type { TermEquality } from "./term-equality.ts";
export { thresholds } from "./thresholds.ts";
export type { QuadChange, Transaction } from "./transaction.ts";
export type { EngineLimits } from "./transaction-budget.ts";
