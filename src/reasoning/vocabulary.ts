/** The words of RDF, RDFS and OWL that rules name, as ids of one term table. */
import type { TermId, TermTable } from "../rdf/index.ts";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const OWL = "http://www.w3.org/2002/07/owl#";
const XSD = "http://www.w3.org/2001/XMLSchema#";

export type Vocabulary = ReturnType<typeof vocabularyOf>;

/** Adds the words to the table when they are absent. */
export function vocabularyOf(terms: TermTable) {
  const rdf = (name: string): TermId => terms.iri(RDF + name);
  const rdfs = (name: string): TermId => terms.iri(RDFS + name);
  const owl = (name: string): TermId => terms.iri(OWL + name);
  return {
    type: rdf("type"),
    first: rdf("first"),
    rest: rdf("rest"),
    nil: rdf("nil"),
    subClassOf: rdfs("subClassOf"),
    subPropertyOf: rdfs("subPropertyOf"),
    domain: rdfs("domain"),
    range: rdfs("range"),
    resource: rdfs("Resource"),
    thing: owl("Thing"),
    equivalentClass: owl("equivalentClass"),
    equivalentProperty: owl("equivalentProperty"),
    inverseOf: owl("inverseOf"),
    symmetric: owl("SymmetricProperty"),
    transitive: owl("TransitiveProperty"),
    functional: owl("FunctionalProperty"),
    inverseFunctional: owl("InverseFunctionalProperty"),
    onProperty: owl("onProperty"),
    onClass: owl("onClass"),
    hasValue: owl("hasValue"),
    someValuesFrom: owl("someValuesFrom"),
    allValuesFrom: owl("allValuesFrom"),
    maxCardinality: owl("maxCardinality"),
    maxQualifiedCardinality: owl("maxQualifiedCardinality"),
    intersectionOf: owl("intersectionOf"),
    unionOf: owl("unionOf"),
    oneOf: owl("oneOf"),
    hasKey: owl("hasKey"),
    propertyChainAxiom: owl("propertyChainAxiom"),
    sameAs: owl("sameAs"),
    one: terms.typed("1", `${XSD}nonNegativeInteger`),
    oneInteger: terms.typed("1", `${XSD}integer`),
  };
}
