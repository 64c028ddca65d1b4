/**
 * Terms as ids over a byte arena.   id = 1 + order of first appearance;   key = (kind, datatype or language, UTF-8 bytes)
 *
 * State per term: a record in the arena (length as varint, then the lexical bytes), 4 B position, 4 B meta
 * (kind in 3 bits, above it the datatype's id or the language's number), and a slot of 8 B (hash, id) in an
 * open-addressing table. No JS string is kept per term; a small direct-mapped cache remembers decoded texts.
 * The table is split in 1,024 segments by the high bits of the hash. Each grows alone from its stored hashes: at 50 M
 * terms a growth moves ~50,000 slots (well under a millisecond), where one big rehash would stop the writer for seconds.
 * Columns are paged, so they never copy either. Invariants: a slot with id 0 is empty; load stays below 3/4.
 * Cost: one hash and one compare of the bytes per look-up. Nothing is ever removed; a restart compacts.
 */
import type * as RDF from "@rdfjs/types";
import { assert, SensError } from "../base/index.ts";
import { ARENA_CHUNK_BITS, ARENA_CHUNK_BYTES, ByteArena } from "./byte-arena.ts";
import { dataFactory } from "./data-factory.ts";
import { ntriplesTerm } from "./ntriples-term.ts";
import { hashTerm } from "./term-hash.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";
import { decodeUtf8, Utf8Scratch } from "./utf8.ts";
import { RDF_DIR_LANG_STRING, RDF_LANG_STRING, XSD_STRING } from "./vocabulary.ts";

const SEGMENTS = 1024;
const SEGMENT_SHIFT = 22;
const SEGMENT_SLOTS_MIN = 8;
const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;
const CHUNK_MASK = ARENA_CHUNK_BYTES - 1;
/** Ids are 31 bits, datatypes keep 28 of them beside the kind. */
const TERMS_MAX = 2 ** 28 - 1;
const CACHE_SIZE = 8192;
const EMPTY = new Int32Array(2 * SEGMENT_SLOTS_MIN);

/** What the byte scanner needs beyond TermTable: terms straight from bytes. */
export interface BulkTermTable extends TermTable {
  /**
   * Adds the term whose lexical form is `bytes[start, end)` (valid UTF-8) when absent. `extra` is the datatype's id for
   * TYPED, the number of `languageNumber` for LANGUAGE, else 0. The bytes are copied.
   */
  addBytes(kind: TermKind, extra: number, bytes: Uint8Array, start: number, end: number): TermId;
  /** Number of a language tag, lower-cased; for `addBytes`. */
  languageNumber(tag: string): number;
}

export class TermDictionary implements BulkTermTable {
  readonly #arena = new ByteArena();
  readonly #chunks = this.#arena.chunks;
  readonly #positions: Uint32Array[] = [];
  readonly #metas: Int32Array[] = [];
  readonly #segments: Int32Array[] = new Array<Int32Array>(SEGMENTS).fill(EMPTY);
  readonly #used = new Int32Array(SEGMENTS);
  readonly #languages: string[] = [""];
  readonly #languageNumbers = new Map<string, number>();
  readonly #scratch = new Utf8Scratch();
  readonly #cacheIds = new Int32Array(CACHE_SIZE);
  readonly #cacheTexts: string[] = new Array<string>(CACHE_SIZE).fill("");
  readonly #xsdString: TermId;
  readonly #langString: TermId;
  #size = 0;
  #tableBytes = 0;

