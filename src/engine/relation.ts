/**
 * A relation of any arity over integers, with weights and the state before the running transaction.
 *
 *     R : rows -> weight ∈ ℤ;  a row is present while its weight is > 0.
 *
 * State per row: n columns, `weight` (now), `before` (weight when the transaction that last touched it began), `touched`
 * (its tick), `rank` (for recursive rules). Memory 4(n + 4) B and 8/load B for the key, plus 8 B and a bucket per index.
 * Indexes on subsets of columns are made when a join first asks for them. Rows whose weight is 0 stay until the
 * transaction that emptied them is sealed: the old state must remain readable and undo must find them.
 * Invariant: no row of weight 0 survives `reclaim`.
 */

import { grownColumn } from "./columns.ts";
import { finish, HashTable, mix } from "./hash-table.ts";

/** Told when a row appears or vanishes; used to dispatch deltas to rules. */
export interface RowWatcher {
  readonly changed: (row: number, present: boolean) => void;
}

export interface RelationOptions {
  readonly nullable?: boolean;
  readonly dispatching?: boolean;
  /** 2^bits segments of the key table. */
  readonly bits?: number;
}

/** What undo restores: flat records of 3 (row, weight, rank). */
export interface RelationJournal {
  readonly tick: number;
  readonly entries: number[];
}

export class Relation {
  readonly id: number;
  readonly name: string;
  readonly arity: number;
  /** Columns may hold 0 for "unbound"; joins treat it as a wildcard and do not index it. */
  readonly nullable: boolean;
  /** Its values decide which rules a changed quad concerns (parameters of rules, axioms): see dispatch.ts. */
  readonly dispatching: boolean;
  /** Filled by counted rules, aggregates or slices: final only after them. */
  counted = false;
  readonly columns: Int32Array[];
  weight: Int32Array = new Int32Array(16);
  before: Int32Array = new Int32Array(16);
  touched: Int32Array = new Int32Array(16);
  rank: Int32Array = new Int32Array(16);
  /** Rows 0..end-1 are in use or free. */
  end = 0;
  /** Rows with weight > 0. */
  size = 0;
  /** Told once per transaction that touches a row. */
  onFirstTouch: ((relation: Relation) => void) | undefined;
  readonly #key: HashTable;
  readonly #free: number[] = [];
  #emptied: number[] = [];
  /** Rows that came and went within the transaction of the journal. */
  readonly #passing = new Set<number>();
  readonly #indexes = new Map<number, ColumnIndex>();
  readonly #watchers: RowWatcher[] = [];
  #journal: RelationJournal = { tick: 0, entries: [] };

  constructor(id: number, name: string, arity: number, options: RelationOptions = {}) {
    this.id = id;
    this.name = name;
    this.arity = arity;
    this.nullable = options.nullable ?? false;
    this.dispatching = options.dispatching ?? false;
    this.columns = Array.from({ length: arity }, () => new Int32Array(16));
    this.#key = new HashTable(options.bits ?? 4);
  }

  /** The row holding these values, present or not, or -1. */
  find(values: ArrayLike<number>): number {
    const hash = this.#hashValues(values);
    const segment = this.#key.segment(hash, hash);
    const mask = (segment.length >> 1) - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return -1;
      if (segment[2 * i] === hash && this.#equals(stored - 1, values)) return stored - 1;
    }
  }

  /** Whether a row with these values (more may follow them) is present. */
  has(values: ArrayLike<number>): boolean {
    const row = this.find(values);
    return row >= 0 && this.weight[row] > 0;
  }

  /** Adds `delta` to the row's weight in transaction `tick`; answers the row. */
  change(values: ArrayLike<number>, delta: number, tick: number, rank = 0): number {
    let row = this.find(values);
    if (row < 0) row = this.#addRow(values);
    const old = this.weight[row];
    this.touch(row, tick);
    const next = old + delta;
    this.weight[row] = next;
    if (old <= 0 && next > 0) {
      this.rank[row] = rank;
      this.size++;
      this.#presence(row, true);
    } else if (old > 0 && next <= 0) {
      this.size--;
      if (this.before[row] <= 0) this.#passing.add(row);
      this.#presence(row, false);
    }
    return row;
  }

  /** Whether the row was present for a while in transaction `tick`, though neither before nor after. */
  passedBy(row: number, tick: number): boolean {
    return this.#passing.size > 0 && this.touched[row] === tick && this.#passing.has(row);
  }

  /** Rows in use, absent ones that may still be read included. */
  get held(): number {
    return this.end - this.#free.length;
  }

  /** Journals the row once per transaction. */
  touch(row: number, tick: number): void {
    if (this.touched[row] === tick) return;
    if (this.#journal.tick !== tick) {
      this.#journal = { tick, entries: [] };
      this.#passing.clear();
      this.onFirstTouch?.(this);
    }
    this.#journal.entries.push(row, this.weight[row], this.rank[row]);
    this.touched[row] = tick;
    this.before[row] = this.weight[row];
  }

