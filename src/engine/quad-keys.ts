/**
 * From the terms of a quad to the latest row that has them, for the rows that are entered: those of large postings, where
 * looking at each would take long (quad-postings.ts).
 *
 * Memory per row entered: 8 B / load (hash-table.ts). A row and its earlier incarnation, dead and perhaps still read, have the
 * same terms: only the one that was born later is found.
 */
import { finish, HashTable, mix } from "./hash-table.ts";
import type { QuadRows } from "./quad-rows.ts";

export class QuadKeys {
  readonly #rows: QuadRows;
  readonly #table = new HashTable(10);

  constructor(rows: QuadRows) {
    this.#rows = rows;
  }

  /** The row, or -1. */
  find(s: number, p: number, o: number, g: number): number {
    const hash = hashKey(s, p, o, g);
    const segment = this.#table.segment(areaOf(s), hash);
    const mask = (segment.length >> 1) - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const stored = segment[2 * i + 1];
      if (stored === 0) return -1;
      if (segment[2 * i] === hash && this.#rows.isQuad(stored - 1, s, p, o, g)) return stored - 1;
    }
  }

  /** From now on the row is found, unless a later one is. */
  enter(row: number): void {
    const rows = this.#rows;
    const [s, p, o, g] = [rows.subject(row), rows.predicate(row), rows.object(row), rows.graph(row)];
    const found = this.find(s, p, o, g);
    if (found < 0) this.#table.insert(areaOf(s), hashKey(s, p, o, g), row);
    else if (rows.born(found) < rows.born(row)) this.#table.replace(areaOf(s), hashKey(s, p, o, g), found, row);
  }

  /** The row is found no more, if it was. */
  leave(row: number): void {
    const rows = this.#rows;
    const s = rows.subject(row);
    this.#table.remove(areaOf(s), hashKey(s, rows.predicate(row), rows.object(row), rows.graph(row)), row);
  }

  get memoryBytes(): number {
    return this.#table.memoryBytes;
  }
}

/** The quads of one subject lie close together. */
function areaOf(s: number): number {
  return finish(mix(0, s));
}

function hashKey(s: number, p: number, o: number, g: number): number {
  return finish(mix(mix(mix(mix(0, s), p), o), g));
}
