/**
 * From bound positions to rows of quads, in whatever state they are.
 *
 * State: vectors of rows by (subject, predicate), by (object, predicate), by predicate and by named graph (row-vectors.ts). A quad
 * itself is looked for among the rows of its subject and predicate, or by its terms where these are many (quad-keys.ts).
 * Rows that are there by transitivity alone stand apart, so that reading base rows never meets them.
 * Memory per row: three positions and an entry (16 B), more for pairs (pair-index.ts).
 */
import { PairIndex, type Positions } from "./pair-index.ts";
import { QuadKeys } from "./quad-keys.ts";
import { ALIVE, type QuadRows } from "./quad-rows.ts";
import type { RowVectors } from "./row-vectors.ts";
import { thresholds } from "./thresholds.ts";
import { ValueIndex } from "./value-index.ts";

export class QuadPostings {
  readonly #rows: QuadRows;
  readonly #inSubjects: Positions = { of: new Int32Array(16) };
  readonly #inObjects: Positions = { of: new Int32Array(16) };
  readonly #bySubject: PairIndex;
  readonly #byObject: PairIndex;
  readonly #closureBySubject: PairIndex;
  readonly #closureByObject: PairIndex;
  #closureRows = 0;
  readonly #byPredicate = new ValueIndex();
  readonly #byGraph = new ValueIndex();
  /** Rows of a subject and predicate that have more than `#scanned`. */
  readonly #keys: QuadKeys;
  readonly #scanned = thresholds.rowsScanned;

  constructor(rows: QuadRows) {
    this.#rows = rows;
    this.#keys = new QuadKeys(rows);
    this.#bySubject = new PairIndex(rows, "subject", this.#inSubjects);
    this.#byObject = new PairIndex(rows, "object", this.#inObjects);
    this.#closureBySubject = new PairIndex(rows, "subject", this.#inSubjects);
    this.#closureByObject = new PairIndex(rows, "object", this.#inObjects);
  }

  add(row: number, closure: boolean): void {
    this.#addPairs(row, closure);
    this.#byPredicate.add(row, this.#rows.predicate(row));
    const g = this.#rows.graph(row);
    if (g !== 0) this.#byGraph.add(row, g);
  }

  remove(row: number, closure: boolean): void {
    this.#removePairs(row, closure);
    this.#byPredicate.remove(row, this.#rows.predicate(row));
    const g = this.#rows.graph(row);
    if (g !== 0) this.#byGraph.remove(row, g);
  }

  /** To the rows of the closure, or from there. */
  move(row: number, closure: boolean): void {
    this.#removePairs(row, !closure);
    this.#addPairs(row, closure);
  }

  /** The latest row with these terms, in whatever state, or -1. */
  find(s: number, p: number, o: number, g: number): number {
    const base = this.#later(this.#bySubject, s, p, o, g, -1);
    return this.#closureRows === 0 ? base : this.#later(this.#closureBySubject, s, p, o, g, base);
  }

