/**
 * Reasoning over data nobody here wrote: LUBM facts against expected extensions, the tsars' family tree, an OWL 1.1
 * family ontology, and the positive entailments among the W3C OWL 2 test cases.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type AtomLiteral, Engine } from "../../src/engine/index.ts";
import { BlankNodeScope, parseDocument, ServerLabels, TermDictionary, TermKind } from "../../src/rdf/index.ts";
import { axiomTerms, installReasoning } from "../../src/reasoning/index.ts";
import { skippedWithout } from "./absent-input.ts";
import { OWL2_NOT_COVERED } from "./reasoning-skips.ts";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const LABELS = new ServerLabels("test", () => false);

class Base {
  readonly terms = new TermDictionary();
  readonly engine: Engine;

  constructor() {
    this.engine = new Engine({ typePredicate: this.terms.iri(RDF_TYPE), ...axiomTerms(this.terms, "owl") });
    installReasoning(this.engine, this.terms, { language: "owl" });
  }

  async parse(text: string, contentType: string, baseIri = "http://example.org/base"): Promise<number[][]> {
    const { quads, count } = await parseDocument(new TextEncoder().encode(text), {
      contentType,
      dictionary: this.terms,
      blankNodes: new BlankNodeScope(LABELS),
      baseIri,
    });
    return Array.from({ length: count }, (_, i) => [...quads.slice(4 * i, 4 * i + 3)]);
  }

  change(triples: readonly (readonly number[])[], how: "assert" | "retract" = "assert"): void {
    const tx = this.engine.begin();
    for (const [s, p, o] of triples) tx[how](s, p, o, 0);
    for (const _ of tx.settle());
    tx.commit();
    this.engine.seal(this.engine.tick);
  }

  all(): Set<string> {
    const all = new Set<string>();
    this.engine.reader().match(0, 0, 0, 0, (s, p, o) => {
      all.add(`${s} ${p} ${o}`);
      return true;
    });
    return all;
  }

  pairs(p: number, o = 0): string[] {
    const found: string[] = [];
    this.engine.reader().match(0, p, o, 0, (s, _p, object) => {
      found.push(o === 0 ? `${this.terms.value(s)}\t${this.terms.value(object)}` : this.terms.value(s));
      return true;
    });
    return found.sort();
  }

  /** Whether some mapping of the triples' blank nodes makes them all visible. */
  entails(triples: readonly (readonly number[])[]): boolean {
    const slots = new Map<number, number>();
    const literals = triples.map((triple): AtomLiteral => {
      const args = triple.map((id) => {
        if (this.terms.kind(id) !== TermKind.BLANK) return { value: id };
        if (!slots.has(id)) slots.set(id, slots.size);
        return { slot: slots.get(id) as number };
      });
      return { kind: "atom", relation: this.engine.quads, args: [...args, { value: 0 }], expanded: true };
    });
    let found = false;
    this.engine.solve({ literals }, slots.size, {}, () => {
      found = true;
      return false;
    });
    return found;
  }
}

const absent = (path: string): boolean => !existsSync(join(DATA, path));

describe("LUBM", () => {
  const folder = "lubm/souffle/lubm";
  if (absent(folder)) {
    skippedWithout("../shared/data/lubm", "facts and extensions");
    return;
  }
  const UB = "http://www.lehigh.edu/~zhp2/2004/0401/univ-bench.owl#";
  const ONTOLOGY = `
    @prefix : <${UB}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :FullProfessor rdfs:subClassOf :Professor . :AssociateProfessor rdfs:subClassOf :Professor . :AssistantProfessor rdfs:subClassOf :Professor .
    :Professor rdfs:subClassOf :Faculty . :Lecturer rdfs:subClassOf :Faculty . :Faculty rdfs:subClassOf :Employee . :Employee rdfs:subClassOf :Person .
    :Student rdfs:subClassOf :Person . :UndergraduateStudent rdfs:subClassOf :Student . :GraduateStudent rdfs:subClassOf :Person .
    :Student owl:equivalentClass [ owl:intersectionOf (:Person [ owl:onProperty :takesCourse ; owl:someValuesFrom :Course ]) ] .
    :Employee owl:equivalentClass [ owl:intersectionOf (:Person [ owl:onProperty :worksFor ; owl:someValuesFrom :Organization ]) ] .
    :Chair owl:equivalentClass [ owl:intersectionOf (:Person [ owl:onProperty :headOf ; owl:someValuesFrom :Department ]) ] . :Chair rdfs:subClassOf :Professor .
    :TeachingAssistant owl:equivalentClass [ owl:intersectionOf (:Person [ owl:onProperty :teachingAssistantOf ; owl:someValuesFrom :Course ]) ] .
    :Course rdfs:subClassOf :Work . :GraduateCourse rdfs:subClassOf :Course .
    :University rdfs:subClassOf :Organization . :Department rdfs:subClassOf :Organization . :ResearchGroup rdfs:subClassOf :Organization .
    :headOf rdfs:subPropertyOf :worksFor . :worksFor rdfs:subPropertyOf :memberOf . :member owl:inverseOf :memberOf .
    :undergraduateDegreeFrom rdfs:subPropertyOf :degreeFrom . :mastersDegreeFrom rdfs:subPropertyOf :degreeFrom . :doctoralDegreeFrom rdfs:subPropertyOf :degreeFrom .
    :degreeFrom owl:inverseOf :hasAlumnus . :degreeFrom rdfs:range :University . :subOrganizationOf a owl:TransitiveProperty .`;

  it("every class and property has its expected extension, loaded before or after the ontology", async () => {
    const base = new Base();
    const term = (text: string): number => (text.startsWith("<") ? base.terms.iri(text.slice(1, -1)) : base.terms.string(text));
    const cells = (line: string): string[] => line.split("\t").map((cell) => cell.replace(/^"|"$/g, ""));
    const rows = (file: string): string[][] =>
      readFileSync(join(DATA, folder, file), "utf8")
        .split("\n")
        .filter(Boolean)
        .map(cells);
    const type = base.terms.iri(RDF_TYPE);
    const facts = readdirSync(join(DATA, folder, "facts"))
      .filter((file) => file.length > ".facts".length)
      .flatMap((file) => {
        const name = base.terms.iri(UB + file.replace(".facts", ""));
        return rows(`facts/${file}`).map(([s, o]) => (o === undefined ? [term(s), type, name] : [term(s), name, term(o)]));
      });
    const ontology = await base.parse(ONTOLOGY, "text/turtle");
    base.change(facts);
    base.change(ontology);
    const plain = (text: string): string => text.replace(/^<|>$/g, "");
    for (const file of readdirSync(join(DATA, folder)).filter((name) => name.endsWith(".csv"))) {
      const expected = [...new Set(rows(file).map((row) => row.map(plain).join("\t")))].sort();
      const name = base.terms.iri(UB + file.replace(".csv", ""));
      const got = expected[0].includes("\t") ? base.pairs(name) : base.pairs(type, name);
      expect(got, file).toEqual(expected);
    }
    const before = base.all();
    base.change(ontology, "retract");
    base.change(ontology);
    expect(base.all()).toEqual(before);
  });
});

