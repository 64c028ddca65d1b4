/**
 * P1 to P3 and F01 at the whole server: kill -9 at random moments under load. Every acknowledged publish is there after
 * the restart, with all its triples and what follows from them; an unacknowledged one is there whole or not at all; a
 * retry under its idempotency key happens once. SENS_KILLS sets how many.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { ITEM_SCHEMA, ItemLoad, publishItem, publishText, storedItems, WHOLE } from "./server-items.ts";
import { type ServerProcess, startServerProcess, verifyProcess } from "./server-process.ts";

const KILLS = Number(process.env.SENS_KILLS ?? 5);
const SEED = Number(process.env.SENS_SEED ?? 5);
const PUBLISHERS = 4;

const workspace = mkdtempSync(join(tmpdir(), "sens-kill-"));
let server: ServerProcess | undefined;
afterAll(async () => {
  await server?.kill();
  rmSync(workspace, { recursive: true, force: true });
});

async function restart(data: string): Promise<ServerProcess> {
  server = await startServerProcess(data);
  return server;
}

test(`${KILLS} kills under load lose nothing acknowledged and leave nothing partial (seed ${SEED})`, { timeout: 900_000 }, async () => {
  const random = seededRandom(SEED);
  const data = join(workspace, "kill.db");
  const load = new ItemLoad();
  let running = await restart(data);
  await publishText(running.url, ITEM_SCHEMA);
  let survived = 0;
  for (let round = 0; round < KILLS; round++) {
    load.start(running.url, PUBLISHERS);
    await load.reaches(load.acknowledged.size + 5 + Math.floor(random.next() * 40));
    await running.kill();
    await load.ended();
    const verified = await verifyProcess(data);
    expect(verified.code, verified.output).toBe(0);
    running = await restart(data);
    const items = await storedItems(running.url);
    for (const number of load.acknowledged.keys()) expect(items.get(number), `round ${round}: acknowledged item ${number}`).toEqual(WHOLE);
    for (const [number, item] of items) expect(item, `round ${round}: item ${number}`).toEqual(WHOLE);
    // Retried under their keys, the unanswered happen once: a second retry gives the same answer.
    for (const number of load.unanswered) {
      const first = await publishItem(running.url, number);
      expect(await publishItem(running.url, number)).toEqual(first);
      if (items.has(number)) survived++;
      load.acknowledged.set(number, first);
    }
  }
  const revisions = new Set([...load.acknowledged.values()].map(({ revision }) => revision));
  expect(revisions.size).toBe(load.acknowledged.size);
  expect(await running.stop()).toBe(0);
  running = await restart(data);
  expect((await storedItems(running.url)).size).toBe(load.acknowledged.size);
  expect(await running.stop()).toBe(0);
  console.log(`${KILLS} kills: ${load.acknowledged.size} acknowledged, 0 lost, ${survived} unanswered ones had happened`);
});
