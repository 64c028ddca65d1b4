/**
 * One applied transaction on its way to being durable. What watches it adds what the log must keep with it, what to do
 * when it is durable, and how to take it back.
 */
import type { LoggedTransaction, RegistrationChange } from "../base/index.ts";

/** When something is done once a step is durable, in this order within the step. What readers see is brought `upToDate` first. */
export const Phase = { upToDate: 0, acknowledge: 1, notify: 2, receive: 3, remove: 4 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** Done at once, or one after the other with rests between. */
type Action = { readonly run: () => void } | { readonly each: () => Generator<void> };

export class Step {
  readonly revision: number;
  /** How many insertions of mode once led to it, one through another. */
  readonly depth: number;
  readonly notifications: LoggedTransaction["notifications"][number][] = [];
  readonly registrations: RegistrationChange[] = [];
  readonly #durable: Action[][] = [[], [], [], [], []];
  readonly #undo: (() => void)[] = [];

  constructor(revision: number, depth: number) {
    this.revision = revision;
    this.depth = depth;
  }

  whenDurable(phase: Phase, run: () => void): void {
    this.#durable[phase].push({ run });
  }

  /** What may concern very many: `each` yields where the server may rest. */
  forEachWhenDurable(phase: Exclude<Phase, typeof Phase.upToDate>, each: () => Generator<void>): void {
    this.#durable[phase].push({ each });
  }

  whenUndone(action: () => void): void {
    this.#undo.push(action);
  }

  /** Every action runs, with a rest possible at each yield; then throws what the first that failed threw. */
  *durable(): Generator<void> {
    const errors: unknown[] = [];
    for (const [phase, actions] of this.#durable.entries())
      for (const action of actions) {
        try {
          if ("run" in action) action.run();
          else yield* action.each();
        } catch (error) {
          errors.push(error);
        }
        if (phase !== Phase.upToDate) yield;
      }
    if (errors.length > 0) throw errors[0];
  }

  undone(): void {
    for (let i = this.#undo.length - 1; i >= 0; i--) this.#undo[i]();
  }
}
