/** Triples of a result, each once, in order of first appearance. Memory ~60 B a triple. */
export class TripleSet {
  readonly #seen = new Map<number, Map<number, Set<number>>>();
  #triples = new Int32Array(48);
  #length = 0;

  get size(): number {
    return this.#length / 3;
  }

  /** True when the triple is new. */
  add(subject: number, predicate: number, object: number): boolean {
    let byPredicate = this.#seen.get(subject);
    if (!byPredicate) {
      byPredicate = new Map();
      this.#seen.set(subject, byPredicate);
    }
    let objects = byPredicate.get(predicate);
    if (!objects) {
      objects = new Set();
      byPredicate.set(predicate, objects);
    }
    if (objects.has(object)) return false;
    objects.add(object);
    if (this.#length + 3 > this.#triples.length) {
      const grown = new Int32Array(this.#triples.length * 2);
      grown.set(this.#triples);
      this.#triples = grown;
    }
    this.#triples[this.#length++] = subject;
    this.#triples[this.#length++] = predicate;
    this.#triples[this.#length++] = object;
    return true;
  }

  toArray(): Int32Array {
    return this.#triples.slice(0, this.#length);
  }
}
