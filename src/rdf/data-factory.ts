/** The RDF/JS data factory of the product, in one place. */
import type * as RDF from "@rdfjs/types";
import n3 from "n3";

/** N3.js terms: `equals`, `value` and `termType` as RDF/JS says. */
export const dataFactory: RDF.DataFactory<RDF.Quad> = n3.DataFactory as unknown as RDF.DataFactory<RDF.Quad>;
