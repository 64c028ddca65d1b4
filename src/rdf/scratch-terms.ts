/**
 * The terms of one reader: a dictionary as it was at one moment, and beyond it what the reader's own text names or computes.
 *
 *     id <= size then    the dictionary's
 *     id >= FIRST_OWN    the reader's; no stored quad has one, so as a constant of a pattern it matches nothing
 *
 * So reading never makes the dictionary grow: what a query names or makes is forgotten with it. Terms that writers add while
 * the reader rests stay unknown to it, else one term could have two ids: it reads a pinned revision, which has none of them.
 * State: nothing until the first unknown term, then a dictionary of its own of at most `scratchTermsBytesMax`.
 */
import type * as RDF from "@rdfjs/types";
import { LIMITS, SensError } from "../base/index.ts";
import { dataFactory } from "./data-factory.ts";
import { ntriplesTerm } from "./ntriples-term.ts";
import { type BulkTermTable, TermDictionary } from "./term-dictionary.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Above every id of a dictionary (at most 2^28), and with as many of its own still 31 bits. */
const FIRST_OWN = 2 ** 29;
/** An id that no term has. As a constant of a look-up it matches nothing. */
export const UNKNOWN_TERM: TermId = 2 ** 31 - 1;

/** Asked for the memory only so often. */
const TERMS_BETWEEN_CHECKS = 1024;

export class ScratchTerms implements BulkTermTable {
  readonly base: TermTable;
  readonly #baseSize: number;
  readonly #bytesMax: number;
  #own: TermDictionary | undefined;
  #checkAt = TERMS_BETWEEN_CHECKS;
  readonly #languages: string[] = [];
  /** Of own literals: id of the datatype in the own dictionary -> id here. */
  readonly #datatypes = new Map<TermId, TermId>();

  constructor(base: TermTable, bytesMax: number = LIMITS.scratchTermsBytesMax) {
    this.base = base;
    this.#baseSize = base.size;
    this.#bytesMax = bytesMax;
  }

  /** Whether an id is of no dictionary but of scratch terms. */
  static owns(id: TermId): boolean {
    return id >= FIRST_OWN;
  }

  /** Of both together; ids have a gap between them. */
  get size(): number {
    return this.#baseSize + (this.#own?.size ?? 0);
  }

  /** Whether it met a term that the dictionary did not have. */
  get hasOwn(): boolean {
    return this.#own !== undefined;
  }

  encode(term: RDF.Term): TermId {
    const known = this.#inBase(term);
    if (known !== NO_TERM || term.termType === "DefaultGraph") return known;
    return this.#add((own) => own.encode(term));
  }

  iri(value: string): TermId {
    return this.encode(dataFactory.namedNode(value));
  }

  blank(label: string): TermId {
    return this.encode(dataFactory.blankNode(label));
  }

  string(value: string): TermId {
    return this.encode(dataFactory.literal(value));
  }

  langString(value: string, language: string): TermId {
    return this.encode(dataFactory.literal(value, language));
  }

  typed(lexical: string, datatypeIri: string): TermId {
    return this.encode(dataFactory.literal(lexical, dataFactory.namedNode(datatypeIri)));
  }

  find(term: RDF.Term): TermId {
    const known = this.#inBase(term);
    if (known !== NO_TERM || !this.#own) return known;
    const own = this.#own.find(term);
    return own === NO_TERM ? NO_TERM : FIRST_OWN + own;
  }

  addBytes(kind: TermKind, extra: number, bytes: Uint8Array, start: number, end: number): TermId {
    const text = decodeUtf8(bytes, start, end);
    switch (kind) {
      case TermKind.IRI:
        return this.iri(text);
      case TermKind.BLANK:
        return this.blank(text);
      case TermKind.PLAIN:
        return this.string(text);
      case TermKind.LANGUAGE:
        return this.langString(text, this.#languages[extra] as string);
      case TermKind.TYPED:
        return this.typed(text, this.value(extra));
    }
  }

  languageNumber(tag: string): number {
    const known = this.#languages.indexOf(tag);
    return known >= 0 ? known : this.#languages.push(tag) - 1;
  }

  kind(id: TermId): TermKind {
    return id < FIRST_OWN ? this.base.kind(id) : this.#owner.kind(id - FIRST_OWN);
  }

  value(id: TermId): string {
    return id < FIRST_OWN ? this.base.value(id) : this.#owner.value(id - FIRST_OWN);
  }

  datatype(id: TermId): TermId {
    if (id < FIRST_OWN) return this.base.datatype(id);
    const own = this.#owner;
    const datatype = own.datatype(id - FIRST_OWN);
    if (datatype === NO_TERM) return NO_TERM;
    let known = this.#datatypes.get(datatype);
    if (known === undefined) {
      known = this.iri(own.value(datatype));
      this.#datatypes.set(datatype, known);
    }
    return known;
  }

  language(id: TermId): string {
    return id < FIRST_OWN ? this.base.language(id) : this.#owner.language(id - FIRST_OWN);
  }

  decode(id: TermId): RDF.Term {
    return id < FIRST_OWN ? this.base.decode(id) : this.#owner.decode(id - FIRST_OWN);
  }

  ntriples(id: TermId): string {
    return ntriplesTerm(this, id);
  }

  #inBase(term: RDF.Term): TermId {
    const id = this.base.find(term);
    return id <= this.#baseSize ? id : NO_TERM;
  }

  get #owner(): TermDictionary {
    if (!this.#own) throw new SensError("SENS_INTERNAL", "A term of one reader was looked up with another.");
    return this.#own;
  }

  #add(encode: (own: TermDictionary) => TermId): TermId {
    this.#own ??= new TermDictionary();
    const id = encode(this.#own);
    if (this.#own.size >= this.#checkAt) {
      this.#checkAt = this.#own.size + TERMS_BETWEEN_CHECKS;
      if (this.#own.memoryBytes > this.#bytesMax)
        throw new SensError(
          "SENS_RESULT_TOO_LARGE",
          `The query makes more than ${this.#bytesMax} bytes of new terms. Narrow it, or compute less of each solution.`,
        );
    }
    return FIRST_OWN + id;
  }
}
