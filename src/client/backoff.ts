/**
 * Delays between attempts to reconnect: exponential with full jitter, so that a thousand clients cut off at the same
 * moment do not come back at the same moment. Delay of attempt n is uniform in [min, min(max, first * 2^n)].
 * Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
import type { Random } from "../base/index.ts";

const FIRST_MS = 200;
const LOWEST_MS = 50;

export class Backoff {
  readonly #random: Random;
  readonly #maxMs: number;
  #attempt = 0;

  constructor(random: Random, maxMs: number) {
    this.#random = random;
    this.#maxMs = Math.max(maxMs, LOWEST_MS);
  }

  /** Attempts since the last success. */
  get attempt(): number {
    return this.#attempt;
  }

  nextDelayMs(): number {
    const ceiling = Math.min(this.#maxMs, FIRST_MS * 2 ** Math.min(this.#attempt, 30));
    this.#attempt++;
    return Math.round(LOWEST_MS + this.#random.next() * (ceiling - LOWEST_MS));
  }

  reset(): void {
    this.#attempt = 0;
  }
}
