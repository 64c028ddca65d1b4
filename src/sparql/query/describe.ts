/**
 * DESCRIBE answers the concise bounded description of each resource: its triples as subject, and those of the blank
 * nodes they lead to, over and over. Source: W3C member submission CBD, 2005 (without reification).
 */
import type { QuadReader } from "../../engine/index.ts";
import { TermKind, type TermTable } from "../../rdf/index.ts";
import type { TripleSet } from "./triple-set.ts";

/** Adds the descriptions of `resources`, read from `graphs` (0 = the default graph); `check` is called for each triple. */
export function describeInto(
  triples: TripleSet,
  resources: Iterable<number>,
  graphs: readonly number[],
  reader: QuadReader,
  terms: TermTable,
  check: () => void,
): void {
  const queue = [...new Set(resources)].filter((id) => id !== 0);
  const seen = new Set(queue);
  for (let at = 0; at < queue.length; at++) {
    const subject = queue[at] as number;
    if (terms.kind(subject) > TermKind.BLANK) continue;
    for (const graph of graphs) {
      reader.match(subject, 0, 0, graph, (s, p, o) => {
        check();
        triples.add(s, p, o);
        if (terms.kind(o) === TermKind.BLANK && !seen.has(o)) {
          seen.add(o);
          queue.push(o);
        }
        return true;
      });
    }
  }
}
