/**
 * Forward-only migrations: `migrations/NNNN-name.sql` at the package root, each applied once, in order, in a transaction.
 * A start refuses a database of a newer schema, and one whose schema is not exactly what the migrations make.
 */
import { readdirSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { SensError } from "../base/index.ts";
import { digest } from "./chain.ts";
import { damaged } from "./chain-walk.ts";

/** "SENS" as SQLite's application_id. */
const APPLICATION_ID = 0x53454e53;
/** The same two levels up from `src/storage/` and from `dist/storage/`. */
const DIRECTORY = new URL("../../migrations/", import.meta.url);
const TABLE = "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT";

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

type Applied = Omit<Migration, "sql">;

/** Brings the schema up to date. Throws SENS_CONFIG (newer or foreign database), SENS_DATA_DAMAGED. */
export function migrate(database: Database.Database, where: string): void {
  const migrations = readMigrations();
  const done = applied(database, migrations, where);
  if (done === 0 && hasTables(database)) {
    throw new SensError("SENS_CONFIG", `${where} is an SQLite database, but not one of SENS. Give another --data path.`);
  }
  for (const migration of migrations.slice(done)) database.transaction(() => apply(database, migration)).immediate();
  checkSchema(database, migrations, where);
}

/** For readers that must not write. Throws as `migrate`, and SENS_CONFIG when migrations are missing. */
export function checkMigrated(database: Database.Database, where: string): void {
  const migrations = readMigrations();
  const done = applied(database, migrations, where);
  if (done < migrations.length)
    throw new SensError("SENS_CONFIG", `${where} has schema ${done}, this program needs ${migrations.length}. Start the server once.`);
  checkSchema(database, migrations, where);
}

function readMigrations(): Migration[] {
  const files = readdirSync(DIRECTORY)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort();
  return files.map((name, index) => {
    const number = Number(name.slice(0, 4));
    if (number !== index + 1)
      throw new SensError("SENS_CONFIG", `Migration ${name} is out of order: ${index + 1} was expected. Reinstall the package.`);
    const sql = readFileSync(new URL(name, DIRECTORY), "utf8");
    return { number, name, sql, checksum: digest([sql]) };
  });
}

/** How many are applied; they must be the first ones, unchanged. */
function applied(database: Database.Database, migrations: readonly Migration[], where: string): number {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get();
  if (!known) return 0;
  const rows = database.prepare<[], Applied>("SELECT number, name, checksum FROM migration ORDER BY number").all();
  for (const [index, row] of rows.entries()) {
    const migration = migrations[index];
    if (!migration) {
      throw new SensError(
        "SENS_CONFIG",
        `${where} was written by a newer version (schema ${rows.length}, this program knows ${migrations.length}). Use that version.`,
      );
    }
    if (row.number !== migration.number || row.name !== migration.name || row.checksum !== migration.checksum) {
      throw new SensError(
        "SENS_DATA_DAMAGED",
        `${where} says migration ${row.number} was ${JSON.stringify(row.name)} (${row.checksum}); here it is ${migration.name} (${migration.checksum}). Restore from a backup, or use the version that wrote it.`,
      );
    }
  }
  return rows.length;
}

function apply(database: Database.Database, migration: Migration): void {
  if (migration.number === 1) {
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.exec(TABLE);
  }
  database.exec(migration.sql);
  database
    .prepare("INSERT INTO migration (number, name, checksum) VALUES (?, ?, ?)")
    .run(migration.number, migration.name, migration.checksum);
}

function hasTables(database: Database.Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

/** A flipped bit in the stored schema would change what columns mean; so it must be the text the migrations give. */
function checkSchema(database: Database.Database, migrations: readonly Migration[], where: string): void {
  const fresh = new Database(":memory:");
  try {
    for (const migration of migrations) apply(fresh, migration);
    if (schemaText(database) !== schemaText(fresh)) throw damaged(`the schema stored in ${where} is not the one the migrations make`);
  } finally {
    fresh.close();
  }
}

function schemaText(database: Database.Database): string {
  return JSON.stringify(database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").raw().all());
}
