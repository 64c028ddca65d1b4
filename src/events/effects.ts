/** What a transaction did to quads, as counts, and as the text the log and the feeds need. */
import type { QuadChange } from "../engine/index.ts";
import { nquadsLine, type TermTable } from "../rdf/index.ts";

export interface Effects {
  readonly changes: readonly QuadChange[];
  readonly added: number;
  readonly removed: number;
  readonly derivedAdded: number;
  readonly derivedRemoved: number;
  readonly text: { readonly asserted: string; readonly retracted: string; readonly derivedAdded: string; readonly derivedRemoved: string };
}

/** Lines between two questions whether to rest. */
const LINES_PER_STEP = 256;

/** Yields where the writer may rest. */
export function* effectsOf(changes: readonly QuadChange[], terms: TermTable): Generator<void, Effects> {
  const asserted: string[] = [];
  const retracted: string[] = [];
  const derivedAdded: string[] = [];
  const derivedRemoved: string[] = [];
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i];
    const list =
      change.asserted > 0
        ? asserted
        : change.asserted < 0
          ? retracted
          : change.derived > 0
            ? derivedAdded
            : change.derived < 0
              ? derivedRemoved
              : undefined;
    list?.push(nquadsLine(terms, change.s, change.p, change.o, change.g));
    if (i % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
  }
  return {
    changes,
    added: asserted.length,
    removed: retracted.length,
    derivedAdded: derivedAdded.length,
    derivedRemoved: derivedRemoved.length,
    text: {
      asserted: asserted.join(""),
      retracted: retracted.join(""),
      derivedAdded: derivedAdded.join(""),
      derivedRemoved: derivedRemoved.join(""),
    },
  };
}
