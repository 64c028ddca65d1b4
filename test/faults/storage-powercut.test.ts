/**
 * F03: power cuts. A run's writes, syncs and acknowledgements are recorded; the disk is then rebuilt as a cut at a random
 * moment may leave it (what was synced is there; of the rest, each 512-byte sector is there or not), and opened.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/index.ts";
import { buildPreload, startChild } from "./storage-process.ts";
import { judge } from "./storage-workload.ts";

const FULL = process.env.SENS_FULL === "1";
const CUTS = FULL ? 300 : 20;
const SEED = Number(process.env.SENS_SEED ?? 11);
const SECTOR_BYTES = 512;

const WRITE = 1;
const TRUNCATE = 2;
const SYNC = 3;
const UNLINK = 4;
const OUTPUT = 9;

interface DiskEvent {
  readonly type: number;
  readonly path: string;
  readonly offset: number;
  readonly data: Buffer;
}

const workspace = mkdtempSync(join(tmpdir(), "sens-powercut-"));
const preload = buildPreload("powercut", workspace);

test.skipIf(preload === undefined)(
  `${CUTS} power cuts lose nothing that was acknowledged (seed ${SEED})`,
  { timeout: 900_000 },
  async () => {
    const directory = join(workspace, "data");
    mkdirSync(directory, { mode: 0o700 });
    const recording = join(workspace, "events");
    const until = FULL ? 700 : 250;
    const child = startChild(join(directory, "a.db"), SEED, until, { LD_PRELOAD: preload, PC_DIR: directory, PC_LOG: recording });
    const { lines, stderr } = await child.ended;
    expect(lines.at(-1), stderr).toBe("done");
    const events = readEvents(readFileSync(recording));
    for (const suffix of ["", "-wal", "-mark"]) {
      const seen = events.filter((event) => event.type === SYNC && event.path.endsWith(`a.db${suffix}`)).length;
      expect(seen, `syncs of a.db${suffix} that the recorder saw`).toBeGreaterThan(1);
    }
    const random = seededRandom(SEED);
    let midway = 0;
    for (let cut = 0; cut < CUTS; cut++) {
      const at = 1 + Math.floor(random.next() * events.length);
      const copy = mkdtempSync(join(workspace, "cut-"));
      const acknowledged = rebuild(events.slice(0, at), copy, random);
      const revision = await judge(join(copy, "a.db"), SEED, acknowledged);
      expect(revision, `cut ${cut} at event ${at}`).toBeGreaterThanOrEqual(acknowledged);
      if (acknowledged > 0 && acknowledged < until) midway++;
      rmSync(copy, { recursive: true });
    }
    expect(midway).toBeGreaterThan(CUTS / 2);
    rmSync(workspace, { recursive: true });
  },
);

/** Records: int32 type, int32 length of path, int64 offset, int64 length, int64 length of data, path, data. */
function readEvents(bytes: Buffer): DiskEvent[] {
  const events: DiskEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const pathEnd = at + 32 + bytes.readInt32LE(at + 4);
    const end = pathEnd + Number(bytes.readBigInt64LE(at + 24));
    const path = bytes.toString("utf8", at + 32, pathEnd);
    events.push({ type: bytes.readInt32LE(at), path, offset: Number(bytes.readBigInt64LE(at + 8)), data: bytes.subarray(pathEnd, end) });
    at = end;
  }
  return events;
}

/** Writes the files into `directory`; answers the last revision acknowledged before the cut. */
function rebuild(events: readonly DiskEvent[], directory: string, random: Random): number {
  const lastSync = new Map<string, number>();
  let acknowledged = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === SYNC) lastSync.set(event.path, index);
    if (event.type !== OUTPUT) continue;
    for (const match of event.data.toString("utf8").matchAll(/^ack (\d+)$/gm)) acknowledged = Number(match[1]);
  }
  // In three of ten cuts nothing unsynced survives.
  const survival = random.next() < 0.3 ? 0 : random.next();
  const survives = (): boolean => random.next() < survival;
  const files = new Map<string, DiskFile>();
  for (const [index, event] of events.entries()) {
    if (event.path.endsWith("-shm") || event.path.endsWith("-lock") || event.type === OUTPUT) continue;
    const name = basename(event.path);
    const durable = index <= (lastSync.get(event.path) ?? -1);
    if (event.type === UNLINK) {
      if (index <= (lastSync.get(dirname(event.path)) ?? -1) || survives()) files.delete(name);
      continue;
    }
    if (event.type !== WRITE && event.type !== TRUNCATE) continue;
    const file = files.get(name) ?? new DiskFile();
    files.set(name, file);
    if (event.type === TRUNCATE) {
      if (durable || survives()) file.truncate(event.offset);
    } else if (durable) file.write(event.data, event.offset);
    else writeSectors(file, event, survives);
  }
  for (const [name, file] of files) writeFileSync(join(directory, name), file.bytes());
  return acknowledged;
}

function writeSectors(file: DiskFile, event: DiskEvent, survives: () => boolean): void {
  for (let start = 0; start < event.data.length; start += SECTOR_BYTES) {
    if (survives()) file.write(event.data.subarray(start, start + SECTOR_BYTES), event.offset + start);
  }
}

/** A file's bytes, growing; what was never written is zero. */
class DiskFile {
  #buffer = Buffer.alloc(1 << 16);
  #length = 0;

  write(data: Buffer, offset: number): void {
    const end = offset + data.length;
    if (end > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(end)]);
    data.copy(this.#buffer, offset);
    this.#length = Math.max(this.#length, end);
  }

  truncate(length: number): void {
    if (length > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(length)]);
    if (length < this.#length) this.#buffer.fill(0, length, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
