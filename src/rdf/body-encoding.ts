/**
 * From a body's bytes to text. The whole body is decoded at once, never piece by piece: a character cut in two by the
 * network is nobody's fault. Only UTF-8 is taken; a byte order mark is accepted; nothing is ever replaced.
 */
import { quoteInput, SensError } from "../base/index.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface ContentType {
  /** Media type in lower case, without parameters. */
  readonly type: string;
  /** Charset in lower case; `undefined` when none is stated. */
  readonly charset: string | undefined;
  /** All parameters, names in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

/** Node's vectorised check, many times faster than a loop; absent in browsers. */
const isUtf8: ((bytes: Uint8Array) => boolean) | undefined = globalThis.process?.getBuiltinModule?.("node:buffer")?.isUtf8;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*`);
const PARAMETER = new RegExp(`\\s*;\\s*(?:(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))\\s*)?`, "y");

/**
 * Reads a Content-Type header (RFC 9110, 8.3). Throws SENS_UNSUPPORTED_MEDIA_TYPE when it is not one, or when it states
 * a charset other than UTF-8 (US-ASCII is a part of UTF-8 and accepted).
 */
export function parseContentType(header: string): ContentType {
  const match = MEDIA_TYPE.exec(header);
  if (match === null) {
    throw new SensError(
      "SENS_UNSUPPORTED_MEDIA_TYPE",
      `${quoteInput(header)} is not a media type. Send a Content-Type such as text/turtle.`,
    );
  }
  const params = new Map<string, string>();
  PARAMETER.lastIndex = match[0].length;
  while (PARAMETER.lastIndex < header.length) {
    const parameter = PARAMETER.exec(header);
    if (parameter === null) {
      throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The parameters of the Content-Type ${quoteInput(header)} are not well-formed.`);
    }
    if (parameter[1] !== undefined) {
      params.set(parameter[1].toLowerCase(), parameter[2]?.replace(/\\(.)/g, "$1") ?? parameter[3]);
    }
  }
  const charset = params.get("charset")?.toLowerCase();
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8" && charset !== "us-ascii") {
    throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The charset ${quoteInput(charset)} is not supported. Send UTF-8.`);
  }
  return { type: match[1].toLowerCase(), charset, params };
}

/** Throws SENS_UNSUPPORTED_MEDIA_TYPE for a Content-Encoding header other than `identity`: bodies are not inflated. */
export function checkContentEncoding(header: string | undefined): void {
  if (header === undefined) return;
  for (const coding of header.split(",")) {
    const name = coding.trim().toLowerCase();
    if (name !== "" && name !== "identity") {
      throw new SensError(
        "SENS_UNSUPPORTED_MEDIA_TYPE",
        `The content encoding ${quoteInput(name)} is not supported. Send the body as it is.`,
      );
    }
  }
}

/** Bytes without a leading byte order mark, known to be valid UTF-8. Throws SENS_ENCODING. */
export function checkUtf8(bytes: Uint8Array): Uint8Array {
  const a = bytes[0];
  const b = bytes[1];
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (bytes.length >= 2 && (a === 0) !== (b === 0))) {
    throw new SensError("SENS_ENCODING", "The body looks like UTF-16 or UTF-32. Send UTF-8.");
  }
  const invalidAt = isUtf8?.(bytes) ? -1 : firstInvalidUtf8(bytes);
  if (invalidAt >= 0) {
    const byte = bytes[invalidAt].toString(16).padStart(2, "0");
    throw new SensError("SENS_ENCODING", `The body is not valid UTF-8: byte 0x${byte} at offset ${invalidAt}. Send UTF-8.`);
  }
  return a === 0xef && b === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** The text of a body. Throws SENS_ENCODING. */
export function decodeBody(bytes: Uint8Array): string {
  return decodeUtf8(checkUtf8(bytes));
}

/** Offset of the first byte that is not part of a UTF-8 character, -1 when there is none (RFC 3629, table in section 4). */
function firstInvalidUtf8(bytes: Uint8Array): number {
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    const byte = bytes[at];
    if (byte < 0x80) {
      at++;
      continue;
    }
    const length = byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length === 0 || at + length > end) return at;
    const second = bytes[at + 1];
    const low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    const high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return at;
    for (let i = 2; i < length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return at;
    at += length;
  }
  return -1;
}
