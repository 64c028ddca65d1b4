/**
 * The cheapest reading of canonical N-Triples lines: split at two spaces. For contenders that bring no parser of their
 * own, so that parsing is not held against them; it accepts more than N-Triples and checks nothing.
 */
export type PlainTriple = readonly [subject: string, predicate: string, object: string];

export function plainTriples(document: Buffer): PlainTriple[] {
  const triples: PlainTriple[] = [];
  const text = document.toString("latin1");
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const first = text.indexOf(" ", start);
    const second = text.indexOf(" ", first + 1);
    triples.push([text.slice(start, first), text.slice(first + 1, second), text.slice(second + 1, end - 2)]);
    start = end + 1;
  }
  return triples;
}
