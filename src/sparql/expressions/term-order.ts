/**
 * Two total orders of terms that never look at ids, so that a choice made by them is the same in every process.
 *
 * `compareTerms`: unbound, blank nodes, IRIs, literals; then text, datatype, language. Zero only for the same term.
 * `compareForOrder`, for ORDER BY, MIN and MAX: the same kinds; literals by kind of value (booleans, numbers, dates and times,
 * durations, strings, with language, others), within it by value, ties by `compareTerms`. Source: SPARQL 1.1, section 15.1.
 */
import type { TermId, TermTable } from "../../rdf/index.ts";
import { compareCodePoints, compareNumbers, toDecimal, toNumber } from "./comparison.ts";
import { compareDecimals, type Decimal, exactDecimal } from "./decimal.ts";
import { approximateSeconds } from "./duration.ts";
import { compareAsUtc } from "./temporal.ts";
import { isNumeric, type NumericValue, type Value, ValueKind } from "./value.ts";
import { type ValueReader, valueReader } from "./value-reader.ts";

/** ORDER BY ascending: negative, zero (same term only) or positive. 0 is unbound. */
export function compareForOrder(terms: TermTable, a: TermId, b: TermId): number {
  if (a === b) return 0;
  const reader = valueReader(terms);
  const x = reader.number(a);
  const y = reader.number(b);
  if (x < y) return -1;
  if (x > y) return 1;
  return compareByValue(reader, a, b) || compareTerms(terms, a, b);
}

/** One key of several: as `compareForOrder`, but terms of equal value are equal, so that the next key decides. */
export function compareSortKeys(terms: TermTable, a: TermId, b: TermId): number {
  const order = compareForOrder(terms, a, b);
  if (order === 0) return 0;
  const reader = valueReader(terms);
  const [left, right] = [valueRank(reader.value(a)), valueRank(reader.value(b))];
  const hasValue = left >= 3 && left <= 6;
  return hasValue && left === right && compareByValue(reader, a, b) === 0 ? 0 : order;
}

/** Term order: negative, zero (same term only) or positive. 0 is unbound. */
export function compareTerms(terms: TermTable, a: TermId, b: TermId): number {
  if (a === b) return 0;
  const reader = valueReader(terms);
  const left = reader.value(a);
  const right = reader.value(b);
  const kinds = termRank(left) - termRank(right);
  if (kinds !== 0) return kinds;
  const texts = compareCodePoints(terms.value(a), terms.value(b));
  if (texts !== 0) return texts;
  const datatypes = compareCodePoints(datatypeOf(terms, a), datatypeOf(terms, b));
  return datatypes !== 0 ? datatypes : compareCodePoints(terms.language(a), terms.language(b));
}

function compareByValue(reader: ValueReader, a: TermId, b: TermId): number {
  const left = reader.value(a);
  const right = reader.value(b);
  const ranks = valueRank(left) - valueRank(right);
  if (ranks !== 0 || left === undefined || right === undefined) return ranks;
  if (isNumeric(left) && isNumeric(right)) return compareNumbersTotally(left, right);
  if (left.kind === ValueKind.BOOLEAN && right.kind === ValueKind.BOOLEAN) return Number(left.truth) - Number(right.truth);
  if (left.kind === ValueKind.TEMPORAL && right.kind === ValueKind.TEMPORAL) {
    return compareCodePoints(left.temporal.type, right.temporal.type) || compareAsUtc(left.temporal, right.temporal);
  }
  if (left.kind === ValueKind.DURATION && right.kind === ValueKind.DURATION) {
    return compareDecimals(approximateSeconds(left.duration), approximateSeconds(right.duration));
  }
  return 0;
}

/**
 * Numbers of different types compared pairwise, each after its own promotion, are not transitive (0.1 as a float equals 0.1 as
 * a decimal, and not 0.1 as a double); for sorting all are compared exactly, and NaN comes first.
 */
function compareNumbersTotally(a: NumericValue, b: NumericValue): number {
  const x = toNumber(a);
  const y = toNumber(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(y)) - Number(Number.isNaN(x));
  if (x !== y) return x < y ? -1 : 1;
  // rounding to a double is monotone, so only equal doubles need the exact values
  if (!Number.isFinite(x)) return infinityRank(a) - infinityRank(b) || (isExact(a) && isExact(b) ? compareNumbers(a, b) : 0);
  return compareDecimals(exactOf(a), exactOf(b));
}

function isExact(value: NumericValue): boolean {
  return value.kind <= ValueKind.DECIMAL;
}

/** Where a number whose double is infinite stands: the infinities themselves lie outside. */
function infinityRank(value: NumericValue): number {
  return isExact(value) ? 0 : toNumber(value) < 0 ? -1 : 1;
}

function exactOf(value: NumericValue): Decimal {
  return value.kind === ValueKind.FLOAT || value.kind === ValueKind.DOUBLE ? exactDecimal(value.double) : toDecimal(value);
}

function termRank(value: Value | undefined): number {
  if (value === undefined) return 0;
  if (value.kind === ValueKind.BLANK) return 1;
  return value.kind === ValueKind.IRI ? 2 : 3;
}

function valueRank(value: Value | undefined): number {
  if (value === undefined) return 0;
  switch (value.kind) {
    case ValueKind.BLANK:
      return 1;
    case ValueKind.IRI:
      return 2;
    case ValueKind.BOOLEAN:
      return 3;
    case ValueKind.INTEGER:
    case ValueKind.DECIMAL:
    case ValueKind.FLOAT:
    case ValueKind.DOUBLE:
      return 4;
    case ValueKind.TEMPORAL:
      return 5;
    case ValueKind.DURATION:
      return 6;
    case ValueKind.STRING:
      return 7;
    case ValueKind.LANGUAGE:
      return 8;
    default:
      return 9;
  }
}

function datatypeOf(terms: TermTable, id: TermId): string {
  const datatype = terms.datatype(id);
  return datatype === 0 ? "" : terms.value(datatype);
}
