/**
 * One pass over the text before any parser sees it: size, nesting depth, and `<_:label>`.
 *
 * The parser recurses, so depth is bounded here, by a scanner that knows what brackets are not: those in strings, IRIs
 * and comments. `<_:label>` is rewritten to an absolute IRI of a private scheme, because a parser takes it for a relative
 * reference; the algebra pass turns it into a blank node. O(length), no allocation per character.
 */
import { LIMITS, quoteInput, SensError, type TextPosition } from "../../base/index.ts";

/** Scheme that stands for stored blank nodes between scanner and algebra pass; nobody else may write it. */
export const STORED_BLANK_SCHEME = "x-sens-stored-blank:";

export interface ScannedText {
  /** What the parser reads. */
  readonly text: string;
  /** Maps an offset in `text` to one in the original. */
  originalOffset(offset: number): number;
}

/** Throws SENS_TOO_LARGE, SENS_TOO_DEEP and SENS_SYNTAX (a label that is none). */
export function prescan(source: string): ScannedText {
  if (source.length > LIMITS.queryBytesMax || Buffer.byteLength(source) > LIMITS.queryBytesMax) {
    throw new SensError("SENS_TOO_LARGE", `The query is larger than ${LIMITS.queryBytesMax} bytes. Split it, or publish data instead.`);
  }
  const pieces: string[] = [];
  const shifts: { readonly at: number; readonly by: number }[] = [];
  let copied = 0;
  let depth = 0;
  let index = 0;
  let grown = 0;
  while (index < source.length) {
    const code = source.charCodeAt(index);
    if (code === 0x28 || code === 0x7b || code === 0x5b) {
      if (++depth >= LIMITS.nestingDepthMax) throw tooDeep(source, index);
      index++;
    } else if (code === 0x29 || code === 0x7d || code === 0x5d) {
      if (depth > 0) depth--;
      index++;
    } else if (code === 0x23) {
      index = endOfLine(source, index);
    } else if (code === 0x22 || code === 0x27) {
      index = endOfString(source, index, code);
    } else if (code === 0x3c) {
      const end = endOfIri(source, index);
      if (end === 0) {
        index++;
        continue;
      }
      const replacement = STORED_BLANK_SCHEME;
      if (source.startsWith("_:", index + 1)) {
        checkLabel(source, index, end);
        pieces.push(source.slice(copied, index + 1), replacement);
        copied = index + 3;
        grown += replacement.length - 2;
        shifts.push({ at: copied + grown, by: grown });
      }
      index = end;
    } else index++;
  }
  if (pieces.length === 0) return { text: source, originalOffset: (offset) => offset };
  pieces.push(source.slice(copied));
  return {
    text: pieces.join(""),
    originalOffset(offset) {
      let by = 0;
      for (const shift of shifts) if (shift.at <= offset) by = shift.by;
      return offset - by;
    },
  };
}

/** Line and column (from 1) of an offset; columns count code units. */
export function positionAt(source: string, offset: number): TextPosition {
  const at = Math.min(Math.max(offset, 0), source.length);
  let line = 1;
  let start = 0;
  for (let next = source.indexOf("\n"); next >= 0 && next < at; next = source.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: at - start + 1 };
}

function endOfLine(source: string, from: number): number {
  for (let index = from; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code === 0x0a || code === 0x0d) return index;
  }
  return source.length;
}

/** Offset after the string that starts at `from`; an unclosed one ends at its line (short) or the text (long). */
function endOfString(source: string, from: number, quote: number): number {
  const long = source.charCodeAt(from + 1) === quote && source.charCodeAt(from + 2) === quote;
  for (let index = from + (long ? 3 : 1); index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code === 0x5c) index++;
    else if (!long && (code === quote || code === 0x0a || code === 0x0d)) return index + 1;
    else if (long && code === quote && source.charCodeAt(index + 1) === quote && source.charCodeAt(index + 2) === quote) return index + 3;
  }
  return source.length;
}

/** Offset after the IRI reference that starts at `from`, or 0 when `<` is an operator there. */
function endOfIri(source: string, from: number): number {
  for (let index = from + 1; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code === 0x3e) return index + 1;
    // none of these may stand in an IRI reference:  controls, space, " { } < | ^ `
    if (code <= 0x20 || code === 0x22 || code === 0x7b || code === 0x7d || code === 0x3c || code === 0x7c || code === 0x5e || code === 0x60)
      return 0;
  }
  return 0;
}

function checkLabel(source: string, from: number, end: number): void {
  const label = source.slice(from + 3, end - 1);
  if (label !== "" && !/[\s\\/?#@%]/.test(label)) return;
  throw new SensError(
    "SENS_SYNTAX",
    `${quoteInput(source.slice(from, end))} does not address a stored blank node. Write <_:label> with a label the server gave out.`,
    {
      position: positionAt(source, from),
    },
  );
}

function tooDeep(source: string, index: number): SensError {
  const position = positionAt(source, index);
  return new SensError(
    "SENS_TOO_DEEP",
    `Brackets nest ${LIMITS.nestingDepthMax} deep at line ${position.line}, column ${position.column}; the limit is below that. Flatten the query.`,
    { position },
  );
}
