/**
 * The two clocks of every figure. CPU time (user + system, all threads of the process, the garbage collector's included)
 * is what compares on a shared machine; wall time stands beside it.
 */
export interface Spent {
  readonly cpuUs: number;
  readonly wallUs: number;
}

export function stopwatch(): () => Spent {
  const startedWall = performance.now();
  const startedCpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(startedCpu);
    return { cpuUs: user + system, wallUs: (performance.now() - startedWall) * 1000 };
  };
}

export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** What the process keeps after a full collection; needs --expose-gc. */
export function heldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A budget of wall time, so that a slow contender does not hold up the others. */
export class Budget {
  readonly #endsAt: number;

  constructor(seconds: number) {
    this.#endsAt = performance.now() + seconds * 1000;
  }

  get isSpent(): boolean {
    return performance.now() > this.#endsAt;
  }
}
