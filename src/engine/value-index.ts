/**
 * Rows by one value with few distinct values (predicate, graph): a vector per value.
 * Memory: 8 B per row (entry and position), a map entry per value.
 */
import { grownColumn } from "./columns.ts";
import { RowVectors } from "./row-vectors.ts";

export class ValueIndex {
  readonly vectors = new RowVectors();
  readonly #vectorOf = new Map<number, number>();
  #position: Int32Array = new Int32Array(0);

  find(value: number): number {
    return this.#vectorOf.get(value) ?? -1;
  }

  /** Rows with the value, dead ones included. */
  count(value: number): number {
    const vector = this.#vectorOf.get(value);
    return vector === undefined ? 0 : this.vectors.count(vector);
  }

  values(): Iterable<number> {
    return this.#vectorOf.keys();
  }

  add(row: number, value: number): void {
    let vector = this.#vectorOf.get(value);
    if (vector === undefined) {
      vector = this.vectors.create();
      this.#vectorOf.set(value, vector);
    }
    if (row >= this.#position.length) this.#position = grownColumn(this.#position, row + 1);
    this.#position[row] = this.vectors.add(vector, row);
  }

  remove(row: number, value: number): void {
    const vector = this.#vectorOf.get(value) as number;
    const moved = this.vectors.remove(vector, this.#position[row]);
    if (moved >= 0) this.#position[moved] = this.#position[row];
    if (this.vectors.count(vector) > 0) return;
    this.#vectorOf.delete(value);
    this.vectors.release(vector);
  }

  get memoryBytes(): number {
    return this.vectors.memoryBytes + this.#position.byteLength;
  }
}
