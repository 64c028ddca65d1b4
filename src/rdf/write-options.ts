/** What every writer takes. */
import type { PrefixMap } from "./prefix-map.ts";
import type { TermId, TermTable } from "./term-table.ts";

/** Subject, predicate, object, graph (0 or absent: the default graph). */
export type QuadIds = readonly [TermId, TermId, TermId, TermId?];

/** Quads to write, in the order they are wanted. */
export type QuadSource = Iterable<QuadIds> | AsyncIterable<QuadIds>;

export interface WriteOptions {
  readonly dictionary: TermTable;
  /** Prefixes for Turtle and TriG. */
  readonly prefixes?: PrefixMap;
}

/** Text is handed on in pieces of about this many characters. */
export const PIECE_CHARS = 65_536;
