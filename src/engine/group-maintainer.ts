/**
 * Incremental GROUP BY.   target(k, A1(S_k), …, An(S_k)) for every key k with S_k = { rows of source with key k } not empty
 *
 * State: the target row of each group is the state that is visible; accumulators of groups whose aggregates can all take
 * values back are kept (one per aggregate and group), others are computed again from the group's rows. Cost per changed
 * group: its changed rows in the first case, all its rows in the second.
 */
import type { Accumulator, AggregateShape } from "./body.ts";
import type { Relation } from "./relation.ts";

interface Group {
  readonly accumulators: Accumulator[];
  rows: number;
}

export class GroupMaintainer {
  readonly shape: AggregateShape;
  readonly #instances: Relation | undefined;
  readonly #keyMask: number;
  readonly #removable: boolean;
  #groups = new Map<string, Group>();

  constructor(shape: AggregateShape, instances: Relation | undefined) {
    this.shape = shape;
    this.#instances = instances;
    this.#keyMask = 2 ** shape.keys - 1;
    this.#removable = shape.aggregates.every((make) => make().removable);
  }

  /** After an undo or an exception the kept accumulators are not to be trusted. */
  forget(): void {
    this.#groups = new Map();
  }

  /** Brings the target up to date with what changed in `tick`; answers whether it changed. */
  update(tick: number): boolean {
    const dirty = new Map<string, readonly number[]>();
    const { source, keys } = this.shape;
    const count = source.touchedCount(tick);
    for (let i = 0; i < count; i++) {
      const row = source.touchedAt(i);
      const weight = Math.max(source.weight[row], 0) - Math.max(source.before[row], 0);
      if (weight === 0) continue;
      const key: number[] = [];
      for (let c = 0; c < keys; c++) key.push(source.columns[c][row]);
      const name = key.join();
      dirty.set(name, key);
      if (this.#removable) this.#apply(name, row, weight);
    }
    if (this.shape.everyInstance && this.#instances) {
      const instances = this.#instances.touchedCount(tick);
      for (let i = 0; i < instances; i++) {
        const id = this.#instances.columns[0][this.#instances.touchedAt(i)];
        dirty.set(String(id), [id]);
      }
    }
    let any = false;
    for (const [name, key] of dirty) if (this.#replace(name, key, tick)) any = true;
    return any;
  }

  /** One-shot evaluation: every group of the source (and every instance). */
  evaluateAll(tick: number): void {
    const { source, keys } = this.shape;
    const seen = new Map<string, number[]>();
    for (const { values } of source.rows()) seen.set(values.slice(0, keys).join(), values.slice(0, keys));
    if (this.shape.everyInstance && this.#instances)
      for (const { values } of this.#instances.rows()) seen.set(String(values[0]), [values[0]]);
    for (const [name, key] of seen) this.#replace(name, key, tick);
  }

  #apply(name: string, row: number, weight: number): void {
    const { source, keys, aggregates } = this.shape;
    const group = this.#groups.get(name);
    if (!group) return; // built from rows when its result is asked for, this change included
    group.rows += weight;
    for (let a = 0; a < aggregates.length; a++) group.accumulators[a].add(source.columns[keys + a][row], weight);
    if (group.rows === 0) this.#groups.delete(name);
  }

  #replace(name: string, key: readonly number[], tick: number): boolean {
    const { target, aggregates } = this.shape;
    const group = this.#groups.get(name) ?? this.#fromRows(key);
    const exists = group.rows > 0 || this.#instanceExists(key);
    if (this.#removable && group.rows > 0) this.#groups.set(name, group);
    let changed = false;
    const next = exists ? [...key, ...aggregates.map((_, a) => group.accumulators[a].result())] : undefined;
    let same = false;
    const index = target.index(this.#keyMask);
    const old: number[][] = [];
    if (target.arity === key.length) {
      const row = target.find(key);
      if (row >= 0 && target.weight[row] > 0) old.push([...key]);
    } else for (let row = index.first(key); row >= 0; row = index.next[row]) if (target.weight[row] > 0) old.push(target.values(row));
    for (const values of old) {
      if (next?.every((value, i) => value === values[i])) same = true;
      else {
        target.change(values, -1, tick);
        changed = true;
      }
    }
    if (next && !same) {
      target.change(next, 1, tick);
      changed = true;
    }
    return changed;
  }

  #fromRows(key: readonly number[]): Group {
    const { source, keys, aggregates } = this.shape;
    const group: Group = { accumulators: aggregates.map((make) => make()), rows: 0 };
    const index = source.index(this.#keyMask);
    for (let row = index.first(key); row >= 0; row = index.next[row]) {
      const weight = source.weight[row];
      if (weight <= 0) continue;
      group.rows += weight;
      for (let a = 0; a < aggregates.length; a++) group.accumulators[a].add(source.columns[keys + a][row], weight);
    }
    return group;
  }

  #instanceExists(key: readonly number[]): boolean {
    if (!this.shape.everyInstance || !this.#instances) return false;
    const index = this.#instances.index(1);
    for (let row = index.first([key[0]]); row >= 0; row = index.next[row]) if (this.#instances.weight[row] > 0) return true;
    return false;
  }
}
