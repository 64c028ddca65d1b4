/**
 * Long work in slices: between them reads, timers and sockets have their turn. The writer asks at every point where its
 * work may rest; a slice ends by time, or by count where the clock stands still.
 */
import type { Clock } from "../base/index.ts";

const SLICE_MS = 8;
const SLICE_STEPS_MAX = 512;

export class Slices {
  readonly #clock: Clock;
  #startedMs: number;
  #steps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** True when others should have a turn now. */
  get isDue(): boolean {
    return ++this.#steps >= SLICE_STEPS_MAX || this.#clock.monotonicMs() - this.#startedMs >= SLICE_MS;
  }

  async rest(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.begin();
  }

  /** A slice begins: after a rest, or after idle time. */
  begin(): void {
    this.#steps = 0;
    this.#startedMs = this.#clock.monotonicMs();
  }
}

/**
 * A caller in this process that asks one short query after the other never lets the event loop turn: each await ends in a
 * microtask. After a slice of that the next reader waits for a turn, so that the writer, timers and sockets have theirs.
 */
export class ReadersTurns {
  readonly #slices: Slices;
  #loopStands = false;

  constructor(clock: Clock) {
    this.#slices = new Slices(clock);
  }

  /** Called before each read; when there is an answer, await it. */
  next(): Promise<void> | undefined {
    if (this.#loopStands) return this.#slices.isDue ? this.#slices.rest() : undefined;
    this.#loopStands = true;
    this.#slices.begin();
    setImmediate(() => {
      this.#loopStands = false;
    });
    return undefined;
  }
}
