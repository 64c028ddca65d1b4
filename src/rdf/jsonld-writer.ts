/**
 * JSON-LD in expanded form: one node object per run of quads with the same graph and subject, no context. An own writer,
 * because a stream writer repeats a key when a predicate comes back, which readers (ours too) may refuse. Lexical forms
 * are always strings: `01` stays `01`. Collections stay rdf:first and rdf:rest, so nothing depends on seeing all of one.
 */
import { assert, quoteInput, SensError } from "../base/index.ts";
import { isAbsoluteIri } from "./iri.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";
import { RDF_TYPE } from "./vocabulary.ts";
import { PIECE_CHARS, type QuadSource, type WriteOptions } from "./write-options.ts";

export async function* writeJsonLd(quads: QuadSource, options: WriteOptions): AsyncGenerator<string, void, undefined> {
  const writer = new NodeWriter(options.dictionary);
  let piece = "[";
  for await (const quad of quads) {
    piece += writer.quad(quad[0], quad[1], quad[2], quad[3] ?? NO_TERM);
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  yield `${piece}${writer.end()}]\n`;
}

class NodeWriter {
  readonly #table: TermTable;
  #graph: TermId = NO_TERM;
  #subject: TermId = NO_TERM;
  /** Key to written values of the node being collected. */
  #members = new Map<string, string[]>();
  #topLevel = 0;
  #inGraph = 0;

  constructor(table: TermTable) {
    this.#table = table;
  }

  quad(subject: TermId, predicate: TermId, object: TermId, graph: TermId): string {
    assert(this.#table.kind(subject) < TermKind.PLAIN, "a literal cannot be a subject");
    assert(this.#table.kind(predicate) === TermKind.IRI, "a predicate is an IRI");
    let text = "";
    if (subject !== this.#subject || graph !== this.#graph) {
      text = this.#closeNode();
      if (graph !== this.#graph) text += this.#closeGraph() + this.#openGraph(graph);
      this.#subject = subject;
    }
    const isType = this.#table.value(predicate) === RDF_TYPE && this.#table.kind(object) < TermKind.PLAIN;
    const key = isType ? "@type" : this.#name(predicate);
    const value = isType ? JSON.stringify(this.#name(object)) : this.#value(object);
    const values = this.#members.get(key);
    if (values === undefined) this.#members.set(key, [value]);
    else values.push(value);
    return text;
  }

  end(): string {
    return this.#closeNode() + this.#closeGraph();
  }

  #closeNode(): string {
    if (this.#subject === NO_TERM) return "";
    let text = `${this.#separator()}{"@id":${JSON.stringify(this.#name(this.#subject))}`;
    for (const [key, values] of this.#members) text += `,${JSON.stringify(key)}:[${values.join(",")}]`;
    this.#members = new Map();
    this.#subject = NO_TERM;
    return `${text}}`;
  }

  #separator(): string {
    const first = this.#graph === NO_TERM ? this.#topLevel++ === 0 : this.#inGraph++ === 0;
    return first ? "\n" : ",\n";
  }

  #openGraph(graph: TermId): string {
    if (graph === NO_TERM) {
      this.#graph = graph;
      return "";
    }
    const text = `${this.#topLevel++ === 0 ? "\n" : ",\n"}{"@id":${JSON.stringify(this.#name(graph))},"@graph":[`;
    this.#graph = graph;
    this.#inGraph = 0;
    return text;
  }

  #closeGraph(): string {
    const text = this.#graph === NO_TERM ? "" : "]}";
    this.#graph = NO_TERM;
    return text;
  }

  /** IRI, or `_:label`. */
  #name(id: TermId): string {
    const value = this.#table.value(id);
    if (this.#table.kind(id) === TermKind.BLANK) return `_:${value}`;
    if (!isAbsoluteIri(value))
      throw new SensError("SENS_IRI", `${quoteInput(value)} is not an absolute IRI and cannot be written. Correct the term.`);
    return value;
  }

  #value(id: TermId): string {
    const table = this.#table;
    switch (table.kind(id)) {
      case TermKind.PLAIN:
        return `{"@value":${JSON.stringify(table.value(id))}}`;
      case TermKind.LANGUAGE:
        return `{"@value":${JSON.stringify(table.value(id))},"@language":${JSON.stringify(table.language(id))}}`;
      case TermKind.TYPED:
        return `{"@value":${JSON.stringify(table.value(id))},"@type":${JSON.stringify(this.#name(table.datatype(id)))}}`;
      default:
        return `{"@id":${JSON.stringify(this.#name(id))}}`;
    }
  }
}
