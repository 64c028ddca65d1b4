/**
 * Checksums of the log. SQLite does not notice a flipped bit in a row, nor a write-ahead log that lost its tail, so every
 * row carries its own:
 *
 *   content(n)  = SHA-256(texts of record n)                                       first 64 bits
 *   changes(n)  = SHA-256(registration changes of record n)                        first 64 bits
 *   chain(n)    = SHA-256(chain(n-1), numbers of row n, content(n), changes(n))    first 128 bits
 *   seal(n)     = content(n) changes(n) chain(n)
 *
 * The chain reads only the small columns of a row, so a start checks it without touching the texts; texts are checked
 * when they are read. Rows of sets (registrations, keys) have one checksum each, and the head row keeps their count and
 * their sum modulo 2^64, so that a row which vanished is noticed too. All values are lower-case hexadecimal.
 */
import { hash } from "node:crypto";

/** chain(0). */
export const CHAIN_START = "0".repeat(32);
const EMPTY = "0".repeat(16);
const CONTENT_END = 16;
const CHANGES_END = 32;
const SEAL_LENGTH = 64;

/** 64 bits over parts whose borders count: `["a", "b"]` and `["ab", ""]` differ. */
export function digest(parts: readonly string[]): string {
  if (parts.every((part) => part === "")) return EMPTY;
  return hash("sha256", `${parts.map((part) => part.length).join(" ")}\n${parts.join("")}`, "hex").slice(0, 16);
}

/** The columns of a log row that the chain covers. */
export interface ChainedNumbers {
  readonly position: number;
  readonly revision: number;
  readonly hasTransaction: boolean;
  readonly wallMs: number;
  readonly bytes: number;
  readonly notified: string;
}

export function makeSeal(previousChain: string, row: ChainedNumbers, content: string, changes: string): string {
  const numbers = `${row.position} ${row.revision} ${row.hasTransaction ? 1 : 0} ${row.wallMs} ${row.bytes}`;
  const chain = hash("sha256", `${previousChain} ${numbers} ${content} ${changes} ${row.notified}`, "hex").slice(0, 32);
  return content + changes + chain;
}

export function sealIsRight(previousChain: string, row: ChainedNumbers & { readonly seal: string }): boolean {
  if (row.seal.length !== SEAL_LENGTH) return false;
  return makeSeal(previousChain, row, contentOfSeal(row.seal), row.seal.slice(CONTENT_END, CHANGES_END)) === row.seal;
}

export function contentOfSeal(seal: string): string {
  return seal.slice(0, CONTENT_END);
}

export function chainOfSeal(seal: string): string {
  return seal.slice(CHANGES_END);
}

/** Count and sum of the checksums of a set of rows; adding and taking away need not know the other rows. */
export interface SetSum {
  readonly count: number;
  /** Hexadecimal, 64 bits. */
  readonly sum: string;
}

export const EMPTY_SET: SetSum = { count: 0, sum: EMPTY };

export function addToSet(set: SetSum, checksum: string): SetSum {
  return { count: set.count + 1, sum: hex64(BigInt(`0x${set.sum}`) + BigInt(`0x${checksum}`)) };
}

export function takeFromSet(set: SetSum, checksum: string): SetSum {
  return { count: set.count - 1, sum: hex64(BigInt(`0x${set.sum}`) - BigInt(`0x${checksum}`)) };
}

export function sameSet(a: SetSum, b: SetSum): boolean {
  return a.count === b.count && a.sum === b.sum;
}

function hex64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, "0");
}
