/**
 * A text as a column keeps it: the text itself, so that people can read the log with any SQLite tool, or raw deflate of
 * its UTF-8 bytes where that pays. Which it is shows in the storage class (TEXT or BLOB).
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";

export type PackedText = string | Uint8Array;

/** Below this a page holds the text anyway and deflate costs more time than the bytes it saves (docs/decisions/0002). */
const PACK_BYTES_MIN = 1024;
/** Deflate must save at least a quarter. */
const PACK_RATIO_MAX = 0.75;

export function packText(text: string): PackedText {
  if (text.length < PACK_BYTES_MIN) return text;
  const bytes = Buffer.from(text, "utf8");
  const packed = deflateRawSync(bytes, { level: 1 });
  return packed.length < bytes.length * PACK_RATIO_MAX ? packed : text;
}

/** Throws when the bytes are no deflate stream; the caller knows which row that was. */
export function unpackText(packed: PackedText): string {
  return typeof packed === "string" ? packed : inflateRawSync(packed).toString("utf8");
}

export function packedBytes(packed: PackedText): number {
  return typeof packed === "string" ? Buffer.byteLength(packed, "utf8") : packed.length;
}
