/**
 * Snapshots as pieces of N-Quads text in a table of their own. A new one is written piece by piece beside the old one,
 * each piece in its own transaction, and becomes the snapshot when the head row names it; the old pieces go afterwards.
 */
import { assert } from "../base/index.ts";
import { digest } from "./chain.ts";
import { damaged } from "./chain-walk.ts";
import type { Head, LogPlace, SnapshotHead } from "./head.ts";
import { packedBytes, packText, unpackText } from "./packed-text.ts";
import { PIECES_PER_SNAPSHOT, type PieceRow, type RowStore } from "./row-store.ts";

export interface PieceSlice {
  readonly pieces: readonly string[];
  /** The piece to ask after next; undefined when these were the last. */
  readonly next: number | undefined;
}

/** Pieces deleted in one transaction. */
const DROP_PIECES_MAX = 16;

export class SnapshotTable {
  readonly #store: RowStore;
  #writing: { readonly number: number; readonly place: LogPlace; pieces: number; checksum: string } | undefined;

  constructor(store: RowStore) {
    this.#store = store;
  }

  begin(number: number, place: LogPlace): void {
    assert(!this.#writing, "two snapshots are written at the same time");
    this.#writing = { number, place, pieces: 0, checksum: "" };
  }

  add(number: number, quads: string): void {
    const writing = this.#writing;
    assert(writing?.number === number, `snapshot ${number} is not being written`);
    assert(writing.pieces < PIECES_PER_SNAPSHOT - 1, "too many pieces in one snapshot");
    assert(quads.isWellFormed(), "a snapshot piece holds a lone surrogate, which UTF-8 cannot keep");
    const id = number * PIECES_PER_SNAPSHOT + writing.pieces + 1;
    const checksum = digest([String(id), quads]);
    this.#store.putPiece({ id, quads: this.#store.packs ? packText(quads) : quads, checksum });
    writing.pieces++;
    writing.checksum = digest([writing.checksum, checksum]);
  }

  finish(number: number): SnapshotHead {
    const writing = this.#writing;
    assert(writing?.number === number, `snapshot ${number} is not being written`);
    this.#writing = undefined;
    return { number, place: writing.place, pieces: writing.pieces, checksum: writing.checksum };
  }

  abandon(number: number): void {
    if (this.#writing?.number === number) this.#writing = undefined;
  }

  dropStale(head: Head): boolean {
    const keep = [head.snapshot?.number ?? 0, this.#writing?.number ?? 0];
    return this.#store.deletePiecesExcept(keep, DROP_PIECES_MAX) === DROP_PIECES_MAX;
  }

  read(head: Head, afterPiece: number, bytesMax: number): PieceSlice {
    const { snapshot } = head;
    if (!snapshot) return { pieces: [], next: undefined };
    const pieces: string[] = [];
    let bytes = 0;
    let number = afterPiece;
    for (const row of this.#store.pieces(snapshot.number * PIECES_PER_SNAPSHOT + afterPiece + 1)) {
      if (number === snapshot.pieces) break;
      number++;
      pieces.push(checkPiece(row, snapshot, number, this.#store.name));
      bytes += packedBytes(row.quads);
      if (bytes >= bytesMax) break;
    }
    if (pieces.length === 0 && number < snapshot.pieces) throw missingPiece(number + 1, snapshot, this.#store.name);
    return { pieces, next: number < snapshot.pieces ? number : undefined };
  }
}

/** Every piece of the snapshot, checked one by one and as a whole. */
export function checkSnapshot(store: RowStore, snapshot: SnapshotHead): void {
  let number = 0;
  let checksum = "";
  for (const row of store.pieces(snapshot.number * PIECES_PER_SNAPSHOT + 1)) {
    if (number === snapshot.pieces) break;
    number++;
    checkPiece(row, snapshot, number, store.name);
    checksum = digest([checksum, row.checksum]);
  }
  if (number < snapshot.pieces) throw missingPiece(number + 1, snapshot, store.name);
  if (checksum !== snapshot.checksum)
    throw damaged(`the snapshot at revision ${snapshot.place.revision} in ${store.name} is not the one that was written`);
}

function checkPiece(row: PieceRow, snapshot: SnapshotHead, number: number, where: string): string {
  if (row.id !== snapshot.number * PIECES_PER_SNAPSHOT + number) throw missingPiece(number, snapshot, where);
  const what = `piece ${number} of the snapshot at revision ${snapshot.place.revision} in ${where} does not match its checksum`;
  let quads: string;
  try {
    quads = unpackText(row.quads);
  } catch {
    throw damaged(what);
  }
  if (digest([String(row.id), quads]) !== row.checksum) throw damaged(what);
  return quads;
}

function missingPiece(number: number, snapshot: SnapshotHead, where: string): Error {
  return damaged(`piece ${number} of ${snapshot.pieces} of the snapshot at revision ${snapshot.place.revision} in ${where} is missing`);
}
