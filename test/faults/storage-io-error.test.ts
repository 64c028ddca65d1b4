/** F04-F06: the disk is full, a limit is hit, writes and syncs fail. Lost = 0, partial = 0; a full disk is survived. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { SensError } from "../../src/base/index.ts";
import { mountSmallDisk, unmount } from "./small-disk.ts";
import { buildPreload, lastAcknowledged, startChild } from "./storage-process.ts";
import { judge, openLog, recordOf } from "./storage-workload.ts";

const FULL = process.env.SENS_FULL === "1";
const SEED = 3;
const TIMEOUT = { timeout: 900_000 };
const workspace = mkdtempSync(join(tmpdir(), "sens-io-"));
const preload = buildPreload("failsync", workspace);
const smallDisk = mountSmallDisk(join(workspace, "disk"), 8);

afterAll(() => {
  if (smallDisk) unmount(smallDisk);
  rmSync(workspace, { recursive: true });
});

/** Every n-th operation fails once n was reached; n goes up until a run passes (or to the bound). */
describe.skipIf(preload === undefined)("after the n-th operation every one fails", () => {
  const counts = FULL ? Array.from({ length: 24 }, (_, i) => i + (i >> 1)) : [0, 1, 2, 3, 5, 9, 17, 33];
  for (const [what, environment] of [
    ["sync of the write-ahead log", { FI_PATH: "a.db-wal", FI_FSYNC_AFTER: "" }],
    ["sync of the mark", { FI_PATH: "a.db-mark", FI_FSYNC_AFTER: "" }],
    ["write to the write-ahead log", { FI_PATH: "a.db-wal", FI_WRITE_AFTER: "" }],
    ["torn write to the write-ahead log", { FI_PATH: "a.db-wal", FI_WRITE_AFTER: "", FI_SHORT: "1" }],
    ["torn write of the mark", { FI_PATH: "a.db-mark", FI_WRITE_AFTER: "", FI_SHORT: "1" }],
  ] as const) {
    test(`${what}: the outcome is unknown, the log stops, a restart has all that was acknowledged`, TIMEOUT, async () => {
      let hit = 0;
      for (const count of counts) {
        const file = join(mkdtempSync(join(workspace, "eio-")), "a.db");
        const counter = "FI_FSYNC_AFTER" in environment ? { FI_FSYNC_AFTER: String(count) } : { FI_WRITE_AFTER: String(count) };
        const child = startChild(file, SEED, 60, { ...environment, ...counter, LD_PRELOAD: preload });
        const { lines, stderr } = await child.ended;
        const error = lines.find((line) => line.startsWith("error "));
        if (error) {
          hit++;
          const isOpen = lines[0] === error;
          expect(error, stderr).toMatch(isOpen ? /^error SENS_(OUTCOME_UNKNOWN|CONFIG) / : /^error SENS_OUTCOME_UNKNOWN /);
          expect(lines.at(-1)).toMatch(/^again (SENS_OUTCOME_UNKNOWN|Assertion)/);
        }
        await judge(file, SEED, lastAcknowledged(lines));
      }
      expect(hit).toBeGreaterThan(counts.length / 2);
    });
  }
});

describe("ENOSPC", () => {
  test.skipIf(preload === undefined)(
    "from one write to the write-ahead log is a full disk: nothing was written, and it goes on",
    TIMEOUT,
    async () => {
      const file = join(mkdtempSync(join(workspace, "full-")), "a.db");
      const environment = { FI_PATH: "a.db-wal", FI_WRITE_AFTER: "150", FI_ERRNO: "28", FI_ONCE: "1", LD_PRELOAD: preload };
      const { lines, stderr } = await startChild(file, SEED, 400, environment).ended;
      expect(
        lines.find((line) => line.startsWith("error ")),
        stderr,
      ).toMatch(/^error SENS_STORAGE_FULL /);
      expect(lines.at(-1)).toBe("again accepted");
      expect(await judge(file, SEED, lastAcknowledged(lines))).toBe(lastAcknowledged(lines));
    },
  );

  test.skipIf(smallDisk === undefined)("on a full disk: refused whole, and used again once there is space", TIMEOUT, async () => {
    const disk = smallDisk ?? "";
    const log = openLog(join(disk, "a.db"));
    await log.open();
    writeFileSync(join(disk, "ballast"), Buffer.alloc(2 << 20));
    let last = 0;
    const fill = async (): Promise<unknown> => {
      for (;;) {
        const { transaction } = recordOf(last + 1);
        const asserted = Array.from({ length: 2_000 }, () => `<http://e/${Math.random()}> <http://e/p> <http://e/o> .\n`).join("");
        const error = await log.append([{ transaction: transaction && { ...transaction, asserted }, registrations: [] }]).then(
          () => undefined,
          (e: unknown) => e,
        );
        if (error) return error;
        last++;
      }
    };
    for (let round = 0; round < 2; round++) {
      const error = await fill();
      expect(error, String(error)).toBeInstanceOf(SensError);
      expect((error as SensError).code).toBe("SENS_STORAGE_FULL");
      expect((await log.changesAfter(0, 1_000_000))?.length).toBe(last);
      if (round === 0) rmSync(join(disk, "ballast"));
    }
    expect((await log.verify()).problems).toEqual([]);
    await log.close();
  });
});

test("a file size limit stops the log without losing what was acknowledged", TIMEOUT, async () => {
  const file = join(mkdtempSync(join(workspace, "limit-")), "a.db");
  const limited = ["sh", "-c", `trap '' XFSZ; ulimit -f 300; exec "$@"`, "sh"];
  const { lines, stderr } = await startChild(file, SEED, 4_000, {}, limited).ended;
  expect(
    lines.find((line) => line.startsWith("error ")),
    stderr,
  ).toMatch(/^error SENS_(STORAGE_FULL|OUTCOME_UNKNOWN) /);
  expect(lastAcknowledged(lines)).toBeGreaterThan(0);
  await judge(file, SEED, lastAcknowledged(lines));
});
