/**
 * A look at JSON text before the JSON-LD parser. It is checked as JSON (RFC 8259), its depth is bounded, and what would
 * be changed or lost silently is refused or made exact:
 *  - a key twice in one object is refused: one of the two would win by chance;
 *  - keys that every JS object has (`__proto__`, `constructor`, …) are refused: the parser's tables take them for entries;
 *  - half a surrogate pair is refused: it has no UTF-8;
 *  - numbers that a double cannot hold are replaced by a marked string (`mark` + digits), which becomes an exact
 *    literal again once the datatype is known (json-number.ts).
 * One pass with an explicit stack.
 */
import { type ErrorCode, quoteInput, SensError } from "../base/index.ts";
import { isExactNumber } from "./json-number.ts";
import type { ParseLimits } from "./parse-limits.ts";
import { positionInText } from "./text-position.ts";

export interface PrescannedJson {
  readonly text: string;
  /** What marked numbers start with; `undefined` when there are none. */
  readonly mark: string | undefined;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not have them
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const STRING_CHUNK_MAX = 8 * 1024 * 1024;

/** Throws SENS_SYNTAX, SENS_TOO_DEEP, SENS_ENCODING, SENS_DATA_LOSS, SENS_LITERAL_TOO_LONG. */
export function prescanJson(text: string, limits: ParseLimits): PrescannedJson {
  return new JsonPrescan(text, limits).run();
}

class JsonPrescan {
  readonly #text: string;
  readonly #limits: ParseLimits;
  readonly #pieces: string[] = [];
  /** For each open object its keys so far; for an array `undefined`. */
  readonly #open: (Set<string> | undefined)[] = [];
  #copied = 0;
  #at = 0;
  #mark: string | undefined;

