/**
 * The relation quad(s, p, o, g): every asserted and derived statement, readable at past revisions.
 *
 * A row with g = 0 belongs to the default graph *as queries see it*. Why a row is there is a set of bits: asserted by a
 * client, supplied by an ontology document, present in a named graph (union mode only), derived by a rule, derived by a
 * transitivity rule. A row is visible in tick t when born <= t < died; while it is visible, died = ALIVE.
 *
 * State: the rows (quad-rows.ts), the postings (quad-postings.ts), how many documents and named graphs a row is from.
 * `rank` bounds the depth of a derivation: every derived row has a derivation whose premises all have smaller ranks, so
 * support is never circular (fixpoint.ts).
 * Invariants: at most one row per (s,p,o,g) is alive; dead rows keep their place in the postings until they are
 * reclaimed, and are reclaimed only when no pinned reader and no unsealed transaction can see them.
 */

import { IntegerList } from "./integer-list.ts";
import { QuadPostings } from "./quad-postings.ts";
import { ALIVE, QuadRows } from "./quad-rows.ts";
import { SupportCounts } from "./support-counts.ts";

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
  readonly entries: Int32Array;
  /** Records of 2, oldest first: a row whose counted support changes, and the count before. */
  readonly counts: number[];
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
  readonly rows = new QuadRows();
  /** Visible rows. */
  size = 0;
  assertedSize = 0;
  readonly unionDefaultGraph: boolean;

  readonly #postings = new QuadPostings(this.rows);
  /** How many ontology documents supply a row, and how many named graphs hold it: the sum of a count times its unit. */
  readonly #supportCounts = new SupportCounts();
  /** The journal of the running transaction, whose tick it is. */
  #journalTick = 0;
  readonly #entries = new IntegerList();
  #counts: number[] = [];

  constructor(unionDefaultGraph = false) {
    this.unionDefaultGraph = unionDefaultGraph;
  }

  // ---- look-ups used by joins -------------------------------------------------------------------------------------

  /** The latest row with this key, visible or not, or -1. */
  find(s: number, p: number, o: number, g: number): number {
    return this.#postings.find(s, p, o, g);
  }

  isVisible(s: number, p: number, o: number, g: number): boolean {
    const row = this.find(s, p, o, g);
    return row >= 0 && this.rows.died(row) === ALIVE;
  }

  isAsserted(s: number, p: number, o: number, g: number): boolean {
    const row = this.find(s, p, o, g);
    return row >= 0 && this.rows.died(row) === ALIVE && (this.rows.flags(row) & ASSERTED) !== 0;
  }

  /** Named graphs that have a quad visible at tick `at`, or now. */
  *graphs(at: number = ALIVE - 1): Iterable<number> {
    for (const g of this.#postings.graphs()) {
      let visible = false;
      this.rowsMatching(0, 0, 0, g, (row) => {
        visible = this.rows.born(row) <= at && this.rows.died(row) > at;
        return !visible;
      });
      if (visible) yield g;
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
      const { rows } = this;
      if (rows.born(row) > at || rows.died(row) <= at) return true;
      return emit(rows.subject(row), rows.predicate(row), rows.object(row), rows.graph(row), row) !== false;
    });
  }

  /** Rows in any state that agree with the bound positions; the narrowest postings are read. */
  rowsMatching(s: number, p: number, o: number, g: number | undefined, emit: (row: number) => boolean, baseOnly = false): void {
    this.#postings.scan(s, p, o, g, emit, baseOnly);
  }

  /** How many rows (dead ones included) the narrowest postings hold for these bound positions. */
  estimate(s: number, p: number, o: number, g: number, baseOnly = false): number {
    return this.#postings.estimate(s, p, o, g, baseOnly);
  }

  // ---- changes, all journalled ------------------------------------------------------------------------------------

  /** A row for this key that may be changed in `tick`: the alive or just-dead one, or a fresh invisible one. */
  rowFor(s: number, p: number, o: number, g: number, tick: number, closure = false): number {
    const found = this.find(s, p, o, g);
    if (found >= 0 && this.rows.died(found) >= tick) return found;
    // An older incarnation that readers may still see stays, and is found no more.
    return this.#newRow(s, p, o, g, tick, closure);
  }

  isAlive(row: number): boolean {
    return this.rows.died(row) === ALIVE;
  }

  /** Visible before transaction `tick`. */
  wasVisible(row: number, tick: number): boolean {
    return this.rows.born(row) < tick && this.rows.died(row) >= tick;
  }

  /** Adds reasons to a row, making it visible; `rank` counts only when it was not. Answers whether it became visible. */
  addReason(row: number, reason: number, rank: number, tick: number): boolean {
    this.touch(row, tick);
    const alive = this.rows.died(row) === ALIVE;
    const flags = this.rows.flags(row);
    if (reason & ASSERTED && !(flags & ASSERTED && alive)) this.assertedSize++;
    if (alive) {
      this.rows.setFlags(row, flags | reason);
      this.#place(row);
      return false;
    }
    // Reasons of a dead row are those it died with: they do not count any more.
    this.rows.setFlags(row, (flags & (TOUCHED | WAS_STATED | IN_CLOSURE)) | reason);
    this.rows.setDied(row, ALIVE);
    this.#place(row);
    this.rows.setRank(row, rank);
    this.size++;
    return true;
  }

  /** Takes stated reasons away (not visibility: see `kill`). */
  removeReason(row: number, reason: number, tick: number): void {
    this.touch(row, tick);
    const flags = this.rows.flags(row);
    if (reason & flags & ASSERTED) this.assertedSize--;
    const next = flags & ~reason;
    this.rows.setFlags(row, flags & STATED && !(next & STATED) ? next | WAS_STATED : next);
  }

  /** Makes an alive row invisible from `tick` on. Its flags stay readable for the rest of the transaction. */
  kill(row: number, tick: number): void {
    this.touch(row, tick);
    if (this.rows.flags(row) & ASSERTED) this.assertedSize--;
    this.rows.setDied(row, tick);
    this.size--;
  }

  /** Counted reasons: how many documents supply the row, or how many named graphs hold its triple. */
  changeSupport(row: number, reason: typeof SUPPLIED | typeof IN_NAMED_GRAPH, delta: 1 | -1, tick: number): { readonly now: number } {
    this.touch(row, tick);
    const stored = this.#supportCounts.get(row);
    this.#counts.push(row, stored);
    const next = stored + delta * (reason === SUPPLIED ? SUPPLIED_UNIT : 1);
    const now = reason === SUPPLIED ? Math.floor(next / SUPPLIED_UNIT) : next % SUPPLIED_UNIT;
    this.#supportCounts.set(row, next);
    return { now };
  }

  touch(row: number, tick: number): void {
    const flags = this.rows.flags(row);
    if (flags & TOUCHED) return;
    this.#journalTick = tick;
    this.#entries.push5(row, this.rows.born(row), this.rows.died(row), flags, this.rows.rank(row));
    this.rows.setFlags(row, flags | TOUCHED);
  }

  touchedCount(tick: number): number {
    return this.#journalTick === tick ? this.#entries.length / 5 : 0;
  }

  touchedAt(index: number): number {
    return this.#entries.at(5 * index);
  }

  /** Flags the row had before the transaction; 0 when it was not visible. */
  flagsBefore(index: number): number {
    const entries = this.#entries;
    const born = entries.at(5 * index + 1);
    const died = entries.at(5 * index + 2);
    return born < this.#journalTick && died === ALIVE ? entries.at(5 * index + 3) : 0;
  }

  /** Ends the transaction: clears marks and hands over the journal. */
  finish(tick: number): QuadJournal | undefined {
    if (this.#journalTick !== tick) return undefined;
    const entries = this.#entries.take();
    for (let i = 0; i < entries.length; i += 5) {
      const row = entries[i];
      this.rows.setFlags(row, this.rows.flags(row) & ~(TOUCHED | WAS_STATED));
    }
    const journal = { tick, entries, counts: this.#counts };
    this.#journalTick = 0;
    if (this.#counts.length > 0) this.#counts = [];
    return journal;
  }

  /** Restores the state before the journal's transaction; newest first; after `finish`. */
  undo(journal: QuadJournal): void {
    const { entries } = journal;
    for (let i = entries.length - 5; i >= 0; i -= 5) {
      const row = entries[i];
      const alive = this.rows.died(row) === ALIVE;
      const born = entries[i + 1];
      const died = entries[i + 2];
      if (alive) {
        this.size--;
        if (this.rows.flags(row) & ASSERTED) this.assertedSize--;
      }
      this.rows.setBorn(row, born);
      this.rows.setDied(row, died);
      // The mark says where the row's postings are, which undoing the flags does not change.
      this.rows.setFlags(row, (entries[i + 3] & ~IN_CLOSURE) | (this.rows.flags(row) & IN_CLOSURE));
      this.rows.setRank(row, entries[i + 4]);
      if (died === ALIVE) {
        this.#postings.name(row, (this.rows.flags(row) & IN_CLOSURE) !== 0);
        this.#place(row);
        this.size++;
        if (this.rows.flags(row) & ASSERTED) this.assertedSize++;
      } else if (born === journal.tick) this.#removeRow(row);
    }
    const { counts } = journal;
    for (let i = counts.length - 2; i >= 0; i -= 2) this.#supportCounts.set(counts[i], counts[i + 1]);
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
      if (this.rows.died(row) === tick && this.rows.born(row) !== ALIVE) this.#removeRow(row);
    }
    return end;
  }

  /** Of `memoryBytes` the share of rows in use. */
  get usedBytes(): number {
    return (this.memoryBytes / this.rows.capacity) * this.rows.held;
  }

  get memoryBytes(): number {
    return this.rows.memoryBytes + this.#postings.memoryBytes;
  }

  // ---- outside transactions ---------------------------------------------------------------------------------------

  /** Asserts a quad at once, without journal and reasoning: for stores that stand alone. Answers whether it is new. */
  load(s: number, p: number, o: number, g: number): boolean {
    if (this.find(s, p, o, g) >= 0) return false;
    const row = this.#newRow(s, p, o, g, 0, false);
    this.rows.setDied(row, ALIVE);
    this.rows.setFlags(row, ASSERTED);
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
    const row = this.rows.create(s, p, o, g, tick);
    if (closure) this.rows.setFlags(row, IN_CLOSURE);
    this.#postings.add(row, closure);
    return row;
  }

  /** Moves an alive row's postings to where its reasons say they belong. */
  #place(row: number): void {
    const flags = this.rows.flags(row);
    const closure = (flags & BASE) === 0;
    if (closure === ((flags & IN_CLOSURE) !== 0)) return;
    this.#postings.move(row, closure);
    this.rows.setFlags(row, flags ^ IN_CLOSURE);
  }

  #removeRow(row: number): void {
    const { rows } = this;
    this.#postings.remove(row, (rows.flags(row) & IN_CLOSURE) !== 0);
    rows.setBorn(row, ALIVE);
    rows.setDied(row, 0);
    rows.setFlags(row, 0);
    rows.release(row);
  }
}

/** How many quads a transaction touched. */
export function quadCount({ entries }: QuadJournal): number {
  return entries.length / 5;
}
