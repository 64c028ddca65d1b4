/** Streams of pairs that the wiring for db-ivm is made of: (subject, object) of each predicate, and what follows from them. */
import type { DbIvm, Keyed, Stream, Weighted } from "./db-ivm-library.ts";

/** Predicates that some join reads. */
export const READ_PREDICATES = [
  "isParentOf",
  "isChildOf",
  "hasBloodType",
  "registeredAt",
  "hasAge",
  "hasPractitioner",
  "hasAllergy",
  "livesIn",
  "hasInsurance",
  "takesMedication",
  "hasDiagnosis",
  "hasFamilyName",
] as const;
export type ReadPredicate = (typeof READ_PREDICATES)[number] | "type";

/** Rows (subject, object) of each predicate, and the closure. */
export interface WiredData {
  readonly of: Readonly<Record<ReadPredicate, Stream<Keyed<string>>>>;
  /** Keyed by parent, value child, each once. */
  readonly parent: Stream<Keyed<string>>;
  readonly ancestor: Stream<Keyed<string>>;
  readonly person: Stream<Keyed<string>>;
}

/** (a, b) as (b, a). */
export function swapped({ map }: DbIvm, stream: Stream<Keyed<string>>): Stream<Keyed<string>> {
  return stream.pipe(map(([a, b]: Keyed<string>): Keyed<string> => [b, a]));
}

/**
 * Each pair once. By `reduce` under the pair's text: the library's `distinct` tells rows apart by a 32-bit hash, and loses
 * some among a hundred thousand.
 */
export function distinctPairs({ map, reduce }: DbIvm, stream: Stream<Keyed<string>>): Stream<Keyed<string>> {
  return stream.pipe(
    map(([a, b]: Keyed<string>): Keyed<string> => [`${a} ${b}`, b]),
    reduce(present),
    map(([text, b]: Keyed<string>): Keyed<string> => [text.slice(0, text.length - b.length - 1), b]),
  );
}

/** The one value of a key, once, while it has support. */
export function present(values: Weighted<string>[]): Weighted<string>[] {
  let support = 0;
  for (const [, weight] of values) support += weight;
  return support > 0 ? [[values[0][0], 1]] : [];
}
