/** SPARQL 1.1 Query Results CSV and TSV (W3C REC 2013). CSV carries values only; TSV carries terms in Turtle syntax. */
import type * as RDF from "@rdfjs/types";
import { AssertionError } from "../../base/index.ts";
import type { QueryAnswer } from "../../protocol/index.ts";
import { escapeLiteral } from "../../rdf/index.ts";

const XSD_STRING = "http://www.w3.org/2001/XMLSchema#string";

/** Section 3: lines end in CRLF; fields with quotes, commas, CR or LF are quoted, quotes doubled. */
export function writeSparqlCsv(answer: QueryAnswer): string {
  const lines = [answer.variables.map(csvField).join(",")];
  for (const row of answer.rows) lines.push(row.map((term) => (term ? csvField(csvValue(term)) : "")).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** Section 4: the header has the `?`; lines end in LF; an unbound variable is an empty field. */
export function writeSparqlTsv(answer: QueryAnswer): string {
  const lines = [answer.variables.map((name) => `?${name}`).join("\t")];
  for (const row of answer.rows) lines.push(row.map((term) => (term ? tsvTerm(term) : "")).join("\t"));
  return `${lines.join("\n")}\n`;
}

function csvField(text: string): string {
  return /["\r\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvValue(term: RDF.Term): string {
  if (term.termType === "BlankNode") return `_:${term.value}`;
  if (term.termType === "Quad") return `<<( ${tsvTerm(term.subject)} ${tsvTerm(term.predicate)} ${tsvTerm(term.object)} )>>`;
  return term.value;
}

function tsvTerm(term: RDF.Term): string {
  switch (term.termType) {
    case "NamedNode":
      return `<${term.value}>`;
    case "BlankNode":
      return `_:${term.value}`;
    case "Literal":
      return tsvLiteral(term);
    case "Quad":
      return `<<( ${tsvTerm(term.subject)} ${tsvTerm(term.predicate)} ${tsvTerm(term.object)} )>>`;
    default:
      throw new AssertionError(`a ${term.termType} in a query result`);
  }
}

/** `escapeLiteral` escapes quotes, line ends and backslashes; a tab would end the field. */
function tsvLiteral(term: RDF.Literal): string {
  const quoted = `"${escapeLiteral(term.value).replaceAll("\t", "\\t")}"`;
  if (term.language !== "") return `${quoted}@${term.language}${term.direction ? `--${term.direction}` : ""}`;
  return term.datatype.value === XSD_STRING ? quoted : `${quoted}^^<${term.datatype.value}>`;
}
