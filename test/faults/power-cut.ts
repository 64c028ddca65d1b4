/**
 * What a power cut leaves. A recorded run (powercut.c) is a list of writes, syncs and output; the disk at a cut holds all
 * that was synced, and of the rest each 512-byte sector is there or not.
 */
import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../../src/base/index.ts";

const SECTOR_BYTES = 512;

const WRITE = 1;
const TRUNCATE = 2;
const SYNC = 3;
const UNLINK = 4;
const OUTPUT = 9;

export interface DiskEvent {
  readonly type: number;
  readonly path: string;
  readonly offset: number;
  readonly data: Buffer;
}

/** How often a file whose path ends so was synced. */
export function syncsOf(events: readonly DiskEvent[], suffix: string): number {
  return events.filter((event) => event.type === SYNC && event.path.endsWith(suffix)).length;
}

/** Records: int32 type, int32 length of path, int64 offset, int64 length, int64 length of data, path, data. */
export function readEvents(bytes: Buffer): DiskEvent[] {
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

/** Writes the files into `directory`; answers the numbers N of all lines `ack N` written before the cut. */
export function rebuild(events: readonly DiskEvent[], directory: string, random: Random): number[] {
  const lastSync = new Map<string, number>();
  const acknowledged: number[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type === SYNC) lastSync.set(event.path, index);
    if (event.type !== OUTPUT) continue;
    for (const match of event.data.toString("utf8").matchAll(/^ack (\d+)$/gm)) acknowledged.push(Number(match[1]));
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
