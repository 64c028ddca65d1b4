/** Order of cursors `epoch:revision`. Revisions of different epochs cannot be compared. */
import type { Cursor } from "../protocol/index.ts";

/** True when a client that has seen `seen` has seen `cursor` too. */
export function isCovered(cursor: Cursor, seen: Cursor | undefined): boolean {
  if (seen === undefined) return false;
  const [epoch, revision] = split(cursor);
  const [seenEpoch, seenRevision] = split(seen);
  return epoch === seenEpoch && revision <= seenRevision;
}

export function revisionOf(cursor: Cursor): number {
  return split(cursor)[1];
}

function split(cursor: Cursor): readonly [string, number] {
  const colon = cursor.lastIndexOf(":");
  return [cursor.slice(0, colon), Number(cursor.slice(colon + 1))];
}
