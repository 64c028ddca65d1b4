/** What only a log in a file does: restart, lock, permissions, schema. Faults are in test/faults/. */
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChangeLog, type ChangeRecord, type RecoveredState, seededRandom, silentLogger, systemClock } from "../base/index.ts";
import { openChangeLog, verifyFile } from "./index.ts";

let directory: string;
let file: string;
const open: ChangeLog[] = [];
let seed = 1;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sens-sqlite-"));
  file = join(directory, "data", "a.db");
});

afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
  rmSync(directory, { recursive: true });
});

function make(path = file, restored = false): ChangeLog {
  const log = openChangeLog({ file: path, restored, clock: systemClock, random: seededRandom(seed++), logger: silentLogger });
  open.push(log);
  return log;
}

const record = (revision: number): ChangeRecord => ({
  transaction: {
    revision,
    wallMs: revision,
    asserted: `<a:s> <a:p> "${revision}" .\n`,
    retracted: "",
    derivedAdded: "<a:d> <a:p> <a:o> .\n",
    derivedRemoved: "",
    notifications: [],
  },
  registrations: [],
});

async function drain(state: RecoveredState): Promise<{ quads: string; revisions: number[] }> {
  let quads = "";
  for await (const piece of state.snapshot?.quads ?? []) quads += piece;
  const revisions: number[] = [];
  for await (const transaction of state.transactions) revisions.push(transaction.revision);
  return { quads, revisions };
}

describe("restart", () => {
  test("every kind of registration is there exactly once, twice over, from any working directory", async () => {
    const subscription = { id: "s", name: "n", query: "CONSTRUCT WHERE { ?s ?p ?o }", options: `{"removals":true}`, sinceRevision: 0 };
    const insertion = { id: "i", name: "", query: "CONSTRUCT WHERE { ?s ?p ?o }", mode: "once" } as const;
    const documents = [
      { kind: "ontology", name: "o", contentType: "text/turtle", content: "<a:x> a <a:y> ." },
      { kind: "rules", name: "o", contentType: "text/n3", content: "{} => {} ." },
    ] as const;
    const claims = [3, 2].map((order) => ({
      id: `c${order}`,
      quads: "<a:s> <a:p> <a:o> .\n",
      leaseMs: 5,
      deliveries: 2,
      order,
      dead: order === 3,
    }));
    const log = make(relative(process.cwd(), file));
    const { epoch } = await log.open();
    const key = { key: "k", digest: "d", answer: "{}", wallMs: Date.now() };
    await log.append([
      record(1),
      {
        registrations: [
          { put: "subscription", value: subscription },
          { put: "insertion", value: insertion },
          ...documents.map((value) => ({ put: "document", value }) as const),
          ...claims.map((value) => ({ put: "claim", value }) as const),
          { put: "idempotency", value: key },
        ],
      },
    ]);
    await log.close();
    for (let start = 0; start < 2; start++) {
      const again = make();
      const state = await again.open();
      expect(state).toMatchObject({
        epoch,
        revision: 1,
        subscriptions: [subscription],
        insertions: [insertion],
        documents,
        claims: [...claims].reverse(),
      });
      expect(state.documents).toHaveLength(2);
      expect(await again.idempotency("k")).toEqual(key);
      expect((await drain(state)).revisions).toEqual([1]);
      await again.close();
    }
  });

  test("a snapshot shortens the replay, and trimmed rows are not missed", async () => {
    const log = make();
    await log.open();
    await log.append([record(1), record(2)]);
    async function* quads(): AsyncGenerator<string> {
      yield "<a:s> <a:p> <a:o> .\n".repeat(60_000);
      yield "<a:last> <a:p> <a:o> .\n";
    }
    await log.writeSnapshot({ revision: 2, quads: quads() });
    await log.append([record(3)]);
    await log.trim(Date.now());
    await log.close();
    const again = make();
    const state = await again.open();
    expect(state.snapshot?.revision).toBe(2);
    const { quads: text, revisions } = await drain(state);
    expect(text).toBe(`${"<a:s> <a:p> <a:o> .\n".repeat(60_000)}<a:last> <a:p> <a:o> .\n`);
    expect(revisions).toEqual([3]);
    expect(await again.changesAfter(1, 5)).toBeUndefined();
    expect((await verifyFile(file)).problems).toEqual([]);
  });

  test("a restored file starts a new epoch, whatever its mark says; unasked it is refused", async () => {
    const log = make();
    const { epoch } = await log.open();
    await log.append([record(1)]);
    await log.close();
    const backup = join(directory, "backup.db");
    copyFileSync(file, backup);
    const later = make();
    await later.open();
    await later.append([record(2)]);
    await later.close();
    copyFileSync(backup, file);
    await expect(make().open()).rejects.toMatchObject({
      code: "SENS_DATA_DAMAGED",
      message: expect.stringContaining("revision 2 (row 2) was acknowledged"),
    });
    const restored = make(file, true);
    const state = await restored.open();
    expect(state.revision).toBe(1);
    expect(state.epoch).not.toBe(epoch);
    await restored.append([record(2)]);
    await restored.close();
    expect(await make().open()).toMatchObject({ epoch: state.epoch, revision: 2 });
    expect((await verifyFile(file)).problems).toEqual([]);
  });

  test("verify reads beside a running server and changes nothing", async () => {
    const log = make();
    await log.open();
    await log.append([record(1)]);
    const [report] = await Promise.all([log.verify(), log.append([record(2)])]);
    expect(report).toMatchObject({ ok: true, problems: [] });
    expect(await verifyFile(file)).toMatchObject({ ok: true, revision: 2, transactions: 2 });
    await expect(verifyFile(join(directory, "absent.db"))).rejects.toMatchObject({ code: "SENS_CONFIG" });
    expect(readdirSync(directory)).toEqual(["data"]);
  });
});

