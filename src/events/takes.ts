/**
 * Takes: a remover gets what is asserted of its query's result, and nobody else does.
 *
 * State: the queues of removers; a heap of those that may take now, by the arrival of who is first in them; those whose
 * result has nothing asserted. One take after the other, by order of arrival across queries, each a transaction of its own,
 * until none is possible.
 */
import { SensError } from "../base/index.ts";
import type { GraphText, RemoveAnswer } from "../protocol/index.ts";
import type { Claims, Quad } from "./claims.ts";
import type { Effects } from "./effects.ts";
import { type Triple, triplesText } from "./graph-text.ts";
import type { Kernel } from "./kernel.ts";
import type { Processor, TakeSource } from "./processor.ts";
import { Phase, type Step } from "./step.ts";
import { TakeHeap, type TakeQueue } from "./take-queue.ts";
import type { Wait } from "./wait.ts";
import type { WriterQueue } from "./writer-queue.ts";

/** What a remover would get now. */
interface Takeable {
  /** Assertions to withdraw. */
  readonly quads: readonly Quad[];
  readonly triples: readonly Triple[];
}

/** Where waits stand in line. */
export interface Line {
  /** It was answered. */
  leave(wait: Wait): void;
  /** Its answer was taken back: it waits again. */
  again(wait: Wait): void;
}

export class Takes implements TakeSource {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #claims: Claims;
  readonly #line: Line;
  readonly #queues = new Set<TakeQueue>();
  readonly #heap = new TakeHeap();
  /** Queues whose result has triples, none of them asserted. */
  readonly #blocked = new Set<TakeQueue>();

  constructor(kernel: Kernel, queue: WriterQueue, processor: Processor, claims: Claims, line: Line) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#claims = claims;
    this.#line = line;
  }

  add(queue: TakeQueue, wait: Wait): void {
    this.#queues.add(queue);
    queue.add(wait);
    if (!this.#blocked.has(queue)) this.#heap.place(queue);
  }

  remove(queue: TakeQueue, wait: Wait): void {
    queue.delete(wait);
    if (queue.size > 0) {
      if (queue.heapIndex >= 0) this.#heap.place(queue);
      return;
    }
    this.#queues.delete(queue);
    this.#blocked.delete(queue);
    this.#heap.remove(queue);
  }

  /** Its result changed: what is first in it may be able to take. */
  changed(queue: TakeQueue): void {
    this.#blocked.delete(queue);
    this.#heap.place(queue);
  }

  /** Told of every transaction: something that was only derived may be asserted now, and can be taken. */
  noticed(effects: Effects): void {
    if (this.#blocked.size === 0 || effects.added === 0) return;
    for (const { asserted, s, p, o } of effects.stated) {
      if (asserted <= 0) continue;
      for (const queue of [...this.#blocked]) {
        if (queue.query.has(s, p, o)) this.changed(queue);
      }
    }
  }

  async takeNext(): Promise<boolean> {
    for (let queue = this.#heap.first; queue; queue = this.#heap.first) {
      const wait = queue.head;
      const takeable = wait && this.#takeable(queue);
      if (!wait || !takeable || takeable.quads.length === 0) {
        this.#heap.remove(queue);
        if (wait && takeable) this.#blocked.add(queue);
        continue;
      }
      await this.#take(queue, wait, takeable);
      return true;
    }
    return false;
  }

  reset(): void {
    for (const queue of this.#queues) this.changed(queue);
  }

  /** What of the result is asserted where the queue takes from; `undefined` when there is no result. */
  #takeable({ query, graph }: TakeQueue): Takeable | undefined {
    const { quads } = this.#kernel.engine;
    const triples = [...query.triples()];
    if (triples.length === 0) return undefined;
    const asserted: Quad[] = [];
    for (const [s, p, o] of triples) {
      if (graph === 0 && quads.unionDefaultGraph) {
        quads.reader().match(s, p, o, undefined, (_s, _p, _o, g) => {
          if (quads.isAsserted(s, p, o, g)) asserted.push([s, p, o, g]);
          return true;
        });
      } else if (quads.isAsserted(s, p, o, graph)) asserted.push([s, p, o, graph]);
    }
    return { quads: asserted, triples };
  }

  async #take(queue: TakeQueue, wait: Wait, { quads, triples }: Takeable): Promise<void> {
    const { terms, counters } = this.#kernel;
    // The transaction may rest: from here on the wait cannot end with nothing and be given something too.
    wait.take();
    try {
      const result = triplesText(triples, terms);
      await this.#processor.transact({
        stage: (transaction) => {
          for (const [s, p, o, g] of quads) transaction.retract(s, p, o, g);
        },
        applied: (outcome, step) => {
          const answer = this.#removeAnswer(wait, queue, quads, triples, result, outcome.answer.cursor, step);
          step.registrations.push(...wait.options.keep(answer));
          step.whenUndone(() => {
            wait.untake();
            this.#line.again(wait);
          });
          step.whenDurable(Phase.remove, () => {
            counters.takes++;
            if (wait.gaveUp) this.#giveBack(wait, quads, answer);
            else wait.resolve(answer);
          });
          this.#line.leave(wait);
        },
        failed: () => {},
      });
    } catch (error) {
      wait.untake();
      // A failed append refuses none that waits: it is still in its place.
      if (error !== this.#queue.group.failure) wait.reject(error);
      throw error;
    }
  }

  #removeAnswer(
    wait: Wait,
    queue: TakeQueue,
    quads: readonly Quad[],
    triples: readonly Triple[],
    result: GraphText,
    cursor: string,
    step: Step,
  ): RemoveAnswer {
    const { engine, terms } = this.#kernel;
    const { leaseMs, holder } = wait.options;
    const still = triplesText(
      triples.filter(([s, p, o]) => engine.isVisible(s, p, o, queue.graph)),
      terms,
    );
    const claim = leaseMs === undefined ? undefined : this.#claims.create(quads, leaseMs, holder, step);
    return {
      result,
      cursor,
      ...(still.size > 0 ? { stillEntailed: still.ntriples, stillEntailedCount: still.size } : {}),
      ...(claim ? { claim: claim.id, deliveries: claim.deliveries } : {}),
    };
  }

  /** The client had given up before the take was durable: what was taken comes back, unless the answer is kept under a key. */
  #giveBack(wait: Wait, quads: readonly Quad[], answer: RemoveAnswer): void {
    const end =
      wait.options.isKept && answer.claim === undefined
        ? "what it had taken is the answer to its idempotency key: ask with it again"
        : "what it had taken is given back";
    wait.reject(new SensError("SENS_CANCELLED", `The request was cancelled; ${end}.`));
    if (answer.claim !== undefined) {
      this.#claims.giveBack(answer.claim);
      return;
    }
    // Whoever asks again with the key is answered with it: it must not be with another remover too.
    if (wait.options.isKept) return;
    this.#queue.internal("give back what nobody waits for", async (again) => {
      await this.#processor.transact({
        stage: (transaction) => {
          for (const [s, p, o, g] of quads) transaction.assert(s, p, o, g);
        },
        failed: again,
      });
    });
  }
}
