/**
 * A look at Turtle or TriG text before the parser: nesting depth, number of prefixes and token lengths are bounded, and
 * what the parser would take although it is not RDF 1.1 is refused. Knows comments, strings, IRIs and escapes, so that
 * brackets inside them do not count. One pass, no recursion, no allocation per token.
 * `<_:label>` (a stored blank node) becomes `_:label` padded to the same length, which the parser understands.
 */
import { type ErrorCode, quoteInput, SensError } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import type { ParseLimits } from "./parse-limits.ts";
import { positionInText } from "./text-position.ts";

/** Answers the text for the parser. Throws SENS_TOO_DEEP, SENS_TOO_MANY_PREFIXES, SENS_IRI_TOO_LONG, SENS_LITERAL_TOO_LONG, SENS_SYNTAX, SENS_IRI. */
export function prescanTurtle(text: string, limits: ParseLimits, blankNodes: BlankNodeScope): string {
  return new TurtlePrescan(text, limits, blankNodes).run();
}

const UNICODE_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;

const FORBIDDEN = Uint8Array.from({ length: 128 }, (_, code) => (code <= 0x20 || '<>"{}|^`\\'.includes(String.fromCharCode(code)) ? 1 : 0));

/** Characters outside IRIREF. */
function isForbidden(code: number): boolean {
  return code < 128 && FORBIDDEN[code] === 1;
}

class TurtlePrescan {
  readonly #text: string;
  readonly #limits: ParseLimits;
  readonly #blankNodes: BlankNodeScope;
  readonly #pieces: string[] = [];
  #copied = 0;
  #at = 0;
  #depth = 0;
  #prefixes = 0;

  constructor(text: string, limits: ParseLimits, blankNodes: BlankNodeScope) {
    this.#text = text;
    this.#limits = limits;
    this.#blankNodes = blankNodes;
  }

