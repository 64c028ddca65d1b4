/** SPARQL 1.1 Query Results JSON (W3C REC 2013), with triple terms and base directions as in the SPARQL 1.2 draft. */
import type * as RDF from "@rdfjs/types";
import { AssertionError } from "../../base/index.ts";
import type { QueryAnswer, SparqlJson, SparqlJsonTerm } from "../../protocol/index.ts";

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";

export function toSparqlJson(answer: QueryAnswer): SparqlJson {
  if (answer.form === "ask") return { head: {}, boolean: answer.boolean === true };
  const bindings = answer.rows.map((row) => {
    const binding: Record<string, SparqlJsonTerm> = Object.create(null);
    row.forEach((term, column) => {
      if (term) binding[answer.variables[column]] = jsonTerm(term);
    });
    return binding;
  });
  return { head: { vars: answer.variables }, results: { bindings } };
}

export function writeSparqlJson(answer: QueryAnswer): string {
  return `${JSON.stringify(toSparqlJson(answer))}\n`;
}

function jsonTerm(term: RDF.Term): SparqlJsonTerm {
  switch (term.termType) {
    case "NamedNode":
      return { type: "uri", value: term.value };
    case "BlankNode":
      return { type: "bnode", value: term.value };
    case "Literal":
      return jsonLiteral(term);
    case "Quad":
      return {
        type: "triple",
        value: { subject: jsonTerm(term.subject), predicate: jsonTerm(term.predicate), object: jsonTerm(term.object) },
      };
    default:
      throw new AssertionError(`a ${term.termType} in a query result`);
  }
}

function jsonLiteral(term: RDF.Literal): SparqlJsonTerm {
  if (term.language === "") {
    const datatype = term.datatype.value;
    return datatype === XSD_STRING ? { type: "literal", value: term.value } : { type: "literal", value: term.value, datatype };
  }
  const { direction } = term;
  return { type: "literal", value: term.value, "xml:lang": term.language, ...(direction ? { "its:dir": direction } : {}) };
}
