/** A client's change of assertions: queued, one transaction, its answer kept under the client's key, acknowledged when durable. */
import type { ChangeAnswer } from "../protocol/index.ts";
import type { KeepAnswer } from "./idempotency.ts";
import type { Processor, TransactionRequest } from "./processor.ts";
import { Phase } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

export interface QueuedChange extends Pick<TransactionRequest, "stage" | "applied"> {
  /** Of the request, as the queue counts them. */
  readonly bytes: number;
  readonly keep: KeepAnswer;
}

export function queueChange<T extends ChangeAnswer = ChangeAnswer>(
  queue: WriterQueue,
  processor: Processor,
  change: QueuedChange,
  shape: (answer: ChangeAnswer) => T = (answer) => answer as T,
): Promise<T> {
  return queue.submit<T>(change.bytes, async (settle) => {
    await processor.transact({
      stage: (transaction, settleNow) => change.stage(transaction, settleNow),
      applied: (outcome, step) => {
        change.applied?.(outcome, step);
        const answer = shape(outcome.answer);
        step.registrations.push(...change.keep(answer));
        step.whenDurable(Phase.acknowledge, () => settle.resolve(answer));
      },
      failed: settle.reject,
    });
  });
}
