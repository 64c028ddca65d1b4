/**
 * When leases end: a timer for each claim, and who holds it.
 *
 * State: both by claim, while a lease runs; the holder also while what follows from its end is under way.
 */
import type { Clock } from "../base/index.ts";

/** Who holds a claim; when it goes away the claim returns after a grace. */
export interface ClaimHolder {
  readonly closed: boolean;
}

interface Timer {
  readonly endsMs: number;
  readonly cancel: () => void;
}

export class Leases {
  readonly #clock: Clock;
  /** What is left of a lease whose holder is gone, at most. */
  readonly #graceMs: number;
  readonly #ended: (claim: string, holder: ClaimHolder | undefined) => void;
  readonly #timers = new Map<string, Timer>();
  readonly #holders = new Map<string, ClaimHolder>();

  /** `ended` is called with the holder of the lease that ended. */
  constructor(clock: Clock, graceMs: number, ended: (claim: string, holder: ClaimHolder | undefined) => void) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#ended = ended;
  }

  holderOf(claim: string): ClaimHolder | undefined {
    return this.#holders.get(claim);
  }

  /** Its lease has not ended. */
  runs(claim: string): boolean {
    return this.#timers.has(claim);
  }

  /** A full lease; of a holder that is gone already no more than the grace. */
  hold(claim: string, leaseMs: number, holder: ClaimHolder): void {
    this.#holders.set(claim, holder);
    this.arm(claim, holder.closed ? Math.min(this.#graceMs, leaseMs) : leaseMs);
  }

  /** Lets the lease end after this time, whoever holds it. */
  arm(claim: string, afterMs: number): void {
    this.#timers.get(claim)?.cancel();
    const holder = this.#holders.get(claim);
    const cancel = this.#clock.after(afterMs, () => {
      this.#timers.delete(claim);
      this.#ended(claim, holder);
    });
    this.#timers.set(claim, { endsMs: this.#clock.monotonicMs() + afterMs, cancel });
  }

  /** The claim is over. */
  disarm(claim: string): void {
    this.#timers.get(claim)?.cancel();
    this.#timers.delete(claim);
    this.#holders.delete(claim);
  }

  /** Its connection is lost: its leases end soon. Without a timer a lease has ended, and what follows is on the way. */
  lost(holder: ClaimHolder): void {
    for (const [claim, held] of this.#holders) {
      const timer = held === holder ? this.#timers.get(claim) : undefined;
      if (timer) this.arm(claim, Math.min(this.#graceMs, Math.max(0, timer.endsMs - this.#clock.monotonicMs())));
    }
  }

  close(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
