/**
 * Standing queries that a limit ends: one that takes all the time or room of a transaction stops nobody else. It is taken out, its
 * owners are told, and the transaction runs again.
 *
 * A breach names the rule of a shape and, where it was at work just then, the instance. That one of the queries that share
 * the shape is blamed, or else the newest; if the shape is named again, all.
 * Bound: `ROUNDS_MAX` for one change, since each costs its time again; then the change is refused, and nobody ended.
 */
import { SensError } from "../base/index.ts";
import type { Transaction } from "../engine/index.ts";
import type { Kernel } from "./kernel.ts";
import type { StandingQueries, StandingQuery } from "./standing-queries.ts";
import { Phase, type Step } from "./step.ts";
import type { Suspendable } from "./suspendable.ts";

const ROUNDS_MAX = 8;

export class EndedQueries implements Suspendable {
  readonly queries: readonly StandingQuery[];
  readonly #kernel: Kernel;
  readonly #standing: StandingQueries;

  constructor(kernel: Kernel, standing: StandingQueries, queries: readonly StandingQuery[]) {
    this.#kernel = kernel;
    this.#standing = standing;
    this.queries = queries;
  }

  withdraw(transaction: Transaction): void {
    for (const { pipeline, instance } of this.queries) if (pipeline) transaction.removeInstance(pipeline, instance);
  }

  suspended({ code, extra }: SensError, step: Step): void {
    const reason = new SensError(code, `With the query a change needed ${extra.needs}, without it less. Narrow the query.`);
    for (const query of this.queries) {
      this.#standing.remove(query);
      step.whenUndone(() => this.#standing.restore(query));
      tellEnded(this.#kernel, query, reason, step);
    }
  }

  /** Whom of the standing queries a limit concerns. */
  static blame(kernel: Kernel, standing: StandingQueries, error: SensError, already: readonly Suspendable[]): EndedQueries | undefined {
    const { rule, instance } = error.extra;
    if (typeof rule !== "string") return undefined;
    const rounds = already.filter((one) => one instanceof EndedQueries);
    if (rounds.length >= ROUNDS_MAX) return undefined;
    const ended = new Set(rounds.flatMap(({ queries }) => queries));
    const sharing = [...standing.ofRule(rule)];
    const left = sharing.filter((query) => !ended.has(query));
    if (left.length === 0) return undefined;
    const one = left.find((query) => query.instance === instance) ?? (left.at(-1) as StandingQuery);
    return new EndedQueries(kernel, standing, left.length < sharing.length ? left : [one]);
  }
}

/** The watchers of a query are told that it ended; the server may rest between them. */
export function tellEnded({ counters, logger }: Kernel, query: StandingQuery, reason: SensError, step: Step): void {
  counters.endedQueries++;
  logger.warn({ code: reason.code, detail: reason.message }, "a standing query was ended");
  step.forEachWhenDurable(Phase.notify, function* () {
    for (const watcher of [...query.watchers]) {
      watcher.ended(reason);
      yield;
    }
  });
}
