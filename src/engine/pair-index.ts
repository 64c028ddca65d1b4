/**
 * Rows by (first term, predicate), and by first term: one half of the quad relation's postings. The first term is the
 * subject in one index and the object in the other.
 *
 * State: a hash table from the pair to a vector of rows (row-vectors.ts); the vectors of one first term linked, the heads
 * of those lists addressed by term id (ids are dense); each row's position in its vector, so that it can be taken out.
 * Memory per pair: 8 B / load + 13 B; per row 4 B, and 4 B more in vectors of several rows.
 */

import { grownColumn } from "./columns.ts";
import { finish, HashTable, mix } from "./hash-table.ts";
import type { QuadRows } from "./quad-rows.ts";
import { RowVectors } from "./row-vectors.ts";

/** Where each row is in its vector; indexes over disjoint rows may share it. */
export interface Positions {
  of: Int32Array;
}

export class PairIndex {
  readonly vectors = new RowVectors();
  readonly #rows: QuadRows;
  readonly #first: "subject" | "object";
  readonly #positions: Positions;
  readonly #table = new HashTable(10);
  #firstOf: Int32Array = new Int32Array(64).fill(-1);
  #next: Int32Array = new Int32Array(16);

  constructor(rows: QuadRows, first: "subject" | "object", positions: Positions) {
    this.#rows = rows;
    this.#first = first;
    this.#positions = positions;
  }

  /** The vector of the pair, or -1. */
  find(term: number, p: number): number {
    return this.#find(term, p, areaOf(term), hashPair(term, p));
  }

  #find(term: number, p: number, area: number, hash: number): number {
    const segment = this.#table.segment(area, hash);
    const mask = (segment.length >> 1) - 1;
    const rows = this.#rows;
    const ofSubjects = this.#first === "subject";
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return -1;
      if (segment[2 * i] === hash) {
        const vector = stored - 1;
        const row = this.vectors.first(vector);
        const first = ofSubjects ? rows.subject(row) : rows.object(row);
        if (first === term && rows.predicate(row) === p) return vector;
      }
    }
  }

  /** First vector of a term, or -1; more through `next`. */
  firstOf(term: number): number {
    return term < this.#firstOf.length ? this.#firstOf[term] : -1;
  }

  next(vector: number): number {
    return this.#next[vector];
  }

  add(row: number, term: number, p: number): void {
    const area = areaOf(term);
    const hash = hashPair(term, p);
    let vector = this.#find(term, p, area, hash);
    if (vector < 0) {
      vector = this.vectors.create();
      this.#table.insert(area, hash, vector);
      if (term >= this.#firstOf.length) {
        const length = this.#firstOf.length;
        this.#firstOf = grownColumn(this.#firstOf, term + 1);
        this.#firstOf.fill(-1, length);
      }
      if (vector >= this.#next.length) this.#next = grownColumn(this.#next, vector + 1);
      this.#next[vector] = this.#firstOf[term];
      this.#firstOf[term] = vector;
    }
    const positions = this.#positions;
    if (row >= positions.of.length) positions.of = grownColumn(positions.of, row + 1);
    positions.of[row] = this.vectors.add(vector, row);
  }

  remove(row: number, term: number, p: number): void {
    const area = areaOf(term);
    const hash = hashPair(term, p);
    const vector = this.#find(term, p, area, hash);
    const { of } = this.#positions;
    const moved = this.vectors.remove(vector, of[row]);
    if (moved >= 0) of[moved] = of[row];
    if (this.vectors.count(vector) > 0) return;
    this.#table.remove(area, hash, vector);
    this.#unlink(term, vector);
    this.vectors.release(vector);
  }

  /** Rows of a term: exact for up to 64 predicates, a hub is a hub beyond. */
  estimate(term: number): number {
    let rows = 0;
    let steps = 0;
    for (let v = this.firstOf(term); v >= 0 && steps < 64; v = this.#next[v]) {
      rows += this.vectors.count(v);
      steps++;
    }
    return rows;
  }

  get memoryBytes(): number {
    return this.vectors.memoryBytes + this.#table.memoryBytes + this.#firstOf.byteLength + this.#next.byteLength;
  }

  #unlink(term: number, vector: number): void {
    const next = this.#next;
    if (this.#firstOf[term] === vector) {
      this.#firstOf[term] = next[vector];
      return;
    }
    let at = this.#firstOf[term];
    while (next[at] !== vector) at = next[at];
    next[at] = next[vector];
  }
}

/** What is looked up for one term lies close together. */
function areaOf(term: number): number {
  return finish(mix(0, term));
}

function hashPair(term: number, p: number): number {
  return finish(mix(mix(0, term), p));
}
