/** F01: kill -9 at random moments of appends, snapshots and trims. Lost = 0, partial = 0. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { lastAcknowledged, startChild } from "./storage-process.ts";
import { judge } from "./storage-workload.ts";

const FULL = process.env.SENS_FULL === "1";
const KILLS = FULL ? 30 : 12;
const SEED = Number(process.env.SENS_SEED ?? 7);

test(`${KILLS} kills lose nothing that was acknowledged (seed ${SEED})`, { timeout: 600_000 }, async () => {
  const random = seededRandom(SEED);
  let killedWhileWriting = 0;
  for (let round = 0; round < KILLS; round++) {
    const directory = mkdtempSync(join(tmpdir(), "sens-kill-"));
    const file = join(directory, "a.db");
    let acknowledged = 0;
    for (let life = 0; life < 3; life++) {
      const child = startChild(file, SEED, 1_000_000);
      let left = 1 + Math.floor(random.next() * 80);
      child.onLine(() => {
        if (--left === 0) child.process.kill("SIGKILL");
      });
      const { lines, stderr } = await child.ended;
      expect(lines[0], stderr).toMatch(/^open /);
      expect(Number(lines[0]?.slice(5)), `life ${life} of round ${round}`).toBeGreaterThanOrEqual(acknowledged);
      acknowledged = Math.max(acknowledged, lastAcknowledged(lines));
      if (!lines.includes("done")) killedWhileWriting++;
    }
    expect(await judge(file, SEED, acknowledged)).toBeGreaterThanOrEqual(acknowledged);
    rmSync(directory, { recursive: true });
  }
  expect(killedWhileWriting).toBe(KILLS * 3);
});
