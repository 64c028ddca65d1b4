/**
 * F03: power cuts. A run's writes, syncs and acknowledgements are recorded; the disk is then rebuilt as a cut at a random
 * moment may leave it (what was synced is there; of the rest, each 512-byte sector is there or not), and opened.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { readEvents, rebuild, syncsOf } from "./power-cut.ts";
import { buildPreload, startChild } from "./storage-process.ts";
import { judge } from "./storage-workload.ts";

const FULL = process.env.SENS_FULL === "1";
const CUTS = FULL ? 100 : 20;
const SEED = Number(process.env.SENS_SEED ?? 11);

const workspace = mkdtempSync(join(tmpdir(), "sens-powercut-"));
const preload = buildPreload("powercut", workspace);

test.skipIf(preload === undefined)(
  `${CUTS} power cuts lose nothing that was acknowledged (seed ${SEED})`,
  { timeout: 900_000 },
  async () => {
    const directory = join(workspace, "data");
    mkdirSync(directory, { mode: 0o700 });
    const recording = join(workspace, "events");
    const until = FULL ? 500 : 250;
    const child = startChild(join(directory, "a.db"), SEED, until, { LD_PRELOAD: preload, PC_DIR: directory, PC_LOG: recording });
    const { lines, stderr } = await child.ended;
    expect(lines.at(-1), stderr).toBe("done");
    const events = readEvents(readFileSync(recording));
    for (const suffix of ["", "-wal", "-mark"]) {
      const seen = syncsOf(events, `a.db${suffix}`);
      expect(seen, `syncs of a.db${suffix} that the recorder saw`).toBeGreaterThan(1);
    }
    const random = seededRandom(SEED);
    let midway = 0;
    for (let cut = 0; cut < CUTS; cut++) {
      const at = 1 + Math.floor(random.next() * events.length);
      const copy = mkdtempSync(join(workspace, "cut-"));
      const acknowledged = rebuild(events.slice(0, at), copy, random).at(-1) ?? 0;
      const revision = await judge(join(copy, "a.db"), SEED, acknowledged);
      expect(revision, `cut ${cut} at event ${at}`).toBeGreaterThanOrEqual(acknowledged);
      if (acknowledged > 0 && acknowledged < until) midway++;
      rmSync(copy, { recursive: true });
    }
    expect(midway).toBeGreaterThan(CUTS / 2);
    rmSync(workspace, { recursive: true });
  },
);
