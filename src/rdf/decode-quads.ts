/** Rows of ids as RDF/JS quads. */
import type * as RDF from "@rdfjs/types";
import { dataFactory } from "./data-factory.ts";
import type { TermTable } from "./term-table.ts";

/** `rows`: rows x 4 ids (subject, predicate, object, graph). */
export function* decodeQuads(rows: Int32Array, dictionary: TermTable): Generator<RDF.Quad, void, undefined> {
  for (let at = 0; at < rows.length; at += 4) {
    yield dataFactory.quad(
      dictionary.decode(rows[at]) as RDF.Quad_Subject,
      dictionary.decode(rows[at + 1]) as RDF.Quad_Predicate,
      dictionary.decode(rows[at + 2]) as RDF.Quad_Object,
      dictionary.decode(rows[at + 3]) as RDF.Quad_Graph,
    );
  }
}
