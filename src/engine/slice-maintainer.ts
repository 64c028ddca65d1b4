/**
 * Incremental LIMIT and OFFSET.   target(i, …) = the rows offset … offset+limit-1 of source(i, …), ordered by `compare`
 *
 * State: per instance its rows in order (ids), so that a change costs a binary search and a move of integers instead of a
 * sort; built when the instance is first asked for. Rows count with their multiplicity.
 */
import type { SliceShape } from "./body.ts";
import type { Relation } from "./relation.ts";

export class SliceMaintainer {
  readonly shape: SliceShape;
  /** Rows of the source per instance, in order; absent rows are taken out when they change. */
  #ordered = new Map<number, number[]>();

  constructor(shape: SliceShape) {
    this.shape = shape;
  }

  forget(): void {
    this.#ordered = new Map();
  }

  update(tick: number): boolean {
    const { source } = this.shape;
    const dirty = new Map<number, number[]>();
    const count = source.touchedCount(tick);
    for (let i = 0; i < count; i++) {
      const row = source.touchedAt(i);
      if (source.weight[row] === source.before[row]) continue;
      const instance = source.columns[0][row];
      const rows = dirty.get(instance);
      if (rows) rows.push(row);
      else dirty.set(instance, [row]);
    }
    let any = false;
    for (const [instance, rows] of dirty) {
      const kept = this.#ordered.get(instance);
      if (kept) this.#apply(kept, rows);
      else this.#build(instance);
      if (this.#replace(instance, tick)) any = true;
    }
    return any;
  }

  evaluateAll(tick: number): void {
    const instances = new Set<number>();
    for (const { values } of this.shape.source.rows()) instances.add(values[0]);
    for (const instance of instances) {
      this.#build(instance);
      this.#replace(instance, tick);
    }
  }

  #build(instance: number): void {
    const { source, compare } = this.shape;
    const rows: number[] = [];
    const index = source.index(1);
    for (let row = index.first([instance]); row >= 0; row = index.next[row]) if (source.weight[row] > 0) rows.push(row);
    rows.sort((a, b) => compare(source.values(a), source.values(b)));
    this.#ordered.set(instance, rows);
  }

  #apply(ordered: number[], rows: readonly number[]): void {
    const { source } = this.shape;
    for (const row of rows) {
      const was = source.before[row] > 0;
      const is = source.weight[row] > 0;
      if (was === is) continue;
      const at = this.#position(ordered, source, row);
      if (is) ordered.splice(at, 0, row);
      else if (ordered[at] === row) ordered.splice(at, 1);
    }
  }

  /** First position whose row is not before `row`. */
  #position(ordered: readonly number[], source: Relation, row: number): number {
    const { compare } = this.shape;
    const values = source.values(row);
    let low = 0;
    let high = ordered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(source.values(ordered[middle]), values) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #replace(instance: number, tick: number): boolean {
    const { source, target, offset, limit } = this.shape;
    const ordered = this.#ordered.get(instance) ?? [];
    const wanted = new Map<string, { values: number[]; weight: number }>();
    let position = 0;
    for (const row of ordered) {
      if (position >= offset + limit) break;
      const weight = source.weight[row];
      const from = Math.max(position, offset);
      const to = Math.min(position + weight, offset + limit);
      position += weight;
      if (to > from) {
        const values = source.values(row);
        wanted.set(values.join(), { values, weight: to - from });
      }
    }
    let changed = false;
    for (const { values, weight } of [...target.rows(instance)]) {
      const next = wanted.get(values.join());
      wanted.delete(values.join());
      const delta = (next?.weight ?? 0) - weight;
      if (delta !== 0) {
        target.change(values, delta, tick);
        changed = true;
      }
    }
    for (const { values, weight } of wanted.values()) {
      target.change(values, weight, tick);
      changed = true;
    }
    if (ordered.length === 0) this.#ordered.delete(instance);
    return changed;
  }
}
