/**
 * Forgetting. A log row goes when a start no longer needs it (it is older than the snapshot, or nothing outlives the
 * process) and feeds may no longer ask for it (too old, or the log too large). A key goes when its time is over.
 */
import type { Limits } from "../base/index.ts";
import { takeFromSet } from "./chain.ts";
import { walkChain } from "./chain-walk.ts";
import type { Head, LogPlace } from "./head.ts";
import { placeOf } from "./record-row.ts";
import { checkKey } from "./registration-row.ts";
import type { KeyRow, RowStore } from "./row-store.ts";

const ROWS_PER_SLICE = 1_000;

export interface TrimPlan {
  /** Rows up to here go; undefined when none do. */
  readonly upTo: LogPlace | undefined;
  readonly bytes: number;
  readonly keys: readonly KeyRow[];
  readonly more: boolean;
}

export class LogTrimmer {
  readonly #store: RowStore;
  readonly #limits: Limits;

  constructor(store: RowStore, limits: Limits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** What one slice will forget; undefined when there is nothing. */
  plan(head: Head, nowWallMs: number): TrimPlan | undefined {
    const keptFrom = nowWallMs - this.#limits.deltaRetentionMs;
    const last = this.#store.durable ? (head.snapshot?.place.position ?? 0) : head.tail.position;
    let upTo: LogPlace | undefined;
    let bytes = 0;
    let rows = 0;
    if (last > head.base.position) {
      for (const row of walkChain(this.#store.logHeaders(head.base.position), head.base, this.#store.name)) {
        const covered = row.wallMs >= keptFrom && head.logBytes - bytes <= this.#limits.deltaRetentionBytes;
        if (row.position > last || covered || rows === ROWS_PER_SLICE) break;
        upTo = placeOf(row);
        bytes += row.bytes;
        rows++;
      }
    }
    const keys = this.#store.keysBefore(nowWallMs - this.#limits.idempotencyKeyRetentionMs, ROWS_PER_SLICE);
    for (const key of keys) checkKey(key, this.#store.name);
    if (!upTo && keys.length === 0) return undefined;
    return { upTo, bytes, keys, more: rows === ROWS_PER_SLICE || keys.length === ROWS_PER_SLICE };
  }

  /** Within a write of the store. */
  run(head: Head, plan: TrimPlan): { readonly head: Head; readonly more: boolean } {
    let next = head;
    if (plan.upTo) {
      this.#store.deleteLogUpTo(plan.upTo.position);
      next = { ...next, base: plan.upTo, logBytes: next.logBytes - plan.bytes };
    }
    for (const key of plan.keys) {
      this.#store.deleteKey(key.id);
      next = { ...next, keys: takeFromSet(next.keys, key.checksum) };
    }
    return { head: next, more: plan.more };
  }
}
