/**
 * Dates and times on one line of seconds. A value with a timezone is a point; one without is a point somewhere within
 * 14 hours of its local reading, so comparing the two is undecided (an error) unless they are further apart.
 * Source: XML Schema 1.1 part 2, 3.3.7 to 3.3.14 and its order relation; W3C test open-world/date-1 decides against an
 * implicit timezone.
 */
import type { Decimal } from "./decimal.ts";

export type TemporalType = "dateTime" | "date" | "time" | "gYear" | "gYearMonth" | "gMonth" | "gMonthDay" | "gDay";

export interface Temporal {
  readonly type: TemporalType;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** Whole second. */
  readonly second: number;
  /** Digits after the point, without trailing zeros: "" or "25". Compared as text. */
  readonly fraction: string;
  /** Offset in minutes, `undefined` when not stated. */
  readonly timezone: number | undefined;
  /** Whole seconds since 1970-01-01 of the local reading, less the timezone. */
  readonly instant: number;
}

/** Undecided within this many seconds when only one side states a timezone. */
const UNDECIDED_SECONDS = 14 * 3600;
const ZONE = "(Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))?";
const YEAR = "(-?(?:[1-9]\\d{3,8}|0\\d{3}))";
const CLOCK = "(\\d{2}):(\\d{2}):(\\d{2})(?:\\.(\\d{1,32}))?";
const PATTERNS: { readonly [T in TemporalType]: RegExp } = {
  dateTime: new RegExp(`^${YEAR}-(\\d{2})-(\\d{2})T${CLOCK}${ZONE}$`),
  date: new RegExp(`^${YEAR}-(\\d{2})-(\\d{2})${ZONE}$`),
  time: new RegExp(`^${CLOCK}${ZONE}$`),
  gYear: new RegExp(`^${YEAR}${ZONE}$`),
  gYearMonth: new RegExp(`^${YEAR}-(\\d{2})${ZONE}$`),
  gMonth: new RegExp(`^--(\\d{2})${ZONE}$`),
  gMonthDay: new RegExp(`^--(\\d{2})-(\\d{2})${ZONE}$`),
  gDay: new RegExp(`^---(\\d{2})${ZONE}$`),
};

/** Fields that a type does not state: a leap year, so that --02-29 exists. */
const REFERENCE = { year: 1972, month: 1, day: 1 };

export function isTemporalType(name: string): name is TemporalType {
  return Object.hasOwn(PATTERNS, name);
}

export function parseTemporal(text: string, type: TemporalType): Temporal | undefined {
  const match = PATTERNS[type].exec(text);
  if (!match) return undefined;
  const zone = parseTimezone(match[match.length - 1]);
  const n = (index: number): number => Number(match[index]);
  switch (type) {
    case "dateTime":
      return makeTemporal(type, n(1), n(2), n(3), n(4), n(5), n(6), match[7], zone);
    case "date":
      return makeTemporal(type, n(1), n(2), n(3), 0, 0, 0, "", zone);
    case "time":
      return makeTemporal(type, REFERENCE.year, 12, 31, n(1), n(2), n(3), match[4], zone);
    case "gYear":
      return makeTemporal(type, n(1), 1, 1, 0, 0, 0, "", zone);
    case "gYearMonth":
      return makeTemporal(type, n(1), n(2), 1, 0, 0, 0, "", zone);
    case "gMonth":
      return makeTemporal(type, REFERENCE.year, n(1), 1, 0, 0, 0, "", zone);
    case "gMonthDay":
      return makeTemporal(type, REFERENCE.year, n(1), n(2), 0, 0, 0, "", zone);
    case "gDay":
      return makeTemporal(type, REFERENCE.year, REFERENCE.month, n(1), 0, 0, 0, "", zone);
  }
}

