/** Effective boolean value. Source: SPARQL 1.1, section 17.2.2: ill-typed booleans and numbers are false, not errors. */

import { XSD } from "../parse/index.ts";
import type { Truth } from "./compiled-expression.ts";
import { type Value, ValueKind } from "./value.ts";

export function effectiveBoolean(value: Value | undefined): Truth {
  if (value === undefined) return -1;
  switch (value.kind) {
    case ValueKind.BOOLEAN:
      return value.truth ? 1 : 0;
    case ValueKind.STRING:
      return value.text === "" ? 0 : 1;
    case ValueKind.INTEGER:
      return value.integer === 0 ? 0 : 1;
    case ValueKind.DECIMAL:
      return value.decimal.unscaled === 0n ? 0 : 1;
    case ValueKind.FLOAT:
    case ValueKind.DOUBLE:
      return value.double === 0 || Number.isNaN(value.double) ? 0 : 1;
    case ValueKind.ILL_TYPED:
      return hasBooleanValue(value.datatype) ? 0 : -1;
    default:
      return -1;
  }
}

/** Booleans and numbers; dates and durations have no effective boolean value even when well-formed. */
function hasBooleanValue(datatype: string): boolean {
  return !/^(?:date|time|duration|dayTime|yearMonth|g[YMD])/.test(datatype.slice(XSD.length));
}
