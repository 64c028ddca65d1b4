/**
 * UTF-8 to and from strings, for short texts (terms). Node's Buffer slices are several times faster than TextDecoder
 * on texts of a few dozen bytes; where there is no Buffer (browsers) the standard decoder does the same.
 */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

type Slice = (this: Uint8Array, start: number, end: number) => string;
const prototype = (globalThis as { Buffer?: { prototype: { utf8Slice?: Slice } } }).Buffer?.prototype;
const utf8Slice: Slice | undefined = prototype?.utf8Slice;

/** Text of valid UTF-8 bytes `start` (inclusive) to `end` (exclusive). A leading U+FEFF is kept. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (utf8Slice !== undefined) return utf8Slice.call(bytes, start, end);
  return decoder.decode(bytes.subarray(start, end));
}

/** A growing scratch buffer that holds the UTF-8 bytes of one text at a time. Lone surrogates become U+FFFD. */
export class Utf8Scratch {
  bytes = new Uint8Array(256);
  length = 0;

  /** Makes room for `length` bytes; the content is not kept. */
  reserve(length: number): void {
    if (this.bytes.length < length) this.bytes = new Uint8Array(Math.max(length, this.bytes.length * 2));
  }

  /** Writes `text` at the start. Most terms are ASCII and short: copied here without a call out. */
  set(text: string): void {
    const length = text.length;
    this.reserve(length * 3);
    const bytes = this.bytes;
    if (length > 128) {
      this.length = encoder.encodeInto(text, bytes).written;
      return;
    }
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.length = encoder.encodeInto(text, bytes).written;
        return;
      }
      bytes[i] = code;
    }
    this.length = length;
  }

  /** Appends one code point, keeping what is there. */
  push(codePoint: number): void {
    const at = this.length;
    if (at + 4 > this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    const bytes = this.bytes;
    if (codePoint < 0x80) {
      bytes[at] = codePoint;
      this.length = at + 1;
    } else if (codePoint < 0x800) {
      bytes[at] = 0xc0 | (codePoint >> 6);
      bytes[at + 1] = 0x80 | (codePoint & 0x3f);
      this.length = at + 2;
    } else if (codePoint < 0x10000) {
      bytes[at] = 0xe0 | (codePoint >> 12);
      bytes[at + 1] = 0x80 | ((codePoint >> 6) & 0x3f);
      bytes[at + 2] = 0x80 | (codePoint & 0x3f);
      this.length = at + 3;
    } else {
      bytes[at] = 0xf0 | (codePoint >> 18);
      bytes[at + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
      bytes[at + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
      bytes[at + 3] = 0x80 | (codePoint & 0x3f);
      this.length = at + 4;
    }
  }

  /** Appends raw bytes, keeping what is there. */
  pushBytes(source: Uint8Array, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      grown.set(this.bytes);
      this.bytes = grown;
    }
    if (end - start > 64) this.bytes.set(source.subarray(start, end), this.length);
    else for (let i = start, at = this.length; i < end; i++, at++) this.bytes[at] = source[i];
    this.length = needed;
  }
}