/** `undefined` when a field is out of range. 24:00:00 is the next midnight. */
export function makeTemporal(
  type: TemporalType,
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  fractionDigits: string | undefined,
  timezone: number | undefined,
): Temporal | undefined {
  const fraction = (fractionDigits ?? "").replace(/0+$/, "");
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const endOfDay = hour === 24 && minute === 0 && second === 0 && fraction === "";
  if ((hour > 23 && !endOfDay) || minute > 59 || second > 59) return undefined;
  if (endOfDay) {
    if (type === "time") return makeTemporal(type, year, month, day, 0, 0, 0, "", timezone);
    return temporalAt(type, daysFromCivil(year, month, day) * 86_400 + 86_400, "", timezone);
  }
  const local = daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
  return { type, year, month, day, hour, minute, second, fraction, timezone, instant: local - (timezone ?? 0) * 60 };
}

/** The value whose local reading is `localSeconds` after 1970-01-01T00:00:00. */
export function temporalAt(type: TemporalType, localSeconds: number, fraction: string, timezone: number | undefined): Temporal {
  const days = Math.floor(localSeconds / 86_400);
  const rest = localSeconds - days * 86_400;
  const [year, month, day] = civilFromDays(days);
  return {
    type,
    year,
    month,
    day,
    hour: type === "date" ? 0 : Math.floor(rest / 3_600),
    minute: type === "date" ? 0 : Math.floor(rest / 60) % 60,
    second: type === "date" ? 0 : rest % 60,
    fraction: type === "date" ? "" : fraction.replace(/0+$/, ""),
    timezone,
    instant: (type === "date" ? days * 86_400 : localSeconds) - (timezone ?? 0) * 60,
  };
}

/** -1, 0, 1, or `undefined` when undecided. Both must be of one type. */
export function compareTemporals(a: Temporal, b: Temporal): number | undefined {
  const difference = a.instant - b.instant;
  if ((a.timezone === undefined) !== (b.timezone === undefined) && Math.abs(difference) <= UNDECIDED_SECONDS) return undefined;
  return compareAsUtc(a, b);
}

/** A total order: no timezone reads as UTC. */
export function compareAsUtc(a: Temporal, b: Temporal): number {
  if (a.instant !== b.instant) return a.instant < b.instant ? -1 : 1;
  return a.fraction < b.fraction ? -1 : a.fraction > b.fraction ? 1 : 0;
}

export function formatTemporal(value: Temporal): string {
  const zone = formatTimezone(value.timezone);
  const date = `${formatYear(value.year)}-${two(value.month)}-${two(value.day)}`;
  const clock = `${two(value.hour)}:${two(value.minute)}:${two(value.second)}${value.fraction === "" ? "" : `.${value.fraction}`}`;
  switch (value.type) {
    case "dateTime":
      return `${date}T${clock}${zone}`;
    case "date":
      return date + zone;
    case "time":
      return clock + zone;
    case "gYear":
      return formatYear(value.year) + zone;
    case "gYearMonth":
      return `${formatYear(value.year)}-${two(value.month)}${zone}`;
    case "gMonth":
      return `--${two(value.month)}${zone}`;
    case "gMonthDay":
      return `--${two(value.month)}-${two(value.day)}${zone}`;
    case "gDay":
      return `---${two(value.day)}${zone}`;
  }
}

/** "Z", "+01:00" or "". */
export function formatTimezone(timezone: number | undefined): string {
  if (timezone === undefined) return "";
  if (timezone === 0) return "Z";
  const size = Math.abs(timezone);
  return `${timezone < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Seconds of the minute with their fraction. */
export function secondsOf(value: Temporal): Decimal {
  return { unscaled: BigInt(`${value.second}${value.fraction}`), scale: value.fraction.length };
}

export function dateTimeFromMs(ms: number): Temporal {
  const seconds = Math.floor(ms / 1000);
  return temporalAt("dateTime", seconds, String(Math.floor(ms - seconds * 1000)).padStart(3, "0"), 0);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar, year 0 = 1 BC. Source: H. Hinnant, chrono-compatible dates. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468;
}

function civilFromDays(days: number): [number, number, number] {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1];
}

function parseTimezone(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === "Z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
  return text.startsWith("-") ? 0 - minutes : minutes;
}

function formatYear(year: number): string {
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
