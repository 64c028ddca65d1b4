/**
 * The relation quad(s, p, o, g): every asserted and derived statement, readable at past revisions.
 *
 * A row with g = 0 belongs to the default graph *as queries see it*. Why a row is there is a set of bits: asserted by a
 * client, supplied by an ontology document, present in a named graph (union mode only), derived by a rule, derived by a
 * transitivity rule. A row is visible in tick t when born <= t < died; while it is visible, died = ALIVE.
 *
 * State per row: s p o g born died rank (4 B each), flags (1 B), positions in the (s,p), (o,p), p (and g) vectors
 * (4 B each), key entry 8 B / load. The (s,p) and (o,p) postings are contiguous vectors (row-vectors.ts) found through
 * hash tables; postings of one s, or of one o, are linked.
 * `rank` bounds the depth of a derivation: every derived row has a derivation whose premises all have smaller ranks, so
 * support is never circular (fixpoint.ts).
 * Invariants: at most one row per (s,p,o,g) is alive; dead rows keep their place in the postings until they are
 * reclaimed, and are reclaimed only when no pinned reader and no unsealed transaction can see them.
 */
import { finish, grown, HashTable, mix } from "./hash-table.ts";
import { type PairColumns, PairIndex } from "./pair-index.ts";
import type { RowVectors } from "./row-vectors.ts";
import { ValueIndex } from "./value-index.ts";

export const ALIVE = 0x7fffffff;

/** Why a row is there. */
export const ASSERTED = 1;
export const DERIVED = 2;
export const DERIVED_TRANSITIVELY = 4;
export const SUPPLIED = 8;
export const IN_NAMED_GRAPH = 16;
/** Set for the rest of the transaction in which a row lost its last stated reason: its old state was "base". */
export const WAS_STATED = 32;
const TOUCHED = 64;
/** The row's postings are among those of the closure. */
const IN_CLOSURE = 128;

/** More than there can be rows, so than there can be graphs that hold one triple; 2^21 documents fit above it. */
const SUPPLIED_UNIT = 2 ** 32;

export const STATED = ASSERTED | SUPPLIED | IN_NAMED_GRAPH;
export const DERIVED_ANY = DERIVED | DERIVED_TRANSITIVELY;
export const VISIBLE = STATED | DERIVED_ANY;
/** What a transitivity rule may start from. */
export const BASE = STATED | DERIVED;

/** Flat records of 5: row, born, died, flags, rank as they were before the transaction. */
export interface QuadJournal {
  readonly tick: number;
  readonly entries: number[];
  /** Counted support before: key `row`, supplied and named-graph counts. */
  readonly counts: Map<number, number>;
}

/** Reads quads in one state; 0 = any; `emit` answers false to stop. */
export interface QuadReader {
  match(s: number, p: number, o: number, g: number | undefined, emit: (s: number, p: number, o: number, g: number) => boolean): void;
}

export class QuadRelation {
  readonly id = 0;
  readonly name = "quad";
  readonly arity = 4;
  readonly nullable = false;
  s: Int32Array = new Int32Array(16);
  p: Int32Array = new Int32Array(16);
  o: Int32Array = new Int32Array(16);
  g: Int32Array = new Int32Array(16);
  born: Int32Array = new Int32Array(16);
  died: Int32Array = new Int32Array(16);
  rank: Int32Array = new Int32Array(16);
  flags: Uint8Array = new Uint8Array(16);
  /** Rows 0..end-1 are in use or free (a free row has born = ALIVE). */
  end = 0;
  /** Visible rows. */
  size = 0;
  assertedSize = 0;
  readonly unionDefaultGraph: boolean;

  readonly #bySubject: PairIndex;
  readonly #byObject: PairIndex;
  /** Postings of rows that are there by transitivity alone, apart, so that reading base rows never meets them. */
  readonly #closureBySubject: PairIndex;
  readonly #closureByObject: PairIndex;
  #closureRows = 0;
  readonly #subjectColumns: PairColumns;
  readonly #objectColumns: PairColumns;
  readonly #byPredicate = new ValueIndex();
  readonly #byGraph = new ValueIndex();
  readonly #key = new HashTable(10);
  readonly #free: number[] = [];
  /** How many ontology documents supply a row, and how many named graphs hold it: the sum of a count times its unit. */
  readonly #supportCounts = new Map<number, number>();
  #journal: QuadJournal = { tick: 0, entries: [], counts: new Map() };

