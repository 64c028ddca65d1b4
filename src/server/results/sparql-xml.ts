/**
 * SPARQL Query Results XML (W3C REC 2013), with triple terms as in the SPARQL 1.2 draft. Characters that XML 1.0 cannot
 * carry make the result SENS_NOT_ACCEPTABLE in this format: nothing is replaced silently.
 */
import type * as RDF from "@rdfjs/types";
import { AssertionError, SensError } from "../../base/index.ts";
import type { QueryAnswer } from "../../protocol/index.ts";

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";
const HEADER = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#" xmlns:its="http://www.w3.org/2005/11/its">\n';

export function writeSparqlXml(answer: QueryAnswer): string {
  if (answer.form === "ask") return `${HEADER}<head/>\n<boolean>${answer.boolean === true}</boolean>\n</sparql>\n`;
  const variables = answer.variables.map((name) => `<variable name="${escapeXml(name)}"/>`).join("");
  const rows = answer.rows.map(
    (row) => `<result>${row.map((term, i) => (term ? xmlBinding(answer.variables[i], term) : "")).join("")}</result>\n`,
  );
  return `${HEADER}<head>${variables}</head>\n<results>\n${rows.join("")}</results>\n</sparql>\n`;
}

function xmlBinding(variable: string, term: RDF.Term): string {
  return `<binding name="${escapeXml(variable)}">${xmlTerm(term)}</binding>`;
}

function xmlTerm(term: RDF.Term): string {
  switch (term.termType) {
    case "NamedNode":
      return `<uri>${escapeXml(term.value)}</uri>`;
    case "BlankNode":
      return `<bnode>${escapeXml(term.value)}</bnode>`;
    case "Literal":
      return `<literal${xmlLiteralAttributes(term)}>${escapeXml(term.value)}</literal>`;
    case "Quad":
      return `<triple><subject>${xmlTerm(term.subject)}</subject><predicate>${xmlTerm(term.predicate)}</predicate><object>${xmlTerm(term.object)}</object></triple>`;
    default:
      throw new AssertionError(`a ${term.termType} in a query result`);
  }
}

function xmlLiteralAttributes(term: RDF.Literal): string {
  if (term.language !== "") {
    const direction = term.direction ? ` its:dir="${term.direction}" its:version="2.0"` : "";
    return ` xml:lang="${escapeXml(term.language)}"${direction}`;
  }
  return term.datatype.value === XSD_STRING ? "" : ` datatype="${escapeXml(term.datatype.value)}"`;
}

const ESCAPES: { readonly [char: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\n": "&#10;",
  "\t": "&#9;",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: what XML 1.0 cannot carry
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

function escapeXml(text: string): string {
  if (UNWRITABLE.test(text)) {
    throw new SensError(
      "SENS_NOT_ACCEPTABLE",
      "The result has a control character that XML cannot carry. Ask for application/sparql-results+json.",
    );
  }
  return text.replace(/[&<>"\r\n\t]/g, (char) => ESCAPES[char]);
}
