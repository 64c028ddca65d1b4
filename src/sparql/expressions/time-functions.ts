/** Parts of dates and times. Source: SPARQL 1.1, section 17.4.5. */
import { decimal } from "./decimal.ts";
import { dayTimeDuration } from "./duration.ts";
import type { StrictFunction } from "./strict-function.ts";
import { formatTimezone, secondsOf, type Temporal, type TemporalType } from "./temporal.ts";
import { decimalValue, durationValue, integerValue, stringValue, type Value, ValueKind } from "./value.ts";

const DATES: readonly TemporalType[] = ["dateTime", "date"];
const CLOCKS: readonly TemporalType[] = ["dateTime", "time"];
const ALL: readonly TemporalType[] = ["dateTime", "date", "time"];

export const TIME_FUNCTIONS: Readonly<Record<string, StrictFunction>> = {
  year: part(DATES, (value) => integerValue(value.year)),
  month: part(DATES, (value) => integerValue(value.month)),
  day: part(DATES, (value) => integerValue(value.day)),
  hours: part(CLOCKS, (value) => integerValue(value.hour)),
  minutes: part(CLOCKS, (value) => integerValue(value.minute)),
  seconds: part(CLOCKS, (value) => decimalValue(secondsOf(value))),
  timezone: part(ALL, (value) =>
    value.timezone === undefined
      ? undefined
      : durationValue(dayTimeDuration(decimal(BigInt(value.timezone) * 60n, 0) ?? { unscaled: 0n, scale: 0 })),
  ),
  tz: part(ALL, (value) => stringValue(formatTimezone(value.timezone))),
};

function part(types: readonly TemporalType[], read: (value: Temporal) => Value | undefined): StrictFunction {
  return ([value]) => (value.kind === ValueKind.TEMPORAL && types.includes(value.temporal.type) ? read(value.temporal) : undefined);
}