  /** Rows touched in transaction `tick`, each once. */
  *touchedRows(tick: number): Iterable<number> {
    if (this.#journal.tick !== tick) return;
    const entries = this.#journal.entries;
    for (let i = 0; i < entries.length; i += 3) yield entries[i];
  }

  touchedCount(tick: number): number {
    return this.#journal.tick === tick ? this.#journal.entries.length / 3 : 0;
  }

  /** The touched row at `index`. */
  touchedAt(index: number): number {
    return this.#journal.entries[3 * index];
  }

  /** Hands over the record of transaction `tick`, for undo or reclaim. */
  journal(tick: number): RelationJournal | undefined {
    return this.#journal.tick === tick ? this.#journal : undefined;
  }

  /** Restores the state before the journal's transaction; newest journal first. */
  undo(journal: RelationJournal): void {
    for (let i = journal.entries.length - 3; i >= 0; i -= 3) {
      const row = journal.entries[i];
      const old = journal.entries[i + 1];
      const now = this.weight[row];
      this.weight[row] = old;
      this.rank[row] = journal.entries[i + 2];
      this.touched[row] = 0;
      if (old > 0 && now <= 0) {
        this.size++;
        this.#presence(row, true);
      } else if (old <= 0 && now > 0) {
        this.size--;
        this.#presence(row, false);
      }
    }
    for (let i = 0; i < journal.entries.length; i += 3) this.#emptied.push(journal.entries[i]);
    if (this.#journal.tick === journal.tick) this.#journal = { tick: 0, entries: [] };
  }

  /** Frees what undone transactions left empty. Only while no transaction is unsealed. */
  sweep(): void {
    for (const row of this.#emptied) if (this.weight[row] === 0 && this.touched[row] !== FREED) this.#removeRow(row);
    this.#emptied = [];
  }

  /** Frees the rows of a sealed transaction that are empty. */
  reclaim(journal: RelationJournal): void {
    for (let i = 0; i < journal.entries.length; i += 3) {
      const row = journal.entries[i];
      const touched = this.touched[row];
      // A later transaction that is not sealed yet may still need the row's old state.
      if (this.weight[row] === 0 && touched !== FREED && touched <= journal.tick) this.#removeRow(row);
    }
  }

  /** The watcher is told of the present rows at once. */
  watch(watcher: RowWatcher): void {
    this.#watchers.push(watcher);
    for (let row = 0; row < this.end; row++) if (this.weight[row] > 0) watcher.changed(row, true);
  }

  unwatch(watcher: RowWatcher): void {
    const index = this.#watchers.indexOf(watcher);
    if (index >= 0) this.#watchers.splice(index, 1);
  }

  /** The index on the columns of `mask` (bit i = column i), made when missing. */
  index(mask: number): ColumnIndex {
    let index = this.#indexes.get(mask);
    if (!index) {
      index = new ColumnIndex(this, mask);
      for (let row = 0; row < this.end; row++) if (this.touched[row] !== FREED) index.add(row);
      this.#indexes.set(mask, index);
    }
    return index;
  }

  values(row: number): number[] {
    return this.columns.map((column) => column[row]);
  }

  /** Present rows; with `first`, those whose first column has that value. */
  *rows(first?: number): Iterable<{ readonly values: number[]; readonly weight: number }> {
    if (first === undefined) {
      for (let row = 0; row < this.end; row++) {
        const weight = this.weight[row];
        if (weight > 0) yield { values: this.values(row), weight };
      }
      return;
    }
    const index = this.index(1);
    for (let row = index.first([first]); row >= 0; row = index.next[row]) {
      const weight = this.weight[row];
      if (weight > 0) yield { values: this.values(row), weight };
    }
  }

  get memoryBytes(): number {
    let bytes = this.#key.memoryBytes + 4 * this.weight.byteLength;
    for (const column of this.columns) bytes += column.byteLength;
    for (const index of this.#indexes.values()) bytes += index.memoryBytes;
    return bytes;
  }

  /** Of `memoryBytes` the share of rows in use. */
  get usedBytes(): number {
    return (this.memoryBytes / this.weight.length) * this.held;
  }

  #addRow(values: ArrayLike<number>): number {
    const row = this.#free.pop() ?? this.end++;
    if (row >= this.weight.length) {
      this.weight = grownColumn(this.weight, row + 1);
      this.before = grownColumn(this.before, row + 1);
      this.touched = grownColumn(this.touched, row + 1);
      this.rank = grownColumn(this.rank, row + 1);
      for (let i = 0; i < this.arity; i++) this.columns[i] = grownColumn(this.columns[i] as Int32Array, row + 1);
    }
    for (let i = 0; i < this.arity; i++) this.columns[i][row] = values[i];
    this.weight[row] = 0;
    this.touched[row] = 0;
    this.rank[row] = 0;
    const hash = this.#hashRow(row);
    this.#key.insert(hash, hash, row);
    for (const index of this.#indexes.values()) index.add(row);
    return row;
  }

  #removeRow(row: number): void {
    const hash = this.#hashRow(row);
    this.#key.remove(hash, hash, row);
    for (const index of this.#indexes.values()) index.remove(row);
    this.touched[row] = FREED;
    this.#free.push(row);
  }

  #presence(row: number, present: boolean): void {
    for (const watcher of this.#watchers) watcher.changed(row, present);
  }

  #equals(row: number, values: ArrayLike<number>): boolean {
    for (let i = 0; i < this.arity; i++) if (this.columns[i][row] !== values[i]) return false;
    return true;
  }

  #hashValues(values: ArrayLike<number>): number {
    let hash = 0;
    for (let i = 0; i < this.arity; i++) hash = mix(hash, values[i]);
    return finish(hash);
  }

  #hashRow(row: number): number {
    let hash = 0;
    for (let i = 0; i < this.arity; i++) hash = mix(hash, this.columns[i][row]);
    return finish(hash);
  }
}

/** Mark in `touched` of a row id that is free. */
const FREED = -1;

/** Rows by the values of some columns: hash to the head of a doubly linked list. Holds absent rows until they are freed. */
export class ColumnIndex {
  readonly mask: number;
  readonly #relation: Relation;
  readonly #columnNumbers: number[] = [];
  readonly #table = new HashTable(4);
  /** Per bucket head row; rows of a bucket follow through `next`. The count stands with the head row. */
  next: Int32Array = new Int32Array(16);
  #previous: Int32Array = new Int32Array(16);
  #counts: Int32Array = new Int32Array(16);
  readonly #probe: number[] = [];

