/**
 * P1 to P3 and F03 at the whole knowledge base: a recorded run is cut at random moments, the disk rebuilt as the cut may
 * leave it, and opened. Every acknowledged publish is there whole, with what follows from it; none is there in part; a
 * retry under its key happens once. SENS_CUTS sets how many.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { createKnowledgeBase } from "../../src/events/index.ts";
import type { Session } from "../../src/protocol/index.ts";
import { verifyFile } from "../../src/server/index.ts";
import { readEvents, rebuild, syncsOf } from "./power-cut.ts";
import { ITEM_SCHEMA, itemDocument, readStored, STORED_QUERY, type StoredItem, WHOLE } from "./server-items.ts";
import { buildPreload, startScript } from "./storage-process.ts";

const CUTS = Number(process.env.SENS_CUTS ?? 100);
const SEED = Number(process.env.SENS_SEED ?? 23);
const UNTIL = 150;
/** Cuts whose file is verified as well, and in which what was not acknowledged is sent again. */
const EVERY = 5;

const workspace = mkdtempSync(join(tmpdir(), "sens-server-cut-"));
const preload = buildPreload("powercut", workspace);
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

async function stored(session: Session): Promise<Map<number, StoredItem>> {
  const { rows } = await session.query({ query: STORED_QUERY });
  return readStored(rows.map(([s, n, d]) => [s?.value ?? "", n?.value ?? "", d?.value ?? ""] as const));
}

test.skipIf(preload === undefined)(
  `${CUTS} power cuts lose no acknowledged publish of a knowledge base (seed ${SEED})`,
  { timeout: 900_000 },
  async () => {
    const directory = join(workspace, "data");
    mkdirSync(directory, { mode: 0o700 });
    const recording = join(workspace, "events");
    const env = { LD_PRELOAD: preload, PC_DIR: directory, PC_LOG: recording };
    const { lines, stderr } = await startScript("server-child.ts", [join(directory, "a.db"), String(UNTIL)], env).ended;
    expect(lines.at(-1), stderr).toBe("done");
    const events = readEvents(readFileSync(recording));
    for (const suffix of ["", "-wal", "-mark"]) expect(syncsOf(events, `a.db${suffix}`), `syncs of a.db${suffix}`).toBeGreaterThan(1);
    const random = seededRandom(SEED);
    let [midway, lost, partial, survived] = [0, 0, 0, 0];
    for (let cut = 0; cut < CUTS; cut++) {
      const at = 1 + Math.floor(random.next() * events.length);
      const copy = mkdtempSync(join(workspace, "cut-"));
      const data = join(copy, "a.db");
      const acknowledged = rebuild(events.slice(0, at), copy, random);
      if (acknowledged.length > 0 && acknowledged.length < UNTIL) midway++;
      const ontologies = [{ name: "items", contentType: "text/turtle", content: ITEM_SCHEMA }];
      const service = await createKnowledgeBase({ data, reasoning: "owl", ontologies });
      const session = service.openSession();
      const items = await stored(session);
      lost += acknowledged.filter((number) => !items.has(number)).length;
      partial += [...items.values()].filter(({ parts, derived }) => parts !== WHOLE.parts || !derived).length;
      survived += items.size - acknowledged.length;
      expect({ cut, at, lost, partial }).toEqual({ cut, at, lost: 0, partial: 0 });
      // A subscription that was acknowledged is durable, and its result is what follows now.
      const things = session.subscriptions().find(({ name }) => name === "things");
      if (acknowledged.length > 0) expect(things?.resultSize).toBe(items.size);
      if (cut % EVERY === 0) await retry(session, acknowledged);
      await service.close();
      if (cut % EVERY === 0) expect((await verifyFile(data)).problems).toEqual([]);
      rmSync(copy, { recursive: true });
    }
    expect(midway).toBeGreaterThan(CUTS / 2);
    console.log(`${CUTS} cuts (${midway} midway): 0 lost, 0 partial, ${survived} unacknowledged ones had happened`);
  },
);

/** Sends again the last acknowledged ones and those that may have been under way. */
async function retry(session: Session, acknowledged: readonly number[]): Promise<void> {
  const last = acknowledged.at(-1) ?? 0;
  const numbers = Array.from({ length: 8 }, (_, i) => last - 3 + i).filter((number) => number > 0);
  for (const number of numbers) {
    const before = await stored(session);
    const answer = await session.publish({ data: itemDocument(number), key: `item-${number}` });
    expect(await session.publish({ data: itemDocument(number), key: `item-${number}` })).toEqual(answer);
    expect(answer.added, `item ${number}`).toBe(WHOLE.parts);
    expect((await stored(session)).size - before.size).toBe(before.has(number) ? 0 : 1);
  }
}
