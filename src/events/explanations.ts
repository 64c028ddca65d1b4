/** "Why?": a walk back from a statement through rule instances, first proof first, between two transactions. */
import { SensError } from "../base/index.ts";
import { ASSERTED, SUPPLIED } from "../engine/index.ts";
import type { Proof } from "../protocol/index.ts";
import { BlankNodeScope, nquadsLine, parseDocumentSync } from "../rdf/index.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor } from "./processor.ts";
import { Phase } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

const DEPTH_DEFAULT = 20;
const STATEMENTS_MAX = 10_000;

export class Explanations {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
  }

  async explain(statement: string, depthMax = DEPTH_DEFAULT): Promise<Proof> {
    const { terms } = this.#kernel;
    const { quads, count } = parseDocumentSync(Buffer.from(statement), {
      contentType: "application/n-quads",
      dictionary: terms,
      blankNodes: BlankNodeScope.verbatim(),
    });
    if (count !== 1) throw new SensError("SENS_BAD_REQUEST", `One N-Triples statement is to be explained, not ${count}. Send them one by one.`);
    const [s, p, o, g] = quads;
    return this.#queue.submit<Proof>(0, async (settle) => {
      const proof = this.#prove([s, p, o, g], depthMax, { left: STATEMENTS_MAX }, new Set());
      this.#processor.enter((step) => step.whenDurable(Phase.acknowledge, () => settle.resolve(proof)), settle.reject);
    });
  }

  #prove(quad: readonly number[], depth: number, budget: { left: number }, above: ReadonlySet<string>): Proof {
    const { engine, terms } = this.#kernel;
    const [s, p, o, g] = quad;
    const statement = nquadsLine(terms, s, p, o, g);
    const row = engine.quads.find(s, p, o, g);
    budget.left--;
    if (row < 0 || !engine.quads.isVisible(s, p, o, g)) return { statement, kind: "unknown" };
    const flags = engine.quads.flags[row];
    if (flags & ASSERTED) return { statement, kind: "asserted" };
    if (flags & SUPPLIED) return { statement, kind: "ontology" };
    const key = quad.join();
    for (const { rule, premises } of engine.derivations(s, p, o)) {
      if (premises.some((premise) => premise.join() === key || above.has(premise.join()))) continue;
      if (depth <= 0 || budget.left <= 0) return { statement, kind: "derived", rule, cut: true };
      const below = new Set(above).add(key);
      return { statement, kind: "derived", rule, premises: premises.map((premise) => this.#prove(premise, depth - 1, budget, below)) };
    }
    return { statement, kind: "derived", cut: true };
  }
}
