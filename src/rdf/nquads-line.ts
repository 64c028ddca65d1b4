/** One canonical N-Quads line. */
import { assert } from "../base/index.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";

/** `s p o .\n`, or `s p o g .\n`. Asserts that each term may stand where it is. Throws SENS_IRI for an IRI that is none. */
export function nquadsLine(table: TermTable, subject: TermId, predicate: TermId, object: TermId, graph: TermId = NO_TERM): string {
  assert(table.kind(subject) < TermKind.PLAIN, "a literal cannot be a subject");
  assert(table.kind(predicate) === TermKind.IRI, "a predicate is an IRI");
  const triple = `${table.ntriples(subject)} ${table.ntriples(predicate)} ${table.ntriples(object)}`;
  if (graph === NO_TERM) return `${triple} .\n`;
  assert(table.kind(graph) < TermKind.PLAIN, "a literal cannot name a graph");
  return `${triple} ${table.ntriples(graph)} .\n`;
}
