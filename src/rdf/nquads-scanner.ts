/**
 * N-Triples and N-Quads (RDF 1.1) from UTF-8 bytes to ids, in one pass and without a string per term.
 *
 * Each term is scanned once with a table of byte classes; when it has no escapes its bytes go to the dictionary as they
 * lie in the document, otherwise through a scratch buffer. The grammar is the W3C's, exactly; on top of it IRIs must be
 * absolute, escapes must not hide characters that IRIs may not have, and `<_:label>` addresses a stored blank node.
 * The bytes must be valid UTF-8 (body-encoding.ts). All or nothing: a fault throws, with line and column.
 */
import { type ErrorCode, quoteInput, SensError } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import {
  ALPHA,
  ALPHA_NUMERIC,
  CLASSES,
  codePointAt,
  hexDigit,
  IRI_BYTE,
  isLabelCodePoint,
  LABEL_ASCII,
  SCHEME_BYTE,
  SHORT_ESCAPES,
  STRING_BYTE,
} from "./ntriples-bytes.ts";
import type { ParseLimits } from "./parse-limits.ts";
import type { StagedQuads } from "./staged-quads.ts";
import type { BulkTermTable } from "./term-dictionary.ts";
import { type TermId, TermKind } from "./term-table.ts";
import { positionInBytes } from "./text-position.ts";
import { decodeUtf8, Utf8Scratch } from "./utf8.ts";
import { RDF_LANG_STRING, XSD_STRING } from "./vocabulary.ts";

/** Guesses of the next predicate: start and length in the document, id; by the low bits of the last predicate's id. */
const GUESS_MASK = 255;
/** Shared by all scans in one call: buffers made per document cost small documents more than scanning them. */
const GUESSES = new Int32Array(2 * 3 * (GUESS_MASK + 1));
/** Those of datatypes stand behind those of predicates. */
const DATATYPE_GUESSES = 3 * (GUESS_MASK + 1);
const SCRATCH = new Utf8Scratch();
/** About 5 ms. */
const STATEMENTS_PER_SLICE = 4096;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const MINUS = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const LESS = 0x3c;
const GREATER = 0x3e;
const AT = 0x40;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const UNDERSCORE = 0x5f;

export interface ScanOptions {
  readonly dictionary: BulkTermTable;
  readonly blankNodes: BlankNodeScope;
  /** True for N-Quads: a graph label may follow the object. */
  readonly namedGraphs: boolean;
  /** Graph of statements without a label. */
  readonly graph: TermId;
  readonly limits: ParseLimits;
}

/** Scans the whole document into `into`. Throws SENS_SYNTAX, SENS_IRI, SENS_RELATIVE_IRI, SENS_IRI_TOO_LONG, SENS_LITERAL_TOO_LONG. */
export function scanNQuads(bytes: Uint8Array, options: ScanOptions, into: StagedQuads): void {
  const scanner = new NQuadsScanner(bytes, options, GUESSES, SCRATCH);
  while (scanner.scan(into, Number.POSITIVE_INFINITY));
}

/** As `scanNQuads`, for long documents: calls `rest` between slices of some milliseconds. */
export async function scanNQuadsInSlices(
  bytes: Uint8Array,
  options: ScanOptions,
  into: StagedQuads,
  rest: () => Promise<void>,
): Promise<void> {
  // Other documents are scanned while this one rests.
  const scanner = new NQuadsScanner(bytes, options, new Int32Array(GUESSES.length), new Utf8Scratch());
  while (scanner.scan(into, STATEMENTS_PER_SLICE)) await rest();
}

