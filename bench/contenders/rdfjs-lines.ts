/** RDF/JS terms as N-Triples, for data without characters that need escapes, as the workload's are. */
import type * as RDF from "@rdfjs/types";

const STRING = "http://www.w3.org/2001/XMLSchema#string";

export function ntriplesTerm(term: RDF.Term): string {
  if (term.termType !== "Literal") return `<${term.value}>`;
  return term.datatype.value === STRING ? `"${term.value}"` : `"${term.value}"^^<${term.datatype.value}>`;
}
