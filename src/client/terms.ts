/**
 * RDF/JS terms as small immutable objects, so that the client runs in a browser without an RDF library. Terms of any
 * other RDF/JS library are accepted wherever these are: only `termType` and `value` are read.
 */
import type * as RDF from "@rdfjs/types";

const XSD = "http://www.w3.org/2001/XMLSchema#";
const RDF_NS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

class NamedNodeTerm<Iri extends string = string> implements RDF.NamedNode<Iri> {
  readonly termType = "NamedNode";
  readonly value: Iri;
  constructor(value: Iri) {
    this.value = value;
  }
  equals(other: RDF.Term | null | undefined): boolean {
    return other?.termType === "NamedNode" && other.value === this.value;
  }
}

class BlankNodeTerm implements RDF.BlankNode {
  readonly termType = "BlankNode";
  readonly value: string;
  /** The server gave out the label, which addresses this very node again; others name new nodes of one document. */
  readonly #stored: boolean;
  constructor(value: string, stored: boolean) {
    this.value = value;
    this.#stored = stored;
  }
  static isStored(term: RDF.Term): boolean {
    return term instanceof BlankNodeTerm && term.#stored;
  }
  equals(other: RDF.Term | null | undefined): boolean {
    return other?.termType === "BlankNode" && other.value === this.value;
  }
}

class VariableTerm implements RDF.Variable {
  readonly termType = "Variable";
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
  equals(other: RDF.Term | null | undefined): boolean {
    return other?.termType === "Variable" && other.value === this.value;
  }
}

class DefaultGraphTerm implements RDF.DefaultGraph {
  readonly termType = "DefaultGraph";
  readonly value = "";
  equals(other: RDF.Term | null | undefined): boolean {
    return other?.termType === "DefaultGraph";
  }
}

const XSD_STRING = new NamedNodeTerm(`${XSD}string`);
const LANG_STRING = new NamedNodeTerm(`${RDF_NS}langString`);
const DIR_LANG_STRING = new NamedNodeTerm(`${RDF_NS}dirLangString`);
const DEFAULT_GRAPH = new DefaultGraphTerm();

class LiteralTerm implements RDF.Literal {
  readonly termType = "Literal";
  readonly value: string;
  readonly language: string;
  readonly direction: "ltr" | "rtl" | "";
  readonly datatype: RDF.NamedNode;
  constructor(value: string, language: string, direction: "ltr" | "rtl" | "", datatype: RDF.NamedNode) {
    this.value = value;
    this.language = language;
    this.direction = direction;
    this.datatype = datatype;
  }
  equals(other: RDF.Term | null | undefined): boolean {
    return (
      other?.termType === "Literal" &&
      other.value === this.value &&
      other.language === this.language &&
      (other.direction ?? "") === this.direction &&
      other.datatype.value === this.datatype.value
    );
  }
}

class QuadTerm implements RDF.Quad {
  readonly termType = "Quad";
  readonly value = "";
  readonly subject: RDF.Quad_Subject;
  readonly predicate: RDF.Quad_Predicate;
  readonly object: RDF.Quad_Object;
  readonly graph: RDF.Quad_Graph;
  constructor(subject: RDF.Quad_Subject, predicate: RDF.Quad_Predicate, object: RDF.Quad_Object, graph: RDF.Quad_Graph) {
    this.subject = subject;
    this.predicate = predicate;
    this.object = object;
    this.graph = graph;
  }
  equals(other: RDF.Term | null | undefined): boolean {
    return (
      other?.termType === "Quad" &&
      this.subject.equals(other.subject) &&
      this.predicate.equals(other.predicate) &&
      this.object.equals(other.object) &&
      this.graph.equals(other.graph)
    );
  }
}

let blankNodes = 0;

export function namedNode<Iri extends string = string>(value: Iri): RDF.NamedNode<Iri> {
  return new NamedNodeTerm(value);
}

/** Without a label, one that this process has not used yet. */
export function blankNode(value?: string): RDF.BlankNode {
  return new BlankNodeTerm(value ?? `c${++blankNodes}`, false);
}

/** A node of the knowledge base, by the label the server gave out: in what is sent it means that node, not a new one. */
export function storedBlankNode(label: string): RDF.BlankNode {
  return new BlankNodeTerm(label, true);
}

export function isStoredBlankNode(term: RDF.Term): boolean {
  return BlankNodeTerm.isStored(term);
}

/**
 * A literal. The second argument is a language tag, a datatype, or a language with a base direction. Language tags are
 * kept in lower case, as the server keeps them.
 */
export function literal(value: string, languageOrDatatype?: string | RDF.NamedNode | RDF.DirectionalLanguage): RDF.Literal {
  if (languageOrDatatype === undefined || languageOrDatatype === "") return new LiteralTerm(value, "", "", XSD_STRING);
  if (typeof languageOrDatatype === "string") return new LiteralTerm(value, languageOrDatatype.toLowerCase(), "", LANG_STRING);
  if ("termType" in languageOrDatatype) return new LiteralTerm(value, "", "", languageOrDatatype);
  const direction = languageOrDatatype.direction ?? "";
  return new LiteralTerm(value, languageOrDatatype.language.toLowerCase(), direction, direction ? DIR_LANG_STRING : LANG_STRING);
}

export function variable(value: string): RDF.Variable {
  return new VariableTerm(value);
}

export function defaultGraph(): RDF.DefaultGraph {
  return DEFAULT_GRAPH;
}

export function quad(
  subject: RDF.Quad_Subject,
  predicate: RDF.Quad_Predicate,
  object: RDF.Quad_Object,
  graph: RDF.Quad_Graph = DEFAULT_GRAPH,
): RDF.Quad {
  return new QuadTerm(subject, predicate, object, graph);
}

/** A JavaScript value as a literal with the XSD datatype that fits: integer, double, boolean, dateTime or string. */
export function valueLiteral(value: string | number | bigint | boolean | Date): RDF.Literal {
  if (typeof value === "string") return literal(value);
  if (typeof value === "boolean") return literal(String(value), namedNode(`${XSD}boolean`));
  if (typeof value === "bigint") return literal(String(value), namedNode(`${XSD}integer`));
  if (value instanceof Date) return literal(value.toISOString(), namedNode(`${XSD}dateTime`));
  if (Number.isSafeInteger(value)) return literal(String(value), namedNode(`${XSD}integer`));
  return literal(doubleText(value), namedNode(`${XSD}double`));
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  return value.toExponential().replace("e+", "E").replace("e", "E");
}

/** Makes named nodes of one namespace: `const ex = namespace("http://example.org/"); ex("Randy")`. */
export function namespace(base: string): (name: string) => RDF.NamedNode {
  return (name) => namedNode(base + name);
}
