/** Bytes as the N-Triples grammar sees them: classes for the scanner's loops, digits, escapes, label characters. */

/** What a byte may be part of; bits of `CLASSES`. */
export const IRI_BYTE = 1;
export const STRING_BYTE = 2;
export const ALPHA = 4;
export const ALPHA_NUMERIC = 8;
export const SCHEME_BYTE = 16;
export const LABEL_ASCII = 32;
export const CLASSES = byteClasses();

/** By the letter after the backslash: the character of a literal escape. */
export const SHORT_ESCAPES: readonly (number | undefined)[] = shortEscapes();

function shortEscapes(): (number | undefined)[] {
  const table = new Array<number | undefined>(256).fill(undefined);
  const pairs = { t: 0x09, b: 0x08, n: 0x0a, r: 0x0d, f: 0x0c, '"': 0x22, "'": 0x27, "\\": 0x5c };
  for (const [letter, code] of Object.entries(pairs)) table[letter.charCodeAt(0)] = code;
  return table;
}

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const c = String.fromCharCode(byte);
    if (byte > 0x20 && !'<>"{}|^`\\'.includes(c)) classes[byte] |= IRI_BYTE;
    if (c !== '"' && c !== "\\" && c !== "\n" && c !== "\r") classes[byte] |= STRING_BYTE;
    if (/[a-zA-Z]/.test(c)) classes[byte] |= ALPHA;
    if (/[a-zA-Z0-9]/.test(c)) classes[byte] |= ALPHA_NUMERIC;
    if (/[a-zA-Z0-9+.-]/.test(c)) classes[byte] |= SCHEME_BYTE;
    if (/[a-zA-Z0-9_]/.test(c)) classes[byte] |= LABEL_ASCII;
  }
  return classes;
}

export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

export function codePointAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | (bytes[at + 1] & 0x3f);
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f);
  return ((byte & 0x07) << 18) | ((bytes[at + 1] & 0x3f) << 12) | ((bytes[at + 2] & 0x3f) << 6) | (bytes[at + 3] & 0x3f);
}

// PN_CHARS_BASE above ASCII, and what PN_CHARS adds to it, as [first, last] pairs.
const LABEL_START_RANGES = [
  0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d, 0x37f, 0x1fff, 0x200c, 0x200d, 0x2070, 0x218f, 0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900,
  0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0xeffff,
];
const LABEL_MORE_RANGES = [0xb7, 0xb7, 0x300, 0x36f, 0x203f, 0x2040];

export function isLabelCodePoint(code: number, first: boolean): boolean {
  return inRanges(LABEL_START_RANGES, code) || (!first && inRanges(LABEL_MORE_RANGES, code));
}

function inRanges(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) if (code >= ranges[i] && code <= ranges[i + 1]) return true;
  return false;
}
