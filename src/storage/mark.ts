/**
 * The high-water mark: how far the log was durable when its last append was acknowledged, kept outside the database so
 * that a log which lost its tail is noticed. Two slots are written in turn, each with a checksum: a write torn by a power
 * cut leaves the other one. The mark may be behind the log (a crash between commit and mark), never ahead of it.
 */
import { digest } from "./chain.ts";

export interface Mark {
  readonly epoch: string;
  /** Counts the writes of the mark; the slot with the larger one holds. */
  readonly sequence: number;
  readonly position: number;
  readonly revision: number;
  readonly chain: string;
}

/** `mark` is undefined when there is none at all, or when both slots are unreadable (then `problems` says so). */
export interface MarkReading {
  readonly mark: Mark | undefined;
  readonly problems: readonly string[];
}

/** A slot is smaller than a disk sector, and the slots are a page apart. */
export const SLOT_BYTES = 256;
export const SLOT_DISTANCE = 4096;

const FORM = /^sens-mark 1 ([^ ]+) (\d+) (\d+) (\d+) ([0-9a-f]{32}) ([0-9a-f]{16}) *\n$/;

export function encodeSlot(mark: Mark): Buffer {
  const text = `sens-mark 1 ${mark.epoch} ${mark.sequence} ${mark.position} ${mark.revision} ${mark.chain}`;
  return Buffer.from(`${`${text} ${digest([text])}`.padEnd(SLOT_BYTES - 1)}\n`, "latin1");
}

export function decodeSlot(bytes: Uint8Array): Mark | undefined {
  const text = Buffer.from(bytes).toString("latin1");
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, epoch = "", sequence, position, revision, chain = "", checksum] = match;
  const mark = { epoch, sequence: Number(sequence), position: Number(position), revision: Number(revision), chain };
  return checksum === digest([text.slice(0, text.indexOf(` ${checksum}`))]) ? mark : undefined;
}

/** Reads a mark file's bytes. Slots of zeros were never written. */
export function readSlots(bytes: Uint8Array): MarkReading {
  const problems: string[] = [];
  let best: Mark | undefined;
  for (const slot of [0, 1]) {
    const part = bytes.subarray(slot * SLOT_DISTANCE, slot * SLOT_DISTANCE + SLOT_BYTES);
    const mark = decodeSlot(part);
    if (!mark) problems.push(`slot ${slot} of the mark file is not readable`);
    else if (!best || mark.sequence > best.sequence) best = mark;
  }
  return { mark: best, problems };
}
