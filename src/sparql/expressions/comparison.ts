/**
 * `=` and `<` on values. Three answers: yes, no, and a type error.
 * Source: SPARQL 1.1 sections 17.3 and 17.4.1.7 (RDFterm-equal); the W3C tests open-world/open-eq-* fix that two literals
 * of known datatypes with different value spaces are unequal, that a text with a language is unequal to every other literal, and
 * that unknown or ill-typed ones are otherwise an error unless they are the same term.
 */

import type { Truth } from "./compiled-expression.ts";
import { compareDecimals, type Decimal, decimalFromInteger, decimalToNumber } from "./decimal.ts";
import { compareDurations, equalDurations } from "./duration.ts";
import { compareTemporals } from "./temporal.ts";
import { isLiteral, isNumeric, type NumericValue, type Value, ValueKind } from "./value.ts";

/** `a = b`. */
export function equalValues(a: Value, b: Value): Truth {
  if (a.id !== 0 && a.id === b.id) return isNaNValue(a) ? 0 : 1;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0 ? 1 : 0;
  if (a.kind !== b.kind) return equalAcrossKinds(a, b);
  switch (a.kind) {
    case ValueKind.IRI:
    case ValueKind.BLANK:
    case ValueKind.STRING:
      return a.text === (b as typeof a).text ? 1 : 0;
    case ValueKind.LANGUAGE:
      return a.text === (b as typeof a).text && a.language === (b as typeof a).language ? 1 : 0;
    case ValueKind.BOOLEAN:
      return a.truth === (b as typeof a).truth ? 1 : 0;
    case ValueKind.DURATION:
      return equalDurations(a.duration, (b as typeof a).duration) ? 1 : 0;
    case ValueKind.TEMPORAL: {
      if (a.temporal.type !== (b as typeof a).temporal.type) return 0;
      const order = compareTemporals(a.temporal, (b as typeof a).temporal);
      return order === undefined ? -1 : order === 0 ? 1 : 0;
    }
    case ValueKind.UNKNOWN:
    case ValueKind.ILL_TYPED:
      return a.text === (b as typeof a).text && a.datatype === (b as typeof a).datatype ? 1 : -1;
    default:
      return -1;
  }
}

/** -1, 0, 1, NaN for "neither" (a NaN is involved), or `undefined` for a type error. */
export function orderValues(a: Value, b: Value): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (a.kind !== b.kind) return undefined;
  switch (a.kind) {
    case ValueKind.STRING:
      return compareCodePoints(a.text, (b as typeof a).text);
    case ValueKind.BOOLEAN:
      return Number(a.truth) - Number((b as typeof a).truth);
    case ValueKind.DURATION:
      return compareDurations(a.duration, (b as typeof a).duration);
    case ValueKind.TEMPORAL:
      return a.temporal.type === (b as typeof a).temporal.type ? compareTemporals(a.temporal, (b as typeof a).temporal) : undefined;
    default:
      return undefined;
  }
}

/** -1, 0, 1 or NaN, after promotion to the wider type of the two. */
export function compareNumbers(a: NumericValue, b: NumericValue): number {
  if (a.kind === ValueKind.INTEGER && b.kind === ValueKind.INTEGER) return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  const wide = Math.max(a.kind, b.kind);
  if (wide === ValueKind.DECIMAL) return compareDecimals(toDecimal(a), toDecimal(b));
  const left = wide === ValueKind.FLOAT ? Math.fround(toNumber(a)) : toNumber(a);
  const right = wide === ValueKind.FLOAT ? Math.fround(toNumber(b)) : toNumber(b);
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
}

export function toNumber(value: NumericValue): number {
  if (value.kind === ValueKind.INTEGER) return Number(value.integer);
  return value.kind === ValueKind.DECIMAL ? decimalToNumber(value.decimal) : value.double;
}

/** Of an integer or decimal. */
export function toDecimal(value: NumericValue): Decimal {
  return value.kind === ValueKind.DECIMAL ? value.decimal : decimalFromInteger(value.kind === ValueKind.INTEGER ? value.integer : 0);
}

/** Order by code point: where UTF-16 code units disagree, a surrogate stands for the greater character. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftHigh = left >= 0xd800 && left <= 0xdfff;
    if (leftHigh !== (right >= 0xd800 && right <= 0xdfff)) return leftHigh ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function equalAcrossKinds(a: Value, b: Value): Truth {
  if (!isLiteral(a) || !isLiteral(b)) return 0;
  // no datatype, known or not, has a text with a language among its values
  if (a.kind === ValueKind.LANGUAGE || b.kind === ValueKind.LANGUAGE) return 0;
  return isOpaque(a) || isOpaque(b) ? -1 : 0;
}

function isOpaque(value: Value): boolean {
  return value.kind === ValueKind.UNKNOWN || value.kind === ValueKind.ILL_TYPED;
}

function isNaNValue(value: Value): boolean {
  return (value.kind === ValueKind.DOUBLE || value.kind === ValueKind.FLOAT) && Number.isNaN(value.double);
}
