/**
 * JSON numbers as literals without loss. JSON-LD reads numbers as doubles; a whole number above 2^53 would be rounded.
 * Rule: what is written without fraction and exponent is an xsd:integer with exactly these digits; what has a fraction
 * stays an xsd:double. Numbers that a double holds exactly go the ordinary way.
 */
import { RDF_LANG_STRING, XSD_DOUBLE, XSD_INTEGER, XSD_STRING } from "./vocabulary.ts";

/** True when the JSON-LD algorithm gives the right literal for the number as written. */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return /^-?\d+$/.test(text) || !hasFraction(text);
  if (!Number.isFinite(value)) return false;
  if (!Number.isInteger(value)) return true;
  // A whole double above 2^53: right only when the text is that whole number and the algorithm calls it a double anyway.
  return Math.abs(value) >= 1e21 && /[.eE]/.test(text);
}

/** The literal of a marked number; a datatype from the context is kept. */
export function exactNumber(text: string, datatype: string): { value: string; datatype: string } {
  const coerced = datatype !== XSD_STRING && datatype !== RDF_LANG_STRING && datatype !== XSD_INTEGER;
  if (coerced && datatype !== XSD_DOUBLE) return { value: text, datatype };
  if (datatype === XSD_DOUBLE || hasFraction(text)) return { value: canonicalDouble(Number(text)), datatype: XSD_DOUBLE };
  if (!/[.eE]/.test(text)) return { value: text, datatype: XSD_INTEGER };
  return { value: BigInt(Number(text)).toString(), datatype: XSD_INTEGER };
}

/** `-?d.dE-?d`, as XML Schema writes doubles. */
export function canonicalDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  if (value === 0) return Object.is(value, -0) ? "-0.0E0" : "0.0E0";
  const [mantissa, exponent] = value.toExponential().split("e");
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

/** True when the decimal number as written is not whole: digits remain right of the point after the exponent. */
function hasFraction(text: string): boolean {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return false;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  const exponent = Number(match[3] ?? "0");
  if (fraction.length > 0) return fraction.length > exponent;
  const trailingZeros = /0*$/.exec(match[1])?.[0].length ?? 0;
  return exponent < 0 && -exponent > trailingZeros && /[1-9]/.test(match[1]);
}
