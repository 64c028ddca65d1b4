/** Answers to queries: SPARQL 1.1 Query Results JSON and N-Triples turned into RDF/JS. */
import type * as RDF from "@rdfjs/types";
import { SensError } from "../base/index.ts";
import type { OkFrame } from "../protocol/index.ts";
import { literal, namedNode, quad, storedBlankNode } from "./terms.ts";

/** One solution: variable name (without `?`) -> term; variables without a value are absent. */
export type Bindings = ReadonlyMap<string, RDF.Term>;

export type QueryResult =
  | { readonly form: "select"; readonly variables: readonly string[]; readonly rows: readonly Bindings[] }
  | { readonly form: "ask"; readonly boolean: boolean }
  | { readonly form: "construct"; readonly quads: readonly RDF.Quad[] };

/** A result of a SELECT or ASK query as the SPARQL recommendation writes it in JSON. */
export function readSparqlJson(value: unknown): QueryResult {
  if (!isObject(value)) throw malformed("is not an object");
  if (typeof value.boolean === "boolean") return { form: "ask", boolean: value.boolean };
  const head = value.head;
  const results = value.results;
  if (!isObject(head) || !isObject(results)) throw malformed("has neither 'boolean' nor 'head' and 'results'");
  const variables = Array.isArray(head.vars) ? head.vars.map(String) : [];
  const bindings = Array.isArray(results.bindings) ? results.bindings : [];
  return { form: "select", variables, rows: bindings.map(readRow) };
}

function readRow(row: unknown): Bindings {
  if (!isObject(row)) throw malformed("has a solution that is not an object");
  const out = new Map<string, RDF.Term>();
  for (const [name, value] of Object.entries(row)) out.set(name, readTerm(value));
  return out;
}

function readTerm(value: unknown): RDF.NamedNode | RDF.BlankNode | RDF.Literal | RDF.Quad {
  if (!isObject(value)) throw malformed("has a term that is not an object");
  const text = value.value;
  switch (value.type) {
    case "uri":
      return namedNode(String(text));
    case "bnode":
      return storedBlankNode(String(text));
    case "literal":
    case "typed-literal":
      return readLiteral(String(text), value);
    case "triple":
      return readTriple(text);
    default:
      throw malformed(`has a term of the unknown type ${JSON.stringify(value.type)}`);
  }
}

function readLiteral(text: string, value: Record<string, unknown>): RDF.Literal {
  const language = value["xml:lang"];
  if (typeof language === "string" && language !== "") {
    const direction = value["its:dir"];
    return literal(text, { language, direction: direction === "ltr" || direction === "rtl" ? direction : "" });
  }
  const datatype = value.datatype;
  return typeof datatype === "string" ? literal(text, namedNode(datatype)) : literal(text);
}

function readTriple(value: unknown): RDF.Quad {
  if (!isObject(value)) throw malformed("has a triple term that is not an object");
  const subject = readTerm(value.subject);
  const predicate = readTerm(value.predicate);
  if (subject.termType === "Literal" || predicate.termType !== "NamedNode") throw malformed("has a triple term that is not a triple");
  return quad(subject, predicate, readTerm(value.object));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(what: string): SensError {
  return new SensError("SENS_INTERNAL", `The server's SPARQL JSON result ${what}. Client and server may be of different versions.`);
}

/** The list that an answer has under this name. */
export function listOf<T>(answer: OkFrame, field: string): readonly T[] {
  const list = answer[field];
  if (!Array.isArray(list)) throw new SensError("SENS_INTERNAL", `The server's answer has no list "${field}".`);
  return list as readonly T[];
}
