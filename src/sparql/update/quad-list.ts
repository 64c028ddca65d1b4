/** Quads of a change, each once. */
import { TripleSet } from "../query/triple-set.ts";

export class QuadList {
  /** One set per graph. */
  readonly #graphs = new Map<number, TripleSet>();
  #quads = new Int32Array(64);
  #length = 0;

  get size(): number {
    return this.#length / 4;
  }

  add(s: number, p: number, o: number, g: number): void {
    let graph = this.#graphs.get(g);
    if (!graph) {
      graph = new TripleSet();
      this.#graphs.set(g, graph);
    }
    if (!graph.add(s, p, o)) return;
    if (this.#length === this.#quads.length) {
      const grown = new Int32Array(this.#quads.length * 2);
      grown.set(this.#quads);
      this.#quads = grown;
    }
    this.#quads[this.#length++] = s;
    this.#quads[this.#length++] = p;
    this.#quads[this.#length++] = o;
    this.#quads[this.#length++] = g;
  }

  toArray(): Int32Array {
    return this.#quads.slice(0, this.#length);
  }
}
