/** Value -> term id, with canonical spellings for computed values. Source: XPath Functions and Operators 3.1, section 19.1. */
import type { TermId, TermTable } from "../../rdf/index.ts";
import { XSD } from "../parse/index.ts";
import { formatDecimal } from "./decimal.ts";
import { formatDuration } from "./duration.ts";
import { formatTemporal } from "./temporal.ts";
import { type Value, ValueKind } from "./value.ts";

export function writeValue(terms: TermTable, value: Value): TermId {
  if (value.id !== 0) return value.id;
  switch (value.kind) {
    case ValueKind.IRI:
      return terms.iri(value.text);
    case ValueKind.BLANK:
      return terms.blank(value.text);
    case ValueKind.STRING:
      return terms.string(value.text);
    case ValueKind.LANGUAGE:
      return terms.langString(value.text, value.language);
    case ValueKind.UNKNOWN:
    case ValueKind.ILL_TYPED:
      return terms.typed(value.text, value.datatype);
    default:
      return terms.typed(canonicalText(value), datatypeIri(value));
  }
}

/** The canonical lexical form of a literal with a value; the text itself for others. */
export function canonicalText(value: Value): string {
  switch (value.kind) {
    case ValueKind.BOOLEAN:
      return value.truth ? "true" : "false";
    case ValueKind.INTEGER:
      return value.integer.toString();
    case ValueKind.DECIMAL:
      return formatDecimal(value.decimal);
    case ValueKind.FLOAT:
      return canonicalDouble(value.double, shortestFloat(value.double));
    case ValueKind.DOUBLE:
      return canonicalDouble(value.double, String(value.double));
    case ValueKind.TEMPORAL:
      return formatTemporal(value.temporal);
    case ValueKind.DURATION:
      return formatDuration(value.duration);
    default:
      return value.text;
  }
}

/** What a cast to xsd:string gives: as canonical, but doubles of everyday size without exponent. */
export function castText(value: Value): string {
  if (value.kind !== ValueKind.DOUBLE && value.kind !== ValueKind.FLOAT) return canonicalText(value);
  const number = value.double;
  const size = Math.abs(number);
  if (number === 0) return Object.is(number, -0) ? "-0" : "0";
  if (size < 1e-6 || size >= 1e6 || Number.isNaN(number)) return canonicalText(value);
  const text = value.kind === ValueKind.FLOAT ? shortestFloat(number) : String(number);
  return text.includes("e") ? number.toFixed(20).replace(/0+$/, "") : text;
}

/** The datatype a literal shows; for derived types of integers read from the table, the term tells more. */
export function datatypeIri(value: Value): string {
  switch (value.kind) {
    case ValueKind.BOOLEAN:
      return `${XSD}boolean`;
    case ValueKind.INTEGER:
      return `${XSD}integer`;
    case ValueKind.DECIMAL:
      return `${XSD}decimal`;
    case ValueKind.FLOAT:
      return `${XSD}float`;
    case ValueKind.DOUBLE:
      return `${XSD}double`;
    case ValueKind.TEMPORAL:
      return XSD + value.temporal.type;
    case ValueKind.DURATION:
      return XSD + value.duration.type;
    case ValueKind.STRING:
      return `${XSD}string`;
    case ValueKind.LANGUAGE:
      return "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
    case ValueKind.UNKNOWN:
    case ValueKind.ILL_TYPED:
      return value.datatype;
    default:
      return "";
  }
}

/** `1.0E0`, `-1.5E-7`, `INF`, `NaN`: XML Schema's canonical mapping. `digits` is the shortest spelling that reads back. */
function canonicalDouble(value: number, digits: string): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  if (value === 0) return Object.is(value, -0) ? "-0.0E0" : "0.0E0";
  const [mantissa, exponentText] = digits.split("e");
  const negative = mantissa.startsWith("-");
  const [whole, fraction = ""] = (negative ? mantissa.slice(1) : mantissa).split(".");
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  const significant = all.slice(first).replace(/0+$/, "");
  const exponent = Number(exponentText ?? 0) + whole.length - 1 - first;
  return `${negative ? "-" : ""}${significant[0]}.${significant.slice(1) || "0"}E${exponent}`;
}

/** The fewest digits that read back as the same single-precision number. */
function shortestFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}
