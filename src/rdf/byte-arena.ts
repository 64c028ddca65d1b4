/**
 * Append-only bytes in chunks of 1 MiB: growing never copies what is there, so adding has no long pause. A record lies
 * in one chunk; one longer than a chunk gets a buffer of its own that takes up several chunk numbers.
 * A position is chunk number * 1 MiB + offset, below 2^32: at most 4 GiB of text.
 */
import { assert } from "../base/index.ts";

export const ARENA_CHUNK_BITS = 20;
export const ARENA_CHUNK_BYTES = 1 << ARENA_CHUNK_BITS;
const FIRST_CHUNK_BYTES = 16 * 1024;
const NO_BYTES = new Uint8Array(0);

export class ByteArena {
  /** By chunk number; the rest of a long record's numbers hold an empty array. */
  readonly chunks: Uint8Array[] = [];
  #next = 0;
  #chunkEnd = 0;
  #bytes = 0;

  /** Reserves `length` bytes in one chunk and answers their position. */
  allocate(length: number): number {
    if (this.#next + length > this.#chunkEnd) this.#addChunk(length);
    const position = this.#next;
    this.#next += length;
    return position;
  }

  get memoryBytes(): number {
    return this.#bytes;
  }

  #addChunk(length: number): void {
    const numbers = Math.max(1, Math.ceil(length / ARENA_CHUNK_BYTES));
    // The first chunk is small: most dictionaries of tests and tools hold a few terms.
    const size = this.chunks.length === 0 && length <= FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES : numbers * ARENA_CHUNK_BYTES;
    assert((this.chunks.length + numbers) * ARENA_CHUNK_BYTES <= 2 ** 32, "the term dictionary is full: 4 GiB of text");
    this.#next = this.chunks.length * ARENA_CHUNK_BYTES;
    this.chunks.push(new Uint8Array(size));
    for (let i = 1; i < numbers; i++) this.chunks.push(NO_BYTES);
    this.#chunkEnd = this.#next + size;
    this.#bytes += size;
  }
}
