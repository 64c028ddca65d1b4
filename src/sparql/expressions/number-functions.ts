/** Functions on numbers. Source: SPARQL 1.1, section 17.4.4. */
import { absoluteNumber, negateNumber, roundNumber } from "./arithmetic.ts";
import type { StrictFunction } from "./strict-function.ts";
import { integerValue, isNumeric, type NumericValue, ValueKind } from "./value.ts";

export const NUMBER_FUNCTIONS: Readonly<Record<string, StrictFunction>> = {
  abs: numeric(absoluteNumber),
  ceil: numeric((value) => roundNumber("ceil", value)),
  floor: numeric((value) => roundNumber("floor", value)),
  round: numeric((value) => roundNumber("round", value)),
  uminus: numeric(negateNumber),
  uplus: numeric((value) => (value.kind === ValueKind.INTEGER ? integerValue(value.integer) : { ...value, id: 0 })),
};

function numeric(call: (value: NumericValue) => NumericValue): StrictFunction {
  return ([value]) => (isNumeric(value) ? call(value) : undefined);
}
