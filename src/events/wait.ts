/**
 * One pending receive or remove, from the call to its end. It ends exactly once: answered, out of time, cancelled, or
 * refused. A wait that has ended never takes.
 */
import type { SensError } from "../base/index.ts";
import type { ReceiveAnswer, RemoveAnswer } from "../protocol/index.ts";
import type { KeepAnswer } from "./idempotency.ts";
import type { ClaimHolder } from "./leases.ts";
import type { PlannedQuery } from "./standing-queries.ts";

export interface WaitOptions {
  readonly kind: "receive" | "remove";
  /** Answers at once, whatever there is. */
  readonly isTry: boolean;
  readonly planned: PlannedQuery;
  readonly holder: ClaimHolder;
  readonly leaseMs: number | undefined;
  /** The named graph to take from; `undefined`: the default graph as queries see it. */
  readonly graph: string | undefined;
  readonly keep: KeepAnswer;
  /** The answer is kept under an idempotency key. */
  readonly isKept: boolean;
}

export class Wait {
  readonly options: WaitOptions;
  /** Number in order of arrival. */
  readonly arrival: number;
  readonly answer: Promise<RemoveAnswer>;
  /** `taken`: answered in a step that is not durable yet. */
  #state: "waiting" | "taken" | "over" = "waiting";
  #gaveUp: SensError | undefined;
  #hasLooked = false;
  /** Its time was up before it had looked. */
  #late: (() => ReceiveAnswer) | undefined;
  #expired: (() => void) | undefined;
  #resolve!: (answer: RemoveAnswer) => void;
  #reject!: (error: unknown) => void;
  readonly #onOver: (() => void)[] = [];

  constructor(options: WaitOptions, arrival: number) {
    this.options = options;
    this.arrival = arrival;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isWaiting(): boolean {
    return this.#state === "waiting";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Its client went away after it was taken, before that was durable. */
  get gaveUp(): boolean {
    return this.#gaveUp !== undefined;
  }

  whenOver(action: () => void): void {
    if (this.isOver) action();
    else this.#onOver.push(action);
  }

  take(): void {
    this.#state = "taken";
  }

  /** The step that took it was taken back. */
  untake(): void {
    if (this.#state !== "taken") return;
    this.#state = "waiting";
    if (this.#gaveUp) this.reject(this.#gaveUp);
    else this.#expired?.();
  }

  resolve(answer: RemoveAnswer | ReceiveAnswer): void {
    if (this.#end()) this.#resolve(answer);
  }

  reject(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  /** It found nothing to answer with: it waits from now on. */
  looked(): void {
    this.#hasLooked = true;
    if (this.#late && this.isWaiting) this.expire(this.#late);
  }

  /** Time is up. Answers whether it goes on only to look once: a wait finds no less than its try form. */
  timeIsUp(answer: () => ReceiveAnswer): boolean {
    if (this.#hasLooked || this.#state !== "waiting") {
      this.expire(answer);
      return false;
    }
    this.#late = answer;
    return true;
  }

  /** No more time. What was taken meanwhile is still answered, if it becomes durable. */
  expire(answer: () => ReceiveAnswer): void {
    if (this.#state === "taken") this.#expired = () => this.resolve(answer());
    else this.resolve(answer());
  }

  /** The client cancels or is gone. */
  cancel(reason: SensError): void {
    if (this.#state === "taken") this.#gaveUp ??= reason;
    else this.reject(reason);
  }

  #end(): boolean {
    if (this.isOver) return false;
    this.#state = "over";
    for (const action of this.#onOver.splice(0)) action();
    return true;
  }
}
