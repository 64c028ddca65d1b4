/**
 * receive and remove: pending queries that end with their first result.
 *
 * State: the waits; those of each standing query by their place (wait-group.ts).
 * After each transaction all receives that have a result are answered with it, then removers have their turn (takes.ts). A
 * publish costs nothing for the waits of queries whose result it does not change.
 */
import { LIMITS, quoteInput, SensError } from "../base/index.ts";
import type { GraphText, ReceiveAnswer, RemoveAnswer, RemoveRequest, WaitRequest } from "../protocol/index.ts";
import { dataFactory, iriFault, UNKNOWN_TERM } from "../rdf/index.ts";
import type { Claims } from "./claims.ts";
import type { Idempotency, KeepAnswer } from "./idempotency.ts";
import type { Kernel } from "./kernel.ts";
import type { ClaimHolder } from "./leases.ts";
import type { Processor } from "./processor.ts";
import type { PlannedQuery, StandingQueries, StandingQuery } from "./standing-queries.ts";
import { Phase, type Step } from "./step.ts";
import { TakeQueue } from "./take-queue.ts";
import { Takes } from "./takes.ts";
import { Wait, type WaitOptions } from "./wait.ts";
import { WaitGroup } from "./wait-group.ts";
import type { WriterQueue } from "./writer-queue.ts";

export class Waits {
  readonly takes: Takes;
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  readonly #processor: Processor;
  readonly #standing: StandingQueries;
  readonly #idempotency: Idempotency;
  readonly #groups = new Map<StandingQuery, WaitGroup>();
  readonly #waits = new Set<Wait>();
  /** Takes a wait out of its place. */
  readonly #leaving = new Map<Wait, () => void>();
  #arrivals = 0;

