/**
 * F07-F09: damage to the files at rest. After every damage one of two things holds: the log says so (at start, or when the
 * damaged part is read), or all it gives is right. Nothing in between: silent = 0.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SensError, seededRandom } from "../../src/base/index.ts";
import { verifyFile } from "../../src/storage/index.ts";
import { lastAcknowledged, startChild } from "./storage-process.ts";
import { judge } from "./storage-workload.ts";

const FULL = process.env.SENS_FULL === "1";
const TRIALS = FULL ? 60 : 20;
const SEED = Number(process.env.SENS_SEED ?? 5);
const TIMEOUT = { timeout: 900_000 };

let workspace: string;
/** Killed while running: most of it is in the write-ahead log. */
let running: string;
/** A few batches before `running`. */
let older: string;
let closed: string;
let acknowledged = 0;
let acknowledgedAtClose = 0;

beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), "sens-damage-"));
  const source = join(workspace, "source");
  older = join(workspace, "older");
  running = join(workspace, "running");
  closed = join(workspace, "closed");
  const first = await runAndKill(source, 30);
  expect(first).toBeGreaterThan(0);
  copyDatabase(source, older);
  acknowledged = await runAndKill(source, 12);
  copyDatabase(source, running);
  const child = startChild(closed, SEED, 160);
  acknowledgedAtClose = lastAcknowledged((await child.ended).lines);
});

afterAll(() => rmSync(workspace, { recursive: true }));

describe("one flipped bit", () => {
  for (const [suffix, from] of [
    ["", "closed"],
    ["", "running"],
    ["-wal", "running"],
    ["-mark", "running"],
  ] as const) {
    test(`in a.db${suffix} of a ${from} server is never silent (${TRIALS} trials, seed ${SEED})`, TIMEOUT, async () => {
      const random = seededRandom(SEED);
      const counts = { noticed: 0, harmless: 0 };
      for (let trial = 0; trial < TRIALS; trial++) {
        const [file, minimum] = freshCopy(from);
        const bytes = readFileSync(file + suffix);
        const at = Math.floor(random.next() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random.next() * 8));
        writeFileSync(file + suffix, bytes);
        counts[await outcome(file, minimum, `byte ${at}`)]++;
      }
      console.info(`flips in ${from} a.db${suffix}: ${JSON.stringify(counts)}`);
    });
  }
});

describe("the write-ahead log of a killed server", () => {
  test("cut off anywhere is never silent", TIMEOUT, async () => {
    const random = seededRandom(SEED);
    const counts = { noticed: 0, harmless: 0 };
    for (let trial = 0; trial < TRIALS; trial++) {
      const [file, minimum] = freshCopy("running");
      const bytes = readFileSync(`${file}-wal`);
      const length = Math.floor(random.next() * bytes.length);
      writeFileSync(`${file}-wal`, bytes.subarray(0, length));
      counts[await outcome(file, minimum, `cut at ${length} of ${bytes.length}`)]++;
    }
    console.info(`cut write-ahead logs: ${JSON.stringify(counts)}`);
    expect(counts.noticed).toBeGreaterThan(0);
  });

  test("deleted is noticed, naming the revision that is missing", TIMEOUT, async () => {
    const [file, minimum] = freshCopy("running");
    rmSync(`${file}-wal`);
    await expect(judge(file, SEED, minimum)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
  });

  test("swapped with an older copy is noticed", TIMEOUT, async () => {
    const [file, minimum] = freshCopy("running");
    copyFileSync(`${older}-wal`, `${file}-wal`);
    await expect(judge(file, SEED, minimum)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
  });
});

describe("other damage", () => {
  test("a zeroed page of the database is never silent", TIMEOUT, async () => {
    const [source] = freshCopy("closed");
    const pages = Math.floor(readFileSync(source).length / 4096);
    const counts = { noticed: 0, harmless: 0 };
    for (let page = 0; page < pages; page++) {
      const [file, minimum] = freshCopy("closed");
      const bytes = readFileSync(file);
      bytes.fill(0, page * 4096, (page + 1) * 4096);
      writeFileSync(file, bytes);
      counts[await outcome(file, minimum, `page ${page}`)]++;
    }
    console.info(`zeroed pages: ${JSON.stringify(counts)}`);
    expect(counts.noticed).toBeGreaterThan(0);
  });

  test("a missing database beside its mark, and a missing mark beside its database, are noticed", TIMEOUT, async () => {
    const [withoutDatabase, minimum] = freshCopy("closed");
    rmSync(withoutDatabase);
    await expect(judge(withoutDatabase, SEED, minimum)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
    const [withoutMark] = freshCopy("closed");
    rmSync(`${withoutMark}-mark`);
    await expect(judge(withoutMark, SEED, minimum)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
  });

  test("both slots of the mark unreadable is noticed; one is survived and said", TIMEOUT, async () => {
    for (const slots of [[0, 1], [0], [1]]) {
      const [file, minimum] = freshCopy("closed");
      const bytes = readFileSync(`${file}-mark`);
      for (const slot of slots) bytes.fill(0x55, slot * 4096, slot * 4096 + 100);
      writeFileSync(`${file}-mark`, bytes);
      expect((await verifyFile(file)).ok).toBe(false);
      const warnings: string[] = [];
      const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) };
      if (slots.length === 2) await expect(judge(file, SEED, minimum)).rejects.toMatchObject({ code: "SENS_DATA_DAMAGED" });
      else {
        expect(await judge(file, SEED, minimum, log)).toBe(minimum);
        expect(warnings.join()).toMatch(/slot . of the mark file/);
        expect((await verifyFile(file)).problems).toEqual([]);
      }
    }
  });
});

/** Verify finds whatever a start or a reader would stumble over. */
async function outcome(file: string, minimum: number, what: string): Promise<"noticed" | "harmless"> {
  const report = await verifyFile(file).catch((error: unknown) => error);
  const verified = !(report instanceof Error) && (report as { ok: boolean }).ok;
  try {
    await judge(file, SEED, minimum);
    return "harmless";
  } catch (error) {
    expect(error, `${what}: ${String(error)}`).toBeInstanceOf(SensError);
    expect(["SENS_DATA_DAMAGED", "SENS_CONFIG", "SENS_OUTCOME_UNKNOWN"], `${what}: ${String(error)}`).toContain((error as SensError).code);
    expect(verified, `${what}: verify found nothing, but a start said ${String(error)}`).toBe(false);
    return "noticed";
  }
}

async function runAndKill(file: string, lines: number): Promise<number> {
  const child = startChild(file, SEED, 1_000_000);
  let left = lines;
  child.onLine(() => {
    if (--left === 0) child.process.kill("SIGKILL");
  });
  return lastAcknowledged((await child.ended).lines);
}

function freshCopy(of: "closed" | "running"): readonly [string, number] {
  const file = join(workspace, "a.db");
  copyDatabase(of === "closed" ? closed : running, file);
  return [file, of === "closed" ? acknowledgedAtClose : acknowledged];
}

function copyDatabase(from: string, to: string): void {
  for (const suffix of ["", "-wal", "-shm", "-mark", "-lock"]) {
    rmSync(to + suffix, { force: true });
    if (suffix !== "-shm" && suffix !== "-lock" && existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}
