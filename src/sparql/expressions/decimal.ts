/**
 * Exact decimals: value = unscaled / 10^scale, scale >= 0, no trailing zero in the fraction.
 * Division keeps at least 18 significant digits, rounding half away from zero. Source: XML Schema 1.1 part 2, 3.3.3.
 */
import { LIMITS } from "../../base/index.ts";

export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Fraction digits of a quotient; XML Schema asks processors for 16 digits in all. */
const QUOTIENT_DIGITS = 18;

const powers: bigint[] = [1n];
export function powerOfTen(exponent: number): bigint {
  for (let next = powers.length; next <= Math.min(exponent, 64); next++) powers.push(powers[next - 1] * 10n);
  return exponent < powers.length ? powers[exponent] : 10n ** BigInt(exponent);
}

/** Normalised; `undefined` when it has more digits than the limit. */
export function decimal(unscaled: bigint, scale: number): Decimal | undefined {
  let value = unscaled;
  let digits = scale;
  while (digits > 0 && value % 10n === 0n) {
    value /= 10n;
    digits--;
  }
  if (digits > LIMITS.numberDigitsMax || tooLong(value)) return undefined;
  return { unscaled: value, scale: digits };
}

/** Whether an integer has more digits than the limit (cheap: by its length in hexadecimal). */
export function tooLong(value: bigint): boolean {
  if (value < 1n << 64n && value > -(1n << 64n)) return false;
  return value.toString(16).length * 1.2042 > LIMITS.numberDigitsMax + 2;
}

export function decimalFromInteger(value: number | bigint): Decimal {
  return { unscaled: BigInt(value), scale: 0 };
}

/** Parses the lexical form, `undefined` when it is none or too long. */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > LIMITS.numberDigitsMax + 2) return undefined;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (!match) return undefined;
  const fraction = match[3] ?? "";
  if (match[2] === "" && fraction === "") return undefined;
  const unscaled = BigInt(match[2] + fraction);
  return decimal(match[1] === "-" ? -unscaled : unscaled, fraction.length);
}

/** A finite double as the decimal with the digits that the shortest round-trip spelling shows. */
export function decimalFromNumber(value: number): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) return undefined;
  const fraction = match[3] ?? "";
  const exponent = Number(match[4] ?? 0);
  const digits = BigInt(match[1] + match[2] + fraction);
  const scale = fraction.length - exponent;
  return scale >= 0 ? decimal(digits, scale) : decimal(digits * powerOfTen(-scale), 0);
}

/** The exact value of a finite double: mantissa times a power of two. */
export function exactDecimal(value: number): Decimal {
  let mantissa = value;
  let halvings = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halvings++;
  }
  return { unscaled: BigInt(mantissa) * 5n ** BigInt(halvings), scale: halvings };
}

/** Canonical spelling of XPath: no point when there is no fraction. */
export function formatDecimal(value: Decimal): string {
  if (value.scale === 0) return value.unscaled.toString();
  const negative = value.unscaled < 0n;
  const digits = (negative ? -value.unscaled : value.unscaled).toString().padStart(value.scale + 1, "0");
  return `${negative ? "-" : ""}${digits.slice(0, -value.scale)}.${digits.slice(-value.scale)}`;
}

export function decimalToNumber(value: Decimal): number {
  return value.scale === 0 ? Number(value.unscaled) : Number(formatDecimal(value));
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = a.unscaled * powerOfTen(scale - a.scale);
  const right = b.unscaled * powerOfTen(scale - b.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal | undefined {
  const scale = Math.max(a.scale, b.scale);
  return decimal(a.unscaled * powerOfTen(scale - a.scale) + b.unscaled * powerOfTen(scale - b.scale), scale);
}

export function negateDecimal(a: Decimal): Decimal {
  return { unscaled: -a.unscaled, scale: a.scale };
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal | undefined {
  return decimal(a.unscaled * b.unscaled, a.scale + b.scale);
}

/** `undefined` on division by zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.unscaled === 0n) return undefined;
  // enough digits that a small quotient still has QUOTIENT_DIGITS significant ones
  const lead = Math.max(0, digitCount(b.unscaled) - b.scale - (digitCount(a.unscaled) - a.scale));
  const digits = Math.max(QUOTIENT_DIGITS + lead, a.scale, b.scale);
  if (digits > LIMITS.numberDigitsMax) return undefined;
  const numerator = a.unscaled * powerOfTen(digits + b.scale);
  const denominator = b.unscaled * powerOfTen(a.scale);
  return decimal(divideRounded(numerator, denominator), digits);
}

export type Rounding = "ceil" | "floor" | "round";

/** To an integer; `round` takes halves towards positive infinity, as fn:round does. */
export function roundDecimal(value: Decimal, rounding: Rounding): bigint {
  const unit = powerOfTen(value.scale);
  const shifted = rounding === "round" ? value.unscaled * 2n + unit : value.unscaled;
  const by = rounding === "round" ? unit * 2n : unit;
  const floor = floorDivide(shifted, by);
  return rounding === "ceil" && floor * by !== shifted ? floor + 1n : floor;
}

/** Towards zero, as the cast to xsd:integer does. */
export function truncateDecimal(value: Decimal): bigint {
  return value.unscaled / powerOfTen(value.scale);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function divideRounded(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  const rest = a % b;
  const twice = rest < 0n ? -rest * 2n : rest * 2n;
  if (twice < (b < 0n ? -b : b)) return quotient;
  return a < 0n === b < 0n ? quotient + 1n : quotient - 1n;
}

function digitCount(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}
