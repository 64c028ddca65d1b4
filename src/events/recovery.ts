/**
 * Start: the state the log describes, in memory again.
 *
 *     documents, rules of insertions -> snapshot and transactions in batches -> watchers, named subscriptions, claims
 *
 * Assertions are replayed in batches of `BATCH_QUADS` changes, each one engine transaction, so what follows from them is
 * derived once per batch and not once per past revision. Insertions of mode once watch only when everything is there, so
 * they do not act again.
 */
import { type LoggedTransaction, type RecoveredState, SensError } from "../base/index.ts";
import type { Transaction } from "../engine/index.ts";
import { BlankNodeScope, parseDocumentSync } from "../rdf/index.ts";
import type { Claims, Quad } from "./claims.ts";
import type { Documents } from "./documents.ts";
import type { Insertions } from "./insertions.ts";
import type { Kernel } from "./kernel.ts";
import { NQUADS } from "./publishing.ts";
import type { Snapshots } from "./snapshots.ts";
import { Step } from "./step.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Suspendable } from "./suspendable.ts";
import type { WriterQueue } from "./writer-queue.ts";

const BATCH_QUADS = 250_000;

export interface RecoveredParts {
  readonly queue: WriterQueue;
  readonly documents: Documents;
  readonly insertions: Insertions;
  readonly subscriptions: Subscriptions;
  readonly claims: Claims;
  readonly snapshots: Snapshots;
}

/** Brings engine and registries to the recovered state. Nothing else may use them before it resolves. */
export async function recover(kernel: Kernel, state: RecoveredState, parts: RecoveredParts): Promise<void> {
  const { engine, positions, clock, logger } = kernel;
  const startedMs = clock.monotonicMs();
  await transaction(kernel, parts, async (tx) => {
    await parts.documents.restore(state.documents, tx);
    parts.insertions.restoreRules(state.insertions, tx);
  });
  const replay = new Replay(kernel, parts);
  if (state.snapshot) for await (const piece of state.snapshot.quads) await replay.add(piece, "");
  let changes = 0;
  for await (const { asserted, retracted } of state.transactions as AsyncIterable<LoggedTransaction>)
    changes += await replay.add(asserted, retracted);
  await replay.flush();
  const { revision } = state;
  positions.start({ revision, tick: engine.tick });
  for (const record of state.claims) parts.claims.restore(record, quadsOf(kernel, record.quads));
  await parts.queue.inTurn(async () => {
    await parts.insertions.restoreWatchers(state.insertions);
    for (const record of state.subscriptions) await parts.subscriptions.restore(record);
  });
  parts.snapshots.replayed(changes);
  logger.info(
    { revision, quads: engine.quads.size, asserted: engine.quads.assertedSize, ms: clock.monotonicMs() - startedMs },
    "knowledge base recovered",
  );
}

/** Collects changes and applies them in batches; the last state of a quad in a batch counts. */
class Replay {
  readonly #kernel: Kernel;
  readonly #parts: RecoveredParts;
  #batch: { readonly rows: Int32Array; readonly isAssert: boolean }[] = [];
  #size = 0;

  constructor(kernel: Kernel, parts: RecoveredParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  async add(asserted: string, retracted: string): Promise<number> {
    let count = 0;
    for (const [text, isAssert] of [
      [retracted, false],
      [asserted, true],
    ] as const) {
      if (text === "") continue;
      const rows = rowsOf(this.#kernel, text);
      this.#batch.push({ rows, isAssert });
      count += rows.length / 4;
    }
    this.#size += count;
    if (this.#size >= BATCH_QUADS) await this.flush();
    return count;
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#size = 0;
    if (batch.length === 0) return;
    await transaction(this.#kernel, this.#parts, async (tx) => {
      for (const { rows, isAssert } of batch) {
        for (let at = 0; at < rows.length; at += 4) {
          if (isAssert) tx.assert(rows[at], rows[at + 1], rows[at + 2], rows[at + 3]);
          else tx.retract(rows[at], rows[at + 1], rows[at + 2], rows[at + 3]);
        }
      }
    });
  }
}

/** One engine transaction; insertions that breach a limit are suspended, as they would be in normal operation. */
async function transaction(kernel: Kernel, parts: RecoveredParts, stage: (tx: Transaction) => Promise<void>): Promise<void> {
  const { engine } = kernel;
  const suspended: Suspendable[] = [];
  let reason: SensError | undefined;
  for (;;) {
    const tx = engine.begin();
    try {
      await stage(tx);
      // After staging: at the start of a start it is the stage that puts them into the engine.
      for (const one of suspended) one.withdraw(tx);
      for (const _ of tx.settle()) if (parts.queue.restIsDue) await parts.queue.restNow();
      tx.commit();
      break;
    } catch (error) {
      tx.rollback();
      const guilty = error instanceof SensError ? parts.insertions.blame(error, suspended) : undefined;
      if (!guilty) throw error;
      suspended.push(guilty);
      reason ??= error as SensError;
    }
  }
  for (const one of suspended) one.suspended(reason as SensError, new Step(0, 0));
  engine.seal(engine.tick);
  while (engine.reclaim()) await parts.queue.restNow();
}

function rowsOf(kernel: Kernel, nquads: string): Int32Array {
  return parseDocumentSync(Buffer.from(nquads), { contentType: NQUADS, dictionary: kernel.terms, blankNodes: BlankNodeScope.verbatim() })
    .quads;
}

function quadsOf(kernel: Kernel, nquads: string): Quad[] {
  const rows = rowsOf(kernel, nquads);
  const quads: Quad[] = [];
  for (let at = 0; at < rows.length; at += 4) quads.push([rows[at], rows[at + 1], rows[at + 2], rows[at + 3]]);
  return quads;
}
