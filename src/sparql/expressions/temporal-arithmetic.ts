/** Dates plus durations and differences of dates. Source: XPath Functions and Operators 3.1, section 9.7. */
import { addDecimals, type Decimal, decimal, negateDecimal, powerOfTen } from "./decimal.ts";
import { type Duration, dayTimeDuration } from "./duration.ts";
import { daysFromCivil, daysInMonth, type Temporal, temporalAt } from "./temporal.ts";
import { durationValue, temporalValue, type Value } from "./value.ts";

/** Seconds beyond which a year would no longer have nine digits. */
const INSTANT_MAX = 31_556_952 * 999_999_999;

export function addToTemporal(value: Temporal, duration: Duration): Value | undefined {
  if (value.type !== "dateTime" && value.type !== "date" && value.type !== "time") return undefined;
  if (value.type === "time" && duration.months !== 0) return undefined;
  const monthIndex = value.year * 12 + (value.month - 1) + duration.months;
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12 + 1;
  if (!Number.isSafeInteger(monthIndex) || Math.abs(year) > 999_999_999) return undefined;
  const day = Math.min(value.day, daysInMonth(year, month));
  const start = daysFromCivil(year, month, day) * 86_400 + value.hour * 3_600 + value.minute * 60 + value.second;
  const total = addDecimals(secondsAndFraction(start, value.fraction), duration.seconds);
  if (!total) return undefined;
  const [seconds, fraction] = splitSeconds(total);
  if (Math.abs(seconds) > INSTANT_MAX) return undefined;
  const result = temporalAt(value.type, seconds, fraction, value.timezone);
  if (value.type !== "time") return temporalValue(result);
  return temporalValue({
    ...result,
    year: value.year,
    month: value.month,
    day: value.day,
    instant: secondOfDay(result) + daysFromCivil(value.year, value.month, value.day) * 86_400 - (value.timezone ?? 0) * 60,
  });
}

/** The difference as xsd:dayTimeDuration; no timezone reads as UTC. */
export function subtractTemporals(a: Temporal, b: Temporal): Value | undefined {
  if (a.type !== b.type || (a.type !== "dateTime" && a.type !== "date" && a.type !== "time")) return undefined;
  const difference = addDecimals(instantOf(a), negateDecimal(instantOf(b)));
  return difference && durationValue(dayTimeDuration(difference));
}

function instantOf(value: Temporal): Decimal {
  return secondsAndFraction(value.instant, value.fraction);
}

function secondsAndFraction(seconds: number, fraction: string): Decimal {
  const digits = fraction === "" ? 0n : BigInt(fraction);
  return { unscaled: BigInt(seconds) * powerOfTen(fraction.length) + digits, scale: fraction.length };
}

/** Whole seconds (rounded down) and the digits of the rest. */
function splitSeconds(total: Decimal): [number, string] {
  const unit = powerOfTen(total.scale);
  let whole = total.unscaled / unit;
  let rest = total.unscaled % unit;
  if (rest < 0n) {
    rest += unit;
    whole -= 1n;
  }
  const digits = decimal(rest, total.scale);
  return [Number(whole), digits && digits.scale > 0 ? digits.unscaled.toString().padStart(digits.scale, "0") : ""];
}

function secondOfDay(value: Temporal): number {
  return value.hour * 3_600 + value.minute * 60 + value.second;
}
