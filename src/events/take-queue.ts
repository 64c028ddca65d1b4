/** Removers of one query and graph, in order of arrival; and the heap that finds the next among many such queues. */
import type { StandingQuery } from "./standing-queries.ts";
import type { Wait } from "./wait.ts";

export class TakeQueue {
  readonly query: StandingQuery;
  /** Graph to take from; 0 = default graph as queries see it. */
  readonly graph: number;
  /** Position in the heap; -1 when it is not in it. */
  heapIndex = -1;
  #waits = new Map<number, Wait>();
  #last = 0;

  constructor(query: StandingQuery, graph: number) {
    this.query = query;
    this.graph = graph;
  }

  get size(): number {
    return this.#waits.size;
  }

  get head(): Wait | undefined {
    return this.#waits.values().next().value;
  }

  /** Arrival of the head; the queue must not be empty to be in the heap. */
  get arrival(): number {
    return this.head?.arrival ?? Number.POSITIVE_INFINITY;
  }

  waits(): Iterable<Wait> {
    return this.#waits.values();
  }

  add(wait: Wait): void {
    this.#waits.set(wait.arrival, wait);
    if (wait.arrival < this.#last) this.#waits = new Map([...this.#waits].sort(([a], [b]) => a - b));
    else this.#last = wait.arrival;
  }

  delete(wait: Wait): boolean {
    return this.#waits.delete(wait.arrival);
  }
}

/** Binary heap of queues by the arrival of their heads. */
export class TakeHeap {
  readonly #queues: TakeQueue[] = [];

  get first(): TakeQueue | undefined {
    return this.#queues[0];
  }

  /** Adds the queue, or finds its place again when its head changed. */
  place(queue: TakeQueue): void {
    if (queue.heapIndex < 0) {
      queue.heapIndex = this.#queues.length;
      this.#queues.push(queue);
    }
    this.#up(queue.heapIndex);
    this.#down(queue.heapIndex);
  }

  remove(queue: TakeQueue): void {
    const at = queue.heapIndex;
    if (at < 0) return;
    queue.heapIndex = -1;
    const last = this.#queues.pop() as TakeQueue;
    if (last === queue) return;
    last.heapIndex = at;
    this.#queues[at] = last;
    this.#up(at);
    this.#down(last.heapIndex);
  }

  clear(): void {
    for (const queue of this.#queues.splice(0)) queue.heapIndex = -1;
  }

  #up(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#queues[parent].arrival <= this.#queues[at].arrival) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #down(start: number): void {
    let at = start;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#queues.length && this.#queues[child].arrival < this.#queues[least].arrival) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#queues[a], this.#queues[b]];
    this.#queues[a] = y;
    this.#queues[b] = x;
    y.heapIndex = a;
    x.heapIndex = b;
  }
}