  constructor() {
    this.#xsdString = this.iri(XSD_STRING);
    this.#langString = this.iri(RDF_LANG_STRING);
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes held by arena, columns and table; without the decode cache (at most 8,192 texts). */
  get memoryBytes(): number {
    return this.#arena.memoryBytes + this.#positions.length * PAGE_SIZE * 8 + this.#tableBytes;
  }

  addBytes(kind: TermKind, extra: number, bytes: Uint8Array, start: number, end: number): TermId {
    const meta = (extra << 3) | kind;
    const hash = hashTerm(meta, bytes, start, end);
    const segmentIndex = hash >>> SEGMENT_SHIFT;
    const segment = this.#segments[segmentIndex];
    const mask = segment.length - 2;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const id = segment[slot + 1];
      if (id === 0) return this.#insert(segmentIndex, slot, hash, meta, bytes, start, end);
      if (segment[slot] === hash && this.#matches(id, meta, bytes, start, end)) return id;
    }
  }

  languageNumber(tag: string): number {
    const lower = tag.toLowerCase();
    let number = this.#languageNumbers.get(lower);
    if (number === undefined) {
      number = this.#languages.push(lower) - 1;
      this.#languageNumbers.set(lower, number);
    }
    return number;
  }

  iri(value: string): TermId {
    return this.#addText(TermKind.IRI, 0, value);
  }

  blank(label: string): TermId {
    return this.#addText(TermKind.BLANK, 0, label);
  }

  string(value: string): TermId {
    return this.#addText(TermKind.PLAIN, 0, value);
  }

  langString(value: string, language: string): TermId {
    return this.#addText(TermKind.LANGUAGE, this.languageNumber(language), value);
  }

  typed(lexical: string, datatypeIri: string): TermId {
    if (datatypeIri === XSD_STRING) return this.string(lexical);
    return this.#addText(TermKind.TYPED, this.iri(datatypeIri), lexical);
  }

  encode(term: RDF.Term): TermId {
    switch (term.termType) {
      case "NamedNode":
        return this.iri(term.value);
      case "BlankNode":
        return this.blank(term.value);
      case "Literal":
        if (term.language !== "") return this.langString(term.value, checkedLanguage(term));
        return this.typed(term.value, term.datatype.value);
      case "DefaultGraph":
        return NO_TERM;
      default:
        throw new SensError("SENS_SYNTAX", `A ${term.termType} cannot be stored. Use IRIs, blank nodes and literals.`);
    }
  }

  find(term: RDF.Term): TermId {
    switch (term.termType) {
      case "NamedNode":
        return this.#findText(TermKind.IRI, 0, term.value);
      case "BlankNode":
        return this.#findText(TermKind.BLANK, 0, term.value);
      case "Literal":
        return this.#findLiteral(term);
      default:
        return NO_TERM;
    }
  }

  kind(id: TermId): TermKind {
    return (this.#meta(id) & 7) as TermKind;
  }

  value(id: TermId): string {
    const slot = id & (CACHE_SIZE - 1);
    if (this.#cacheIds[slot] === id && id !== 0) return this.#cacheTexts[slot];
    this.#meta(id);
    const position = this.#positions[(id - 1) >>> PAGE_BITS][(id - 1) & PAGE_MASK];
    const chunk = this.#chunks[position >>> ARENA_CHUNK_BITS];
    const at = position & CHUNK_MASK;
    const length = readLength(chunk, at);
    const start = at + lengthBytes(length);
    const text = decodeUtf8(chunk, start, start + length);
    if (length <= 256) {
      this.#cacheIds[slot] = id;
      this.#cacheTexts[slot] = text;
    }
    return text;
  }

  datatype(id: TermId): TermId {
    const meta = this.#meta(id);
    switch (meta & 7) {
      case TermKind.PLAIN:
        return this.#xsdString;
      case TermKind.LANGUAGE:
        return this.#langString;
      case TermKind.TYPED:
        return meta >>> 3;
      default:
        return NO_TERM;
    }
  }

  language(id: TermId): string {
    const meta = this.#meta(id);
    return (meta & 7) === TermKind.LANGUAGE ? this.#languages[meta >>> 3] : "";
  }

  decode(id: TermId): RDF.Term {
    if (id === NO_TERM) return dataFactory.defaultGraph();
    switch (this.kind(id)) {
      case TermKind.IRI:
        return dataFactory.namedNode(this.value(id));
      case TermKind.BLANK:
        return dataFactory.blankNode(this.value(id));
      case TermKind.PLAIN:
        return dataFactory.literal(this.value(id));
      case TermKind.LANGUAGE:
        return dataFactory.literal(this.value(id), this.language(id));
      case TermKind.TYPED:
        return dataFactory.literal(this.value(id), dataFactory.namedNode(this.value(this.datatype(id))));
    }
  }

  ntriples(id: TermId): string {
    return ntriplesTerm(this, id);
  }

  /**
   * Total order by term, the same in every process: no term < blank nodes < IRIs < literals; literals by datatype IRI,
   * then lexical form, then language tag. Texts compare by code point (= by UTF-8 byte). Negative, 0 or positive.
   */
  compareTerms(a: TermId, b: TermId): number {
    if (a === b) return 0;
    if (a === NO_TERM) return -1;
    if (b === NO_TERM) return 1;
    const kindA = this.kind(a);
    const kindB = this.kind(b);
    const byRank = ORDER_RANK[kindA] - ORDER_RANK[kindB];
    if (byRank !== 0) return byRank;
    if (kindA >= TermKind.PLAIN) {
      const byDatatype = this.#compareBytes(this.datatype(a), this.datatype(b));
      if (byDatatype !== 0) return byDatatype;
    }
    const byText = this.#compareBytes(a, b);
    if (byText !== 0) return byText;
    const languageA = this.language(a);
    const languageB = this.language(b);
    return languageA < languageB ? -1 : languageA > languageB ? 1 : 0;
  }

  #meta(id: TermId): number {
    assert(id > 0 && id <= this.#size, () => `no term has id ${id} (1..${this.#size})`);
    return this.#metas[(id - 1) >>> PAGE_BITS][(id - 1) & PAGE_MASK];
  }

  #addText(kind: TermKind, extra: number, text: string): TermId {
    this.#scratch.set(text);
    return this.addBytes(kind, extra, this.#scratch.bytes, 0, this.#scratch.length);
  }

  #findText(kind: TermKind, extra: number, text: string): TermId {
    const scratch = this.#scratch;
    scratch.set(text);
    const meta = (extra << 3) | kind;
    const hash = hashTerm(meta, scratch.bytes, 0, scratch.length);
    const segment = this.#segments[hash >>> SEGMENT_SHIFT];
    const mask = segment.length - 2;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const id = segment[slot + 1];
      if (id === 0) return NO_TERM;
      if (segment[slot] === hash && this.#matches(id, meta, scratch.bytes, 0, scratch.length)) return id;
    }
  }

  #findLiteral(term: RDF.Literal): TermId {
    if (term.language !== "") {
      if (term.datatype.value === RDF_DIR_LANG_STRING) return NO_TERM;
      const number = this.#languageNumbers.get(term.language.toLowerCase());
      return number === undefined ? NO_TERM : this.#findText(TermKind.LANGUAGE, number, term.value);
    }
    if (term.datatype.value === XSD_STRING) return this.#findText(TermKind.PLAIN, 0, term.value);
    const datatype = this.#findText(TermKind.IRI, 0, term.datatype.value);
    return datatype === NO_TERM ? NO_TERM : this.#findText(TermKind.TYPED, datatype, term.value);
  }

  #matches(id: TermId, meta: number, bytes: Uint8Array, start: number, end: number): boolean {
    const index = id - 1;
    if (this.#metas[index >>> PAGE_BITS][index & PAGE_MASK] !== meta) return false;
    const position = this.#positions[index >>> PAGE_BITS][index & PAGE_MASK];
    const chunk = this.#chunks[position >>> ARENA_CHUNK_BITS];
    let at = position & CHUNK_MASK;
    const length = readLength(chunk, at);
    if (length !== end - start) return false;
    at += lengthBytes(length);
    // From the end: IRIs of one namespace differ there.
    for (let i = length - 1; i >= 0; i--) if (chunk[at + i] !== bytes[start + i]) return false;
    return true;
  }

  #insert(segmentIndex: number, slot: number, hash: number, meta: number, bytes: Uint8Array, start: number, end: number): TermId {
    assert(this.#size < TERMS_MAX, "the term dictionary is full: 268 million terms");
    const length = end - start;
    const header = lengthBytes(length);
    const position = this.#arena.allocate(header + length);
    const chunk = this.#chunks[position >>> ARENA_CHUNK_BITS];
    let at = position & CHUNK_MASK;
    writeLength(chunk, at, length);
    at += header;
    if (length > 64) chunk.set(bytes.subarray(start, end), at);
    else for (let i = 0; i < length; i++) chunk[at + i] = bytes[start + i];
    const index = this.#size;
    if ((index & PAGE_MASK) === 0) {
      this.#positions.push(new Uint32Array(PAGE_SIZE));
      this.#metas.push(new Int32Array(PAGE_SIZE));
    }
    this.#positions[index >>> PAGE_BITS][index & PAGE_MASK] = position;
    this.#metas[index >>> PAGE_BITS][index & PAGE_MASK] = meta;
    const id = ++this.#size;
    this.#place(segmentIndex, slot, hash, id);
    return id;
  }

  #place(segmentIndex: number, slot: number, hash: number, id: TermId): void {
    const segment = this.#segments[segmentIndex];
    const used = ++this.#used[segmentIndex];
    if (segment !== EMPTY && used * 2 * 4 < segment.length * 3) {
      segment[slot] = hash;
      segment[slot + 1] = id;
      return;
    }
    const grown = new Int32Array(segment === EMPTY ? 2 * SEGMENT_SLOTS_MIN : segment.length * 2);
    this.#tableBytes += grown.byteLength - (segment === EMPTY ? 0 : segment.byteLength);
    for (let i = 0; i < segment.length; i += 2) if (segment[i + 1] !== 0) placeFree(grown, segment[i], segment[i + 1]);
    placeFree(grown, hash, id);
    this.#segments[segmentIndex] = grown;
  }

