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
  QuadReader,
  Reading,
  RelationFactory,
  RuleShape,
  SliceShape,
  Slot,
  UnionLiteral,
  ValuesLiteral,
} from "./body.ts";
export { Engine, type EngineLimits, type EngineOptions, type Pin, type SolveOptions } from "./engine.ts";
export type { Pipeline } from "./pipeline.ts";
export { ASSERTED, DERIVED_ANY, QuadRelation, SUPPLIED } from "./quad-relation.ts";
export { Relation, type RelationOptions } from "./relation.ts";
export type { QuadChange, Transaction } from "./transaction.ts";
