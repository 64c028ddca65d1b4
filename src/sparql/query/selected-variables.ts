import type { Operation } from "../parse/index.ts";

/** Names of the selected variables, as the query writes them. */
export function selectedVariables(algebra: Operation): string[] {
  let operation = algebra;
  while ("input" in operation && operation.type !== "project" && !Array.isArray(operation.input)) operation = operation.input as Operation;
  return operation.type === "project" ? operation.variables.map((variable) => variable.value) : [];
}
