/**
 * One applied transaction on its way to being durable. What watches it adds what the log must keep with it, what to do
 * when it is durable, and how to take it back.
 */
import type { LoggedTransaction, RegistrationChange } from "../base/index.ts";

/** When something is done once a step is durable, in this order within the step. */
export const Phase = { acknowledge: 0, notify: 1, receive: 2, remove: 3 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

export class Step {
  readonly revision: number;
  /** How many insertions of mode once led to it, one through another. */
  readonly depth: number;
  readonly notifications: LoggedTransaction["notifications"][number][] = [];
  readonly registrations: RegistrationChange[] = [];
  readonly #durable: (() => void)[][] = [[], [], [], []];
  readonly #undo: (() => void)[] = [];

  constructor(revision: number, depth: number) {
    this.revision = revision;
    this.depth = depth;
  }

  whenDurable(phase: Phase, action: () => void): void {
    this.#durable[phase].push(action);
  }

  whenUndone(action: () => void): void {
    this.#undo.push(action);
  }

  /** Every action runs; then throws what the first that failed threw. */
  durable(): void {
    const errors: unknown[] = [];
    for (const actions of this.#durable)
      for (const action of actions)
        try {
          action();
        } catch (error) {
          errors.push(error);
        }
    if (errors.length > 0) throw errors[0];
  }

  undone(): void {
    for (let i = this.#undo.length - 1; i >= 0; i--) this.#undo[i]();
  }
}
