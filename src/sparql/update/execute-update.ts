/**
 * Update requests: parsed and checked as a whole, then operation by operation.
 *
 * The state between two operations is the caller's: `apply` must make the change (deletes first) and bring the engine to
 * its fixpoint before it returns, in one transaction over all operations.
 */
import { forbidOutgoing, type ParsedUpdate, parseUpdate } from "../parse/index.ts";
import type { QuerySource } from "../query/query-result.ts";
import { atOnce } from "../query/solutions.ts";
import { type GraphChange, planOperation, type UpdateOptions } from "./plan-operation.ts";

/** Throws what `parseUpdate` throws, SENS_LOAD_DISABLED and SENS_SERVICE_DISABLED. */
export function prepareUpdate(text: string, baseIri?: string): ParsedUpdate {
  const update = parseUpdate(text, baseIri === undefined ? {} : { baseIri });
  forbidOutgoing(update);
  return update;
}

/** Plans and applies the operations in order. Throws what `prepareUpdate` and `planOperation` throw. */
export function executeUpdate(source: QuerySource, text: string, options: UpdateOptions, apply: (change: GraphChange) => void): void {
  const update = prepareUpdate(text, options.baseIri);
  for (const operation of update.updates) apply(atOnce(planOperation(operation, source, options, update.baseIri)));
}
