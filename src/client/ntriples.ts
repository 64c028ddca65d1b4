/**
 * N-Triples and N-Quads between text and RDF/JS quads: what travels in the frames of the protocol. Reading takes the
 * whole grammar of RDF 1.2 N-Quads (comments, escapes, triple terms); writing is canonical.
 * Cost: one pass, no recursion beyond triple terms, whose nesting is bounded.
 */
import type * as RDF from "@rdfjs/types";
import { LIMITS, quoteInput, SensError } from "../base/index.ts";
import { blankNode, defaultGraph, isStoredBlankNode, literal, namedNode, quad, storedBlankNode } from "./terms.ts";

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";
const SPACE = /[ \t]*/y;
/** What stands in IRIs as it is: no controls, no space, none of <>"{}|^`\ (RDF 1.2 N-Quads, IRIREF). */
const IRI = /<([!#-;=?-[\]_a-z~-\uffff]*(?:\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})[!#-;=?-[\]_a-z~-\uffff]*)*)>/y;
const NOT_IRI = /[^!#-;=?-[\]_a-z~-\uffff]/;
const BLANK = /_:([\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_.\-·]*[\p{L}\p{N}\p{M}_\-·])?)/uy;
const STRING = /"([^"\\\n\r]*(?:\\(?:[tbnrf"'\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})[^"\\\n\r]*)*)"/y;
const LANGUAGE = /@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)(?:--(ltr|rtl))?/y;
const END = /[ \t]*(?:#[^\n\r]*)?(?:\r\n|\n|\r|$)/y;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g;
const ESCAPED: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", r: "\r", f: "\f", '"': '"', "'": "'", "\\": "\\" };

/** Reads N-Triples or N-Quads. Throws SENS_SYNTAX with line and column. */
export function parseNQuads(text: string): RDF.Quad[] {
  return readAll(new Reader(text, blankNode));
}

/** The same for what the server sent: its blank nodes mean the same nodes when they are sent back. */
export function parseServerQuads(text: string): RDF.Quad[] {
  return readAll(new Reader(text, storedBlankNode));
}

function readAll(reader: Reader): RDF.Quad[] {
  const quads: RDF.Quad[] = [];
  while (!reader.atEnd()) {
    if (reader.emptyLine()) continue;
    quads.push(reader.statement());
  }
  return quads;
}

/** Writes canonical N-Triples, or N-Quads where a quad names a graph: single spaces, ` .`, newline. */
export function writeNQuads(quads: Iterable<RDF.Quad>): string {
  let out = "";
  for (const statement of quads) out += writeNQuad(statement);
  return out;
}

export function writeNQuad(statement: RDF.Quad): string {
  return writeStatement(statement, writeLabel);
}

/** The same for the server: nodes of the knowledge base as `<_:label>`, which means them and no new ones. */
export function writeRequestQuad(statement: RDF.Quad): string {
  return writeStatement(statement, (node) => (isStoredBlankNode(node) ? `<${writeLabel(node)}>` : writeLabel(node)));
}

/** One term in N-Quads spelling; variables as `?name`. */
export function writeTerm(term: RDF.Term): string {
  return write(term, writeLabel);
}

type WriteBlankNode = (node: RDF.BlankNode) => string;

function writeStatement({ subject, predicate, object, graph }: RDF.Quad, blank: WriteBlankNode): string {
  const inGraph = graph.termType === "DefaultGraph" ? "" : `${write(graph, blank)} `;
  return `${write(subject, blank)} ${write(predicate, blank)} ${write(object, blank)} ${inGraph}.\n`;
}

function write(term: RDF.Term, blank: WriteBlankNode): string {
  switch (term.termType) {
    case "NamedNode":
      return `<${escapeIri(term.value)}>`;
    case "BlankNode":
      return blank(term);
    case "Literal":
      return writeLiteral(term);
    case "Quad":
      return `<<( ${write(term.subject, blank)} ${write(term.predicate, blank)} ${write(term.object, blank)} )>>`;
    case "Variable":
      return `?${term.value}`;
    case "DefaultGraph":
      return "";
  }
}

/** A label made by another library could end the term early and say something else. */
function writeLabel({ value: label }: RDF.BlankNode): string {
  BLANK.lastIndex = 0;
  if (BLANK.exec(`_:${label}`)?.[1] === label) return `_:${label}`;
  throw new SensError(
    "SENS_BAD_REQUEST",
    `The blank node label ${quoteInput(label)} cannot be written in N-Quads. Use letters, digits, _ and -.`,
  );
}

function writeLiteral(term: RDF.Literal): string {
  const text = `"${escapeString(term.value)}"`;
  if (term.language) return `${text}@${term.language.toLowerCase()}${term.direction ? `--${term.direction}` : ""}`;
  return term.datatype.value === XSD_STRING ? text : `${text}^^<${escapeIri(term.datatype.value)}>`;
}

function escapeString(value: string): string {
  return value.replace(/["\\\p{Cc}]/gu, (character) => {
    switch (character) {
      case '"':
      case "\\":
        return `\\${character}`;
      case "\n":
        return "\\n";
      case "\r":
        return "\\r";
      case "\t":
        return "\\t";
      case "\b":
        return "\\b";
      case "\f":
        return "\\f";
      default:
        if (character > "\u007f") return character;
        return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    }
  });
}

function escapeIri(value: string): string {
  const bad = NOT_IRI.exec(value);
  if (bad) {
    throw new SensError(
      "SENS_IRI",
      `The IRI ${quoteInput(value)} holds ${quoteInput(bad[0])}, which IRIs may not hold. Percent-encode it.`,
    );
  }
  return value;
}

class Reader {
  readonly #text: string;
  readonly #blankNode: (label: string) => RDF.BlankNode;
  #at = 0;

  constructor(text: string, blankNode: (label: string) => RDF.BlankNode) {
    this.#text = text;
    this.#blankNode = blankNode;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Passes a line without a statement. */
  emptyLine(): boolean {
    return this.#match(END) !== undefined;
  }

  statement(): RDF.Quad {
    this.#skip();
    const subject = this.#term(0);
    if (subject.termType === "Literal" || subject.termType === "Quad") this.#fail("an IRI or a blank node as subject");
    const predicate = this.#predicate();
    const object = this.#term(0);
    const graph = this.#peek() === "." ? defaultGraph() : this.#graph();
    if (this.#peek() !== ".") this.#fail("' .' at the end of the statement");
    this.#at++;
    if (this.#match(END) === undefined) this.#fail("the end of the line");
    return quad(subject, predicate, object, graph);
  }

  #predicate(): RDF.NamedNode {
    const term = this.#term(0);
    return term.termType === "NamedNode" ? term : this.#fail("an IRI as predicate");
  }

  #graph(): RDF.NamedNode | RDF.BlankNode {
    const term = this.#term(0);
    return term.termType === "NamedNode" || term.termType === "BlankNode" ? term : this.#fail("an IRI or a blank node as graph");
  }

  #term(depth: number): RDF.NamedNode | RDF.BlankNode | RDF.Literal | RDF.Quad {
    const first = this.#peek();
    let term: RDF.NamedNode | RDF.BlankNode | RDF.Literal | RDF.Quad;
    if (first === '"') term = this.#literal();
    else if (first === "_") term = this.#blankNode((this.#match(BLANK) ?? this.#fail("a blank node label"))[1]!);
    else if (this.#text.startsWith("<<(", this.#at)) term = this.#tripleTerm(depth + 1);
    else term = namedNode(unescaped((this.#match(IRI) ?? this.#fail("an IRI, a blank node or a literal"))[1]!));
    this.#skip();
    return term;
  }

  #literal(): RDF.Literal {
    const value = unescaped((this.#match(STRING) ?? this.#fail("a string that ends on its line"))[1]!);
    if (this.#text.startsWith("^^", this.#at)) {
      this.#at += 2;
      return literal(value, namedNode(unescaped((this.#match(IRI) ?? this.#fail("the IRI of a datatype"))[1]!)));
    }
    if (this.#text[this.#at] !== "@") return literal(value);
    const tag = this.#match(LANGUAGE) ?? this.#fail("a language tag");
    return literal(value, { language: tag[1]!, direction: tag[2] === "ltr" || tag[2] === "rtl" ? tag[2] : "" });
  }

  #tripleTerm(depth: number): RDF.Quad {
    if (depth > LIMITS.nestingDepthMax) {
      throw new SensError("SENS_TOO_DEEP", `Triple terms are nested deeper than ${LIMITS.nestingDepthMax}.`, {
        position: this.#position(),
      });
    }
    this.#at += 3;
    this.#skip();
    const subject = this.#term(depth);
    if (subject.termType === "Literal") this.#fail("an IRI or a blank node as subject");
    const predicate = this.#term(depth);
    if (predicate.termType !== "NamedNode") this.#fail("an IRI as predicate");
    const object = this.#term(depth);
    if (!this.#text.startsWith(")>>", this.#at)) this.#fail("')>>'");
    this.#at += 3;
    return quad(subject, predicate, object);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #position(): { line: number; column: number } {
    const before = this.#text.slice(0, this.#at);
    const lineStart = before.lastIndexOf("\n") + 1;
    return { line: before.split("\n").length, column: this.#at - lineStart + 1 };
  }

  #fail(expected: string): never {
    const position = this.#position();
    const rest = this.#text.slice(this.#at, this.#at + 40).split("\n")[0]!;
    throw new SensError(
      "SENS_SYNTAX",
      `Line ${position.line}, column ${position.column}: expected ${expected}, found ${quoteInput(rest)}.`,
      {
        position,
      },
    );
  }
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, short: string | undefined, long: string | undefined, single: string) => {
    const hexadecimal = short ?? long;
    if (hexadecimal === undefined) return ESCAPED[single]!;
    const point = Number.parseInt(hexadecimal, 16);
    if (point > 0x10ffff) throw new SensError("SENS_SYNTAX", `\\U${hexadecimal} is beyond the last Unicode character, U+10FFFF.`);
    return String.fromCodePoint(point);
  });
}