class NQuadsScanner {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #dictionary: BulkTermTable;
  readonly #blankNodes: BlankNodeScope;
  readonly #namedGraphs: boolean;
  readonly #graph: TermId;
  readonly #limits: ParseLimits;
  readonly #scratch: Utf8Scratch;
  /** Ids of this document's labels: most labels come more than once. */
  readonly #blankIds = new Map<string, TermId>();
  readonly #languageNumbers = new Map<string, number>();
  readonly #xsdString: TermId;
  readonly #langString: TermId;
  readonly #guesses: Int32Array;
  #lastSubject: TermId = 0;
  #lastSubjectStart = 0;
  #lastSubjectLength = 0;
  #lastPredicate: TermId = 0;
  #at = 0;

  constructor(bytes: Uint8Array, options: ScanOptions, guesses: Int32Array, scratch: Utf8Scratch) {
    this.#guesses = guesses.fill(0);
    this.#scratch = scratch;
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#dictionary = options.dictionary;
    this.#blankNodes = options.blankNodes;
    this.#namedGraphs = options.namedGraphs;
    this.#graph = options.graph;
    this.#limits = options.limits;
    this.#xsdString = options.dictionary.iri(XSD_STRING);
    this.#langString = options.dictionary.iri(RDF_LANG_STRING);
  }

  /** Scans at most `statementsMax` statements; answers whether there may be more. */
  scan(into: StagedQuads, statementsMax: number): boolean {
    const bytes = this.#bytes;
    for (let count = 0; count < statementsMax; count++) {
      if (!this.#skipToStatement()) return false;
      const subject = this.#subject();
      this.#skipBlanks();
      if (bytes[this.#at] !== LESS) this.#fail(this.#at, "Expected the predicate, an IRI in <>");
      const predicate = this.#predicate();
      this.#skipBlanks();
      const object = bytes[this.#at] === QUOTE ? this.#literal() : this.#resource("object");
      this.#skipBlanks();
      let graph = this.#graph;
      if (bytes[this.#at] !== DOT && this.#namedGraphs && this.#at < this.#end) {
        graph = this.#resource("graph label");
        this.#skipBlanks();
      }
      if (bytes[this.#at] !== DOT) this.#fail(this.#at, "Expected '.' at the end of the statement");
      this.#at++;
      this.#endOfLine();
      into.add(subject, predicate, object, graph);
    }
    return true;
  }

  /** Statements about one subject mostly stand together: when its bytes come again they are neither scanned nor hashed. */
  #subject(): TermId {
    const start = this.#at;
    if (this.#bytes[start] === LESS && this.#repeats(this.#lastSubjectStart, this.#lastSubjectLength)) {
      this.#at = start + this.#lastSubjectLength;
      return this.#lastSubject;
    }
    const id = this.#resource("subject");
    this.#lastSubject = id;
    this.#lastSubjectStart = start;
    this.#lastSubjectLength = this.#bytes[start] === LESS ? this.#at - start : 0;
    return id;
  }

  /** The predicate that followed the last one before is likely to follow it again. */
  #predicate(): TermId {
    const id = this.#guessedIri((this.#lastPredicate & GUESS_MASK) * 3);
    this.#lastPredicate = id;
    return id;
  }

  /** An IRI that is likely to be the one that stood here before; the guess is checked by its bytes. */
  #guessedIri(guess: number): TermId {
    const guesses = this.#guesses;
    const start = this.#at;
    if (this.#repeats(guesses[guess], guesses[guess + 1])) {
      this.#at = start + guesses[guess + 1];
      return guesses[guess + 2];
    }
    const id = this.#iri(true);
    guesses[guess] = start;
    guesses[guess + 1] = this.#at - start;
    guesses[guess + 2] = id;
    return id;
  }

  /** True when the `length` bytes at `earlier`, a whole `<...>`, stand here again. Compared from the end, where IRIs differ. */
  #repeats(earlier: number, length: number): boolean {
    const at = this.#at;
    if (length === 0 || at + length > this.#end) return false;
    const bytes = this.#bytes;
    for (let i = length - 1; i > 0; i--) if (bytes[earlier + i] !== bytes[at + i]) return false;
    return true;
  }

  /** Skips blank lines, comments and white space; false at the end of the document. */
  #skipToStatement(): boolean {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === LF || byte === CR || byte === SPACE || byte === TAB) this.#at++;
      else if (byte === HASH) this.#skipComment();
      else return this.#at < this.#end;
    }
  }

  #skipBlanks(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (bytes[at] === SPACE || bytes[at] === TAB) at++;
    this.#at = at;
  }

  #skipComment(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < this.#end && bytes[at] !== LF && bytes[at] !== CR) at++;
    this.#at = at;
  }

