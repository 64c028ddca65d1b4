/** Time, given by constructor so that everything that waits can be driven by a test. */
export interface Clock {
  /** Wall clock, ms since 1970; may jump. For display and event times only. */
  wallMs(): number;
  /** Monotonic ms since an arbitrary start; for leases, time-outs and durations. */
  monotonicMs(): number;
  /** Calls back once after `delayMs` (0 to 2^31-1) of monotonic time; the answer cancels it and is safe to call twice. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
    timer.unref?.();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until `advance` is called; timers fire in order of their time, then of their making. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #nextId = 0;
  readonly #timers = new Map<number, { dueMs: number; callback: () => void }>();
  wallMs(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }
  monotonicMs(): number {
    return this.#nowMs;
  }
  after(delayMs: number, callback: () => void): () => void {
    const id = this.#nextId++;
    this.#timers.set(id, { dueMs: this.#nowMs + Math.max(delayMs, 0), callback });
    return () => this.#timers.delete(id);
  }
  advance(byMs: number): void {
    const target = this.#nowMs + byMs;
    for (;;) {
      let next: [number, { dueMs: number; callback: () => void }] | undefined;
      for (const entry of this.#timers) if (entry[1].dueMs <= target && (!next || entry[1].dueMs < next[1].dueMs)) next = entry;
      if (!next) break;
      this.#timers.delete(next[0]);
      this.#nowMs = next[1].dueMs;
      next[1].callback();
    }
    this.#nowMs = target;
  }
}
