/** For tests: an engine with the rules of a language, changed by Turtle and read as sorted N-Triples. */
import { Engine, type Transaction } from "../engine/index.ts";
import { BlankNodeScope, parseDocumentSync, ServerLabels, TermDictionary } from "../rdf/index.ts";
import { axiomTerms, installReasoning, type OntologyLanguage, type Reasoning } from "./install.ts";

export const PREFIXES = `
  @prefix e: <http://example.org/> .
  @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;

const LABELS = new ServerLabels("test", () => true);

export type Triple = readonly [s: number, p: number, o: number];

export class KnowledgeBase {
  readonly terms: TermDictionary;
  readonly engine: Engine;
  readonly reasoning: Reasoning;

  constructor(
    language: OntologyLanguage = "owl",
    terms: TermDictionary = new TermDictionary(),
    limits: ConstructorParameters<typeof Engine>[0]["limits"] = {},
  ) {
    this.terms = terms;
    const type = terms.iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
    this.engine = new Engine({ typePredicate: type, limits, ...axiomTerms(terms, language) });
    this.reasoning = installReasoning(this.engine, terms, { language });
  }

  /** Triples of a Turtle text; keep them to retract those with blank nodes. */
  parse(turtle: string): Triple[] {
    const bytes = new TextEncoder().encode(PREFIXES + turtle);
    const { quads, count } = parseDocumentSync(bytes, {
      contentType: "text/turtle",
      dictionary: this.terms,
      blankNodes: new BlankNodeScope(LABELS),
      baseIri: "http://example.org/",
    });
    return Array.from({ length: count }, (_, i) => [quads[4 * i], quads[4 * i + 1], quads[4 * i + 2]] as const);
  }

  /** One transaction, sealed at once. */
  transact(stage: (tx: Transaction) => void): Transaction {
    const tx = this.engine.begin();
    try {
      stage(tx);
      for (const _ of tx.settle());
    } catch (error) {
      tx.rollback();
      throw error;
    }
    tx.commit();
    this.engine.seal(this.engine.tick);
    return tx;
  }

  add(triples: string | readonly Triple[]): Transaction {
    const list = typeof triples === "string" ? this.parse(triples) : triples;
    return this.transact((tx) => {
      for (const [s, p, o] of list) tx.assert(s, p, o, 0);
    });
  }

  remove(triples: string | readonly Triple[]): Transaction {
    const list = typeof triples === "string" ? this.parse(triples) : triples;
    return this.transact((tx) => {
      for (const [s, p, o] of list) tx.retract(s, p, o, 0);
    });
  }

  iri(name: string): number {
    return this.terms.iri(`http://example.org/${name}`);
  }

  /** Whether the one triple of the Turtle text is visible. */
  has(turtle: string): boolean {
    const [[s, p, o]] = this.parse(turtle);
    return this.engine.isVisible(s, p, o, 0);
  }

  /** Every visible triple, or those derived only. */
  lines(which: "all" | "derived" = "all"): string[] {
    const { quads } = this.engine;
    const lines: string[] = [];
    this.engine.reader().match(0, 0, 0, 0, (s, p, o) => {
      if (which === "all" || !quads.isAsserted(s, p, o, 0))
        lines.push(`${this.terms.ntriples(s)} ${this.terms.ntriples(p)} ${this.terms.ntriples(o)} .`);
      return true;
    });
    return lines.sort();
  }

  /** Derived triples with local names, for short expectations. */
  derived(): string[] {
    return this.lines("derived").map(shorten);
  }
}

export function shorten(line: string): string {
  return line
    .replaceAll("<http://example.org/", "<")
    .replaceAll(/<http:\/\/www\.w3\.org\/[^#>]*#/g, "<")
    .replaceAll(/[<>]/g, "")
    .replace(/ \.$/, "");
}

/** What a new knowledge base with these assertions shows. */
export function fresh(base: KnowledgeBase, triples: readonly Triple[]): string[] {
  const other = new KnowledgeBase(base.reasoning.language, base.terms);
  other.add(triples);
  return other.lines();
}
