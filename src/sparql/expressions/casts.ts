/** The constructor functions xsd:integer(…) and so on. Source: SPARQL 1.1, section 17.5; XPath Functions and Operators 3.1, section 19. */
import { decimalOf } from "./arithmetic.ts";
import { toNumber } from "./comparison.ts";
import { parseDecimal, truncateDecimal } from "./decimal.ts";
import { type Duration, type DurationType, parseDuration } from "./duration.ts";
import { parseBoolean, parseDouble, parseIntegerText } from "./literal.ts";
import { isTemporalType, makeTemporal, parseTemporal, type Temporal, type TemporalType } from "./temporal.ts";
import {
  booleanValue,
  decimalValue,
  doubleValue,
  durationValue,
  floatValue,
  integerValue,
  isNumeric,
  stringValue,
  temporalValue,
  type Value,
  ValueKind,
} from "./value.ts";
import { castText } from "./value-writer.ts";

/** `name` is a local name that `castName` gave. `undefined` when the value cannot be cast. */
export function castValue(name: string, value: Value): Value | undefined {
  if (value.kind === ValueKind.BLANK) return undefined;
  if (name === "string") return castToString(value);
  if (value.kind === ValueKind.LANGUAGE) return undefined;
  if (value.kind === ValueKind.IRI || value.kind >= ValueKind.UNKNOWN) return undefined;
  const text = value.kind === ValueKind.STRING ? collapse(value.text) : undefined;
  switch (name) {
    case "boolean":
      return castToBoolean(value, text);
    case "integer":
      return castToInteger(value, text);
    case "decimal":
      return castToDecimal(value, text);
    case "double":
    case "float": {
      const number =
        text !== undefined
          ? parseDouble(text)
          : value.kind === ValueKind.BOOLEAN
            ? Number(value.truth)
            : isNumeric(value)
              ? toNumber(value)
              : undefined;
      if (number === undefined) return undefined;
      return name === "double" ? doubleValue(number) : floatValue(number);
    }
    case "duration":
    case "dayTimeDuration":
    case "yearMonthDuration":
      return castToDuration(name, value, text);
    default:
      return isTemporalType(name) ? castToTemporal(name, value, text) : undefined;
  }
}

function castToString(value: Value): Value {
  return stringValue("text" in value ? value.text : castText(value));
}

function castToBoolean(value: Value, text: string | undefined): Value | undefined {
  if (text !== undefined) {
    const truth = parseBoolean(text);
    return truth === undefined ? undefined : booleanValue(truth);
  }
  if (value.kind === ValueKind.BOOLEAN) return booleanValue(value.truth);
  if (!isNumeric(value)) return undefined;
  if (value.kind === ValueKind.DECIMAL) return booleanValue(value.decimal.unscaled !== 0n);
  const number = toNumber(value);
  return booleanValue(number !== 0 && !Number.isNaN(number));
}

function castToInteger(value: Value, text: string | undefined): Value | undefined {
  if (text !== undefined) {
    const integer = parseIntegerText(text);
    return integer === undefined ? undefined : integerValue(integer);
  }
  if (value.kind === ValueKind.BOOLEAN) return integerValue(Number(value.truth));
  if (value.kind === ValueKind.INTEGER) return integerValue(value.integer);
  const decimal = isNumeric(value) ? decimalOf(value) : undefined;
  return decimal && integerValue(truncateDecimal(decimal));
}

function castToDecimal(value: Value, text: string | undefined): Value | undefined {
  if (text !== undefined) return decimalValue(parseDecimal(text));
  if (value.kind === ValueKind.BOOLEAN) return decimalValue({ unscaled: value.truth ? 1n : 0n, scale: 0 });
  return isNumeric(value) ? decimalValue(decimalOf(value)) : undefined;
}

function castToDuration(type: DurationType, value: Value, text: string | undefined): Value | undefined {
  if (text !== undefined) {
    const parsed = parseDuration(text, type);
    return parsed && durationValue(parsed);
  }
  if (value.kind !== ValueKind.DURATION) return undefined;
  const { months, seconds } = value.duration;
  const zero = { unscaled: 0n, scale: 0 };
  const cast: Duration = { type, months: type === "dayTimeDuration" ? 0 : months, seconds: type === "yearMonthDuration" ? zero : seconds };
  return durationValue(cast);
}

function castToTemporal(type: TemporalType, value: Value, text: string | undefined): Value | undefined {
  if (text !== undefined) {
    const parsed = parseTemporal(text, type);
    return parsed && temporalValue(parsed);
  }
  if (value.kind !== ValueKind.TEMPORAL) return undefined;
  const cast = convert(type, value.temporal);
  return cast && temporalValue(cast);
}

function convert(type: TemporalType, from: Temporal): Temporal | undefined {
  if (type === from.type) return from;
  if (type === "dateTime" && from.type === "date") return makeTemporal(type, from.year, from.month, from.day, 0, 0, 0, "", from.timezone);
  if (from.type !== "dateTime") return undefined;
  if (type === "date") return makeTemporal(type, from.year, from.month, from.day, 0, 0, 0, "", from.timezone);
  return type === "time" ? makeTemporal(type, 1972, 12, 31, from.hour, from.minute, from.second, from.fraction, from.timezone) : undefined;
}

/** The whitespace facet "collapse", which casts apply to strings. */
function collapse(text: string): string {
  return /[\t\n\r ]/.test(text) ? text.replace(/[\t\n\r ]+/g, " ").replace(/^ | $/g, "") : text;
}
