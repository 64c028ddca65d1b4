/** `+ - * /` with numeric promotion, and on dates and durations. Source: XPath Functions and Operators 3.1, section 4.2. */

import { toDecimal, toNumber } from "./comparison.ts";
import {
  addDecimals,
  type Decimal,
  decimalFromNumber,
  divideDecimals,
  multiplyDecimals,
  negateDecimal,
  type Rounding,
  roundDecimal,
  tooLong,
} from "./decimal.ts";
import { addDurations, negateDuration } from "./duration.ts";
import { addToTemporal, subtractTemporals } from "./temporal-arithmetic.ts";
import {
  decimalValue,
  doubleValue,
  durationValue,
  floatValue,
  integerValue,
  isNumeric,
  type NumericValue,
  type Value,
  ValueKind,
} from "./value.ts";

export type ArithmeticOperator = "+" | "-" | "*" | "/";

/** `undefined` is a type error, a division by zero, or a number beyond the limit. */
export function calculate(operator: ArithmeticOperator, a: Value, b: Value): Value | undefined {
  if (isNumeric(a) && isNumeric(b)) return calculateNumbers(operator, a, b);
  if (operator === "+") return addTimes(a, b) ?? addTimes(b, a);
  return operator === "-" ? subtractTimes(a, b) : undefined;
}

export function calculateNumbers(operator: ArithmeticOperator, a: NumericValue, b: NumericValue): NumericValue | undefined {
  if (a.kind === ValueKind.INTEGER && b.kind === ValueKind.INTEGER && operator !== "/") return integers(operator, a.integer, b.integer);
  const wide = Math.max(a.kind, b.kind);
  if (wide <= ValueKind.DECIMAL) return decimalValue(decimals(operator, toDecimal(a), toDecimal(b)));
  if (wide === ValueKind.FLOAT) return floatValue(doubles(operator, Math.fround(toNumber(a)), Math.fround(toNumber(b))));
  return doubleValue(doubles(operator, toNumber(a), toNumber(b)));
}

export function negateNumber(value: NumericValue): NumericValue {
  switch (value.kind) {
    case ValueKind.INTEGER:
      return integerValue(-value.integer);
    case ValueKind.DECIMAL:
      return { kind: ValueKind.DECIMAL, id: 0, decimal: negateDecimal(value.decimal) };
    default:
      return { kind: value.kind, id: 0, double: -value.double };
  }
}

export function absoluteNumber(value: NumericValue): NumericValue {
  switch (value.kind) {
    case ValueKind.INTEGER:
      return value.integer < 0 ? negateNumber(value) : integerValue(value.integer);
    case ValueKind.DECIMAL:
      return value.decimal.unscaled < 0n ? negateNumber(value) : { ...value, id: 0 };
    default:
      return { kind: value.kind, id: 0, double: Math.abs(value.double) };
  }
}

/** CEIL, FLOOR and ROUND keep the type of their argument. */
export function roundNumber(rounding: Rounding, value: NumericValue): NumericValue {
  switch (value.kind) {
    case ValueKind.INTEGER:
      return integerValue(value.integer);
    case ValueKind.DECIMAL:
      return { kind: ValueKind.DECIMAL, id: 0, decimal: { unscaled: roundDecimal(value.decimal, rounding), scale: 0 } };
    default:
      return { kind: value.kind, id: 0, double: Math[rounding](value.double) };
  }
}

/** A finite double or float as an exact decimal, as its cast gives it. */
export function decimalOf(value: NumericValue): Decimal | undefined {
  if (value.kind === ValueKind.DOUBLE || value.kind === ValueKind.FLOAT) return decimalFromNumber(value.double);
  return toDecimal(value);
}

function integers(operator: "+" | "-" | "*", a: number | bigint, b: number | bigint): NumericValue | undefined {
  if (typeof a === "number" && typeof b === "number") {
    const result = operator === "+" ? a + b : operator === "-" ? a - b : a * b;
    if (Number.isSafeInteger(result)) return integerValue(result);
  }
  const left = BigInt(a);
  const right = BigInt(b);
  const result = operator === "+" ? left + right : operator === "-" ? left - right : left * right;
  return tooLong(result) ? undefined : integerValue(result);
}

function decimals(operator: ArithmeticOperator, a: Decimal, b: Decimal): Decimal | undefined {
  switch (operator) {
    case "+":
      return addDecimals(a, b);
    case "-":
      return addDecimals(a, negateDecimal(b));
    case "*":
      return multiplyDecimals(a, b);
    case "/":
      return divideDecimals(a, b);
  }
}

function doubles(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
  }
}

function addTimes(a: Value, b: Value): Value | undefined {
  if (b.kind !== ValueKind.DURATION) return undefined;
  if (a.kind === ValueKind.TEMPORAL) return addToTemporal(a.temporal, b.duration);
  if (a.kind !== ValueKind.DURATION) return undefined;
  const sum = addDurations(a.duration, b.duration);
  return sum && durationValue(sum);
}

function subtractTimes(a: Value, b: Value): Value | undefined {
  if (b.kind === ValueKind.DURATION) return addTimes(a, durationValue(negateDuration(b.duration)));
  if (a.kind === ValueKind.TEMPORAL && b.kind === ValueKind.TEMPORAL) return subtractTemporals(a.temporal, b.temporal);
  return undefined;
}
