/**
 * A subscription made by `POST /subscriptions` has no reader yet. Its first event stream must begin where the answer's
 * cursor stands (or with the current result, when `initial` was asked for), so that nothing between the two is lost.
 * State: one small entry per subscription that nobody has read, at most `entriesMax`; the oldest are forgotten, and then
 * a stream without `Last-Event-ID` begins with what is new.
 */
import type { Cursor } from "../protocol/index.ts";

export interface FirstReading {
  readonly cursor: Cursor;
  readonly initial: boolean;
}

export class FirstReaders {
  readonly #entriesMax: number;
  readonly #readings = new Map<string, FirstReading>();
  readonly #formats = new Map<string, string>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  expect(subscription: string, reading: FirstReading, format: string | undefined): void {
    put(this.#readings, subscription, reading, this.#entriesMax);
    if (format !== undefined) put(this.#formats, subscription, format, this.#entriesMax);
  }

  /** How the first stream begins; `undefined` for every later one. */
  take(subscription: string): FirstReading | undefined {
    const reading = this.#readings.get(subscription);
    this.#readings.delete(subscription);
    return reading;
  }

  /** The stream did not come about: the next one is the first. */
  giveBack(subscription: string, reading: FirstReading | undefined): void {
    if (reading) put(this.#readings, subscription, reading, this.#entriesMax);
  }

  format(subscription: string): string | undefined {
    return this.#formats.get(subscription);
  }

  forget(subscription: string): void {
    this.#readings.delete(subscription);
    this.#formats.delete(subscription);
  }
}

function put<V>(map: Map<string, V>, key: string, value: V, entriesMax: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > entriesMax) for (const oldest of map.keys()) return void map.delete(oldest);
}
