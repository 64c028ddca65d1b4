/** SPARQL updates: the operations of a request run in order, each seeing what the earlier ones did, as one transaction. */

import type { Transaction } from "../engine/index.ts";
import type { ChangeAnswer, UpdateRequest } from "../protocol/index.ts";
import { type GraphChange, type ParsedUpdate, planOperation, prepareUpdate } from "../sparql/index.ts";
import type { Claims } from "./claims.ts";
import type { Idempotency, KeepAnswer } from "./idempotency.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor } from "./processor.ts";
import { queueChange } from "./queued-change.ts";
import type { WriterQueue } from "./writer-queue.ts";

export class Updates {
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

  async update(request: UpdateRequest): Promise<ChangeAnswer> {
    const { update, key, usingGraphs = [], usingNamedGraphs = [] } = request;
    const parts = ["update", update, ...usingGraphs, "named", ...usingNamedGraphs];
    return this.#idempotency.run(key, parts, async (keep) => this.#run(request, prepareUpdate(update), keep));
  }

  #run(request: UpdateRequest, parsed: ParsedUpdate, keep: KeepAnswer): Promise<ChangeAnswer> {
    const deletes: Int32Array[] = [];
    return queueChange(this.#queue, this.#processor, {
      bytes: request.update.length,
      keep,
      stage: async (transaction, settleNow) => {
        deletes.length = 0;
        for (const [index, operation] of parsed.updates.entries()) {
          if (index > 0) await settleNow();
          const change = await this.#plan(request, parsed, operation);
          deletes.push(change.deletes);
          await this.#apply(change, transaction);
        }
      },
      applied: (_outcome, step) => {
        for (const rows of deletes) this.#claims.retracted(rows, step);
        for (const operation of parsed.updates) this.#claimsCleared(operation, (graph) => this.#claims.graphCleared(graph, step));
      },
    });
  }

  /** Reads what the operations before have made; nothing changes while it rests, for the transaction is running. */
  async #plan(request: UpdateRequest, parsed: ParsedUpdate, operation: ParsedUpdate["updates"][number]): Promise<GraphChange> {
    const { engine, terms, labels, clock, random, limits, counters } = this.#kernel;
    const planning = planOperation(
      operation,
      { engine, terms },
      {
        at: engine.tick,
        labels,
        timeoutMs: limits.queryTimeoutMs,
        rowsMax: limits.queryRowsMax,
        nowMs: clock.wallMs(),
        random: () => random.next(),
        ...(request.usingGraphs?.length ? { defaultGraphs: request.usingGraphs } : {}),
        ...(request.usingNamedGraphs?.length ? { namedGraphs: request.usingNamedGraphs } : {}),
      },
      parsed.baseIri,
    );
    for (;;) {
      const { done, value } = planning.next();
      if (done) {
        counters.leftOut += value.leftOut;
        return value;
      }
      if (this.#queue.restIsDue) await this.#queue.restNow();
    }
  }

  async #apply({ deletes, inserts }: GraphChange, transaction: Transaction): Promise<void> {
    for (const [rows, change] of [
      [deletes, "retract"],
      [inserts, "assert"],
    ] as const) {
      for (let at = 0; at < rows.length; at += 4) {
        transaction[change](rows[at], rows[at + 1], rows[at + 2], rows[at + 3]);
        if (at % ROWS_PER_STEP === 0 && this.#queue.restIsDue) await this.#queue.restNow();
      }
    }
  }

  /** CLEAR and DROP reach what is claimed of a graph too. */
  #claimsCleared(operation: ParsedUpdate["updates"][number], clear: (graph: number | "named" | "all") => void): void {
    if (operation.type !== "clear" && operation.type !== "drop") return;
    const { source } = operation;
    if (source === "DEFAULT") clear(0);
    else if (source === "NAMED") clear("named");
    else if (source === "ALL") clear("all");
    else clear(this.#kernel.terms.find(source));
  }
}

const ROWS_PER_STEP = 4 * 64;
