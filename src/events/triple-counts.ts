/**
 * In how many solutions of a result each triple is.
 *
 *     result graph = { t : count(t) > 0 }
 *
 * Where whole solutions are delivered they may share triples, so the size of the graph does not follow from their numbers.
 * State: one entry per triple of the graph. Cost per change: one look-up per triple of a solution that came or went.
 */
import type { Triple } from "./graph-text.ts";

export class TripleCounts {
  readonly #counts = new Map<string, number>();

  /** Triples of the graph. */
  get size(): number {
    return this.#counts.size;
  }

  /** Solutions came and went: all their triples. */
  change(added: Iterable<Triple>, removed: Iterable<Triple>): void {
    for (const triple of added) this.#add(triple.join(), 1);
    for (const triple of removed) this.#add(triple.join(), -1);
  }

  #add(key: string, weight: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + weight;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
