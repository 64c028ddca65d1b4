/**
 * Terms as values. A term read from the table keeps its `id`, so that giving it back costs nothing and keeps its
 * spelling; a computed value has id 0 until it is written (value-writer.ts).
 *
 * Literals whose text is outside the lexical space of their datatype are ILL_TYPED, those of datatypes we do not know are
 * UNKNOWN: both can be compared as terms and are errors in everything that needs a value.
 */
import type { TermId } from "../../rdf/index.ts";
import type { Decimal } from "./decimal.ts";
import type { Duration } from "./duration.ts";
import type { Temporal } from "./temporal.ts";

/** Numeric kinds are INTEGER..DOUBLE, in order of promotion. */
export const ValueKind = {
  IRI: 1,
  BLANK: 2,
  STRING: 3,
  LANGUAGE: 4,
  BOOLEAN: 5,
  INTEGER: 6,
  DECIMAL: 7,
  FLOAT: 8,
  DOUBLE: 9,
  TEMPORAL: 10,
  DURATION: 11,
  UNKNOWN: 12,
  ILL_TYPED: 13,
} as const;

export interface TextValue {
  readonly kind: typeof ValueKind.IRI | typeof ValueKind.BLANK | typeof ValueKind.STRING;
  readonly id: TermId;
  readonly text: string;
}
export interface LanguageValue {
  readonly kind: typeof ValueKind.LANGUAGE;
  readonly id: TermId;
  readonly text: string;
  /** Lower case. */
  readonly language: string;
}
export interface BooleanValue {
  readonly kind: typeof ValueKind.BOOLEAN;
  readonly id: TermId;
  readonly truth: boolean;
}
export interface IntegerValue {
  readonly kind: typeof ValueKind.INTEGER;
  readonly id: TermId;
  /** A number while it is a safe integer. */
  readonly integer: number | bigint;
}
export interface DecimalValue {
  readonly kind: typeof ValueKind.DECIMAL;
  readonly id: TermId;
  readonly decimal: Decimal;
}
export interface DoubleValue {
  readonly kind: typeof ValueKind.FLOAT | typeof ValueKind.DOUBLE;
  readonly id: TermId;
  readonly double: number;
}
export interface TemporalValue {
  readonly kind: typeof ValueKind.TEMPORAL;
  readonly id: TermId;
  readonly temporal: Temporal;
}
export interface DurationValue {
  readonly kind: typeof ValueKind.DURATION;
  readonly id: TermId;
  readonly duration: Duration;
}
/** Known only as a term. */
export interface OpaqueValue {
  readonly kind: typeof ValueKind.UNKNOWN | typeof ValueKind.ILL_TYPED;
  readonly id: TermId;
  readonly text: string;
  readonly datatype: string;
}

export type NumericValue = IntegerValue | DecimalValue | DoubleValue;
export type Value = TextValue | LanguageValue | BooleanValue | NumericValue | TemporalValue | DurationValue | OpaqueValue;

export const TRUE: BooleanValue = { kind: ValueKind.BOOLEAN, id: 0, truth: true };
export const FALSE: BooleanValue = { kind: ValueKind.BOOLEAN, id: 0, truth: false };

export function booleanValue(truth: boolean): BooleanValue {
  return truth ? TRUE : FALSE;
}
export function iriValue(text: string): TextValue {
  return { kind: ValueKind.IRI, id: 0, text };
}
export function blankValue(text: string): TextValue {
  return { kind: ValueKind.BLANK, id: 0, text };
}
export function stringValue(text: string): TextValue {
  return { kind: ValueKind.STRING, id: 0, text };
}
export function languageValue(text: string, language: string): LanguageValue {
  return { kind: ValueKind.LANGUAGE, id: 0, text, language: language.toLowerCase() };
}
/** Integers beyond 2^53 stay BigInt, all others become numbers. */
export function integerValue(value: number | bigint): IntegerValue {
  const integer =
    typeof value === "bigint" && value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value;
  return { kind: ValueKind.INTEGER, id: 0, integer: integer === 0 ? 0 : integer };
}
export function decimalValue(decimal: Decimal | undefined): DecimalValue | undefined {
  return decimal && { kind: ValueKind.DECIMAL, id: 0, decimal };
}
export function doubleValue(double: number): DoubleValue {
  return { kind: ValueKind.DOUBLE, id: 0, double };
}
export function floatValue(double: number): DoubleValue {
  return { kind: ValueKind.FLOAT, id: 0, double: Math.fround(double) };
}
export function temporalValue(temporal: Temporal): TemporalValue {
  return { kind: ValueKind.TEMPORAL, id: 0, temporal };
}
export function durationValue(duration: Duration): DurationValue {
  return { kind: ValueKind.DURATION, id: 0, duration };
}

export function isNumeric(value: Value): value is NumericValue {
  return value.kind >= ValueKind.INTEGER && value.kind <= ValueKind.DOUBLE;
}
/** A plain string or one with a language: what the string functions take. */
export function isStringLike(value: Value): value is (TextValue & { kind: typeof ValueKind.STRING }) | LanguageValue {
  return value.kind === ValueKind.STRING || value.kind === ValueKind.LANGUAGE;
}
export function isLiteral(value: Value): boolean {
  return value.kind >= ValueKind.STRING;
}
