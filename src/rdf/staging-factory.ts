/**
 * A data factory whose quads are staged rows. The parsing libraries build terms and quads with it; every term of every
 * quad is validated here, whatever the library let through: IRI characters, absolute IRIs, language tags, lengths, and
 * what may stand in which position.
 */
import { type ErrorCode, quoteInput, SensError, type TextPosition } from "../base/index.ts";
import { isBlankNodeLabel } from "./blank-node-label.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import { iriFault } from "./iri.ts";
import { canonicalDouble } from "./json-number.ts";
import { isLanguageTag } from "./language-tag.ts";
import type { ParseLimits } from "./parse-limits.ts";
import { StagedQuads } from "./staged-quads.ts";
import { NO_TERM, type TermId, type TermTable } from "./term-table.ts";
import { RDF_DIR_LANG_STRING, RDF_LANG_STRING, XSD_DOUBLE, XSD_STRING } from "./vocabulary.ts";

/** A term as the libraries handle it; `termId` is 0 until a quad uses it. */
export interface StagedTerm {
  readonly termType: "NamedNode" | "BlankNode" | "Literal" | "DefaultGraph";
  readonly value: string;
  readonly language: string;
  readonly datatype: StagedTerm | undefined;
  readonly direction: string;
  termId: TermId;
  equals(other: unknown): boolean;
}

/** A quad between a library and `stage`. */
export interface StagedQuad {
  readonly termType: "Quad";
  readonly value: "";
  readonly subject: StagedTerm;
  readonly predicate: StagedTerm;
  readonly object: StagedTerm;
  readonly graph: StagedTerm;
}

export interface StagingOptions {
  readonly dictionary: TermTable;
  readonly blankNodes: BlankNodeScope;
  readonly graph: TermId;
  readonly namedGraphs: boolean;
  readonly limits: ParseLimits;
  /** True for libraries that build quads before they know whether they emit them. */
  readonly deferred?: boolean;
  /** True to leave base directions of JSON-LD out, as its algorithm does by default; otherwise they are refused. */
  readonly dropDirections?: boolean;
  /** Where the parser is, for messages. */
  readonly position: () => TextPosition | undefined;
  /** Called with each literal before it is stored; may answer another one (exact JSON numbers). */
  readonly literalHook?: (value: string, datatype: string) => { value: string; datatype: string } | undefined;
}

type LiteralKind = string | StagedTerm | { language: string; direction?: string } | null | undefined;

/** Starts the values of nodes without label; no label starts so. */
const ANONYMOUS = " ";

/** A JSON value as a literal's text, as JSON-LD says. */
function lexicalForm(value: boolean | number, kind: LiteralKind): string {
  if (typeof value === "boolean") return String(value);
  const datatype = typeof kind === "object" && kind !== null && "termType" in kind ? kind.value : "";
  return datatype !== XSD_DOUBLE && Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : canonicalDouble(value);
}

class Term implements StagedTerm {
  readonly termType: StagedTerm["termType"];
  readonly value: string;
  readonly language: string;
  readonly datatype: StagedTerm | undefined;
  readonly direction: string;
  termId: TermId = NO_TERM;

  constructor(termType: StagedTerm["termType"], value: string, language = "", datatype?: StagedTerm, direction = "") {
    this.termType = termType;
    this.value = value;
    this.language = language;
    this.datatype = datatype;
    this.direction = direction;
  }

  equals(other: unknown): boolean {
    const term = other as StagedTerm | null | undefined;
    return (
      term?.termType === this.termType &&
      term.value === this.value &&
      (term.language ?? "") === this.language &&
      term.datatype?.value === this.datatype?.value
    );
  }
}

export class StagingFactory {
  readonly staged = new StagedQuads();
  readonly #options: StagingOptions;
  readonly #iris = new Map<string, StagedTerm>();
  readonly #blanks = new Map<string, StagedTerm>();
  #anonymous = 0;
  readonly #defaultGraph: StagedTerm = new Term("DefaultGraph", "");

  constructor(options: StagingOptions) {
    this.#options = options;
    // Bound, because libraries take the functions out of the factory.
    this.namedNode = this.namedNode.bind(this);
    this.blankNode = this.blankNode.bind(this);
    this.literal = this.literal.bind(this);
    this.defaultGraph = this.defaultGraph.bind(this);
    this.quad = this.quad.bind(this);
    this.variable = this.variable.bind(this);
  }

  namedNode(value: string): StagedTerm {
    let term = this.#iris.get(value);
    if (term === undefined) {
      term = new Term("NamedNode", value);
      this.#iris.set(value, term);
    }
    return term;
  }

  /** Without a label: a node of its own. */
  blankNode(label?: string): StagedTerm {
    // Which node it is, is decided when a quad uses it: libraries make some that no quad has.
    if (label === undefined) return new Term("BlankNode", `${ANONYMOUS}${this.#anonymous++}`);
    let term = this.#blanks.get(label);
    if (term === undefined) {
      if (!isBlankNodeLabel(label)) this.#fail("SENS_SYNTAX", `${quoteInput(label)} is not a blank node label. Use letters and digits.`);
      term = new Term("BlankNode", label);
      this.#blanks.set(label, term);
    }
    return term;
  }

