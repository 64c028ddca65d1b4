/** "Why?": the proof of a statement, taken between two transactions. */
import { SensError } from "../base/index.ts";
import type { Proof } from "../protocol/index.ts";
import { BlankNodeScope, nquadsLine, parseDocumentSync } from "../rdf/index.ts";
import { explain, type ProofTree } from "../reasoning/index.ts";
import type { Quad } from "./claims.ts";
import type { Insertions } from "./insertions.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor } from "./processor.ts";
import { NQUADS } from "./publishing.ts";
import { Phase } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

export class Explanations {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #insertions: Insertions;

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor, insertions: Insertions) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#insertions = insertions;
  }

  /** Throws SENS_SYNTAX, SENS_BAD_REQUEST for more or less than one statement. */
  async explain(statement: string, depthMax?: number): Promise<Proof> {
    const { terms } = this.#kernel;
    const { quads, count } = parseDocumentSync(Buffer.from(statement), {
      contentType: NQUADS,
      dictionary: terms,
      blankNodes: BlankNodeScope.verbatim(),
    });
    if (count !== 1) throw new SensError("SENS_BAD_REQUEST", `One N-Triples statement is explained, not ${count}. Send them one by one.`);
    const [s, p, o, g] = quads;
    return this.#queue.submit<Proof>(statement.length, async (settle) => {
      const proof = this.#proofOf([s, p, o, g], depthMax);
      this.#processor.enter((step) => step.whenDurable(Phase.acknowledge, () => settle.resolve(proof)), settle.reject);
    });
  }

  #proofOf(statement: Quad, depthMax: number | undefined): Proof {
    const { engine } = this.#kernel;
    const tree = explain(engine, statement, { depthMax, ruleLabel: (name) => this.#insertions.labelOf(name) ?? name });
    return tree ? this.#written(tree) : { statement: this.#line(statement), kind: "unknown" };
  }

  #written({ statement, kind, rule, premises, cut }: ProofTree): Proof {
    return {
      statement: this.#line(statement),
      kind,
      ...(rule === undefined ? {} : { rule }),
      ...(premises.length === 0 ? {} : { premises: premises.map((premise) => this.#written(premise)) }),
      ...(cut ? { cut } : {}),
    };
  }

  #line([s, p, o, g]: Quad): string {
    return nquadsLine(this.#kernel.terms, s, p, o, g);
  }
}
