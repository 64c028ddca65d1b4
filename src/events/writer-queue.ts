/**
 * The one writer and its queue: requests are applied one after the other, in order of arrival.
 *
 * State: at most `queueLengthMax` requests, those included that were applied and are still to be made durable and told of,
 * and at most `queueBytesMax` waiting for their turn; beyond that 429 SENS_BUSY. What the server itself
 * has to do (ended waits, returned claims) is not refused: it is bounded by what caused it.
 * A request is applied in slices, so that reads and timers go on. When an append failed, the writer first takes back
 * what is not durable, then goes on with the queue.
 */
import { type Logger, SensError } from "../base/index.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Kernel } from "./kernel.ts";
import { Slices } from "./slices.ts";

/** How long after a full disk the server's own work is tried again. */
const RETRY_MS = 1_000;

/** Work of the writer. It must leave the engine between transactions, also when it throws. */
interface Job {
  readonly bytes: number;
  readonly apply: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
}

export class WriterQueue {
  readonly #kernel: Kernel;
  readonly #slices: Slices;
  readonly #logger: Logger;
  #jobs: Job[] = [];
  #next = 0;
  #bytes = 0;
  #running = false;
  #closedWith: SensError | undefined;
  #idle: (() => void)[] = [];
  /** Set by the wiring: the queue and group commit need each other. */
  group!: GroupCommit;
  cascade: () => Promise<void> = async () => {};
  takenBack: () => void = () => {};

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#logger = kernel.logger;
    this.#slices = new Slices(kernel.clock);
  }

  get length(): number {
    return this.#jobs.length - this.#next;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Refuses everything from now on with this error; what is queued already is refused too. */
  stop(error: SensError): void {
    this.#closedWith ??= error;
    const rest = this.#jobs.slice(this.#next);
    this.#jobs = [];
    this.#next = 0;
    this.#bytes = 0;
    for (const job of rest) job.refuse(this.#closedWith);
  }

  /**
   * Queues a client's request. `apply` runs when its turn comes; the promise settles when `settle` is called, which is
   * when its effect is durable, or with what `apply` throws.
   */
  submit<T>(bytes: number, apply: (settle: { resolve(value: T): void; reject(error: unknown): void }) => Promise<void>): Promise<T> {
    const { queueLengthMax, queueBytesMax } = this.#kernel.limits;
    if (this.#closedWith) return Promise.reject(this.#closedWith);
    const begun = this.length + this.group.pending;
    if (begun >= queueLengthMax || this.#bytes + bytes > Math.max(queueBytesMax, bytes)) {
      this.#kernel.counters.refusedBusy++;
      return Promise.reject(
        new SensError(
          "SENS_BUSY",
          `The writer has ${begun} requests to finish, ${this.#bytes} bytes of them in its queue. Try again later.`,
        ),
      );
    }
    return new Promise<T>((resolve, reject) => this.#push({ bytes, apply: () => apply({ resolve, reject }), refuse: reject }));
  }

  /** Queues a look or a change of the server itself, which is never refused for what waits before it. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closedWith) return Promise.reject(this.#closedWith);
    return new Promise<T>((resolve, reject) => this.#push({ bytes: 0, apply: async () => resolve(await work()), refuse: reject }));
  }

  /** Queues work of the server itself. What a full disk refused is tried again later; `again` asks for that too. */
  internal(what: string, apply: (again: () => void) => Promise<void>): void {
    if (this.#closedWith) return;
    const again = (): void => void this.#kernel.clock.after(RETRY_MS, () => this.internal(what, apply));
    const refuse = (error: unknown): void => {
      if (this.#closedWith) return;
      if (error instanceof SensError && error.code === "SENS_STORAGE_FULL") again();
      else this.#logger.error({ what, error: String(error) }, "work of the server failed");
    };
    this.#push({ bytes: 0, apply: () => apply(again), refuse });
  }

  /** Starts the loop when an append failed while the writer was idle. */
  wake(): void {
    if (!this.#running) void this.#run();
  }

  /** A point where a long transaction may rest. Throws the failure of an append: then roll back. */
  async rest(): Promise<void> {
    if (!this.#slices.isDue) return;
    await this.#slices.rest();
    if (this.group.failure) throw this.group.failure;
  }

  /** True when `rest` would rest: for loops that must not await each time. */
  get restIsDue(): boolean {
    return this.#slices.isDue;
  }

  async restNow(): Promise<void> {
    await this.#slices.rest();
    if (this.group.failure) throw this.group.failure;
  }

  /** Resolves when the queue is empty, the writer at rest, and everything durable with what was to be done then. */
  async whenIdle(): Promise<void> {
    while (this.#running || this.length > 0 || this.group.pending > 0) {
      if (this.#running || this.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
      else await this.group.whenIdle();
    }
  }

  #push(job: Job): void {
    this.#jobs.push(job);
    this.#bytes += job.bytes;
    if (!this.#running) void this.#run();
  }

  /** Reports its own failures: never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    // Whoever called has its own turn first; and nothing runs inside the callbacks of a group commit.
    await Promise.resolve();
    for (;;) {
      if (this.group.failure) {
        this.takenBack();
        this.group.takeBack();
      }
      const job = this.#take();
      if (!job) break;
      try {
        await job.apply();
      } catch (error) {
        job.refuse(error);
      }
      await this.cascade();
      this.group.complete();
      if (this.#slices.isDue) await this.#slices.rest();
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #take(): Job | undefined {
    if (this.#next >= this.#jobs.length) return undefined;
    const job = this.#jobs[this.#next++];
    this.#bytes -= job.bytes;
    if (this.#next >= 1024 || this.#next === this.#jobs.length) {
      this.#jobs = this.#jobs.slice(this.#next);
      this.#next = 0;
    }
    return job;
  }
}
