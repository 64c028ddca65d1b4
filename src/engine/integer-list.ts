/**
 * A list of 32-bit integers that is filled, emptied and filled again: work lists and journals of transactions.
 *
 * What it grew to is filled again without garbage: a bulk load spent a quarter of its inserts on growing arrays of numbers.
 */
import { grown } from "./columns.ts";

const FIRST = 64;
/** Integers that an empty list keeps room for. */
const KEPT = 262_144;

export class IntegerList {
  #values: Int32Array = new Int32Array(FIRST);
  length = 0;

  at(index: number): number {
    return this.#values[index];
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#values = grown(this.#values, 2 * this.length);
    this.#values[this.length++] = value;
  }

  pop(): number | undefined {
    return this.length === 0 ? undefined : this.#values[--this.length];
  }

  push2(a: number, b: number): void {
    const at = this.length;
    if (at + 2 > this.#values.length) this.#values = grown(this.#values, 2 * (at + 2));
    this.#values[at] = a;
    this.#values[at + 1] = b;
    this.length = at + 2;
  }

  /** Appends a record of five at once. */
  push5(a: number, b: number, c: number, d: number, e: number): void {
    const at = this.length;
    if (at + 5 > this.#values.length) this.#values = grown(this.#values, 2 * (at + 5));
    const values = this.#values;
    values[at] = a;
    values[at + 1] = b;
    values[at + 2] = c;
    values[at + 3] = d;
    values[at + 4] = e;
    this.length = at + 5;
  }

  /** Empties it; much room is given back. */
  clear(): void {
    this.length = 0;
    if (this.#values.length > KEPT) this.#values = new Int32Array(FIRST);
  }

  /** What it holds, and empties it. */
  take(): Int32Array {
    const taken = this.#values.slice(0, this.length);
    this.clear();
    return taken;
  }
}
