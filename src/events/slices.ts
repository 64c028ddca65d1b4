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
