/** The waits of one standing query: the receives, and per graph a queue of removers. */
import type { SensError } from "../base/index.ts";
import type { Delta, StandingQuery, Watcher } from "./standing-queries.ts";
import type { Step } from "./step.ts";
import type { TakeQueue } from "./take-queue.ts";
import type { Wait } from "./wait.ts";

export class WaitGroup implements Watcher {
  readonly receives = new Map<number, Wait>();
  /** By the id of the graph to take from. */
  readonly takes = new Map<number, TakeQueue>();
  readonly #onChange: (group: WaitGroup, query: StandingQuery, step: Step) => void;

  constructor(onChange: (group: WaitGroup, query: StandingQuery, step: Step) => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.receives.size === 0 && this.takes.size === 0;
  }

  changed(query: StandingQuery, _delta: Delta, step: Step): void {
    this.#onChange(this, query, step);
  }

  ended(error: SensError): void {
    // A wait that is rejected leaves.
    const waiting = [[...this.receives.values()], ...[...this.takes.values()].map((queue) => [...queue.waits()])];
    for (const waits of waiting) for (const wait of waits) wait.reject(error);
  }
}
