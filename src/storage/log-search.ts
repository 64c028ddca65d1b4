/** Revisions never fall with position, so a binary search finds one without an index that could be damaged on its own. */
import { SensError } from "../base/index.ts";
import type { Head } from "./head.ts";
import type { RowStore } from "./row-store.ts";

/** The first position at which `revision` was reached. */
export function firstPositionAt(store: RowStore, head: Head, revision: number): number {
  if (revision <= head.base.revision) return head.base.position;
  let low = head.base.position + 1;
  let high = head.tail.position;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const header = store.logHeader(middle);
    if (!header)
      throw new SensError(
        "SENS_DATA_DAMAGED",
        `Log row ${middle} of ${store.name} is missing. Run "sens verify" and restore from a backup.`,
      );
    if (header.revision >= revision) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last position at which `revision` was not exceeded. */
export function lastPositionAt(store: RowStore, head: Head, revision: number): number {
  return revision >= head.tail.revision ? head.tail.position : firstPositionAt(store, head, revision + 1) - 1;
}
