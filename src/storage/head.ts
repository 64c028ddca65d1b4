/** The head row: where the log begins and ends, which snapshot holds, and sums over the sets of rows beside the log. */
import { SensError } from "../base/index.ts";
import { CHAIN_START, digest, EMPTY_SET, type SetSum } from "./chain.ts";
import type { HeadRow } from "./row-store.ts";

/** A place in the log: after the row at `position`, when `revision` was the last one. */
export interface LogPlace {
  readonly position: number;
  readonly revision: number;
  readonly chain: string;
}

export interface SnapshotHead {
  readonly number: number;
  readonly place: LogPlace;
  readonly pieces: number;
  /** Digest over the pieces' checksums, in order. */
  readonly checksum: string;
}

export interface Head {
  readonly epoch: string;
  readonly tail: LogPlace;
  /** The last row that was trimmed: kept rows are those after it. */
  readonly base: LogPlace;
  /** Bytes of the kept rows. */
  readonly logBytes: number;
  readonly registrations: SetSum;
  readonly keys: SetSum;
  readonly snapshot: SnapshotHead | null;
  /** Number of the last snapshot begun. */
  readonly snapshotNumber: number;
}

const START: LogPlace = { position: 0, revision: 0, chain: CHAIN_START };

export function newHead(epoch: string): Head {
  return {
    epoch,
    tail: START,
    base: START,
    logBytes: 0,
    registrations: EMPTY_SET,
    keys: EMPTY_SET,
    snapshot: null,
    snapshotNumber: 0,
  };
}

export function encodeHead(head: Head): HeadRow {
  const body = JSON.stringify(head);
  return { body, checksum: digest([body]) };
}

export function decodeHead(row: HeadRow, where: string): Head {
  if (digest([row.body]) !== row.checksum) {
    throw new SensError("SENS_DATA_DAMAGED", `The head row of ${where} does not match its checksum. Restore the database from a backup.`);
  }
  return JSON.parse(row.body) as Head;
}

/** Where a start begins to replay: after the snapshot, or at the first kept row. */
export function replayStart(head: Head): LogPlace {
  return head.snapshot && head.snapshot.place.position > head.base.position ? head.snapshot.place : head.base;
}
