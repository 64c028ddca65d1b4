/**
 * Turtle and TriG: one pass, statements grouped as they come (same subject `;`, same predicate `,`, same graph block).
 * Blank nodes keep their labels, so that a reader can address them. Numbers and booleans stand bare where
 * the bare form is read as exactly the same term, otherwise in quotes with their datatype.
 */
import { assert } from "../base/index.ts";
import { ntriplesTerm } from "./ntriples-term.ts";
import { PrefixNames } from "./prefix-map.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";
import { RDF_TYPE, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER } from "./vocabulary.ts";
import { PIECE_CHARS, type QuadSource, type WriteOptions } from "./write-options.ts";

const BARE: Readonly<Record<string, RegExp>> = {
  [XSD_INTEGER]: /^[+-]?[0-9]+$/,
  [XSD_DECIMAL]: /^[+-]?[0-9]*\.[0-9]+$/,
  [XSD_DOUBLE]: /^[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+$/,
  [XSD_BOOLEAN]: /^(?:true|false)$/,
};

export async function* writeTurtle(quads: QuadSource, options: WriteOptions): AsyncGenerator<string, void, undefined> {
  const writer = new TurtleWriter(options.dictionary, new PrefixNames(options.prefixes));
  let piece = writer.head();
  for await (const quad of quads) {
    piece += writer.quad(quad[0], quad[1], quad[2], quad[3] ?? NO_TERM);
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  piece += writer.end();
  if (piece !== "") yield piece;
}

class TurtleWriter {
  readonly #table: TermTable;
  readonly #names: PrefixNames;
  #graph: TermId = NO_TERM;
  #subject: TermId = NO_TERM;
  #predicate: TermId = NO_TERM;

  constructor(table: TermTable, names: PrefixNames) {
    this.#table = table;
    this.#names = names;
  }

  head(): string {
    let text = "";
    for (const [namespace, prefix] of this.#names.entries()) text += `@prefix ${prefix}: <${namespace}> .\n`;
    return text;
  }

  quad(subject: TermId, predicate: TermId, object: TermId, graph: TermId): string {
    let text = "";
    if (graph !== this.#graph) {
      text += this.end();
      this.#graph = graph;
      if (graph !== NO_TERM) text += `${this.#term(graph)} {\n`;
    }
    const indent = graph === NO_TERM ? "" : "  ";
    if (subject !== this.#subject) {
      if (this.#subject !== NO_TERM) text += " .\n";
      text += `${indent}${this.#resource(subject)} ${this.#verb(predicate)} `;
    } else if (predicate !== this.#predicate) text += ` ;\n${indent}  ${this.#verb(predicate)} `;
    else text += ", ";
    this.#subject = subject;
    this.#predicate = predicate;
    return text + this.#term(object);
  }

  /** Closes what is open; the next quad starts anew. */
  end(): string {
    let text = this.#subject === NO_TERM ? "" : " .\n";
    if (this.#graph !== NO_TERM) text += "}\n";
    this.#subject = this.#predicate = this.#graph = NO_TERM;
    return text;
  }

  #resource(id: TermId): string {
    assert(this.#table.kind(id) < TermKind.PLAIN, "a literal cannot be a subject");
    return this.#term(id);
  }

  #verb(id: TermId): string {
    assert(this.#table.kind(id) === TermKind.IRI, "a predicate is an IRI");
    return this.#table.value(id) === RDF_TYPE ? "a" : this.#term(id);
  }

  #term(id: TermId): string {
    const kind = this.#table.kind(id);
    if (kind === TermKind.IRI) return this.#names.shorten(this.#table.value(id)) ?? ntriplesTerm(this.#table, id);
    if (kind !== TermKind.TYPED) return ntriplesTerm(this.#table, id);
    const datatype = this.#table.value(this.#table.datatype(id));
    const value = this.#table.value(id);
    if (BARE[datatype]?.test(value)) return value;
    const full = ntriplesTerm(this.#table, id);
    const short = this.#names.shorten(datatype);
    return short === undefined ? full : `${full.slice(0, -(datatype.length + 2))}${short}`;
  }
}
