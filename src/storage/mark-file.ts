/** The mark as a file (mark.ts says what it is). Both slots exist from the start, so that a write never needs space. */
import { closeSync, constants, existsSync, fdatasyncSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "./data-files.ts";
import { encodeSlot, type Mark, type MarkReading, readSlots, SLOT_BYTES, SLOT_DISTANCE } from "./mark.ts";

const FILE_BYTES = SLOT_DISTANCE + SLOT_BYTES;

export class MarkFile {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(): MarkReading {
    return existsSync(this.#path) ? readSlots(readFileSync(this.#path)) : { mark: undefined, problems: [] };
  }

  /** Durable when this returns. */
  write(mark: Mark): void {
    this.#descriptor ??= this.#openForWriting();
    const slot = encodeSlot(mark);
    const written = writeSync(this.#descriptor, slot, 0, slot.length, (mark.sequence % 2) * SLOT_DISTANCE);
    if (written !== slot.length) throw new Error(`only ${written} of ${slot.length} bytes were written`);
    fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #openForWriting(): number {
    const descriptor = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const { size } = fstatSync(descriptor);
    if (size < FILE_BYTES) {
      writeSync(descriptor, Buffer.alloc(FILE_BYTES - size), 0, FILE_BYTES - size, size);
      fsyncSync(descriptor);
      syncDirectory(dirname(this.#path));
    }
    return descriptor;
  }
}
