/** Quads of a document before it is accepted: rows of four ids (subject, predicate, object, graph; graph 0 = default). */
import type { TermId } from "./term-table.ts";

const ROWS_MIN = 64;

/** A parsed document. `quads` has exactly `count * 4` entries; rows may repeat, in document order. */
export interface ParsedDocument {
  readonly quads: Int32Array;
  readonly count: number;
  /** Blank nodes that the document itself made; 0 when all its blank nodes are stored ones or there are none. */
  readonly freshBlankNodes: number;
}

export class StagedQuads {
  #rows = new Int32Array(4 * ROWS_MIN);
  #length = 0;

  get count(): number {
    return this.#length >>> 2;
  }

  add(subject: TermId, predicate: TermId, object: TermId, graph: TermId): void {
    const at = this.#length;
    if (at === this.#rows.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    const rows = this.#rows;
    rows[at] = subject;
    rows[at + 1] = predicate;
    rows[at + 2] = object;
    rows[at + 3] = graph;
    this.#length = at + 4;
  }

  /** The rows added so far; a view that stays valid while nothing more is added. */
  rows(): Int32Array {
    return this.#rows.subarray(0, this.#length);
  }
}
