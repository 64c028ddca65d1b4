/**
 * F04 and F06 at the whole server. A full disk refuses writes and nothing else, and ends by itself; a failed write or sync
 * leaves the outcome unknown, so the process ends and a new start goes by what is on disk.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { EventReader } from "./event-reader.ts";
import { ITEM_SCHEMA, ItemLoad, itemDocument, publishItem, publishText, Refused, storedItems, WHOLE } from "./server-items.ts";
import { type ServerProcess, startServerProcess, verifyProcess } from "./server-process.ts";
import { mountSmallDisk, unmount } from "./small-disk.ts";
import { buildPreload } from "./storage-process.ts";

const workspace = mkdtempSync(join(tmpdir(), "sens-disk-"));
const preload = buildPreload("failsync", workspace);
const smallDisk = mountSmallDisk(join(workspace, "disk"), 12);
const servers: ServerProcess[] = [];

async function start(data: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const server = await startServerProcess(data, { env });
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill();
});
afterAll(() => {
  if (smallDisk) unmount(smallDisk);
  rmSync(workspace, { recursive: true, force: true });
});

/** Publishes until one is refused; answers the refusal and the number of that item. */
async function fill(url: string, from: number, big: boolean): Promise<{ readonly refused: Refused; readonly number: number }> {
  for (let number = from; ; number++) {
    const ballast = big ? `<http://e/ballast${number}> <http://e/text> "${randomBytes(75_000).toString("base64")}" .\n` : "";
    try {
      await publishText(url, itemDocument(number) + ballast, `item-${number}`);
    } catch (error) {
      if (error instanceof Refused) return { refused: error, number };
      throw error;
    }
  }
}

test.skipIf(smallDisk === undefined)(
  "a full disk refuses writes with 507, serves reads and subscriptions, and ends by itself",
  { timeout: 180_000 },
  async () => {
    const disk = smallDisk ?? "";
    const data = join(disk, "a.db");
    const server = await start(data);
    await publishText(server.url, ITEM_SCHEMA);
    const reader = await EventReader.subscribe(
      server.url,
      "CONSTRUCT { ?s a <http://e/Told> } WHERE { ?s a <http://example.org/item#Thing> }",
    );
    writeFileSync(join(disk, "ballast"), Buffer.alloc(3 << 20));

    const { refused, number } = await fill(server.url, 1, true);
    expect([refused.status, refused.code]).toEqual([507, "SENS_STORAGE_FULL"]);
    // Refused again, with nothing done: the state in memory is what is on disk.
    await expect(
      publishText(server.url, itemDocument(number), "again-refused").then(
        () => 200,
        (e: Refused) => e.status,
      ),
    ).resolves.toBeOneOf([200, 507]);
    const items = await storedItems(server.url);
    for (let n = 1; n < number; n++) expect(items.get(n), `item ${n}`).toEqual(WHOLE);
    for (const item of items.values()) expect(item).toEqual(WHOLE);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    const told = reader.statements().size;
    expect(told).toBe(items.size);

    rmSync(join(disk, "ballast"));
    const again = await publishItem(server.url, number + 1_000);
    expect(again.added).toBe(WHOLE.parts);
    await reader.holds(items.size + 1);
    const after = await storedItems(server.url);
    expect(after.size).toBe(items.size + 1);
    reader.close();
    expect(await server.stop(), server.output()).toBe(0);
    expect(await verifyProcess(data)).toMatchObject({ code: 0 });
    const restarted = await start(data);
    expect(await storedItems(restarted.url)).toEqual(after);
    expect(await restarted.stop()).toBe(0);
  },
);

describe.skipIf(preload === undefined)("when the disk fails", () => {
  for (const [what, path, counter] of [
    ["sync of the write-ahead log", "a.db-wal", "FI_FSYNC_AFTER"],
    ["write to the write-ahead log", "a.db-wal", "FI_WRITE_AFTER"],
    ["sync of the mark", "a.db-mark", "FI_FSYNC_AFTER"],
  ] as const) {
    for (const count of [40, 97]) {
      test(`${what} (operation ${count}): 503 outcome unknown, the process ends, a retry by key happens once`, {
        timeout: 120_000,
      }, async () => {
        const directory = mkdtempSync(join(workspace, "eio-"));
        const data = join(directory, "a.db");
        const broken = await start(data, { LD_PRELOAD: preload, FI_PATH: path, [counter]: String(count) });
        await publishText(broken.url, ITEM_SCHEMA);
        const load = new ItemLoad();
        load.start(broken.url, 3);
        await load.ended();
        const told = load.refusals.filter((error) => error instanceof Refused);
        for (const { status, code } of told)
          expect([status, code]).toBeOneOf([
            [503, "SENS_OUTCOME_UNKNOWN"],
            [503, "SENS_NOT_READY"],
            [503, "SENS_SHUTTING_DOWN"],
          ]);
        expect(told.map(({ code }) => code)).toContain("SENS_OUTCOME_UNKNOWN");
        expect(await broken.ended, broken.output()).toBe(6);

        expect(await verifyProcess(data)).toMatchObject({ code: 0 });
        const server = await start(data);
        const items = await storedItems(server.url);
        for (const number of load.acknowledged.keys()) expect(items.get(number), `acknowledged item ${number}`).toEqual(WHOLE);
        for (const item of items.values()) expect(item).toEqual(WHOLE);
        for (const number of load.unanswered) {
          const first = await publishItem(server.url, number);
          expect(await publishItem(server.url, number)).toEqual(first);
        }
        expect((await storedItems(server.url)).size).toBe(load.acknowledged.size + load.unanswered.size);
        expect(await server.stop()).toBe(0);
      });
    }
  }
});
