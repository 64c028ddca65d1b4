/** What a transaction did to quads, as counts, and as the text the log and the feeds need. */
import { SensError } from "../base/index.ts";
import type { QuadChange } from "../engine/index.ts";
import { nquadsLine, type TermTable } from "../rdf/index.ts";
import { LongText } from "./long-text.ts";

export interface Effects {
  /** Changes of what clients state. What follows may be very much more, and is kept as text only. */
  readonly stated: readonly QuadChange[];
  /** Of quads that came or went. */
  readonly predicates: ReadonlySet<number>;
  readonly added: number;
  readonly removed: number;
  readonly derivedAdded: number;
  readonly derivedRemoved: number;
  readonly text: { readonly asserted: string; readonly retracted: string; readonly derivedAdded: string; readonly derivedRemoved: string };
}

/** Lines between two questions whether to rest. */
const LINES_PER_STEP = 32;

/** Yields where the writer may rest. Throws SENS_TOO_LARGE. */
export function* effectsOf(found: Iterable<QuadChange>, terms: TermTable, charactersMax: number): Generator<void, Effects> {
  const stated: QuadChange[] = [];
  const predicates = new Set<number>();
  let count = 0;
  const asserted = new LongText();
  const retracted = new LongText();
  const derivedAdded = new LongText();
  const derivedRemoved = new LongText();
  for (const change of found) {
    if (change.asserted !== 0) stated.push(change);
    if (change.visible !== 0) predicates.add(change.p);
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
    if (text && text.length > charactersMax) throw tooLarge(text, charactersMax);
    if (++count % LINES_PER_STEP === 0) yield;
  }
  return {
    stated,
    predicates,
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

function tooLarge({ size }: LongText, charactersMax: number): SensError {
  const limit = `${Math.floor(charactersMax / 2 ** 20)} MiB`;
  return new SensError(
    "SENS_TOO_LARGE",
    `The change is larger than ${limit} with what follows from it (${size} quads so far). Split it; nothing was changed.`,
  );
}