describe("family ontologies", () => {
  const tsars = "family/genealogical-trees/data/tsars.ged.ttl.owl";
  if (absent(tsars)) {
    skippedWithout("../shared/data/family", "family trees");
    return;
  }

  it("the tsars: cousins by property chains, and what one parent less takes away", { timeout: 120_000 }, async () => {
    const base = new Base();
    base.change(await base.parse(readFileSync(join(DATA, tsars), "utf8"), "application/rdf+xml"));
    const before = base.all();
    const g = (name: string): number => base.terms.iri(`http://www.example.com/genealogy.owl#${name}`);
    expect(base.pairs(g("hasAncestor")).length).toBeGreaterThan(base.pairs(g("hasParent")).length);
    expect(base.pairs(g("isCousinOf")).length).toBeGreaterThan(0);
    const parents: number[][] = [];
    base.engine.quads.match(0, 0, 0, 0, base.engine.tick, (s, p, o) => {
      if ((p === g("hasFather") || p === g("hasMother")) && base.engine.quads.isAsserted(s, p, o, 0)) parents.push([s, p, o]);
      return true;
    });
    const some = parents.slice(0, 3);
    base.change(some, "retract");
    base.change(some);
    expect(base.all()).toEqual(before);
  });

  it("OWL 1.1's family example ends and is the same in two halves", async () => {
    const text = readFileSync(join(DATA, "family/owlapi-family/contract/src/test/resources/owl11/family/family.owl"), "utf8");
    const base = new Base();
    const triples = await base.parse(text, "application/rdf+xml");
    base.change(triples);
    const whole = base.all();
    const half = triples.filter((_, i) => i % 2 === 0);
    base.change(half, "retract");
    base.change(half);
    expect(base.all()).toEqual(whole);
  });
});

describe("W3C OWL 2 positive entailments", () => {
  if (absent("owl2-tests/index.tsv")) {
    skippedWithout("../shared/data/owl2-tests", "cases");
    return;
  }
  const TEST = "http://www.w3.org/2007/OWL/testOntology#";
  const folder = join(DATA, "owl2-tests/cases");
  for (const file of readdirSync(folder).sort()) {
    const name = file.replace(".rdf", "");
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes("rdfXmlConclusionOntology") || !text.includes("PositiveEntailmentTest")) continue;
    const reason = OWL2_NOT_COVERED[name];
    it(reason === undefined ? name : `${name} (not covered: ${reason})`, async () => {
      const manifest = new Base();
      await manifest.parse(text, "application/rdf+xml").then((triples) => manifest.change(triples));
      const document = (word: string): string =>
        manifest
          .pairs(manifest.terms.iri(TEST + word))[0]
          ?.split("\t")
          .slice(1)
          .join("\t") ?? "";
      const base = new Base();
      base.change(await base.parse(document("rdfXmlPremiseOntology"), "application/rdf+xml"));
      const ontology = base.terms.iri("http://www.w3.org/2002/07/owl#Ontology");
      const conclusion = (await base.parse(document("rdfXmlConclusionOntology"), "application/rdf+xml")).filter(
        ([, , o]) => o !== ontology,
      );
      expect(base.entails(conclusion)).toBe(reason === undefined);
    });
  }
});
