/** A change record as a log row, and back. Terms stay the N-Quads text they arrived as (docs/decisions/0002). */
import { assert, type ChangeRecord, type LoggedTransaction, SensError } from "../base/index.ts";
import { chainOfSeal, contentOfSeal, digest, makeSeal } from "./chain.ts";
import type { LogPlace } from "./head.ts";
import { type PackedText, packedBytes, packText, unpackText } from "./packed-text.ts";
import type { LogRow } from "./row-store.ts";

/** Share of the small columns and of the page in the size of a row. */
const ROW_OVERHEAD_BYTES = 96;

/** `fallbackWallMs` stands in a row without a transaction. */
export function recordToRow(record: ChangeRecord, after: LogPlace, fallbackWallMs: number, packs: boolean): LogRow {
  const { transaction } = record;
  const notifications = transaction?.notifications ?? [];
  const texts = [
    transaction?.asserted ?? "",
    transaction?.retracted ?? "",
    transaction?.derivedAdded ?? "",
    transaction?.derivedRemoved ?? "",
    notifications.length === 0 ? "" : JSON.stringify(notifications.map((n) => [n.added, n.removed])),
  ];
  for (const text of texts) assert(text.isWellFormed(), "a change record holds a lone surrogate, which UTF-8 cannot keep");
  const packed = (packs ? texts.map(packText) : texts) as [PackedText, PackedText, PackedText, PackedText, PackedText];
  const notified = notifications.length === 0 ? "" : JSON.stringify(notifications.map((n) => n.subscription));
  const numbers = {
    position: after.position + 1,
    revision: transaction ? transaction.revision : after.revision,
    hasTransaction: transaction !== undefined,
    wallMs: transaction ? transaction.wallMs : fallbackWallMs,
    bytes: packed.reduce((sum, text) => sum + packedBytes(text), ROW_OVERHEAD_BYTES + notified.length),
    notified,
  };
  const changes = record.registrations.length === 0 ? "" : JSON.stringify(record.registrations);
  const seal = makeSeal(after.chain, numbers, digest(texts), digest([changes]));
  const [asserted, retracted, derivedAdded, derivedRemoved, packedNotifications] = packed;
  return { ...numbers, seal, asserted, retracted, derivedAdded, derivedRemoved, notifications: packedNotifications };
}

export function placeOf(row: { readonly position: number; readonly revision: number; readonly seal: string }): LogPlace {
  return { position: row.position, revision: row.revision, chain: chainOfSeal(row.seal) };
}

/** Checks the texts against the seal. The caller has checked the chain. Throws SENS_DATA_DAMAGED. */
export function rowToTransaction(row: LogRow, where: string): LoggedTransaction {
  const texts = unpackRow(row, where);
  if (digest(texts) !== contentOfSeal(row.seal)) throw damagedTexts(row, where);
  const [asserted = "", retracted = "", derivedAdded = "", derivedRemoved = "", deltas = ""] = texts;
  const subscriptions = row.notified === "" ? [] : (JSON.parse(row.notified) as string[]);
  const pairs = deltas === "" ? [] : (JSON.parse(deltas) as [string, string][]);
  const notifications = subscriptions.map((subscription, i) => ({
    subscription,
    added: pairs[i]?.[0] ?? "",
    removed: pairs[i]?.[1] ?? "",
  }));
  return { revision: row.revision, wallMs: row.wallMs, asserted, retracted, derivedAdded, derivedRemoved, notifications };
}

function unpackRow(row: LogRow, where: string): string[] {
  try {
    return [row.asserted, row.retracted, row.derivedAdded, row.derivedRemoved, row.notifications].map(unpackText);
  } catch (cause) {
    throw damagedTexts(row, where, cause);
  }
}

function damagedTexts(row: LogRow, where: string, cause?: unknown): SensError {
  return new SensError(
    "SENS_DATA_DAMAGED",
    `The texts of log row ${row.position} (revision ${row.revision}) in ${where} do not match their checksum. Restore from a backup.`,
    { cause },
  );
}
