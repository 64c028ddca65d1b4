/**
 * Terms as small integers. The interface every layer above rdf/ programs against; `TermDictionary` implements it.
 *
 * Ids count from 1 in order of first appearance and are private to a process. Id 0 is "no term": an unbound variable,
 * and, in the graph position of a quad, the default graph.
 */
import type * as RDF from "@rdfjs/types";

declare const termIdBrand: unique symbol;
/** A non-negative 31-bit integer; 0 is "no term". */
export type TermId = number & { readonly [termIdBrand]?: true };

export const NO_TERM: TermId = 0;

/** Kinds of terms. `literal` kinds are >= PLAIN. */
export const TermKind = { IRI: 1, BLANK: 2, PLAIN: 3, LANGUAGE: 4, TYPED: 5 } as const;
export type TermKind = (typeof TermKind)[keyof typeof TermKind];

export interface TermTable {
  /** Number of terms; ids are 1..size. */
  readonly size: number;
  /** Adds when absent. Blank node labels are taken as they are: scoping is the parser's work. */
  encode(term: RDF.Term): TermId;
  iri(value: string): TermId;
  blank(label: string): TermId;
  /** Plain literal (xsd:string). */
  string(value: string): TermId;
  /** Language-tagged; the tag is lower-cased. */
  langString(value: string, language: string): TermId;
  /** Typed literal; the spelling is kept as it is. xsd:string gives the plain literal. */
  typed(lexical: string, datatypeIri: string): TermId;
  /** The id, or 0 when the term was never seen. Never adds. */
  find(term: RDF.Term): TermId;
  kind(id: TermId): TermKind;
  /** IRI text, blank label, or lexical form. */
  value(id: TermId): string;
  /** Id of the datatype IRI of a literal (xsd:string and rdf:langString included); 0 for others. */
  datatype(id: TermId): TermId;
  /** Language tag in lower case, "" when there is none. */
  language(id: TermId): string;
  decode(id: TermId): RDF.Term;
  /** The term as canonical N-Triples. */
  ntriples(id: TermId): string;
}
