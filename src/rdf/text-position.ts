/** Where in a text: lines end with LF, CR or CRLF; columns count code points from 1. */
import type { TextPosition } from "../base/index.ts";

/** Position of byte `offset` in UTF-8 text. Only asked for when something is wrong: it walks from the start. */
export function positionInBytes(bytes: Uint8Array, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  const end = Math.min(offset, bytes.length);
  for (let i = 0; i < end; i++) {
    if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (let i = lineStart; i < end; i++) if ((bytes[i] & 0xc0) !== 0x80) column++;
  return { line, column };
}

/** Position of UTF-16 index `offset` in a string. */
export function positionInText(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  const end = Math.min(offset, text.length);
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (let i = lineStart; i < end; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) column++;
  return { line, column };
}
