/**
 * Puts the rules of an ontology language into an engine, once, before any data.
 *
 * Rules are data and so are axioms: an axiom is an ordinary quad, projected into a relation that the rules over
 * individuals join. Axioms in ontology documents and axioms published by clients therefore act alike, and adding or
 * removing one is a delta like any other: its consequences come and go exactly.
 * Source: OWL 2 RL/RDF rules, W3C OWL 2 Profiles, section 4.3; RDF 1.1 Semantics, section 9.2.1.
 */
import type { Engine, EngineOptions } from "../engine/index.ts";
import type { TermTable } from "../rdf/index.ts";
import { writeChainRules } from "./chain-rules.ts";
import { writeClassRules } from "./class-rules.ts";
import { writeKeyRules } from "./key-rules.ts";
import { writePropertyRules } from "./property-rules.ts";
import { writeRdfsRules } from "./rdfs-rules.ts";
import { type InstalledRule, RuleWriter } from "./rule-writer.ts";
import { writeSameAsRules } from "./same-as-rules.ts";
import { writeSchemaRules } from "./schema-rules.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** The ontology language of a knowledge base. `owl` is OWL 2 RL as docs/reasoning-coverage.md lists it. */
export type OntologyLanguage = "none" | "rdfs" | "owl";

export interface Reasoning {
  readonly language: OntologyLanguage;
  readonly rules: readonly InstalledRule[];
}

export interface ReasoningOptions {
  readonly language: OntologyLanguage;
}

/** Adds the rules. Call once per engine, before the first transaction, with `axiomTerms` in the engine's options. */
export function installReasoning(engine: Engine, terms: TermTable, { language }: ReasoningOptions): Reasoning {
  const writer = new RuleWriter(engine, terms);
  if (language !== "none") {
    const relations = writeRdfsRules(writer);
    if (language === "owl") {
      const transitive = writePropertyRules(writer, relations);
      const restrictions = writeClassRules(writer);
      writeChainRules(writer, relations, transitive);
      writeSameAsRules(writer);
      writeKeyRules(writer);
      writeSchemaRules(writer, restrictions);
    }
  }
  return { language, rules: writer.rules };
}

/** What an engine must know of a language: which axioms it must not derive through negation, and of equality. Give it to the engine's options. */
export function axiomTerms(
  terms: TermTable,
  language: OntologyLanguage,
): Required<Pick<EngineOptions, "axiomPredicates" | "axiomClasses">> & Pick<EngineOptions, "equality"> {
  if (language === "none") return { axiomPredicates: [], axiomClasses: [] };
  const words = vocabularyOf(terms);
  const rdfs = [words.subClassOf, words.subPropertyOf, words.domain, words.range];
  if (language === "rdfs") return { axiomPredicates: rdfs, axiomClasses: [] };
  return {
    axiomPredicates: [
      ...rdfs,
      words.equivalentClass,
      words.equivalentProperty,
      words.inverseOf,
      words.onProperty,
      words.onClass,
      words.hasValue,
      words.someValuesFrom,
      words.allValuesFrom,
      words.maxCardinality,
      words.maxQualifiedCardinality,
      words.intersectionOf,
      words.unionOf,
      words.oneOf,
      words.propertyChainAxiom,
      words.hasKey,
      words.sameAs,
    ],
    axiomClasses: [words.symmetric, words.transitive, words.functional, words.inverseFunctional],
    equality: {
      sameAs: words.sameAs,
      irreflexive: [words.sameAs, words.subClassOf, words.subPropertyOf, words.equivalentClass, words.equivalentProperty],
      universal: [words.thing, words.resource],
    },
  };
}