  /** The row is what `find` answers for its terms, since a later one was taken away. */
  name(row: number, closure: boolean): void {
    const index = closure ? this.#closureBySubject : this.#bySubject;
    if (index.vectors.count(index.find(this.#rows.subject(row), this.#rows.predicate(row))) > this.#scanned) this.#keys.enter(row);
  }

  #later(index: PairIndex, s: number, p: number, o: number, g: number, known: number): number {
    const vector = index.find(s, p);
    if (vector < 0) return known;
    const { vectors } = index;
    const rows = this.#rows;
    const count = vectors.count(vector);
    let latest = known;
    if (count > this.#scanned) {
      const row = this.#keys.find(s, p, o, g);
      return row >= 0 && (latest < 0 || rows.born(row) > rows.born(latest)) ? row : latest;
    }
    for (let i = 0; i < count; i++) {
      const row = vectors.at(vector, i);
      if (rows.object(row) === o && rows.graph(row) === g && (latest < 0 || rows.born(row) > rows.born(latest))) latest = row;
    }
    return latest;
  }

  #addPairs(row: number, closure: boolean): void {
    const rows = this.#rows;
    const p = rows.predicate(row);
    const subjects = closure ? this.#closureBySubject : this.#bySubject;
    const vector = subjects.add(row, rows.subject(row), p);
    (closure ? this.#closureByObject : this.#byObject).add(row, rows.object(row), p);
    if (closure) this.#closureRows++;
    const count = subjects.vectors.count(vector);
    if (count <= this.#scanned) return;
    if (count > this.#scanned + 1) this.#keys.enter(row);
    else for (let i = 0; i < count; i++) this.#keys.enter(subjects.vectors.at(vector, i));
  }

  #removePairs(row: number, closure: boolean): void {
    const rows = this.#rows;
    const p = rows.predicate(row);
    const subjects = closure ? this.#closureBySubject : this.#bySubject;
    const vector = subjects.remove(row, rows.subject(row), p);
    (closure ? this.#closureByObject : this.#byObject).remove(row, rows.object(row), p);
    if (closure) this.#closureRows--;
    const count = vector < 0 ? 0 : subjects.vectors.count(vector);
    if (count < this.#scanned) return;
    this.#keys.leave(row);
    if (count === this.#scanned) for (let i = 0; i < count; i++) this.#keys.leave(subjects.vectors.at(vector, i));
  }

  /** Named graphs of rows in whatever state. */
  graphs(): Iterable<number> {
    return this.#byGraph.values();
  }

  /** Rows that agree with the bound positions (0 = any; g undefined = any graph); the narrowest postings are read. */
  scan(s: number, p: number, o: number, g: number | undefined, emit: (row: number) => boolean, baseOnly: boolean): void {
    if (s !== 0 || o !== 0) {
      const goesOn = this.#scanNarrower(this.#bySubject, this.#byObject, s, p, o, g, emit);
      if (goesOn && this.#closureRows > 0 && !baseOnly) this.#scanNarrower(this.#closureBySubject, this.#closureByObject, s, p, o, g, emit);
    } else if (p !== 0) this.#scanVector(this.#byPredicate.vectors, this.#byPredicate.find(p), s, p, o, g, emit);
    else if (g !== undefined && g !== 0) this.#scanVector(this.#byGraph.vectors, this.#byGraph.find(g), s, p, o, g, emit);
    else {
      const rows = this.#rows;
      for (let row = 0; row < rows.end; row++) if (rows.born(row) !== ALIVE && rows.agrees(row, s, p, o, g) && !emit(row)) return;
    }
  }

  /** How many rows the narrowest postings hold for these bound positions. */
  estimate(s: number, p: number, o: number, g: number, baseOnly: boolean): number {
    if (s === 0 && o === 0) {
      if (p !== 0) return this.#byPredicate.count(p);
      return g > 0 ? this.#byGraph.count(g) : this.#rows.end + 1;
    }
    const base = estimateNarrower(this.#bySubject, this.#byObject, s, p, o);
    return this.#closureRows === 0 || baseOnly ? base : base + estimateNarrower(this.#closureBySubject, this.#closureByObject, s, p, o);
  }

  get memoryBytes(): number {
    return (
      this.#inSubjects.of.byteLength +
      this.#inObjects.of.byteLength +
      this.#bySubject.memoryBytes +
      this.#byObject.memoryBytes +
      this.#closureBySubject.memoryBytes +
      this.#closureByObject.memoryBytes +
      this.#byPredicate.memoryBytes +
      this.#byGraph.memoryBytes +
      this.#keys.memoryBytes
    );
  }

  /** Scans the narrower of the subject's and the object's postings; one of s and o is bound. Answers whether to go on. */
  #scanNarrower(
    subjects: PairIndex,
    objects: PairIndex,
    s: number,
    p: number,
    o: number,
    g: number | undefined,
    emit: (row: number) => boolean,
  ): boolean {
    if (p === 0) {
      const index = s !== 0 ? subjects : objects;
      for (let v = index.firstOf(s !== 0 ? s : o); v >= 0; v = index.next(v))
        if (!this.#scanVector(index.vectors, v, s, p, o, g, emit)) return false;
      return true;
    }
    if (s === 0) return this.#scanVector(objects.vectors, objects.find(o, p), s, p, o, g, emit);
    const subject = subjects.find(s, p);
    if (subject < 0 || o === 0) return this.#scanVector(subjects.vectors, subject, s, p, o, g, emit);
    const object = objects.find(o, p);
    if (object < 0) return true;
    return objects.vectors.count(object) < subjects.vectors.count(subject)
      ? this.#scanVector(objects.vectors, object, s, p, o, g, emit)
      : this.#scanVector(subjects.vectors, subject, s, p, o, g, emit);
  }

  #scanVector(
    vectors: RowVectors,
    vector: number,
    s: number,
    p: number,
    o: number,
    g: number | undefined,
    emit: (row: number) => boolean,
  ): boolean {
    if (vector < 0) return true;
    const rows = this.#rows;
    const count = vectors.count(vector);
    for (let i = 0; i < count; i++) {
      const row = vectors.at(vector, i);
      if (rows.agrees(row, s, p, o, g) && !emit(row)) return false;
    }
    return true;
  }
}

function estimateNarrower(subjects: PairIndex, objects: PairIndex, s: number, p: number, o: number): number {
  if (p === 0) return s !== 0 ? subjects.estimate(s) : objects.estimate(o);
  let count = -1;
  if (s !== 0) {
    const subject = subjects.find(s, p);
    if (subject < 0) return 0;
    count = subjects.vectors.count(subject);
    if (count === 1 || o === 0) return count;
  }
  const object = objects.find(o, p);
  if (object < 0) return 0;
  const rows = objects.vectors.count(object);
  return count < 0 || rows < count ? rows : count;
}
