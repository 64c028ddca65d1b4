/** Names of the donor workload. A local name `x` stands for the IRI `NAMESPACE + x`. */
export const NAMESPACE = "http://example.org/donor#";
export const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const OWL = "http://www.w3.org/2002/07/owl#";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const XSD = "http://www.w3.org/2001/XMLSchema#";

export function iri(local: string): string {
  return `<${NAMESPACE}${local}>`;
}

export function literal(value: string | number, datatype?: "int" | "date" | "decimal"): string {
  return datatype === undefined ? `"${value}"` : `"${value}"^^<${XSD}${datatype}>`;
}

export const TYPE = `<${RDF_TYPE}>`;

/** The family ontology: what makes parents ancestors, children of parents, and all of them persons. */
export const FAMILY_ONTOLOGY = [
  [iri("Man"), `<${RDFS}subClassOf>`, iri("Person")],
  [iri("Woman"), `<${RDFS}subClassOf>`, iri("Person")],
  [iri("isParentOf"), `<${RDFS}domain>`, iri("Person")],
  [iri("isParentOf"), `<${RDFS}range>`, iri("Person")],
  [iri("isChildOf"), `<${RDFS}domain>`, iri("Person")],
  [iri("isChildOf"), `<${RDFS}range>`, iri("Person")],
  [iri("isParentOf"), `<${RDFS}subPropertyOf>`, iri("isAncestorOf")],
  [iri("isParentOf"), `<${OWL}inverseOf>`, iri("isChildOf")],
  [iri("isAncestorOf"), TYPE, `<${OWL}TransitiveProperty>`],
]
  .map((triple) => `${triple.join(" ")} .\n`)
  .join("");
