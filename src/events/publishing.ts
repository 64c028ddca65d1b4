/**
 * publish, retract, and the graph store: whole documents become one change of assertions.
 *
 * A document is parsed before it is queued, all or nothing, into rows of ids; the writer only adds rows.
 */
import { quoteInput, SensError } from "../base/index.ts";
import type { ChangeAnswer, DocumentRequest, GraphRequest, GraphText } from "../protocol/index.ts";
import { BlankNodeScope, dataFactory, iriFault, nquadsLine, type ParsedDocument, parseDocument, UNKNOWN_TERM } from "../rdf/index.ts";
import type { Claims } from "./claims.ts";
import type { Idempotency, KeepAnswer } from "./idempotency.ts";
import type { Kernel } from "./kernel.ts";
import { LongText } from "./long-text.ts";
import type { Processor } from "./processor.ts";
import { queueChange } from "./queued-change.ts";
import { Phase } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

export const NQUADS = "application/n-quads";
/** Rows between two questions whether to rest. */
const ROWS_PER_STEP = 64;

export class Publishing {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #claims: Claims;
  readonly #idempotency: Idempotency;

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor, claims: Claims, idempotency: Idempotency) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#claims = claims;
    this.#idempotency = idempotency;
  }

  publish(request: DocumentRequest): Promise<ChangeAnswer> {
    return this.#keyed("publish", request, async (keep) => {
      const { quads } = await this.#parse(request);
      return queueChange(this.#queue, this.#processor, {
        bytes: bytesOf(request),
        keep,
        stage: (transaction) => this.#each(quads, (s, p, o, g) => transaction.assert(s, p, o, g)),
      });
    });
  }

  retract(request: DocumentRequest): Promise<ChangeAnswer> {
    return this.#keyed("retract", request, async (keep) => {
      const { quads, freshBlankNodes } = await this.#parse(request);
      if (freshBlankNodes > 0) throw ownBlankNodes();
      return queueChange(this.#queue, this.#processor, {
        bytes: bytesOf(request),
        keep,
        stage: (transaction) => this.#each(quads, (s, p, o, g) => transaction.retract(s, p, o, g)),
        applied: (_outcome, step) => this.#claims.retracted(quads, step),
      });
    });
  }

  /** Replaces the assertions of one graph. */
  putGraph(request: GraphRequest & DocumentRequest): Promise<ChangeAnswer & { readonly created: boolean }> {
    return this.#keyed("putGraph", request, async (keep) => {
      const { quads } = await this.#parse(request);
      const graph = this.#graphOf(request.graph);
      let created = false;
      return queueChange(
        this.#queue,
        this.#processor,
        {
          bytes: bytesOf(request),
          keep,
          stage: async (transaction) => {
            const before = await this.#assertionsOf(graph);
            created = graph !== 0 && before.length === 0;
            const kept = new Set<string>();
            await this.#each(quads, (s, p, o, g) => {
              if (g === graph) kept.add(`${s} ${p} ${o}`);
            });
            await this.#each(before, (s, p, o) => {
              if (!kept.has(`${s} ${p} ${o}`)) transaction.retract(s, p, o, graph);
            });
            await this.#each(quads, (s, p, o, g) => transaction.assert(s, p, o, g));
          },
          applied: (_outcome, step) => this.#claims.graphCleared(graph, step),
        },
        (answer) => ({ ...answer, created }),
      );
    });
  }

  deleteGraph({ graph: iri }: GraphRequest): Promise<ChangeAnswer> {
    this.#checkGraph(iri);
    let graph = UNKNOWN_TERM;
    return queueChange(this.#queue, this.#processor, {
      bytes: 0,
      keep: () => [],
      stage: async (transaction) => {
        graph = this.#storedGraph(iri);
        const before = await this.#assertionsOf(graph);
        if (iri !== undefined && before.length === 0) throw noGraph(iri);
        await this.#each(before, (s, p, o) => transaction.retract(s, p, o, graph));
      },
      applied: (_outcome, step) => this.#claims.graphCleared(graph, step),
    });
  }

  /** The durable assertions of one graph. */
  async getGraph({ graph: iri }: GraphRequest): Promise<GraphText> {
    this.#checkGraph(iri);
    // The writer knows what is asserted only for the present: it is asked between two transactions.
    return this.#queue.submit<GraphText>(0, async (settle) => {
      const rows = await this.#assertionsOf(this.#storedGraph(iri));
      if (iri !== undefined && rows.length === 0) throw noGraph(iri);
      const text = new LongText();
      await this.#each(rows, (s, p, o) => text.add(nquadsLine(this.#kernel.terms, s, p, o)));
      const answer: GraphText = { ntriples: text.toString(), size: text.size };
      this.#processor.enter((step) => step.whenDurable(Phase.acknowledge, () => settle.resolve(answer)), settle.reject);
    });
  }

  /** Named graphs with assertions, in the last durable state. */
  graphs(): readonly string[] {
    const { engine, positions, terms } = this.#kernel;
    return [...engine.quads.graphs(positions.durable.tick)].map((g) => terms.value(g)).sort();
  }

  #keyed<T>(operation: string, request: DocumentRequest, work: (keep: KeepAnswer) => Promise<T>): Promise<T> {
    return this.#idempotency.run(request.key, [operation, request.contentType, request.graph, request.baseIri, request.data], work);
  }

  async #parse(request: DocumentRequest): Promise<ParsedDocument> {
    const { terms, labels } = this.#kernel;
    const graph = this.#graphOf(request.graph);
    return parseDocument(typeof request.data === "string" ? Buffer.from(request.data) : request.data, {
      contentType: request.contentType ?? NQUADS,
      dictionary: terms,
      blankNodes: new BlankNodeScope(labels),
      graph,
      ...(request.baseIri === undefined ? {} : { baseIri: request.baseIri }),
    });
  }

  async #each(rows: Int32Array, visit: (s: number, p: number, o: number, g: number) => void): Promise<void> {
    for (let at = 0; at < rows.length; at += 4) {
      visit(rows[at], rows[at + 1], rows[at + 2], rows[at + 3]);
      if (at % (4 * ROWS_PER_STEP) === 0 && this.#queue.restIsDue) await this.#queue.restNow();
    }
  }

  /** Rows x 4 ids. In the writer: nothing changes while it rests. */
  async #assertionsOf(graph: number): Promise<Int32Array> {
    const { quads } = this.#kernel.engine;
    const visible: number[] = [];
    quads.reader().match(0, 0, 0, graph, (s, p, o) => visible.push(s, p, o, graph) > 0);
    const rows = new Int32Array(visible);
    let length = 0;
    await this.#each(rows, (s, p, o, g) => {
      if (!quads.isAsserted(s, p, o, g)) return;
      rows.set([s, p, o, g], length);
      length += 4;
    });
    return rows.subarray(0, length);
  }

  #graphOf(iri: string | undefined): number {
    this.#checkGraph(iri);
    return iri === undefined ? 0 : this.#kernel.terms.iri(iri);
  }

  /** As it is known when the writer asks; who only looks does not make the dictionary grow. */
  #storedGraph(iri: string | undefined): number {
    if (iri === undefined) return 0;
    return this.#kernel.terms.find(dataFactory.namedNode(iri)) || UNKNOWN_TERM;
  }

  #checkGraph(iri: string | undefined): void {
    const fault = iri === undefined ? undefined : iriFault(iri, undefined, this.#kernel.limits.iriBytesMax);
    if (fault) throw fault;
  }
}

function bytesOf({ data }: DocumentRequest): number {
  return data.length;
}

function ownBlankNodes(): SensError {
  return new SensError(
    "SENS_BLANK_NODE_RETRACT",
    "The document has blank nodes of its own, which name nothing that is stored. Address stored nodes as <_:label> with the labels of answers, or use an update with WHERE.",
  );
}

function noGraph(iri: string): SensError {
  return new SensError("SENS_NOT_FOUND", `There is no graph ${quoteInput(iri)}.`);
}
