/** A client's insertion, or a standing query, that can be blamed for a limit. */
import type { SensError } from "../base/index.ts";
import type { Transaction } from "../engine/index.ts";
import type { Step } from "./step.ts";

export interface Suspendable {
  /** Takes its instances out of the engine, in this transaction. */
  withdraw(transaction: Transaction): void;
  /** It was suspended in a committed transaction. */
  suspended(reason: SensError, step: Step): void;
}
