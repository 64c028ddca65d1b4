/** Reads everything a store holds and checks it, collecting what is wrong instead of stopping at the first. */
import type { VerifyReport } from "../base/index.ts";
import { checkLink, checkTail } from "./chain-walk.ts";
import { decodeHead, type Head, type LogPlace } from "./head.ts";
import type { MarkReading } from "./mark.ts";
import { checkKeys, checkMark, readRegistrations } from "./open-check.ts";
import { placeOf, rowToTransaction } from "./record-row.ts";
import type { RowStore } from "./row-store.ts";
import { checkSnapshot } from "./snapshot-table.ts";

/** Past this many sentences nobody reads on. */
const PROBLEMS_MAX = 100;

/** `mark` was read before the store's read transaction began, so that it cannot be ahead of it. */
export function verifyStore(store: RowStore, mark: MarkReading): VerifyReport {
  const problems: string[] = [];
  const attempt = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      note(problems, error instanceof Error ? error.message : String(error));
    }
  };
  for (const problem of mark.problems) note(problems, problem);
  attempt(() => {
    for (const problem of store.structureProblems()) note(problems, problem);
  });
  let head: Head | undefined;
  attempt(() => {
    const row = store.head();
    if (row) head = decodeHead(row, store.name);
    else note(problems, `${store.name} has no head row`);
  });
  let transactions = 0;
  if (head) {
    const known = head;
    attempt(() => checkMark(store, known, mark.mark));
    attempt(() => {
      if (known.snapshot) checkSnapshot(store, known.snapshot);
    });
    attempt(() => readRegistrations(store, known));
    attempt(() => checkKeys(store, known));
    attempt(() => {
      transactions = checkRows(store, known, problems);
    });
  }
  return { ok: problems.length === 0, revision: head?.tail.revision ?? 0, transactions, problems };
}

/** Goes on after a damaged row, taking up the chain where it stands. Answers how many transactions were read. */
function checkRows(store: RowStore, head: Head, problems: string[]): number {
  let last: LogPlace = head.base;
  let transactions = 0;
  for (const row of store.logRows(head.base.position)) {
    if (row.position === head.snapshot?.place.position && placeOf(row).chain !== head.snapshot.place.chain) {
      note(problems, `log row ${row.position} is not the one at which the snapshot was taken`);
    }
    try {
      checkLink(row, last, store.name);
      const transaction = rowToTransaction(row, store.name);
      if (row.hasTransaction && transaction) transactions++;
    } catch (error) {
      note(problems, error instanceof Error ? error.message : String(error));
    }
    last = placeOf(row);
  }
  checkTail(last, head.tail, store.name);
  return transactions;
}

function note(problems: string[], problem: string): void {
  if (problems.length < PROBLEMS_MAX) problems.push(problem);
  else if (problems.length === PROBLEMS_MAX) problems.push("further problems are not listed");
}