  /** `value` may be a JSON boolean or number: the JSON-LD library hands on `@value` as it is. */
  literal(text: string | boolean | number, kind?: LiteralKind): StagedTerm {
    const value = typeof text === "string" ? text : lexicalForm(text, kind);
    if (kind === undefined || kind === null || kind === "") return new Term("Literal", value, "", this.namedNode(XSD_STRING));
    if (typeof kind === "string") return new Term("Literal", value, kind, this.namedNode(RDF_LANG_STRING));
    if ("termType" in kind) return new Term("Literal", value, "", kind);
    if (kind.direction && this.#options.dropDirections) return this.literal(value, kind.language);
    if (kind.direction) return new Term("Literal", value, kind.language, this.namedNode(RDF_DIR_LANG_STRING), kind.direction);
    return new Term("Literal", value, kind.language, this.namedNode(RDF_LANG_STRING));
  }

  defaultGraph(): StagedTerm {
    return this.#defaultGraph;
  }

  variable(name: string): never {
    return this.#fail("SENS_SYNTAX", `The variable ?${name} cannot stand in RDF data. Use an IRI, a blank node or a literal.`);
  }

  /** Stages the quad and answers nothing; with `deferred` the quad, for `stage` to take later. */
  quad(subject: StagedTerm, predicate: StagedTerm, object: StagedTerm, graph?: StagedTerm): StagedQuad | undefined {
    if (this.#options.deferred) return { termType: "Quad", value: "", subject, predicate, object, graph: graph ?? this.#defaultGraph };
    this.#stage(subject, predicate, object, graph);
    return undefined;
  }

  /** Validates and stages a quad that `quad` answered. */
  stage(quad: StagedQuad): void {
    this.#stage(quad.subject, quad.predicate, quad.object, quad.graph);
  }

  #stage(subject: StagedTerm, predicate: StagedTerm, object: StagedTerm, graph: StagedTerm | undefined): void {
    const s = this.#resource(subject, "subject");
    if (predicate?.termType !== "NamedNode") this.#failPosition(predicate, "predicate", "an IRI");
    const p = predicate.termId === NO_TERM ? this.#iri(predicate) : predicate.termId;
    const o = object?.termType === "Literal" ? this.#literal(object) : this.#resource(object, "object");
    let g = this.#options.graph;
    if (graph !== undefined && graph !== null && graph.termType !== "DefaultGraph") {
      if (!this.#options.namedGraphs) this.#fail("SENS_SYNTAX", "Named graphs are not part of this format. Use TriG or N-Quads.");
      g = this.#resource(graph, "graph name");
    }
    this.staged.add(s, p, o, g);
  }

  #resource(term: StagedTerm, position: string): TermId {
    if (term?.termType === "NamedNode") return term.termId === NO_TERM ? this.#iri(term) : term.termId;
    if (term?.termType === "BlankNode") return term.termId === NO_TERM ? this.#blank(term) : term.termId;
    return this.#failPosition(term, position, position === "object" ? "an IRI, a blank node or a literal" : "an IRI or a blank node");
  }

  #iri(term: StagedTerm): TermId {
    const fault = iriFault(term.value, this.#options.position(), this.#options.limits.iriBytesMax);
    if (fault !== undefined) throw fault;
    term.termId = this.#options.dictionary.iri(term.value);
    return term.termId;
  }

  #blank(term: StagedTerm): TermId {
    const { blankNodes, dictionary } = this.#options;
    term.termId = dictionary.blank(term.value.startsWith(ANONYMOUS) ? blankNodes.anonymous() : blankNodes.resolve(term.value));
    return term.termId;
  }

  #literal(term: StagedTerm): TermId {
    if (term.termId !== NO_TERM) return term.termId;
    let value = term.value;
    let datatype = (term.datatype as StagedTerm).value;
    const hooked = this.#options.literalHook?.(value, datatype);
    if (hooked !== undefined) ({ value, datatype } = hooked);
    this.#checkText(value);
    if (datatype === RDF_LANG_STRING) term.termId = this.#languageLiteral(value, term.language);
    else if (datatype === RDF_DIR_LANG_STRING) {
      this.#fail("SENS_SYNTAX", "A literal with a base direction cannot be stored. Leave the direction out.");
    } else if (datatype === XSD_STRING) term.termId = this.#options.dictionary.string(value);
    else {
      const fault = iriFault(datatype, this.#options.position(), this.#options.limits.iriBytesMax);
      if (fault !== undefined) throw fault;
      term.termId = this.#options.dictionary.typed(value, datatype);
    }
    return term.termId;
  }

  #languageLiteral(value: string, language: string): TermId {
    if (language === "") this.#fail("SENS_SYNTAX", 'rdf:langString needs a language tag. Write "text"@tag.');
    if (!isLanguageTag(language)) this.#fail("SENS_SYNTAX", `${quoteInput(language)} is not a language tag. Use one such as en or de-CH.`);
    return this.#options.dictionary.langString(value, language);
  }

  #checkText(value: string): void {
    const max = this.#options.limits.literalBytesMax;
    if (value.length * 3 > max && new TextEncoder().encode(value).length > max) {
      this.#fail("SENS_LITERAL_TOO_LONG", `A literal is longer than ${max} bytes. Split it.`);
    }
    if (/[\ud800-\udfff]/u.test(value)) {
      this.#fail("SENS_ENCODING", `The literal ${quoteInput(value)} has half of a surrogate pair. Write the whole character.`);
    }
  }

  #failPosition(term: StagedTerm | undefined, position: string, expected: string): never {
    const found = term === undefined || term === null ? "something else" : `${term.termType} ${quoteInput(term.value)}`;
    return this.#fail("SENS_SYNTAX", `The ${position} must be ${expected}, not ${found}.`);
  }

  #fail(code: ErrorCode, message: string): never {
    const position = this.#options.position();
    throw new SensError(
      code,
      position === undefined ? message : `Line ${position.line}, column ${position.column}: ${message}`,
      position === undefined ? {} : { position },
    );
  }
}
