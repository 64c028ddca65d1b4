/**
 * Durations: months and seconds apart, because a month has no fixed length.
 * Source: XML Schema 1.1 part 2, 3.3.6; XPath Functions and Operators 3.1, section 8.
 */
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  formatDecimal,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  powerOfTen,
} from "./decimal.ts";

export type DurationType = "duration" | "dayTimeDuration" | "yearMonthDuration";

export interface Duration {
  readonly type: DurationType;
  readonly months: number;
  readonly seconds: Decimal;
}

const ZERO: Decimal = { unscaled: 0n, scale: 0 };
const PATTERN =
  /^(-?)P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,12})D)?(?:T(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12}(?:\.\d{1,32})?)S)?)?$/;

export function parseDuration(text: string, type: DurationType): Duration | undefined {
  const match = PATTERN.exec(text);
  if (!match || text.endsWith("P") || text.endsWith("T")) return undefined;
  const [, sign, years, months, days, hours, minutes, seconds] = match;
  if (type === "dayTimeDuration" && (years !== undefined || months !== undefined)) return undefined;
  if (type === "yearMonthDuration" && (days !== undefined || text.includes("T"))) return undefined;
  const whole = BigInt(days ?? 0) * 86_400n + BigInt(hours ?? 0) * 3_600n + BigInt(minutes ?? 0) * 60n;
  const total = addDecimals({ unscaled: whole, scale: 0 }, parseDecimal(seconds ?? "0") ?? ZERO);
  if (!total) return undefined;
  const totalMonths = Number(years ?? 0) * 12 + Number(months ?? 0);
  return sign === "-" ? { type, months: 0 - totalMonths, seconds: negateDecimal(total) } : { type, months: totalMonths, seconds: total };
}

export function dayTimeDuration(seconds: Decimal): Duration {
  return { type: "dayTimeDuration", months: 0, seconds };
}

/** Canonical spelling. */
export function formatDuration(duration: Duration): string {
  const negative = duration.months < 0 || duration.seconds.unscaled < 0n;
  const months = Math.abs(duration.months);
  const seconds = negative ? negateDecimal(duration.seconds) : duration.seconds;
  const unit = powerOfTen(seconds.scale);
  const whole = seconds.unscaled / unit;
  const fraction = decimal(seconds.unscaled % unit, seconds.scale) ?? ZERO;
  const date = part(BigInt(Math.trunc(months / 12)), "Y") + part(BigInt(months % 12), "M") + part(whole / 86_400n, "D");
  const rest = addDecimals({ unscaled: whole % 60n, scale: 0 }, fraction) ?? ZERO;
  const time = part((whole / 3_600n) % 24n, "H") + part((whole / 60n) % 60n, "M") + (rest.unscaled === 0n ? "" : `${formatDecimal(rest)}S`);
  const zero = duration.type === "yearMonthDuration" ? "P0M" : "PT0S";
  if (date === "" && time === "") return zero;
  return `${negative ? "-" : ""}P${date}${time === "" ? "" : `T${time}`}`;
}

export function equalDurations(a: Duration, b: Duration): boolean {
  return a.months === b.months && compareDecimals(a.seconds, b.seconds) === 0;
}

/** -1, 0, 1, or `undefined` when the two have no order: only durations of months, or only of seconds, have one. */
export function compareDurations(a: Duration, b: Duration): number | undefined {
  if (equalDurations(a, b)) return 0;
  if (a.months === 0 && b.months === 0) return compareDecimals(a.seconds, b.seconds);
  if (a.seconds.unscaled === 0n && b.seconds.unscaled === 0n) return Math.sign(a.months - b.months);
  return undefined;
}

/** Sum of two durations of one kind; months and seconds must not get opposite signs. */
export function addDurations(a: Duration, b: Duration): Duration | undefined {
  const seconds = addDecimals(a.seconds, b.seconds);
  const months = a.months + b.months;
  if (!seconds || !Number.isSafeInteger(months)) return undefined;
  if (months !== 0 && seconds.unscaled !== 0n && months < 0 !== seconds.unscaled < 0n) return undefined;
  return { type: a.type === b.type ? a.type : "duration", months, seconds };
}

export function negateDuration(duration: Duration): Duration {
  return { type: duration.type, months: 0 - duration.months, seconds: negateDecimal(duration.seconds) };
}

/** For a total order of all durations: a month taken as 30.436875 days. */
export function approximateSeconds(duration: Duration): Decimal {
  const months = multiplyDecimals({ unscaled: BigInt(duration.months), scale: 0 }, { unscaled: 2_629_746n, scale: 0 }) ?? ZERO;
  return addDecimals(months, duration.seconds) ?? ZERO;
}

function part(value: bigint, letter: string): string {
  return value === 0n ? "" : `${value}${letter}`;
}
