/** Lexical form and datatype -> value. Source: XML Schema 1.1 part 2; RDF 1.1 Concepts, section 5. */

import { LIMITS } from "../../base/index.ts";
import type { TermId } from "../../rdf/index.ts";
import { XSD } from "../parse/index.ts";
import { parseDecimal } from "./decimal.ts";
import { parseDuration } from "./duration.ts";
import { isTemporalType, parseTemporal } from "./temporal.ts";
import { integerValue, type Value, ValueKind } from "./value.ts";

/** Least and greatest value of the types derived from xsd:integer. */
const INTEGER_RANGES: ReadonlyMap<string, readonly [bigint | undefined, bigint | undefined]> = new Map([
  ["integer", [undefined, undefined]],
  ["nonPositiveInteger", [undefined, 0n]],
  ["negativeInteger", [undefined, -1n]],
  ["long", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["int", [-(2n ** 31n), 2n ** 31n - 1n]],
  ["short", [-32768n, 32767n]],
  ["byte", [-128n, 127n]],
  ["nonNegativeInteger", [0n, undefined]],
  ["unsignedLong", [0n, 2n ** 64n - 1n]],
  ["unsignedInt", [0n, 2n ** 32n - 1n]],
  ["unsignedShort", [0n, 65535n]],
  ["unsignedByte", [0n, 255n]],
  ["positiveInteger", [1n, undefined]],
]);

const INTEGER = /^[+-]?\d+$/;
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The value of a typed literal; ILL_TYPED or UNKNOWN when it has none for us. */
export function literalValue(text: string, datatype: string, id: TermId): Value {
  if (!datatype.startsWith(XSD)) return { kind: ValueKind.UNKNOWN, id, text, datatype };
  const name = datatype.slice(XSD.length);
  const range = INTEGER_RANGES.get(name);
  const value = range ? parseInteger(text, range, id) : parseOther(text, name, id);
  if (value) return value;
  return { kind: value === null ? ValueKind.UNKNOWN : ValueKind.ILL_TYPED, id, text, datatype };
}

/** A double or float from its lexical form, `undefined` when it is none. */
export function parseDouble(text: string): number | undefined {
  if (DOUBLE.test(text)) return Number(text);
  if (text === "INF" || text === "+INF") return Number.POSITIVE_INFINITY;
  if (text === "-INF") return Number.NEGATIVE_INFINITY;
  return text === "NaN" ? Number.NaN : undefined;
}

export function parseBoolean(text: string): boolean | undefined {
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
}

/** An integer from its lexical form: a number when safe, `undefined` when it is none or too long. */
export function parseIntegerText(text: string): number | bigint | undefined {
  if (!INTEGER.test(text) || text.length > LIMITS.numberDigitsMax) return undefined;
  return text.length <= 15 ? Number(text) + 0 : BigInt(text.startsWith("+") ? text.slice(1) : text);
}

function parseInteger(text: string, range: readonly [bigint | undefined, bigint | undefined], id: TermId): Value | undefined {
  const parsed = parseIntegerText(text);
  if (parsed === undefined) return undefined;
  const [least, greatest] = range;
  if ((least !== undefined && parsed < least) || (greatest !== undefined && parsed > greatest)) return undefined;
  return { ...integerValue(parsed), id };
}

/** `undefined`: ill-typed; `null`: a datatype we do not know. */
function parseOther(text: string, name: string, id: TermId): Value | undefined | null {
  switch (name) {
    case "string":
      return { kind: ValueKind.STRING, id, text };
    case "boolean": {
      const truth = parseBoolean(text);
      return truth === undefined ? undefined : { kind: ValueKind.BOOLEAN, id, truth };
    }
    case "decimal": {
      const decimal = parseDecimal(text);
      return decimal && { kind: ValueKind.DECIMAL, id, decimal };
    }
    case "double": {
      const double = parseDouble(text);
      return double === undefined ? undefined : { kind: ValueKind.DOUBLE, id, double };
    }
    case "float": {
      const double = parseDouble(text);
      return double === undefined ? undefined : { kind: ValueKind.FLOAT, id, double: Math.fround(double) };
    }
    case "duration":
    case "dayTimeDuration":
    case "yearMonthDuration": {
      const duration = parseDuration(text, name);
      return duration && { kind: ValueKind.DURATION, id, duration };
    }
    case "dateTimeStamp": {
      const temporal = parseTemporal(text, "dateTime");
      return temporal?.timezone === undefined ? undefined : { kind: ValueKind.TEMPORAL, id, temporal };
    }
    default: {
      if (!isTemporalType(name)) return null;
      const temporal = parseTemporal(text, name);
      return temporal && { kind: ValueKind.TEMPORAL, id, temporal };
    }
  }
}