  constructor(unionDefaultGraph = false) {
    this.unionDefaultGraph = unionDefaultGraph;
    const subjects = { first: this.s, predicate: this.p, position: { of: new Int32Array(16) } };
    const objects = { first: this.o, predicate: this.p, position: { of: new Int32Array(16) } };
    this.#subjectColumns = subjects;
    this.#objectColumns = objects;
    this.#bySubject = new PairIndex(subjects);
    this.#byObject = new PairIndex(objects);
    this.#closureBySubject = new PairIndex(subjects);
    this.#closureByObject = new PairIndex(objects);
  }

  // ---- look-ups used by joins -------------------------------------------------------------------------------------

  /** The latest row with this key, visible or not, or -1. */
  find(s: number, p: number, o: number, g: number): number {
    const hash = hashKey(s, p, o, g);
    const segment = this.#key.segment(hash);
    const mask = (segment.length >> 1) - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return -1;
      if (segment[2 * i] === hash) {
        const row = stored - 1;
        if (this.s[row] === s && this.o[row] === o && this.p[row] === p && this.g[row] === g) return row;
      }
    }
  }

  isVisible(s: number, p: number, o: number, g: number): boolean {
    const row = this.find(s, p, o, g);
    return row >= 0 && this.died[row] === ALIVE;
  }

  isAsserted(s: number, p: number, o: number, g: number): boolean {
    const row = this.find(s, p, o, g);
    return row >= 0 && this.died[row] === ALIVE && (this.flags[row] & ASSERTED) !== 0;
  }

  /** Named graphs that have a quad visible at tick `at`, or now. */
  *graphs(at: number = ALIVE - 1): Iterable<number> {
    for (const g of this.#byGraph.values()) {
      if (!scan(this.#byGraph.vectors, this.#byGraph.find(g), (row) => this.born[row] > at || this.died[row] <= at)) yield g;
    }
  }

  /** Reads at tick `at`, or now. */
  reader(at?: number): QuadReader {
    return { match: (s, p, o, g, emit) => this.match(s, p, o, g, at ?? ALIVE - 1, emit) };
  }

  /** Rows visible at tick `at` that agree with the bound positions (0 = any; g undefined = any graph). */
  match(
    s: number,
    p: number,
    o: number,
    g: number | undefined,
    at: number,
    emit: (s: number, p: number, o: number, g: number, row: number) => boolean | void,
  ): void {
    this.rowsMatching(s, p, o, g, (row) => {
      if (this.born[row] > at || this.died[row] <= at) return true;
      return emit(this.s[row], this.p[row], this.o[row], this.g[row], row) !== false;
    });
  }

  /** Rows in any state that agree with the bound positions; the narrowest postings are read. */
  rowsMatching(s: number, p: number, o: number, g: number | undefined, emit: (row: number) => boolean, baseOnly = false): void {
    const check = (row: number): boolean =>
      (s !== 0 && this.s[row] !== s) ||
      (p !== 0 && this.p[row] !== p) ||
      (o !== 0 && this.o[row] !== o) ||
      (g !== undefined && this.g[row] !== g) ||
      emit(row);
    if (s !== 0 || o !== 0) {
      const withClosure = this.#closureRows > 0 && !baseOnly;
      if (scanNarrower(this.#bySubject, this.#byObject, s, p, o, check) && withClosure)
        scanNarrower(this.#closureBySubject, this.#closureByObject, s, p, o, check);
    } else if (p !== 0) {
      scan(this.#byPredicate.vectors, this.#byPredicate.find(p), check);
    } else if (g !== undefined && g !== 0) {
      scan(this.#byGraph.vectors, this.#byGraph.find(g), check);
    } else {
      for (let row = 0; row < this.end; row++) if (this.born[row] !== ALIVE && !check(row)) return;
    }
  }

  /** How many rows (dead ones included) the narrowest postings hold for these bound positions. */
  estimate(s: number, p: number, o: number, g: number, baseOnly = false): number {
    if (s === 0 && o === 0) {
      if (p !== 0) return this.#byPredicate.count(p);
      return g > 0 ? this.#byGraph.count(g) : this.end + 1;
    }
    const base = estimateNarrower(this.#bySubject, this.#byObject, s, p, o);
    return this.#closureRows === 0 || baseOnly ? base : base + estimateNarrower(this.#closureBySubject, this.#closureByObject, s, p, o);
  }

  // ---- changes, all journalled ------------------------------------------------------------------------------------

  /** A row for this key that may be changed in `tick`: the alive or just-dead one, or a fresh invisible one. */
  rowFor(s: number, p: number, o: number, g: number, tick: number, closure = false): number {
    const found = this.find(s, p, o, g);
    if (found >= 0 && this.died[found] >= tick) return found;
    const row = this.#newRow(s, p, o, g, tick, closure);
    // An older incarnation that readers may still see gives the key up to the new one.
    if (found >= 0) this.#key.replace(hashKey(s, p, o, g), found, row);
    else this.#key.insert(hashKey(s, p, o, g), row);
    return row;
  }

  isAlive(row: number): boolean {
    return this.died[row] === ALIVE;
  }

  /** Visible before transaction `tick`. */
  wasVisible(row: number, tick: number): boolean {
    return this.born[row] < tick && this.died[row] >= tick;
  }

  /** Adds reasons to a row, making it visible; `rank` counts only when it was not. Answers whether it became visible. */
  addReason(row: number, reason: number, rank: number, tick: number): boolean {
    this.touch(row, tick);
    const alive = this.died[row] === ALIVE;
    const flags = this.flags[row];
    if (reason & ASSERTED && !(flags & ASSERTED && alive)) this.assertedSize++;
    if (alive) {
      this.flags[row] = flags | reason;
      this.#place(row);
      return false;
    }
    // Reasons of a dead row are those it died with: they do not count any more.
    this.flags[row] = (flags & (TOUCHED | WAS_STATED | IN_CLOSURE)) | reason;
    this.died[row] = ALIVE;
    this.#place(row);
    this.rank[row] = rank;
    this.size++;
    return true;
  }

  /** Takes stated reasons away (not visibility: see `kill`). */
  removeReason(row: number, reason: number, tick: number): void {
    this.touch(row, tick);
    const flags = this.flags[row];
    if (reason & flags & ASSERTED) this.assertedSize--;
    const next = flags & ~reason;
    this.flags[row] = flags & STATED && !(next & STATED) ? next | WAS_STATED : next;
  }

  /** Makes an alive row invisible from `tick` on. Its flags stay readable for the rest of the transaction. */
  kill(row: number, tick: number): void {
    this.touch(row, tick);
    if (this.flags[row] & ASSERTED) this.assertedSize--;
    this.died[row] = tick;
    this.size--;
  }

  /** Counted reasons: how many documents supply the row, or how many named graphs hold its triple. */
  changeSupport(row: number, reason: typeof SUPPLIED | typeof IN_NAMED_GRAPH, delta: 1 | -1, tick: number): { readonly now: number } {
    this.touch(row, tick);
    const stored = this.#supportCounts.get(row) ?? 0;
    if (!this.#journal.counts.has(row)) this.#journal.counts.set(row, stored);
    const next = stored + delta * (reason === SUPPLIED ? SUPPLIED_UNIT : 1);
    const now = reason === SUPPLIED ? Math.floor(next / SUPPLIED_UNIT) : next % SUPPLIED_UNIT;
    if (next === 0) this.#supportCounts.delete(row);
    else this.#supportCounts.set(row, next);
    return { now };
  }

  touch(row: number, tick: number): void {
    const flags = this.flags[row];
    if (flags & TOUCHED) return;
    if (this.#journal.tick !== tick) this.#journal = { tick, entries: [], counts: new Map() };
    this.#journal.entries.push(row, this.born[row], this.died[row], flags, this.rank[row]);
    this.flags[row] = flags | TOUCHED;
  }

  touchedCount(tick: number): number {
    return this.#journal.tick === tick ? this.#journal.entries.length / 5 : 0;
  }

  touchedAt(index: number): number {
    return this.#journal.entries[5 * index];
  }

  /** Flags the row had before the transaction; 0 when it was not visible. */
  flagsBefore(index: number): number {
    const entries = this.#journal.entries;
    const born = entries[5 * index + 1];
    const died = entries[5 * index + 2];
    return born < this.#journal.tick && died === ALIVE ? entries[5 * index + 3] : 0;
  }

  /** Ends the transaction: clears marks and hands over the journal. */
  finish(tick: number): QuadJournal | undefined {
    if (this.#journal.tick !== tick) return undefined;
    const { entries } = this.#journal;
    for (let i = 0; i < entries.length; i += 5) {
      const row = entries[i];
      this.flags[row] = this.flags[row] & ~(TOUCHED | WAS_STATED);
    }
    const journal = this.#journal;
    this.#journal = { tick: 0, entries: [], counts: new Map() };
    return journal;
  }

  /** Restores the state before the journal's transaction; newest first; after `finish`. */
  undo(journal: QuadJournal): void {
    const { entries } = journal;
    for (let i = entries.length - 5; i >= 0; i -= 5) {
      const row = entries[i];
      const alive = this.died[row] === ALIVE;
      const born = entries[i + 1];
      const died = entries[i + 2];
      if (alive) {
        this.size--;
        if (this.flags[row] & ASSERTED) this.assertedSize--;
      }
      this.born[row] = born;
      this.died[row] = died;
      // The mark says where the row's postings are, which undoing the flags does not change.
      this.flags[row] = (entries[i + 3] & ~IN_CLOSURE) | (this.flags[row] & IN_CLOSURE);
      this.rank[row] = entries[i + 4];
      if (died === ALIVE) {
        this.#name(row);
        this.#place(row);
        this.size++;
        if (this.flags[row] & ASSERTED) this.assertedSize++;
      } else if (born === journal.tick) this.#removeRow(row);
    }
    for (const [row, stored] of journal.counts) {
      if (stored === 0) this.#supportCounts.delete(row);
      else this.#supportCounts.set(row, stored);
    }
  }

  /** Makes the key name this row again: a later incarnation, now undone, may have taken its place. */
  #name(row: number): void {
    const [s, p, o, g] = [this.s[row], this.p[row], this.o[row], this.g[row]];
    const named = this.find(s, p, o, g);
    if (named === row) return;
    if (named < 0) this.#key.insert(hashKey(s, p, o, g), row);
    else this.#key.replace(hashKey(s, p, o, g), named, row);
  }

  /**
   * Frees at most `max` of the rows that died in the journal's transaction, from its quad number `from` on; answers up to
   * which. No reader may be pinned before its tick.
   */
  reclaim(journal: QuadJournal, from = 0, max = Number.POSITIVE_INFINITY): number {
    const { entries, tick } = journal;
    const end = Math.min(quadCount(journal), from + max);
    for (let i = from; i < end; i++) {
      const row = entries[5 * i];
      if (this.died[row] === tick && this.born[row] !== ALIVE) this.#removeRow(row);
    }
    return end;
  }

  /** Of `memoryBytes` the share of rows in use. */
  get usedBytes(): number {
    return (this.memoryBytes / this.s.length) * (this.end - this.#free.length);
  }

  get memoryBytes(): number {
    const postings =
      this.#bySubject.memoryBytes +
      this.#byObject.memoryBytes +
      this.#closureBySubject.memoryBytes +
      this.#closureByObject.memoryBytes +
      this.#byPredicate.memoryBytes +
      this.#byGraph.memoryBytes;
    return this.s.byteLength * 7 + this.flags.byteLength + postings + this.#key.memoryBytes;
  }

  // ---- outside transactions ---------------------------------------------------------------------------------------

  /** Asserts a quad at once, without journal and reasoning: for stores that stand alone. Answers whether it is new. */
  load(s: number, p: number, o: number, g: number): boolean {
    if (this.find(s, p, o, g) >= 0) return false;
    const row = this.#newRow(s, p, o, g, 0, false);
    this.#key.insert(hashKey(s, p, o, g), row);
    this.died[row] = ALIVE;
    this.flags[row] = ASSERTED;
    this.size++;
    this.assertedSize++;
    return true;
  }

  /** Takes back what `load` did, at once. */
  unload(s: number, p: number, o: number, g: number): boolean {
    const row = this.find(s, p, o, g);
    if (row < 0) return false;
    this.#removeRow(row);
    this.size--;
    this.assertedSize--;
    return true;
  }

  // ---- rows and postings ------------------------------------------------------------------------------------------

  #newRow(s: number, p: number, o: number, g: number, tick: number, closure: boolean): number {
    const row = this.#free.pop() ?? this.end++;
    if (row >= this.s.length) this.#growRows(row + 1);
    this.s[row] = s;
    this.p[row] = p;
    this.o[row] = o;
    this.g[row] = g;
    this.born[row] = tick;
    this.died[row] = tick;
    this.rank[row] = 0;
    this.flags[row] = 0;
    this.#post(row, closure);
    this.#byPredicate.add(row, p);
    if (g !== 0) this.#byGraph.add(row, g);
    return row;
  }

  #post(row: number, closure: boolean): void {
    (closure ? this.#closureBySubject : this.#bySubject).add(row, this.s[row], this.p[row]);
    (closure ? this.#closureByObject : this.#byObject).add(row, this.o[row], this.p[row]);
    if (!closure) return;
    this.flags[row] |= IN_CLOSURE;
    this.#closureRows++;
  }

  #unpost(row: number): void {
    const closure = (this.flags[row] & IN_CLOSURE) !== 0;
    (closure ? this.#closureBySubject : this.#bySubject).remove(row, this.s[row], this.p[row]);
    (closure ? this.#closureByObject : this.#byObject).remove(row, this.o[row], this.p[row]);
    if (!closure) return;
    this.flags[row] &= ~IN_CLOSURE;
    this.#closureRows--;
  }

  /** Moves an alive row's postings to where its reasons say they belong. */
  #place(row: number): void {
    const closure = (this.flags[row] & BASE) === 0;
    if (closure === ((this.flags[row] & IN_CLOSURE) !== 0)) return;
    this.#unpost(row);
    this.#post(row, closure);
  }

  #removeRow(row: number): void {
    const [s, p, o, g] = [this.s[row], this.p[row], this.o[row], this.g[row]];
    this.#key.remove(hashKey(s, p, o, g), row);
    this.#unpost(row);
    this.#byPredicate.remove(row, p);
    if (g !== 0) this.#byGraph.remove(row, g);
    this.born[row] = ALIVE;
    this.died[row] = 0;
    this.flags[row] = 0;
    this.#free.push(row);
  }

  #growRows(length: number): void {
    this.s = grown(this.s, length);
    this.p = grown(this.p, length);
    this.o = grown(this.o, length);
    this.g = grown(this.g, length);
    this.born = grown(this.born, length);
    this.died = grown(this.died, length);
    this.rank = grown(this.rank, length);
    this.#subjectColumns.first = this.s;
    this.#objectColumns.first = this.o;
    this.#subjectColumns.predicate = this.#objectColumns.predicate = this.p;
    const flags = new Uint8Array(this.s.length);
    flags.set(this.flags);
    this.flags = flags;
  }
}

/** Scans the narrower of the subject's and the object's postings; one of s and o is bound. */
function scanNarrower(subjects: PairIndex, objects: PairIndex, s: number, p: number, o: number, emit: (row: number) => boolean): boolean {
  if (p === 0) {
    const index = s !== 0 ? subjects : objects;
    for (let v = index.firstOf(s !== 0 ? s : o); v >= 0; v = index.next(v)) if (!scan(index.vectors, v, emit)) return false;
    return true;
  }
  if (s === 0) return scan(objects.vectors, objects.find(o, p), emit);
  const subject = subjects.find(s, p);
  if (subject < 0 || o === 0) return scan(subjects.vectors, subject, emit);
  const object = objects.find(o, p);
  if (object < 0) return true;
  return objects.count(object) < subjects.count(subject) ? scan(objects.vectors, object, emit) : scan(subjects.vectors, subject, emit);
}

function estimateNarrower(subjects: PairIndex, objects: PairIndex, s: number, p: number, o: number): number {
  if (p === 0) return s !== 0 ? subjects.estimate(s) : objects.estimate(o);
  let count = -1;
  if (s !== 0) {
    const subject = subjects.find(s, p);
    if (subject < 0) return 0;
    count = subjects.count(subject);
    if (count === 1 || o === 0) return count;
  }
  const object = objects.find(o, p);
  if (object < 0) return 0;
  const rows = objects.count(object);
  return count < 0 || rows < count ? rows : count;
}

function scan(vectors: RowVectors, vector: number, emit: (row: number) => boolean): boolean {
  if (vector < 0) return true;
  const count = vectors.count[vector];
  for (let i = 0; i < count; i++) if (!emit(vectors.at(vector, i))) return false;
  return true;
}

/** How many quads a transaction touched. */
export function quadCount({ entries }: QuadJournal): number {
  return entries.length / 5;
}

function hashKey(s: number, p: number, o: number, g: number): number {
  return finish(mix(mix(mix(mix(0, s), p), o), g));
}