  #endOfLine(): void {
    this.#skipBlanks();
    if (this.#bytes[this.#at] === HASH) this.#skipComment();
    if (this.#at >= this.#end) return;
    const byte = this.#bytes[this.#at];
    if (byte !== LF && byte !== CR) this.#fail(this.#at, "Expected the end of the line after '.'");
    this.#at++;
  }

  #resource(position: string): TermId {
    const byte = this.#bytes[this.#at];
    if (byte === LESS) return this.#iri(false);
    if (byte === UNDERSCORE) return this.#blank();
    return this.#fail(
      this.#at,
      `Expected the ${position}, ${position === "object" ? "an IRI, blank node or literal" : "an IRI or blank node"}`,
    );
  }

  /** At `<`. `iriOnly`: `<_:label>` is refused (predicates, datatypes). */
  #iri(iriOnly: boolean): TermId {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    while ((CLASSES[bytes[at]] & SCHEME_BYTE) !== 0) at++;
    // A scheme is a letter followed by scheme bytes and a colon; anything else is looked at once the whole IRI is known.
    const absolute = bytes[at] === COLON && (CLASSES[bytes[start]] & ALPHA) !== 0;
    while ((CLASSES[bytes[at]] & IRI_BYTE) !== 0) at++;
    if (bytes[at] === GREATER && absolute) {
      if (at - start > this.#limits.iriBytesMax) this.#failIriLength(start, at - start);
      this.#at = at + 1;
      return this.#dictionary.addBytes(TermKind.IRI, 0, bytes, start, at);
    }
    return this.#unusualIri(start, iriOnly);
  }

  /** IRIs with escapes, relative ones, addressed blank nodes and faults. */
  #unusualIri(start: number, iriOnly: boolean): TermId {
    const bytes = this.#bytes;
    const scratch = this.#scratch;
    scratch.length = 0;
    let at = start;
    while (at < this.#end && bytes[at] !== GREATER) {
      if (bytes[at] === BACKSLASH) {
        const escapeAt = at;
        at = this.#unicodeEscape(at);
        const last = scratch.bytes[scratch.length - 1];
        if (last < 0x80 && (CLASSES[last] & IRI_BYTE) === 0) {
          this.#fail(escapeAt, "The escape stands for a character that an IRI may not have", "SENS_IRI");
        }
      } else {
        if ((CLASSES[bytes[at]] & IRI_BYTE) === 0) {
          if (bytes[at] === LF || bytes[at] === CR) break;
          this.#fail(at, `An IRI may not have the character ${quoteInput(String.fromCharCode(bytes[at]))}; percent-encode it`, "SENS_IRI");
        }
        scratch.pushBytes(bytes, at, at + 1);
        at++;
      }
    }
    if (bytes[at] !== GREATER || at >= this.#end) this.#fail(start - 1, "The IRI is not closed by '>'");
    this.#at = at + 1;
    return this.#unusualIriTerm(start, iriOnly);
  }

  #unusualIriTerm(start: number, iriOnly: boolean): TermId {
    const scratch = this.#scratch;
    const iri = decodeUtf8(scratch.bytes, 0, scratch.length);
    if (scratch.length > this.#limits.iriBytesMax) this.#failIriLength(start, scratch.length);
    if (iri.startsWith("_:")) {
      const stored = iriOnly ? undefined : this.#blankNodes.address(iri.slice(2));
      if (stored === undefined) this.#fail(start - 1, `${quoteInput(`<${iri}>`)} addresses no stored blank node`, "SENS_IRI");
      return this.#dictionary.blank(stored);
    }
    if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(iri)) {
      this.#fail(start - 1, `${quoteInput(`<${iri}>`)} is relative; write the IRI in full`, "SENS_RELATIVE_IRI");
    }
    return this.#dictionary.addBytes(TermKind.IRI, 0, scratch.bytes, 0, scratch.length);
  }

  /** At `_`. */
  #blank(): TermId {
    const bytes = this.#bytes;
    if (bytes[this.#at + 1] !== COLON) this.#fail(this.#at, "Expected ':' after '_'");
    const start = this.#at + 2;
    let at = start;
    while (at < this.#end) {
      const byte = bytes[at];
      if (byte >= 0x80) {
        const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        if (!isLabelCodePoint(codePointAt(bytes, at), at === start)) break;
        at += length;
      } else if ((CLASSES[byte] & LABEL_ASCII) !== 0 || ((byte === MINUS || byte === DOT) && at > start)) at++;
      else break;
    }
    while (at > start && bytes[at - 1] === DOT) at--;
    if (at === start) this.#fail(start, "Expected a blank node label after '_:'");
    if (at - start > this.#limits.iriBytesMax) this.#failIriLength(start, at - start);
    this.#at = at;
    const label = decodeUtf8(bytes, start, at);
    let id = this.#blankIds.get(label);
    if (id === undefined) {
      id = this.#dictionary.blank(this.#blankNodes.resolve(label));
      this.#blankIds.set(label, id);
    }
    return id;
  }

  /** At `"`. */
  #literal(): TermId {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    while ((CLASSES[bytes[at]] & STRING_BYTE) !== 0) at++;
    if (bytes[at] === QUOTE) {
      this.#at = at + 1;
      return this.#literalTail(bytes, start, at, start);
    }
    const scratch = this.#scratch;
    scratch.length = 0;
    scratch.pushBytes(bytes, start, at);
    while (at < this.#end && bytes[at] !== QUOTE) {
      const byte = bytes[at];
      if (byte === LF || byte === CR) break;
      if (byte === BACKSLASH) at = this.#stringEscape(at);
      else {
        const run = at;
        while (at < this.#end && (CLASSES[bytes[at]] & STRING_BYTE) !== 0) at++;
        scratch.pushBytes(bytes, run, at);
      }
    }
    if (at >= this.#end || bytes[at] !== QUOTE) this.#fail(start - 1, "The literal is not closed by '\"' on its line");
    this.#at = at + 1;
    return this.#literalTail(scratch.bytes, 0, scratch.length, start);
  }

  /** After the closing quote; the lexical form is `text[start, end)`, at `offset` in the document. */
  #literalTail(text: Uint8Array, start: number, end: number, offset: number): TermId {
    const bytes = this.#bytes;
    if (end - start > this.#limits.literalBytesMax) {
      this.#fail(
        offset,
        `The literal has ${end - start} bytes, more than ${this.#limits.literalBytesMax}; split it`,
        "SENS_LITERAL_TOO_LONG",
      );
    }
    if (bytes[this.#at] === AT) {
      return this.#dictionary.addBytes(TermKind.LANGUAGE, this.#languageTag(), text, start, end);
    }
    if (bytes[this.#at] !== CARET) return this.#dictionary.addBytes(TermKind.PLAIN, 0, text, start, end);
    if (bytes[this.#at + 1] !== CARET || bytes[this.#at + 2] !== LESS) this.#fail(this.#at, "Expected ^^<datatype IRI>");
    this.#at += 2;
    const datatypeAt = this.#at;
    // The datatype may need the scratch buffer that holds the text.
    const kept = text === this.#scratch.bytes ? text.slice(start, end) : undefined;
    // Values of one predicate are mostly of one datatype.
    const datatype = this.#guessedIri(DATATYPE_GUESSES + (this.#lastPredicate & GUESS_MASK) * 3);
    if (kept !== undefined) {
      text = kept;
      start = 0;
      end = kept.length;
    }
    if (datatype === this.#xsdString) return this.#dictionary.addBytes(TermKind.PLAIN, 0, text, start, end);
    if (datatype === this.#langString) this.#fail(datatypeAt, 'rdf:langString needs a language tag; write "text"@tag');
    return this.#dictionary.addBytes(TermKind.TYPED, datatype, text, start, end);
  }

  /** At `@`. */
  #languageTag(): number {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    while ((CLASSES[bytes[at]] & ALPHA) !== 0) at++;
    if (at === start) this.#fail(start, "Expected a language tag after '@'");
    while (bytes[at] === MINUS) {
      const subtag = at + 1;
      at = subtag;
      while ((CLASSES[bytes[at]] & ALPHA_NUMERIC) !== 0) at++;
      if (at === subtag) this.#fail(subtag, "Expected letters or digits after '-' in the language tag");
    }
    if (at - start > this.#limits.iriBytesMax) this.#failIriLength(start, at - start);
    this.#at = at;
    const tag = decodeUtf8(bytes, start, at);
    let number = this.#languageNumbers.get(tag);
    if (number === undefined) {
      number = this.#dictionary.languageNumber(tag);
      this.#languageNumbers.set(tag, number);
    }
    return number;
  }

  /** At a backslash in a literal; pushes the character and answers the place after the escape. */
  #stringEscape(at: number): number {
    const short = SHORT_ESCAPES[this.#bytes[at + 1]];
    if (short === undefined || at + 1 >= this.#end) return this.#unicodeEscape(at);
    this.#scratch.push(short);
    return at + 2;
  }

  /** A backslash, `u` and four or `U` and eight hex digits; surrogates and numbers above U+10FFFF are refused. */
  #unicodeEscape(at: number): number {
    const bytes = this.#bytes;
    const digits = bytes[at + 1] === 0x75 ? 4 : bytes[at + 1] === 0x55 ? 8 : 0;
    if (digits === 0) this.#fail(at, "Unknown escape; \\u, \\U and in literals \\t \\b \\n \\r \\f \\\" \\' \\\\ exist");
    let code = 0;
    for (let i = at + 2; i < at + 2 + digits; i++) {
      const digit = i < this.#end ? hexDigit(bytes[i]) : -1;
      if (digit < 0) this.#fail(at, `Expected ${digits} hexadecimal digits after the backslash`);
      code = code * 16 + digit;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) this.#fail(at, "The escape is no Unicode character");
    this.#scratch.push(code);
    return at + 2 + digits;
  }

  #failIriLength(at: number, length: number): never {
    this.#fail(at, `An IRI, label or tag of ${length} bytes is longer than ${this.#limits.iriBytesMax}; shorten it`, "SENS_IRI_TOO_LONG");
  }

  #fail(at: number, message: string, code: ErrorCode = "SENS_SYNTAX"): never {
    const position = positionInBytes(this.#bytes, at);
    const excerpt = this.#excerpt(at);
    const found = at >= this.#end ? "the end of the document" : excerpt === "" ? "the end of the line" : quoteInput(excerpt);
    throw new SensError(code, `Line ${position.line}, column ${position.column}: ${message}, at ${found}.`, { position });
  }

  /** At most 40 bytes from `at` to the end of the line, cut at a character. */
  #excerpt(at: number): string {
    const bytes = this.#bytes;
    let end = at;
    while (end < this.#end && end < at + 40 && bytes[end] !== LF && bytes[end] !== CR) end++;
    while (end > at && end < this.#end && (bytes[end] & 0xc0) === 0x80) end--;
    return decodeUtf8(bytes, at, end);
  }
}
