/** Registrations and idempotency keys as rows: JSON body, one checksum each. */
import type {
  ClaimRecord,
  DocumentRecord,
  IdempotencyRecord,
  InsertionRecord,
  RegistrationChange,
  SubscriptionRecord,
} from "../base/index.ts";
import { SensError, unreachable } from "../base/index.ts";
import { digest } from "./chain.ts";
import type { KeyRow, RegistrationRow } from "./row-store.ts";

export interface Registrations {
  readonly subscriptions: SubscriptionRecord[];
  readonly insertions: InsertionRecord[];
  readonly documents: DocumentRecord[];
  readonly claims: ClaimRecord[];
}

/** What one change does to the tables. */
export type RowChange =
  | { readonly does: "put"; readonly row: RegistrationRow }
  | { readonly does: "delete"; readonly kind: string; readonly id: string }
  | { readonly does: "key"; readonly row: KeyRow };

export function rowChange(change: RegistrationChange): RowChange {
  if ("delete" in change) {
    const id = change.delete === "document" ? documentId(change) : change.id;
    return { does: "delete", kind: change.delete, id };
  }
  const body = JSON.stringify(change.value);
  switch (change.put) {
    case "idempotency": {
      const { key, wallMs } = change.value;
      return { does: "key", row: { id: key, wallMs, body, checksum: digest(["idempotency", key, String(wallMs), body]) } };
    }
    case "document":
      return { does: "put", row: registrationRow("document", documentId(change.value), body) };
    case "subscription":
    case "insertion":
    case "claim":
      return { does: "put", row: registrationRow(change.put, change.value.id, body) };
    default:
      return unreachable(change, "registration change");
  }
}

/** Throws SENS_DATA_DAMAGED when the row is not what was written. */
export function checkRegistration(row: RegistrationRow, where: string): void {
  if (digest([row.kind, row.id, row.body]) !== row.checksum) throw damagedRow(where, row.kind, row.id);
}

export function checkKey(row: KeyRow, where: string): void {
  if (digest(["idempotency", row.id, String(row.wallMs), row.body]) !== row.checksum) throw damagedRow(where, "idempotency key", row.id);
}

export function addRegistration(to: Registrations, row: RegistrationRow): void {
  const value: unknown = JSON.parse(row.body);
  switch (row.kind) {
    case "subscription":
      to.subscriptions.push(value as SubscriptionRecord);
      return;
    case "insertion":
      to.insertions.push(value as InsertionRecord);
      return;
    case "document":
      to.documents.push(value as DocumentRecord);
      return;
    case "claim":
      to.claims.push(value as ClaimRecord);
      return;
    default:
      throw new SensError("SENS_DATA_DAMAGED", `Registration ${JSON.stringify(row.id)} is of unknown kind ${JSON.stringify(row.kind)}.`);
  }
}

export function keyRecord(row: KeyRow): IdempotencyRecord {
  return JSON.parse(row.body) as IdempotencyRecord;
}

function registrationRow(kind: string, id: string, body: string): RegistrationRow {
  return { kind, id, body, checksum: digest([kind, id, body]) };
}

function documentId(document: { readonly kind: string; readonly name: string }): string {
  return `${document.kind}/${document.name}`;
}

function damagedRow(where: string, kind: string, id: string): SensError {
  return new SensError(
    "SENS_DATA_DAMAGED",
    `${kind} ${JSON.stringify(id)} in ${where} does not match its checksum. Run "sens verify" and restore from a backup.`,
  );
}
