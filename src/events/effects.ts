/** What a transaction did to quads, as counts, and as the text the log and the feeds need. */
import type { QuadChange } from "../engine/index.ts";
import { nquadsLine, type TermTable } from "../rdf/index.ts";
import { LongText } from "./long-text.ts";

export interface Effects {
  readonly changes: readonly QuadChange[];
  readonly added: number;
  readonly removed: number;
  readonly derivedAdded: number;
  readonly derivedRemoved: number;
  readonly text: { readonly asserted: string; readonly retracted: string; readonly derivedAdded: string; readonly derivedRemoved: string };
}

/** Lines between two questions whether to rest. */
const LINES_PER_STEP = 32;

/** Yields where the writer may rest. */
export function* effectsOf(found: Iterable<QuadChange>, terms: TermTable): Generator<void, Effects> {
  const changes: QuadChange[] = [];
  const asserted = new LongText();
  const retracted = new LongText();
  const derivedAdded = new LongText();
  const derivedRemoved = new LongText();
  for (const change of found) {
    changes.push(change);
    const text =
      change.asserted > 0
        ? asserted
        : change.asserted < 0
          ? retracted
          : change.derived > 0
            ? derivedAdded
            : change.derived < 0
              ? derivedRemoved
              : undefined;
    text?.add(nquadsLine(terms, change.s, change.p, change.o, change.g));
    if (changes.length % LINES_PER_STEP === 0) yield;
  }
  return {
    changes,
    added: asserted.size,
    removed: retracted.size,
    derivedAdded: derivedAdded.size,
    derivedRemoved: derivedRemoved.size,
    text: {
      asserted: asserted.toString(),
      retracted: retracted.toString(),
      derivedAdded: derivedAdded.toString(),
      derivedRemoved: derivedRemoved.toString(),
    },
  };
}
