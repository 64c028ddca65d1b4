/**
 * Rows of quads: columns of four terms, of the ticks in which the row was born and died, its rank and its flags.
 *
 * Memory 29 B per row. One column each: what a join reads of many rows lies close together, and an insert writes in order. One
 * record of eight numbers a row was measured and was 2 % slower to load.
 */
import { grownColumn } from "./columns.ts";

/** In place of the tick in which a row died; and, of a free row, of the one in which it was born. */
export const ALIVE = 0x7fffffff;

export class QuadRows {
  #s: Int32Array = new Int32Array(16);
  #p: Int32Array = new Int32Array(16);
  #o: Int32Array = new Int32Array(16);
  #g: Int32Array = new Int32Array(16);
  #born: Int32Array = new Int32Array(16);
  #died: Int32Array = new Int32Array(16);
  #rank: Int32Array = new Int32Array(16);
  /** A byte each. */
  #flagsColumn: Int32Array = new Int32Array(4);
  #flags = new Uint8Array(this.#flagsColumn.buffer);
  readonly #free: number[] = [];
  /** Rows 0..end-1 are in use or free. */
  end = 0;

  /** A row with these terms, born and dead in `tick`, of rank 0, without flags. */
  create(s: number, p: number, o: number, g: number, tick: number): number {
    const row = this.#free.pop() ?? this.end++;
    if (row >= this.#s.length) this.#grow(row + 1);
    this.#s[row] = s;
    this.#p[row] = p;
    this.#o[row] = o;
    this.#g[row] = g;
    this.#born[row] = tick;
    this.#died[row] = tick;
    this.#rank[row] = 0;
    this.#flags[row] = 0;
    return row;
  }

  /** Its number may be given to another row now. */
  release(row: number): void {
    this.#free.push(row);
  }

  /** Rows in use. */
  get held(): number {
    return this.end - this.#free.length;
  }

  /** Rows that there is memory for. */
  get capacity(): number {
    return this.#s.length;
  }

  get memoryBytes(): number {
    return 7 * this.#s.byteLength + this.#flags.byteLength;
  }

  subject(row: number): number {
    return this.#s[row];
  }

  predicate(row: number): number {
    return this.#p[row];
  }

  object(row: number): number {
    return this.#o[row];
  }

  graph(row: number): number {
    return this.#g[row];
  }

  born(row: number): number {
    return this.#born[row];
  }

  died(row: number): number {
    return this.#died[row];
  }

  rank(row: number): number {
    return this.#rank[row];
  }

  flags(row: number): number {
    return this.#flags[row];
  }

  setBorn(row: number, tick: number): void {
    this.#born[row] = tick;
  }

  setDied(row: number, tick: number): void {
    this.#died[row] = tick;
  }

  setRank(row: number, rank: number): void {
    this.#rank[row] = rank;
  }

  setFlags(row: number, flags: number): void {
    this.#flags[row] = flags;
  }

  isQuad(row: number, s: number, p: number, o: number, g: number): boolean {
    return this.#s[row] === s && this.#o[row] === o && this.#p[row] === p && this.#g[row] === g;
  }

  /** Whether the row agrees with the terms that are given: 0 = any; g undefined = any graph. */
  agrees(row: number, s: number, p: number, o: number, g: number | undefined): boolean {
    return (
      (s === 0 || this.#s[row] === s) &&
      (p === 0 || this.#p[row] === p) &&
      (o === 0 || this.#o[row] === o) &&
      (g === undefined || this.#g[row] === g)
    );
  }

  #grow(length: number): void {
    this.#s = grownColumn(this.#s, length);
    this.#p = grownColumn(this.#p, length);
    this.#o = grownColumn(this.#o, length);
    this.#g = grownColumn(this.#g, length);
    this.#born = grownColumn(this.#born, length);
    this.#died = grownColumn(this.#died, length);
    this.#rank = grownColumn(this.#rank, length);
    const flagsLength = (this.#s.length + 3) >> 2;
    if (flagsLength <= this.#flagsColumn.length) return;
    this.#flagsColumn = grownColumn(this.#flagsColumn, flagsLength);
    this.#flags = new Uint8Array(this.#flagsColumn.buffer);
  }
}
