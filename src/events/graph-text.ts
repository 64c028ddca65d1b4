/** Triples of ids as canonical N-Triples. */

import type { GraphText } from "../protocol/index.ts";
import { nquadsLine, type TermTable } from "../rdf/index.ts";
import { LongText } from "./long-text.ts";

export type Triple = readonly number[];

export function triplesText(triples: Iterable<Triple>, terms: TermTable): GraphText {
  const writing = writeTriples(triples, terms);
  for (;;) {
    const { done, value } = writing.next();
    if (done) return value;
  }
}

/** Triples between two points where a rest is possible. */
const TRIPLES_PER_STEP = 32;

/** As `triplesText`; yields where others may have a turn. */
export function* writeTriples(triples: Iterable<Triple>, terms: TermTable): Generator<void, GraphText> {
  const text = new LongText();
  for (const [s, p, o] of triples) {
    text.add(nquadsLine(terms, s, p, o));
    if (text.size % TRIPLES_PER_STEP === 0) yield;
  }
  return { ntriples: text.toString(), size: text.size };
}

/** Rows x 3 ids. */
export function* rowsOfThree(rows: Int32Array): Generator<Triple, void, undefined> {
  for (let at = 0; at < rows.length; at += 3) yield [rows[at], rows[at + 1], rows[at + 2]];
}
