export {
  type Operation,
  type ParsedQuery,
  type ParsedUpdate,
  type ParseOptions,
  parseQuery,
  parseUpdate,
  type QueryForm,
  type UpdateOperation,
} from "./parse/index.ts";
export type { Dependencies } from "./plan/dependencies.ts";
export {
  type IncrementalPlan,
  planStanding,
  type ReEvaluatedPlan,
  type StandingContext,
  type StandingPlan,
  type StandingPurpose,
} from "./plan/standing.ts";
export type { Triple } from "./plan/template.ts";
export { executeQuery } from "./query/execute.ts";
export type { QueryOptions, QueryResult, QuerySource } from "./query/query-result.ts";
export { QuadStore } from "./store/quad-store.ts";
export { executeUpdate, prepareUpdate } from "./update/execute-update.ts";
export { type GraphChange, planOperation, type UpdateOptions } from "./update/plan-operation.ts";