  #compareBytes(a: TermId, b: TermId): number {
    if (a === b) return 0;
    const positionA = this.#positions[(a - 1) >>> PAGE_BITS][(a - 1) & PAGE_MASK];
    const positionB = this.#positions[(b - 1) >>> PAGE_BITS][(b - 1) & PAGE_MASK];
    const chunkA = this.#chunks[positionA >>> ARENA_CHUNK_BITS];
    const chunkB = this.#chunks[positionB >>> ARENA_CHUNK_BITS];
    let atA = positionA & CHUNK_MASK;
    let atB = positionB & CHUNK_MASK;
    const lengthA = readLength(chunkA, atA);
    const lengthB = readLength(chunkB, atB);
    atA += lengthBytes(lengthA);
    atB += lengthBytes(lengthB);
    const common = Math.min(lengthA, lengthB);
    for (let i = 0; i < common; i++) {
      const difference = chunkA[atA + i] - chunkB[atB + i];
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }
}

/** Rank of a kind in the order of terms: blank nodes before IRIs before literals. */
const ORDER_RANK = [0, 2, 1, 3, 3, 3];

function checkedLanguage(term: RDF.Literal): string {
  if (term.datatype.value !== RDF_DIR_LANG_STRING) return term.language;
  throw new SensError("SENS_SYNTAX", "A literal with a base direction cannot be stored. Leave the direction out.");
}

function placeFree(segment: Int32Array, hash: number, id: TermId): void {
  const mask = segment.length - 2;
  let slot = (hash << 1) & mask;
  while (segment[slot + 1] !== 0) slot = (slot + 2) & mask;
  segment[slot] = hash;
  segment[slot + 1] = id;
}

/** Lengths are varints of 1 to 5 bytes, 7 bits each, low bits first. */
function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5;
}

function readLength(chunk: Uint8Array, at: number): number {
  let byte = chunk[at];
  if (byte < 0x80) return byte;
  let length = byte & 0x7f;
  for (let shift = 7; ; shift += 7) {
    byte = chunk[++at];
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return length;
  }
}

function writeLength(chunk: Uint8Array, at: number, length: number): void {
  while (length >= 0x80) {
    chunk[at++] = (length & 0x7f) | 0x80;
    length >>>= 7;
  }
  chunk[at] = length;
}