  constructor(text: string, limits: ParseLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  run(): PrescannedJson {
    this.#space();
    const first = this.#text[this.#at];
    if (first !== "{" && first !== "[") this.#fail("SENS_SYNTAX", "A JSON-LD document is an object or an array");
    this.#value();
    while (this.#open.length > 0) this.#next();
    this.#space();
    if (this.#at < this.#text.length) this.#fail("SENS_SYNTAX", "Expected the end of the document");
    if (this.#pieces.length === 0) return { text: this.#text, mark: undefined };
    this.#pieces.push(this.#text.slice(this.#copied));
    return { text: this.#pieces.join(""), mark: this.#mark };
  }

  /** After a value inside an object or array: a comma and the next member, or the end. */
  #next(): void {
    this.#space();
    const keys = this.#open[this.#open.length - 1];
    const code = this.#text[this.#at];
    if (code === (keys === undefined ? "]" : "}")) {
      this.#at++;
      this.#open.pop();
      return;
    }
    if (code !== ",") this.#fail("SENS_SYNTAX", keys === undefined ? "Expected ',' or ']'" : "Expected ',' or '}'");
    this.#at++;
    this.#space();
    if (keys !== undefined) this.#key(keys);
    this.#value();
  }

  #value(): void {
    this.#space();
    switch (this.#text[this.#at]) {
      case "{":
        this.#enter(new Set());
        break;
      case "[":
        this.#enter(undefined);
        break;
      case '"':
        this.#string();
        break;
      case "t":
        this.#literal("true");
        break;
      case "f":
        this.#literal("false");
        break;
      case "n":
        this.#literal("null");
        break;
      default:
        this.#number();
    }
  }

  /** Opens an object or array, up to its first member's value; an empty one is closed at once. */
  #enter(keys: Set<string> | undefined): void {
    if (this.#open.length >= this.#limits.nestingDepthMax) {
      this.#fail("SENS_TOO_DEEP", `Objects and arrays are nested deeper than ${this.#limits.nestingDepthMax}; use @id references`);
    }
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === (keys === undefined ? "]" : "}")) {
      this.#at++;
      return;
    }
    this.#open.push(keys);
    if (keys !== undefined) this.#key(keys);
    // Each level costs one frame, and levels are bounded.
    this.#value();
  }

  #key(keys: Set<string>): void {
    if (this.#text[this.#at] !== '"') this.#fail("SENS_SYNTAX", "Expected a key in double quotes");
    const start = this.#at;
    const key = this.#string();
    if (keys.has(key)) this.#fail("SENS_DATA_LOSS", `The key ${quoteInput(key)} stands twice in one object; use an array`, start);
    if (key in Object.prototype) this.#fail("SENS_SYNTAX", `The key ${quoteInput(key)} is reserved; write the property's full IRI`, start);
    keys.add(key);
    this.#space();
    if (this.#text[this.#at] !== ":") this.#fail("SENS_SYNTAX", "Expected ':' after the key");
    this.#at++;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let end = start + 1;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 0x22) break;
      if (code === 0x5c) end++;
      else if (code < 0x20) this.#fail("SENS_SYNTAX", "A string may not have control characters; escape them", end);
    }
    if (end >= text.length) this.#fail("SENS_SYNTAX", "The string is not closed");
    if (end - start > 6 * this.#limits.literalBytesMax || end - start > STRING_CHUNK_MAX) {
      this.#fail("SENS_LITERAL_TOO_LONG", `A string is longer than ${this.#limits.literalBytesMax} bytes; split it`);
    }
    this.#at = end + 1;
    const raw = text.slice(start, end + 1);
    if (!raw.includes("\\")) return raw.slice(1, -1);
    return this.#unescape(raw, start);
  }

  #unescape(raw: string, start: number): string {
    STRING.lastIndex = 0;
    if (raw.length < 65_536 && STRING.exec(raw)?.[0] !== raw) this.#fail("SENS_SYNTAX", "The string has an unknown escape", start);
    let value: string;
    try {
      value = JSON.parse(raw) as string;
    } catch (error) {
      const position = positionInText(this.#text, start);
      throw new SensError("SENS_SYNTAX", `Line ${position.line}, column ${position.column}: the string is not well-formed.`, {
        cause: error,
        position,
      });
    }
    if (/[\ud800-\udfff]/u.test(value)) this.#fail("SENS_ENCODING", "The string has half of a surrogate pair; write both halves", start);
    return value;
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) this.#fail("SENS_SYNTAX", "Expected a value");
    const number = match[0];
    const start = this.#at;
    this.#at += number.length;
    if (number.length > 1024)
      this.#fail("SENS_LITERAL_TOO_LONG", "A number has more than 1024 characters; send it as a typed literal", start);
    if (isExactNumber(number)) return;
    if (!Number.isFinite(Number(number))) {
      this.#fail("SENS_DATA_LOSS", "The number is beyond the range of a double; send it as a typed literal", start);
    }
    this.#mark ??= unusedMark(this.#text);
    this.#pieces.push(this.#text.slice(this.#copied, start), `"${this.#mark}${number}"`);
    this.#copied = this.#at;
  }

  #literal(word: string): void {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("SENS_SYNTAX", "Expected a value");
    this.#at += word.length;
  }

  #space(): void {
    const text = this.#text;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      at++;
    }
    this.#at = at;
  }

  #fail(code: ErrorCode, message: string, at = this.#at): never {
    const position = positionInText(this.#text, at);
    const excerpt = this.#text.slice(at, at + 40).split(/[\r\n]/, 1)[0];
    const found = at >= this.#text.length ? "the end of the document" : excerpt === "" ? "the end of the line" : quoteInput(excerpt);
    throw new SensError(code, `Line ${position.line}, column ${position.column}: ${message}, at ${found}.`, { position });
  }
}

/** A noncharacter (never exchanged between systems) that the document does not have, neither raw nor escaped. */
function unusedMark(text: string): string {
  const lower = text.toLowerCase();
  for (let code = 0xfdd0; code <= 0xfdef; code++) {
    const mark = String.fromCharCode(code);
    if (!text.includes(mark) && !lower.includes(`\\u${code.toString(16)}`)) return mark;
  }
  throw new SensError("SENS_SYNTAX", "The document has all noncharacters U+FDD0 to U+FDEF. Remove one.");
}
