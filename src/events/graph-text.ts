/** Triples of ids as canonical N-Triples. */

import type { GraphText } from "../protocol/index.ts";
import { nquadsLine, type TermTable } from "../rdf/index.ts";

export type Triple = readonly number[];

export function triplesText(triples: Iterable<Triple>, terms: TermTable): GraphText {
  const lines: string[] = [];
  for (const [s, p, o] of triples) lines.push(nquadsLine(terms, s, p, o));
  return { ntriples: lines.join(""), size: lines.length };
}

/** Rows x 3 ids. */
export function* rowsOfThree(rows: Int32Array): Generator<Triple, void, undefined> {
  for (let at = 0; at < rows.length; at += 3) yield [rows[at], rows[at + 1], rows[at + 2]];
}
