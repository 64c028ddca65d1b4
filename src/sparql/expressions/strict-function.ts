/** A function that is an error as soon as one of its arguments is: everything but the functional forms. */
import type { TermTable } from "../../rdf/index.ts";
import type { Value } from "./value.ts";

export interface FunctionContext {
  readonly terms: TermTable;
  readonly baseIri: string | undefined;
}

/** `undefined` is an error. The number of arguments is the parser's to check. */
export type StrictFunction = (args: readonly Value[], context: FunctionContext) => Value | undefined;
