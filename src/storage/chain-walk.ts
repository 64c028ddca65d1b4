/** Walks the log in order and checks every link of the chain. Used by start, feeds, trim and verify alike. */
import { SensError } from "../base/index.ts";
import { sealIsRight } from "./chain.ts";
import type { LogPlace } from "./head.ts";
import { placeOf } from "./record-row.ts";
import type { LogHeader } from "./row-store.ts";

/**
 * Yields the rows after `from`, each checked to follow the one before in position, revision and chain.
 * Throws SENS_DATA_DAMAGED at the first that does not.
 */
export function* walkChain<R extends LogHeader>(rows: Iterable<R>, from: LogPlace, where: string): Generator<R, LogPlace> {
  let last = from;
  for (const row of rows) {
    checkLink(row, last, where);
    yield row;
    last = placeOf(row);
  }
  return last;
}

export function checkLink(row: LogHeader, last: LogPlace, where: string): void {
  if (row.position !== last.position + 1) {
    const gap = `log row ${row.position} of ${where} follows row ${last.position} (revision ${last.revision})`;
    throw damaged(`${gap}: the rows between are missing`);
  }
  const expected = row.hasTransaction ? last.revision + 1 : last.revision;
  if (row.revision !== expected || !sealIsRight(last.chain, row)) {
    throw damaged(`log row ${row.position} of ${where} (revision ${expected}) does not match its checksum`);
  }
}

/** The walk must have reached the tail that the head row names. */
export function checkTail(reached: LogPlace, tail: LogPlace, where: string): void {
  if (reached.position < tail.position) {
    throw damaged(
      `the log of ${where} ends at revision ${reached.revision} (row ${reached.position}), but it had reached revision ${tail.revision} (row ${tail.position})`,
    );
  }
  if (reached.position > tail.position || reached.revision !== tail.revision || reached.chain !== tail.chain) {
    throw damaged(
      `the log of ${where} ends at revision ${reached.revision} (row ${reached.position}), which is not the end its head row names (row ${tail.position})`,
    );
  }
}

export function damaged(what: string): SensError {
  return new SensError("SENS_DATA_DAMAGED", `Damage: ${what}. Run "sens verify" for the whole extent and restore from a backup.`);
}
