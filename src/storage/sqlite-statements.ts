/** Every SQL statement on the tables of migrations/. No SQL is ever made from input. */
import type Database from "better-sqlite3";

const HEADER = "position, revision, has_transaction AS hasTransaction, wall_ms AS wallMs, bytes, seal, notified";
const TEXTS = "asserted, retracted, derived_added AS derivedAdded, derived_removed AS derivedRemoved, notifications";

export const SQL = {
  head: "SELECT body, checksum FROM head WHERE id = 1",
  putHead:
    "INSERT INTO head (id, body, checksum) VALUES (1, @body, @checksum) ON CONFLICT (id) DO UPDATE SET body = @body, checksum = @checksum",
  insertLog:
    "INSERT INTO log (position, revision, has_transaction, wall_ms, bytes, seal, notified, asserted, retracted, derived_added, derived_removed, notifications) " +
    "VALUES (@position, @revision, @hasTransaction, @wallMs, @bytes, @seal, @notified, @asserted, @retracted, @derivedAdded, @derivedRemoved, @notifications)",
  logHeader: `SELECT ${HEADER} FROM log WHERE position = ?`,
  logHeaders: `SELECT ${HEADER} FROM log WHERE position > ? ORDER BY position`,
  logRows: `SELECT ${HEADER}, ${TEXTS} FROM log WHERE position > ? ORDER BY position`,
  deleteLogUpTo: "DELETE FROM log WHERE position <= ?",
  registrations: "SELECT kind, id, body, checksum FROM registration",
  registration: "SELECT kind, id, body, checksum FROM registration WHERE kind = ? AND id = ?",
  putRegistration:
    "INSERT INTO registration (kind, id, body, checksum) VALUES (@kind, @id, @body, @checksum) " +
    "ON CONFLICT (kind, id) DO UPDATE SET body = @body, checksum = @checksum",
  deleteRegistration: "DELETE FROM registration WHERE kind = ? AND id = ?",
  keys: "SELECT id, wall_ms AS wallMs, body, checksum FROM idempotency NOT INDEXED",
  key: "SELECT id, wall_ms AS wallMs, body, checksum FROM idempotency WHERE id = ?",
  keysBefore: "SELECT id, wall_ms AS wallMs, body, checksum FROM idempotency WHERE wall_ms < ? ORDER BY wall_ms LIMIT ?",
  putKey:
    "INSERT INTO idempotency (id, wall_ms, body, checksum) VALUES (@id, @wallMs, @body, @checksum) " +
    "ON CONFLICT (id) DO UPDATE SET wall_ms = @wallMs, body = @body, checksum = @checksum",
  deleteKey: "DELETE FROM idempotency WHERE id = ?",
  pieces: "SELECT id, quads, checksum FROM snapshot_piece WHERE id >= ? ORDER BY id",
  putPiece: "INSERT INTO snapshot_piece (id, quads, checksum) VALUES (@id, @quads, @checksum)",
  deletePiecesExcept:
    // A number is bound as a double, which would make "/" keep the fraction.
    "DELETE FROM snapshot_piece WHERE id IN (SELECT id FROM snapshot_piece WHERE id / CAST(@per AS INTEGER) NOT IN (@one, @other) ORDER BY id LIMIT @limit)",
} as const;

export type Statements = { readonly [K in keyof typeof SQL]: Database.Statement };
