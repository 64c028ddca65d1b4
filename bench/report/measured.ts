import type { BenchCase } from "../cases.ts";
import type { Outcome } from "../measure/outcome.ts";

/** The cases of one run with what came out, in the order they ran. */
export type Measured = readonly (readonly [BenchCase, Outcome])[];