  run(): string {
    const text = this.#text;
    const end = text.length;
    while (this.#at < end) {
      switch (text.charCodeAt(this.#at)) {
        case 0x23: // #
          this.#comment();
          break;
        case 0x22: // "
        case 0x27: // '
          this.#string();
          break;
        case 0x3c: // <
          this.#iri();
          break;
        case 0x5c: // \ in a local name
          this.#at += 2;
          break;
        case 0x28: // (
        case 0x5b: // [
        case 0x7b: // {
          this.#open();
          break;
        case 0x29:
        case 0x5d:
        case 0x7d:
          this.#depth--;
          this.#at++;
          break;
        case 0x50: // P
        case 0x70: // p
          this.#word();
          break;
        default:
          this.#at++;
      }
    }
    if (this.#pieces.length === 0) return text;
    this.#pieces.push(text.slice(this.#copied));
    return this.#pieces.join("");
  }

  #comment(): void {
    const text = this.#text;
    let at = this.#at;
    while (at < text.length && text.charCodeAt(at) !== 0x0a && text.charCodeAt(at) !== 0x0d) at++;
    this.#at = at;
  }

  #string(): void {
    const text = this.#text;
    const start = this.#at;
    const quote = text.charCodeAt(start);
    const long = text.charCodeAt(start + 1) === quote && text.charCodeAt(start + 2) === quote;
    if (!long && text.charCodeAt(start + 1) === quote) {
      this.#at = start + 2;
      return;
    }
    let at = start + (long ? 3 : 1);
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x5c) at++;
      else if (code === quote && (!long || (text.charCodeAt(at + 1) === quote && text.charCodeAt(at + 2) === quote))) break;
      else if (!long && (code === 0x0a || code === 0x0d)) at = text.length;
    }
    if (at >= text.length) this.#fail("SENS_SYNTAX", start, "The string is not closed");
    // An escape has at most ten characters for one of at least one byte: what is longer than this is too long for sure.
    if (at - start > 10 * this.#limits.literalBytesMax)
      this.#failLength("SENS_LITERAL_TOO_LONG", start, "literal", this.#limits.literalBytesMax);
    this.#at = at + (long ? 3 : 1);
  }

  #iri(): void {
    const text = this.#text;
    const start = this.#at;
    if (text.charCodeAt(start + 1) === 0x3c) this.#fail("SENS_SYNTAX", start, "Triple terms (RDF 1.2) are not supported");
    let at = start + 1;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === 0x3e) break;
      if (code === 0x5c) at = this.#iriEscape(at);
      else if (isForbidden(code))
        this.#fail("SENS_IRI", at, `An IRI may not have the character ${quoteInput(text[at])}; percent-encode it`);
      else at++;
    }
    if (at >= text.length) this.#fail("SENS_SYNTAX", start, "The IRI is not closed by '>'");
    if (at - start > 10 * this.#limits.iriBytesMax) this.#failLength("SENS_IRI_TOO_LONG", start, "IRI", this.#limits.iriBytesMax);
    this.#at = at + 1;
    if (text.charCodeAt(start + 1) === 0x5f && text.charCodeAt(start + 2) === 0x3a) this.#addressed(start, at + 1);
  }

  /** Answers the place after `u` and four or `U` and eight hex digits. */
  #iriEscape(at: number): number {
    UNICODE_ESCAPE.lastIndex = at;
    const match = UNICODE_ESCAPE.exec(this.#text);
    if (match === null) this.#fail("SENS_SYNTAX", at, "In an IRI only \\u and \\U escapes may stand");
    if (isForbidden(Number.parseInt(match[1] ?? match[2], 16))) {
      this.#fail("SENS_IRI", at, "The escape stands for a character that an IRI may not have; percent-encode it");
    }
    return at + match[0].length;
  }

  /** `<_:label>` at `start` (inclusive) to `end` (exclusive). */
  #addressed(start: number, end: number): void {
    const label = this.#text.slice(start + 3, end - 1);
    if (this.#blankNodes.address(label) === undefined) {
      this.#fail("SENS_IRI", start, `${quoteInput(`<_:${label}>`)} addresses no stored blank node`);
    }
    this.#pieces.push(this.#text.slice(this.#copied, start), `_:${label}  `);
    this.#copied = end;
  }

  #open(): void {
    if (this.#text.charCodeAt(this.#at) === 0x7b && this.#text.charCodeAt(this.#at + 1) === 0x7c) {
      this.#fail("SENS_SYNTAX", this.#at, "Annotations (RDF 1.2) are not supported");
    }
    if (++this.#depth > this.#limits.nestingDepthMax) {
      this.#fail("SENS_TOO_DEEP", this.#at, `Brackets are nested deeper than ${this.#limits.nestingDepthMax}; give the inner nodes labels`);
    }
    this.#at++;
  }

  /** At p or P: counts `@prefix` and `PREFIX`. */
  #word(): void {
    const text = this.#text;
    const start = this.#at;
    const before = start === 0 ? " " : text[start - 1];
    this.#at++;
    if (!/[\s@.]/.test(before) || text.slice(start, start + 6).toLowerCase() !== "prefix" || !/\s/.test(text[start + 6] ?? "")) return;
    this.#at = start + 6;
    if (++this.#prefixes > this.#limits.prefixesMax) {
      this.#fail("SENS_TOO_MANY_PREFIXES", start, `More than ${this.#limits.prefixesMax} prefixes; write the IRIs in full`);
    }
  }

  #failLength(code: ErrorCode, at: number, what: string, max: number): never {
    this.#fail(code, at, `The ${what} is longer than ${max} bytes; shorten it`);
  }

  #fail(code: ErrorCode, at: number, message: string): never {
    const position = positionInText(this.#text, at);
    const excerpt = this.#text.slice(at, at + 40).split(/[\r\n]/, 1)[0];
    const found = at >= this.#text.length ? "the end of the document" : excerpt === "" ? "the end of the line" : quoteInput(excerpt);
    throw new SensError(code, `Line ${position.line}, column ${position.column}: ${message}, at ${found}.`, { position });
  }
}