describe("one server per file", () => {
  test("a second one in the same process is refused, and the first goes on", async () => {
    const log = make();
    await log.open();
    await expect(make().open()).rejects.toMatchObject({ code: "SENS_DATA_LOCKED" });
    await log.append([record(1)]);
    await log.close();
    await make().open();
  });

  test("a second process is refused, and its kill -9 leaves no lock", async () => {
    const source = `
      import { openChangeLog } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
      import { systemClock, systemRandom, silentLogger } from ${JSON.stringify(new URL("../base/index.ts", import.meta.url).href)};
      await openChangeLog({ file: ${JSON.stringify(file)}, clock: systemClock, random: systemRandom, logger: silentLogger }).open();
      setInterval(() => {}, 1000);
      process.stdout.write("open");
    `;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await expect(make().open()).rejects.toMatchObject({ code: "SENS_DATA_LOCKED", message: expect.stringContaining(file) });
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
    const log = make();
    await log.open();
    await log.append([record(1)]);
  });
});

describe("files", () => {
  test("are for their owner only", async () => {
    const log = make();
    await log.open();
    await log.append([record(1)]);
    expect(statSync(join(directory, "data")).mode & 0o777).toBe(0o700);
    const files = readdirSync(join(directory, "data"));
    expect(files.sort()).toEqual(["a.db", "a.db-lock", "a.db-mark", "a.db-shm", "a.db-wal"]);
    for (const name of files) expect(statSync(join(directory, "data", name)).mode & 0o777, name).toBe(0o600);
  });

  test("permissions given to others are taken away", async () => {
    await make().open();
    for (const log of open.splice(0)) await log.close();
    chmodSync(file, 0o644);
    await make().open();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("a path that cannot be a database is a matter of configuration", async () => {
    writeFileSync(join(directory, "plain"), "");
    await expect(make(join(directory, "plain", "a.db")).open()).rejects.toMatchObject({ code: "SENS_CONFIG" });
    mkdirSync(join(directory, "folder.db"));
    await expect(make(join(directory, "folder.db")).open()).rejects.toMatchObject({ code: "SENS_CONFIG" });
  });
});

describe("schema", () => {
  async function change(sql: string): Promise<ChangeLog> {
    await make().open();
    for (const log of open.splice(0)) await log.close();
    const database = new Database(file);
    database.exec(sql);
    database.close();
    return make();
  }

  test("of a newer version is refused", async () => {
    const log = await change("INSERT INTO migration (number, name, checksum) VALUES (9999, '9999-future.sql', 'x')");
    await expect(log.open()).rejects.toMatchObject({ code: "SENS_CONFIG", message: expect.stringContaining("newer version") });
  });

  test("that is not what the migrations make is damage", async () => {
    const log = await change("CREATE INDEX extra ON log (revision)");
    await expect(log.open()).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
  });

  test("of another program is refused", async () => {
    const foreign = join(directory, "foreign.db");
    new Database(foreign).exec("CREATE TABLE t (a)").close();
    await expect(make(foreign).open()).rejects.toMatchObject({ code: "SENS_CONFIG" });
  });

  test("a text file is not taken for a database", async () => {
    const text = join(directory, "text.db");
    writeFileSync(text, "not a database, but long enough to have a header of its own\n".repeat(100));
    await expect(make(text).open()).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
  });
});

describe("rows changed behind the log's back", () => {
  for (const [what, sql] of [
    ["a text", "UPDATE log SET asserted = '<a:s> <a:p> \"x\" .' WHERE position = 2"],
    ["a row that vanished", "DELETE FROM log WHERE position = 2"],
    ["the last row", "DELETE FROM log WHERE position = 3"],
    ["a revision beyond 2^53", "UPDATE log SET revision = 9007199254740993 WHERE position = 2"],
    ["a key that vanished", "DELETE FROM idempotency"],
    ["a registration that vanished", "DELETE FROM registration"],
    ["a registration", "UPDATE registration SET body = replace(body, 'ontology', 'rules')"],
    ["the head", "UPDATE head SET body = replace(body, '\"revision\":3', '\"revision\":2')"],
  ]) {
    test(`${what}: start and verify both say so`, async () => {
      const log = make();
      await log.open();
      const registrations = [
        { put: "idempotency", value: { key: "k", digest: "d", answer: "{}", wallMs: 1 } },
        { put: "document", value: { kind: "ontology", name: "o", contentType: "text/turtle", content: "" } },
      ] as const;
      await log.append([record(1), record(2), { ...record(3), registrations }]);
      await log.close();
      const database = new Database(file);
      database.exec(sql ?? "");
      database.close();
      const report = await verifyFile(file);
      expect(report.ok).toBe(false);
      const again = make();
      await expect(again.open().then(drain)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
    });
  }
});
