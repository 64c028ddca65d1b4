/**
 * Rows by (first term, predicate), and by first term: one half of the quad relation's postings. The first term is the
 * subject in one index and the object in the other.
 *
 * State: for each pair a vector of rows (row-vectors.ts); the vectors of one first term linked, each with its predicate, and the
 * heads of those lists addressed by term id (ids are dense); each row's position in its vector, so that it can be taken out.
 * A pair is found by walking the list: terms have few predicates, and those of one subject were mostly made one after the
 * other, so they lie in few lines of the cache (decision record 0009). Of a term with more than `thresholds.pairsListed` a hash
 * table has the pairs.
 * Memory per pair: 17 B, and 8 B / load in the table; per row 4 B, and 4 B more in vectors of several rows.
 */
import { grownColumn } from "./columns.ts";
import { finish, HashTable, mix } from "./hash-table.ts";
import type { QuadRows } from "./quad-rows.ts";
import { RowVectors } from "./row-vectors.ts";
import { thresholds } from "./thresholds.ts";

/** Where each row is in its vector; indexes over disjoint rows may share it. */
export interface Positions {
  of: Int32Array;
}

/** In place of a list's head: there is no list. */
const NONE = -1;
/** The heads of lists whose pairs are in the table, too, are HASHED - head. */
const HASHED = -2;

export class PairIndex {
  readonly vectors = new RowVectors();
  readonly #rows: QuadRows;
  readonly #first: "subject" | "object";
  readonly #positions: Positions;
  readonly #listed: number;
  readonly #table = new HashTable(6);
  #heads: Int32Array = new Int32Array(64).fill(NONE);
  /** The next vector of the same first term and the predicate, side by side. */
  #links: Int32Array = new Int32Array(32);

  constructor(rows: QuadRows, first: "subject" | "object", positions: Positions) {
    this.#rows = rows;
    this.#first = first;
    this.#positions = positions;
    this.#listed = thresholds.pairsListed[first];
  }

  /** The vector of the pair, or -1. */
  find(term: number, p: number): number {
    const heads = this.#heads;
    if (term >= heads.length) return NONE;
    let vector = heads[term];
    if (vector <= HASHED) return this.#findHashed(term, p);
    const links = this.#links;
    while (vector >= 0 && links[2 * vector + 1] !== p) vector = links[2 * vector];
    return vector;
  }

  /** First vector of a term, or -1; more through `next`. */
  firstOf(term: number): number {
    return term < this.#heads.length ? headOf(this.#heads[term]) : NONE;
  }

  next(vector: number): number {
    return this.#links[2 * vector];
  }

  /** Answers the pair's vector. */
  add(row: number, term: number, p: number): number {
    let vector = term < this.#heads.length ? this.#heads[term] : NONE;
    let steps = 0;
    if (vector <= HASHED) vector = this.#findHashed(term, p);
    else {
      const links = this.#links;
      for (; vector >= 0 && links[2 * vector + 1] !== p; vector = links[2 * vector]) steps++;
    }
    if (vector < 0) vector = this.#create(term, p, steps >= this.#listed);
    const positions = this.#positions;
    if (row >= positions.of.length) positions.of = grownColumn(positions.of, row + 1);
    positions.of[row] = this.vectors.add(vector, row);
    return vector;
  }

  /** Answers the pair's vector, or -1 when this was its last row. */
  remove(row: number, term: number, p: number): number {
    const vector = this.find(term, p);
    const { of } = this.#positions;
    if (this.vectors.count(vector) === 1) {
      this.#drop(vector, term, p);
      return NONE;
    }
    const moved = this.vectors.remove(vector, of[row]);
    if (moved >= 0) of[moved] = of[row];
    return vector;
  }

  /** Rows of a term: exact for up to 64 predicates, a hub is a hub beyond. */
  estimate(term: number): number {
    let rows = 0;
    let steps = 0;
    for (let v = this.firstOf(term); v >= 0 && steps < 64; v = this.next(v)) {
      rows += this.vectors.count(v);
      steps++;
    }
    return rows;
  }

  get memoryBytes(): number {
    return this.vectors.memoryBytes + this.#table.memoryBytes + this.#heads.byteLength + this.#links.byteLength;
  }

  #findHashed(term: number, p: number): number {
    const hash = hashPair(term, p);
    const segment = this.#table.segment(areaOf(term), hash);
    const mask = (segment.length >> 1) - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return NONE;
      if (segment[2 * i] === hash && this.#links[2 * stored - 1] === p && this.#firstTermOf(stored - 1) === term) return stored - 1;
    }
  }

  #firstTermOf(vector: number): number {
    const row = this.vectors.first(vector);
    return this.#first === "subject" ? this.#rows.subject(row) : this.#rows.object(row);
  }

  #create(term: number, p: number, isLong: boolean): number {
    const vector = this.vectors.create();
    if (term >= this.#heads.length) {
      const { length } = this.#heads;
      this.#heads = grownColumn(this.#heads, term + 1);
      this.#heads.fill(NONE, length);
    }
    if (2 * vector + 1 >= this.#links.length) this.#links = grownColumn(this.#links, 2 * vector + 2);
    const entry = this.#heads[term];
    this.#links[2 * vector] = headOf(entry);
    this.#links[2 * vector + 1] = p;
    if (entry <= HASHED) {
      this.#table.insert(areaOf(term), hashPair(term, p), vector);
      this.#heads[term] = HASHED - vector;
    } else {
      this.#heads[term] = vector;
      if (isLong) this.#enterPairs(term, vector);
    }
    return vector;
  }

  /** Takes away a vector with its only row. */
  #drop(vector: number, term: number, p: number): void {
    const links = this.#links;
    const entry = this.#heads[term];
    if (entry <= HASHED) this.#table.remove(areaOf(term), hashPair(term, p), vector);
    const head = headOf(entry);
    if (head === vector) {
      const next = links[2 * vector];
      this.#heads[term] = entry <= HASHED && next >= 0 ? HASHED - next : next;
    } else {
      let at = head;
      while (links[2 * at] !== vector) at = links[2 * at];
      links[2 * at] = links[2 * vector];
    }
    this.vectors.remove(vector, 0);
    this.vectors.release(vector);
  }

  /** Enters the pairs of a list in the table. */
  #enterPairs(term: number, head: number): void {
    const area = areaOf(term);
    for (let v = head; v >= 0; v = this.#links[2 * v]) this.#table.insert(area, hashPair(term, this.#links[2 * v + 1]), v);
    this.#heads[term] = HASHED - head;
  }
}

function headOf(entry: number): number {
  return entry <= HASHED ? HASHED - entry : entry;
}

/** What is looked up for one term lies close together. */
function areaOf(term: number): number {
  return finish(mix(0, term));
}

function hashPair(term: number, p: number): number {
  return finish(mix(mix(0, term), p));
}
