/**
 * RDF/XML: one rdf:Description per run of quads with the same subject, literals letter for letter. XML cannot carry
 * everything: a predicate that does not end in an XML name, control characters, and labels that are no XML names are
 * SENS_NOT_ACCEPTABLE. The text is complete before the first piece leaves, so that a refusal can still be answered.
 */
import { quoteInput, SensError } from "../base/index.ts";
import { ntriplesIri } from "./ntriples-term.ts";
import { type TermId, TermKind, type TermTable } from "./term-table.ts";
import { RDF_NAMESPACE } from "./vocabulary.ts";
import type { QuadSource, WriteOptions } from "./write-options.ts";

const NAME_START =
  "A-Za-z_\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD";
const NAME_CHAR = `${NAME_START}0-9.\\-\\u00B7\\u0300-\\u036F\\u203F-\\u2040`;
const NAME = new RegExp(`^[${NAME_START}][${NAME_CHAR}]*$`);
/** The longest XML name an IRI ends in, found from the end: any shorter one would do as well. */
const NAME_AT_END = new RegExp(`[${NAME_START}][${NAME_CHAR}]*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write them
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
/** Names that mean something else, or nothing, as property elements. */
const RESERVED = new Set([
  "RDF",
  "Description",
  "ID",
  "about",
  "parseType",
  "resource",
  "nodeID",
  "datatype",
  "li",
  "bagID",
  "aboutEach",
  "aboutEachPrefix",
]);
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n';

export async function* writeRdfXml(quads: QuadSource, options: WriteOptions): AsyncGenerator<string, void, undefined> {
  const writer = new RdfXmlWriter(options.dictionary);
  const pieces = [HEAD];
  for await (const quad of quads) pieces.push(writer.triple(quad[0], quad[1], quad[2]));
  pieces.push(writer.end(), "</rdf:RDF>\n");
  yield* pieces;
}

class RdfXmlWriter {
  readonly #table: TermTable;
  #subject: TermId = 0;

  constructor(table: TermTable) {
    this.#table = table;
  }

  triple(subject: TermId, predicate: TermId, object: TermId): string {
    let text = "";
    if (subject !== this.#subject) {
      text = `${this.end()}<rdf:Description ${this.#reference(subject, "rdf:about")}>\n`;
      this.#subject = subject;
    }
    return text + this.#property(predicate, object);
  }

  end(): string {
    return this.#subject === 0 ? "" : "</rdf:Description>\n";
  }

  #property(predicate: TermId, object: TermId): string {
    const iri = this.#table.value(predicate);
    ntriplesIri(iri);
    const local = NAME_AT_END.exec(iri)?.[0];
    const namespace = local === undefined ? "" : iri.slice(0, iri.length - local.length);
    if (local === undefined || namespace === "" || (namespace === RDF_NAMESPACE && RESERVED.has(local))) {
      throw notAcceptable(`the predicate ${quoteInput(iri)} has no XML element name`);
    }
    const inRdf = namespace === RDF_NAMESPACE;
    const name = inRdf ? `rdf:${local}` : `p:${local}`;
    const open = inRdf ? `  <${name}` : `  <${name} xmlns:p="${escapeAttribute(namespace)}"`;
    if (this.#table.kind(object) < TermKind.PLAIN) return `${open} ${this.#reference(object, "rdf:resource")}/>\n`;
    return `${open}${this.#literalAttributes(object)}>${escapeText(this.#table.value(object))}</${name}>\n`;
  }

  #literalAttributes(id: TermId): string {
    switch (this.#table.kind(id)) {
      case TermKind.LANGUAGE:
        return ` xml:lang="${this.#table.language(id)}"`;
      case TermKind.TYPED:
        return ` rdf:datatype="${this.#iri(this.#table.datatype(id))}"`;
      default:
        return "";
    }
  }

  #reference(id: TermId, attribute: string): string {
    if (this.#table.kind(id) === TermKind.IRI) return `${attribute}="${this.#iri(id)}"`;
    const label = this.#table.value(id);
    if (!NAME.test(label)) throw notAcceptable(`the blank node label ${quoteInput(label)} is no XML name`);
    return `rdf:nodeID="${label}"`;
  }

  #iri(id: TermId): string {
    const iri = this.#table.value(id);
    ntriplesIri(iri);
    return escapeAttribute(iri);
  }
}

function escapeAttribute(iri: string): string {
  if (NOT_XML.test(iri)) throw notAcceptable(`the IRI ${quoteInput(iri)} has a character that XML cannot carry`);
  return iri.replace(/&/g, "&amp;");
}

function escapeText(text: string): string {
  if (NOT_XML.test(text)) throw notAcceptable(`the literal ${quoteInput(text)} has a character that XML cannot carry`);
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\r/g, "&#13;");
}

function notAcceptable(what: string): SensError {
  return new SensError(
    "SENS_NOT_ACCEPTABLE",
    `This result cannot be written as RDF/XML: ${what}. Ask for text/turtle or application/n-triples.`,
  );
}