  constructor(
    kernel: Kernel,
    queue: WriterQueue,
    processor: Processor,
    standing: StandingQueries,
    claims: Claims,
    idempotency: Idempotency,
  ) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#processor = processor;
    this.#standing = standing;
    this.takes = new Takes(kernel, queue, processor, claims, {
      leave: (wait) => this.#leaving.get(wait)?.(),
      again: (wait) => this.#again(wait),
    });
    this.#idempotency = idempotency;
  }

  get size(): number {
    return this.#waits.size;
  }

  receive(request: WaitRequest, holder: ClaimHolder, isTry: boolean): { readonly wait: Wait; readonly answer: Promise<ReceiveAnswer> } {
    const wait = this.#begin(
      request,
      { kind: "receive", isTry, holder, leaseMs: undefined, graph: undefined, keep: () => [], isKept: false },
      this.#plan(request.query, isTry),
    );
    return { wait, answer: wait.answer };
  }

  remove(request: RemoveRequest, holder: ClaimHolder, isTry: boolean, started: (wait: Wait) => void): Promise<RemoveAnswer> {
    const { leaseMs, graph: iri, key, query } = request;
    this.#checkLease(leaseMs);
    const planned = this.#plan(query, isTry);
    if (iri === undefined && planned.namesGraph)
      throw new SensError("SENS_GRAPH_REQUIRED", 'The query reads a graph it names. Say which graph to remove from with "graph".');
    this.#checkGraph(iri);
    const isKept = key !== undefined;
    const start = (keep: KeepAnswer): Promise<RemoveAnswer> => {
      const wait = this.#begin(request, { kind: "remove", isTry, holder, leaseMs, graph: iri, keep, isKept }, planned);
      started(wait);
      return wait.answer;
    };
    // Without a key it starts in this very turn: calls are served in the order in which they were made.
    if (key === undefined) return start(() => []);
    return this.#idempotency.run(
      key,
      [isTry ? "tryRemove" : "remove", query, iri, leaseMs === undefined ? undefined : String(leaseMs)],
      async (keep) => start(keep),
    );
  }

  /** Ends all waits: the server stops. */
  close(error: SensError): void {
    for (const wait of [...this.#waits]) wait.cancel(error);
  }

  #begin(request: WaitRequest, options: Omit<WaitOptions, "planned">, planned: PlannedQuery): Wait {
    const { limits, clock, positions } = this.#kernel;
    const timeoutMs = this.#timeout(request.timeoutMs);
    if (this.#waits.size >= limits.waitsMax)
      throw new SensError("SENS_BUSY", `${this.#waits.size} requests wait, which is the limit. Try again later.`);
    const wait = new Wait({ ...options, planned }, ++this.#arrivals);
    this.#waits.add(wait);
    wait.whenOver(() => this.#waits.delete(wait));
    listenToSignal(wait, request.signal);
    if (!options.isTry) {
      const nothing = (): ReceiveAnswer => ({ cursor: positions.cursor() });
      const cancelTimer = clock.after(timeoutMs, () => {
        if (wait.timeIsUp(nothing)) wait.whenOver(clock.after(limits.queryTimeoutMs, () => wait.expire(nothing)));
      });
      wait.whenOver(cancelTimer);
    }
    this.#queue
      .submit<void>(request.query.length, async (settle) => {
        await this.#register(wait);
        settle.resolve();
      })
      .catch((error: unknown) => wait.reject(error));
    return wait;
  }

  /** In the writer: answers at once, or puts the wait where a change finds it. */
  async #register(wait: Wait): Promise<void> {
    // More than one step that concerned it may have been taken back: each asks for its place again.
    if (!wait.isWaiting || this.#leaving.has(wait)) return;
    const { planned, kind, isTry } = wait.options;
    if (planned.once && (await this.#answerOnce(wait, planned))) return;
    const query = await this.#processor.use(planned.once ? this.#standing.plan(planned.text, "subscription") : planned);
    if (!wait.isWaiting) {
      this.#processor.release(query, true);
      return;
    }
    if (kind === "receive" && (isTry || !query.isEmpty)) {
      this.#processor.enter(
        (step) => this.#receive(wait, query.graph(), step),
        () => {},
      );
      this.#processor.release(query, true);
      return;
    }
    this.#place(wait, query);
    if (isTry) this.#processor.followUp({ run: async () => this.#nothingTaken(wait, query.isEmpty) });
    else if (kind === "receive") wait.looked();
    // Removers take in the turns that follow.
    else this.#processor.followUp({ run: async () => wait.looked() });
  }

  /** Answers a try whose query is not kept; not a remover for whom there is a result to take from. */
  async #answerOnce(wait: Wait, planned: PlannedQuery): Promise<boolean> {
    const result = await this.#standing.evaluateOnce(planned);
    if (!wait.isWaiting) return true;
    if (wait.options.kind === "receive")
      this.#processor.enter(
        (step) => this.#receive(wait, result, step),
        () => {},
      );
    else if (result.size === 0) this.#nothingTaken(wait, true);
    else return false;
    return true;
  }

  #place(wait: Wait, query: StandingQuery): void {
    const group = this.#group(query);
    const { kind } = wait.options;
    let leave: () => void;
    if (kind === "receive") {
      group.receives.set(wait.arrival, wait);
      leave = () => group.receives.delete(wait.arrival);
    } else {
      const graph = this.#graphOf(wait);
      const queue = group.takes.get(graph) ?? new TakeQueue(query, graph);
      group.takes.set(graph, queue);
      this.takes.add(queue, wait);
      leave = () => {
        this.takes.remove(queue, wait);
        if (queue.size === 0) group.takes.delete(graph);
      };
    }
    let placed = true;
    const takeAway = (): void => {
      if (!placed) return;
      placed = false;
      this.#leaving.delete(wait);
      leave();
      if (group.isEmpty) {
        this.#groups.delete(query);
        query.watchers.delete(group);
      }
      this.#processor.release(query, true);
    };
    this.#leaving.set(wait, takeAway);
    wait.whenOver(takeAway);
    // The query may be part of what is taken back: then the wait looks for its place anew.
    this.#processor.enter(
      (step) =>
        step.whenUndone(() => {
          takeAway();
          this.#again(wait);
        }),
      () => {},
    );
  }

  #again(wait: Wait): void {
    if (!wait.isWaiting) return;
    this.#queue.internal("place a wait again", async () => {
      try {
        await this.#register(wait);
      } catch (error) {
        // A full disk is tried again; for anything else it would wait in vain.
        if (error instanceof SensError && error.code === "SENS_STORAGE_FULL") throw error;
        wait.reject(error);
      }
    });
  }

  #group(query: StandingQuery): WaitGroup {
    let group = this.#groups.get(query);
    if (!group) {
      group = new WaitGroup((one, of, step) => this.#changed(one, of, step));
      this.#groups.set(query, group);
      query.watchers.add(group);
    }
    return group;
  }

  #changed(group: WaitGroup, query: StandingQuery, step: Step): void {
    if (group.receives.size > 0 && !query.isEmpty) {
      for (const wait of [...group.receives.values()]) {
        this.#receive(wait, query.graph(), step);
        this.#leaving.get(wait)?.();
      }
    }
    for (const queue of group.takes.values()) this.takes.changed(queue);
  }

  /** Answers a receive with the result as of this step. */
  #receive(wait: Wait, result: GraphText, step: Step): void {
    wait.take();
    step.whenUndone(() => {
      wait.untake();
      this.#again(wait);
    });
    const cursor = this.#kernel.positions.cursor(step.revision);
    step.whenDurable(Phase.receive, () => wait.resolve(result.size === 0 ? { cursor } : { result, cursor }));
  }

  /** A tryRemove that got nothing in its turn. */
  #nothingTaken(wait: Wait, isEmpty: boolean): void {
    if (!wait.isWaiting) return;
    const cursor = this.#kernel.positions.cursor(this.#kernel.positions.applied.revision);
    const answer: RemoveAnswer = isEmpty ? { cursor } : { cursor, nothingAsserted: true };
    wait.take();
    this.#leaving.get(wait)?.();
    this.#processor.enter(
      (step) => {
        step.registrations.push(...wait.options.keep(answer));
        step.whenDurable(Phase.remove, () => wait.resolve(answer));
        step.whenUndone(() => {
          wait.untake();
          this.#again(wait);
        });
      },
      () => {},
    );
  }

  #timeout(asked: number | undefined): number {
    const { waitDefaultMs, waitMaxMs } = this.#kernel.limits;
    if (asked === undefined) return waitDefaultMs;
    if (asked >= 0 && asked <= waitMaxMs) return asked;
    throw new SensError("SENS_LIMIT", `A request may wait 0 to ${waitMaxMs} ms, not ${asked}. Ask again when the time is up.`);
  }

  #checkLease(leaseMs: number | undefined): void {
    const { leaseMaxMs } = this.#kernel.limits;
    if (leaseMs === undefined || (leaseMs >= 1 && leaseMs <= leaseMaxMs)) return;
    throw new SensError("SENS_LIMIT", `A lease is 1 to ${leaseMaxMs} ms, not ${leaseMs}. Extend the claim when more is needed.`);
  }

  #checkGraph(iri: string | undefined): void {
    const fault = iri === undefined ? undefined : iriFault(iri, undefined, LIMITS.iriBytesMax);
    if (fault) throw fault;
  }

  /** Where it takes from; who does not wait does not make the dictionary grow. */
  #graphOf({ options: { graph, isTry } }: Wait): number {
    if (graph === undefined) return 0;
    const { terms } = this.#kernel;
    return isTry ? terms.find(dataFactory.namedNode(graph)) || UNKNOWN_TERM : terms.iri(graph);
  }

  #plan(text: string, isTry: boolean): PlannedQuery {
    return isTry ? this.#standing.planOnce(text) : this.#standing.plan(text, "subscription");
  }
}

function listenToSignal(wait: Wait, signal: AbortSignal | undefined): void {
  if (!signal) return;
  const cancel = (): void =>
    wait.cancel(new SensError("SENS_CANCELLED", `The request was cancelled: ${quoteInput(String(signal.reason))}.`));
  if (signal.aborted) cancel();
  else {
    signal.addEventListener("abort", cancel, { once: true });
    wait.whenOver(() => signal.removeEventListener("abort", cancel));
  }
}
