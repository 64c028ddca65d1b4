/** What a start checks before it trusts a log: mark against head, the chain, the sums over the sets. */

import { addToSet, EMPTY_SET, type SetSum, sameSet } from "./chain.ts";
import { checkTail, damaged, walkChain } from "./chain-walk.ts";
import { type Head, type LogPlace, replayStart } from "./head.ts";
import type { Mark } from "./mark.ts";
import { placeOf } from "./record-row.ts";
import { addRegistration, checkKey, checkRegistration, type Registrations } from "./registration-row.ts";
import type { RowStore } from "./row-store.ts";

/** The log may be ahead of its mark, never behind it, and must agree with it where it stands. */
export function checkMark(store: RowStore, head: Head, mark: Mark | undefined): void {
  const { name } = store;
  if (!mark) {
    if (head.tail.position > 0)
      throw damaged(`the mark file of ${name} is missing or unreadable in both slots, though the log has ${head.tail.position} rows`);
    return;
  }
  if (mark.position === 0 && head.tail.position === 0) return;
  if (mark.position > head.tail.position) {
    throw damaged(
      `the log of ${name} ends at revision ${head.tail.revision} (row ${head.tail.position}), but revision ${mark.revision} (row ${mark.position}) was acknowledged: the last ${mark.position - head.tail.position} rows are missing`,
    );
  }
  if (mark.epoch !== head.epoch)
    throw damaged(`the mark file of ${name} belongs to epoch ${mark.epoch}, the database to epoch ${head.epoch}`);
  if (mark.position < head.base.position)
    throw damaged(`the mark file of ${name} is older (row ${mark.position}) than the first kept log row`);
  const there = placeAt(store, head, mark.position);
  if (!there || there.chain !== mark.chain || there.revision !== mark.revision) {
    throw damaged(`log row ${mark.position} of ${name} is not the one that was acknowledged as revision ${mark.revision}`);
  }
}

/** The place of a kept row, or of the base; undefined when there is none. Not checked against its neighbours. */
export function placeAt(store: RowStore, head: Head, position: number): LogPlace | undefined {
  if (position === head.base.position) return head.base;
  const header = store.logHeader(position);
  return header && placeOf(header);
}

/** Checks the small columns of every row that a start replays. */
export function checkReplayChain(store: RowStore, head: Head): void {
  const from = replayStart(head);
  if (head.snapshot && from === head.snapshot.place) {
    const there = placeAt(store, head, from.position);
    if (there?.chain !== from.chain)
      throw damaged(`log row ${from.position} of ${store.name}, at which the snapshot was taken, is not the one it was`);
  }
  const walk = walkChain(store.logHeaders(from.position), from, store.name);
  let step = walk.next();
  while (!step.done) step = walk.next();
  checkTail(step.value, head.tail, store.name);
}

/** Reads and checks all registrations. */
export function readRegistrations(store: RowStore, head: Head): Registrations {
  const found: Registrations = { subscriptions: [], insertions: [], documents: [], claims: [] };
  let sum: SetSum = EMPTY_SET;
  for (const row of store.registrations()) {
    checkRegistration(row, store.name);
    sum = addToSet(sum, row.checksum);
    addRegistration(found, row);
  }
  checkSum("registrations", sum, head.registrations, store.name);
  found.claims.sort((a, b) => a.order - b.order);
  return found;
}

export function checkKeys(store: RowStore, head: Head): void {
  let sum: SetSum = EMPTY_SET;
  for (const row of store.keys()) {
    checkKey(row, store.name);
    sum = addToSet(sum, row.checksum);
  }
  checkSum("idempotency keys", sum, head.keys, store.name);
}

function checkSum(what: string, found: SetSum, expected: SetSum, where: string): void {
  if (sameSet(found, expected)) return;
  throw damaged(`${where} holds ${found.count} ${what} where ${expected.count} were written, or others than those`);
}
