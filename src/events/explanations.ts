/** "Why?": the proof of a statement, taken between two transactions. */
import { SensError } from "../base/index.ts";
import type { Proof } from "../protocol/index.ts";
import { BlankNodeScope, nquadsLine, parseDocumentSync, ScratchTerms, type TermTable } from "../rdf/index.ts";
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
    return this.#queue.submit<Proof>(statement.length, async (settle) => {
      // Here and not before: what the writer has yet to do may bring the terms that it names.
      const terms = new ScratchTerms(this.#kernel.terms);
      const { quads, count } = parseDocumentSync(Buffer.from(statement), {
        contentType: NQUADS,
        dictionary: terms,
        blankNodes: BlankNodeScope.verbatim(),
      });
      if (count !== 1) throw new SensError("SENS_BAD_REQUEST", `One N-Triples statement is explained, not ${count}. Send them one by one.`);
      const proof = this.#proofOf([quads[0], quads[1], quads[2], quads[3]], terms, depthMax);
      this.#processor.enter((step) => step.whenDurable(Phase.acknowledge, () => settle.resolve(proof)), settle.reject);
    });
  }

  #proofOf(statement: Quad, terms: TermTable, depthMax: number | undefined): Proof {
    const { engine } = this.#kernel;
    const tree = explain(engine, statement, { depthMax, ruleLabel: (name) => this.#insertions.labelOf(name) ?? name });
    return tree ? written(tree, terms) : { statement: nquadsLine(terms, ...statement), kind: "unknown" };
  }
}

function written({ statement, kind, rule, premises, cut }: ProofTree, terms: TermTable): Proof {
  return {
    statement: nquadsLine(terms, ...statement),
    kind,
    ...(rule === undefined ? {} : { rule }),
    ...(premises.length === 0 ? {} : { premises: premises.map((premise) => written(premise, terms)) }),
    ...(cut ? { cut } : {}),
  };
}