  constructor(relation: Relation, mask: number) {
    this.#relation = relation;
    this.mask = mask;
    for (let i = 0; i < relation.arity; i++) if (mask & (1 << i)) this.#columnNumbers.push(i);
  }

  /** First row whose indexed columns have these values (in column order), or -1; more follow through `next`. */
  first(values: ArrayLike<number>): number {
    let hash = 0;
    for (let i = 0; i < this.#columnNumbers.length; i++) hash = mix(hash, values[i]);
    return this.#find(finish(hash), values);
  }

  /** How many rows (absent ones included) share the head row's values. */
  countAt(head: number): number {
    return this.#counts[head];
  }

  add(row: number): void {
    if (row >= this.next.length) {
      this.next = grownColumn(this.next, row + 1);
      this.#previous = grownColumn(this.#previous, row + 1);
      this.#counts = grownColumn(this.#counts, row + 1);
    }
    const hash = this.#hash(row);
    const head = this.#find(hash, this.#probe);
    this.next[row] = head;
    this.#previous[row] = -1;
    if (head < 0) {
      this.#counts[row] = 1;
      this.#table.insert(hash, hash, row);
    } else {
      this.#previous[head] = row;
      this.#counts[row] = this.#counts[head] + 1;
      this.#table.replace(hash, hash, head, row);
    }
  }

  remove(row: number): void {
    const next = this.next[row];
    const previous = this.#previous[row];
    if (next >= 0) this.#previous[next] = previous;
    if (previous >= 0) {
      this.next[previous] = next;
      const head = this.#find(this.#hash(row), this.#probe);
      this.#counts[head] = this.#counts[head] - 1;
      return;
    }
    const hash = this.#hash(row);
    if (next < 0) this.#table.remove(hash, hash, row);
    else {
      this.#counts[next] = this.#counts[row] - 1;
      this.#table.replace(hash, hash, row, next);
    }
  }

  get memoryBytes(): number {
    return this.#table.memoryBytes + 3 * this.next.byteLength;
  }

  /** Hash of the row's indexed columns; leaves their values in #probe. */
  #hash(row: number): number {
    let hash = 0;
    for (let i = 0; i < this.#columnNumbers.length; i++) {
      const value = this.#relation.columns[this.#columnNumbers[i]][row];
      this.#probe[i] = value;
      hash = mix(hash, value);
    }
    return finish(hash);
  }

  #find(hash: number, values: ArrayLike<number>): number {
    const segment = this.#table.segment(hash, hash);
    const mask = (segment.length >> 1) - 1;
    const columns = this.#relation.columns;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return -1;
      if (segment[2 * i] !== hash) continue;
      let equal = true;
      for (let c = 0; c < this.#columnNumbers.length && equal; c++) equal = columns[this.#columnNumbers[c]][stored - 1] === values[c];
      if (equal) return stored - 1;
    }
  }
}
