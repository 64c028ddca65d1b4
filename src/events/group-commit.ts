/**
 * Group commit: what was applied while the last append ran is appended together.
 *
 *     writer --add--> cascade --complete--> ready --append (one sync)--> settled, in the order of application
 *
 * A cascade is one request with all that followed from it (takes, insertions of mode once); it is never split between two
 * appends, so a crash cannot lose half of it. Only what is durable is acknowledged, told, answered: step by step, with rests
 * where many are concerned; readers see a step when its turn has come.
 * When an append fails, everything that is not durable is taken back: the registries by their `undo`, newest first, then
 * the engine. That is the writer's work (`takeBack`), because it may be in the middle of a transaction.
 */
import { type ChangeRecord, SensError } from "../base/index.ts";
import type { Kernel } from "./kernel.ts";
import { Slices } from "./slices.ts";

/** One applied step, waiting to be durable. */
export interface PendingStep {
  readonly record?: ChangeRecord;
  /** Position after it. */
  readonly revision: number;
  readonly tick: number;
  /** It is durable: acknowledge, notify, answer; others may have a turn at each yield. What it throws is logged. */
  readonly done: () => Generator<void>;
  /** It was taken back. */
  readonly failed: (error: SensError) => void;
  /** Restores what it changed in registries. */
  readonly undo?: () => void;
}

export class GroupCommit {
  readonly #kernel: Kernel;
  /** Told how each append ended; when it failed the writer must take back what is not durable. */
  readonly #onAppend: (failure: SensError | undefined) => void;
  #cascade: PendingStep[] = [];
  #ready: PendingStep[] = [];
  #appending: PendingStep[] = [];
  /** Durable steps that are being acknowledged and told of. */
  #telling = 0;
  readonly #slices: Slices;
  #flushing = false;
  #reclaiming = false;
  #idle: (() => void)[] = [];
  failure: SensError | undefined;

  constructor(kernel: Kernel, onAppend: (failure: SensError | undefined) => void) {
    this.#kernel = kernel;
    this.#onAppend = onAppend;
    this.#slices = new Slices(kernel.clock);
  }

  add(step: PendingStep): void {
    this.#cascade.push(step);
  }

  /** The cascade is complete; it may be appended. */
  complete(): void {
    if (this.#cascade.length === 0) return;
    for (const step of this.#cascade) this.#ready.push(step);
    this.#cascade = [];
    if (!this.#flushing && !this.failure) void this.#flush();
  }

  get pending(): number {
    return this.#cascade.length + this.#ready.length + this.#appending.length + this.#telling;
  }

  /** Resolves when nothing is waiting to be durable. */
  whenIdle(): Promise<void> {
    if (this.pending === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Takes back everything that is not durable, refuses it, and is ready for more. Between transactions only. */
  takeBack(): void {
    const error = this.failure as SensError;
    const steps = [...this.#appending, ...this.#ready, ...this.#cascade];
    this.#appending = [];
    this.#ready = [];
    this.#cascade = [];
    const { engine, positions, counters } = this.#kernel;
    for (let i = steps.length - 1; i >= 0; i--) steps[i].undo?.();
    engine.undoAfter(positions.durable.tick);
    positions.fallBack(error);
    counters.undone += steps.length;
    this.failure = undefined;
    for (const step of steps) step.failed(error);
    this.#tellIdle();
  }

  /** Reports its own failures: never rejects. */
  async #flush(): Promise<void> {
    this.#flushing = true;
    const { log, counters } = this.#kernel;
    while (this.#ready.length > 0) {
      this.#appending = this.#ready;
      this.#ready = [];
      const records = this.#appending.flatMap((step) => (step.record ? [step.record] : []));
      try {
        if (records.length > 0) {
          counters.appends++;
          await log.append(records);
          this.#onAppend(undefined);
        }
      } catch (error) {
        this.#fail(error);
        break;
      }
      const steps = this.#appending;
      this.#appending = [];
      await this.#tell(steps);
    }
    this.#flushing = false;
    if (this.pending === 0) this.#tellIdle();
  }

  /** One step after the other, so that whoever has a turn in a rest finds the knowledge base as after a whole step. */
  async #tell(steps: readonly PendingStep[]): Promise<void> {
    const { positions, engine } = this.#kernel;
    this.#telling = steps.length;
    this.#slices.begin();
    for (const step of steps) {
      const { revision, tick } = step;
      positions.advance({ revision, tick });
      for (const _ of this.#done(step)) {
        if (!this.#slices.isDue) continue;
        engine.seal(tick);
        await this.#slices.rest();
      }
      this.#telling--;
    }
    engine.seal((steps.at(-1) as PendingStep).tick);
    void this.#reclaim();
  }

  /** Frees what the last steps removed, beside whatever goes on; a transaction that begins meanwhile is followed by another call. */
  async #reclaim(): Promise<void> {
    if (this.#reclaiming) return;
    this.#reclaiming = true;
    while (this.#kernel.engine.reclaim()) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#reclaiming = false;
  }

  *#done(step: PendingStep): Generator<void> {
    try {
      yield* step.done();
    } catch (error) {
      this.#kernel.logger.error({ error: String(error), revision: step.revision }, "telling of a durable step failed");
    }
  }

  #fail(error: unknown): void {
    const known = error instanceof SensError && (error.code === "SENS_STORAGE_FULL" || error.code === "SENS_OUTCOME_UNKNOWN");
    this.failure = known
      ? error
      : new SensError(
          "SENS_OUTCOME_UNKNOWN",
          `The change log failed: ${String(error)}. Restart the server and retry with the same idempotency key.`,
          { cause: error },
        );
    this.#kernel.logger.error({ error: String(error), code: this.failure.code }, "an append failed; what is not durable is taken back");
    this.#flushing = false;
    this.#onAppend(this.failure);
  }

  #tellIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
