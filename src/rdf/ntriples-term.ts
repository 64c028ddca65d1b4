/**
 * Terms as canonical N-Triples: in literals only `"`, `\`, and control characters are escaped (RDF 1.2 canonical form),
 * in IRIs nothing is: an IRI with a forbidden character is never written.
 */
import { quoteInput, SensError } from "../base/index.ts";
import { isBlankNodeLabel } from "./blank-node-label.ts";
import { isAbsoluteIri } from "./iri.ts";
import { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const ESCAPED = /["\\\u0000-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const ESCAPED_ALL = /["\\\u0000-\u001f\u007f]/g;
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
};

/** The text between the quotes of an N-Triples literal. */
export function escapeLiteral(value: string): string {
  if (!ESCAPED.test(value)) return value;
  return value.replace(ESCAPED_ALL, (c) => SHORT[c] ?? `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
}

/** `<iri>`. Throws SENS_IRI for what is not an absolute IRI: output is always valid RDF. */
export function ntriplesIri(value: string): string {
  if (!isAbsoluteIri(value)) {
    throw new SensError("SENS_IRI", `${quoteInput(value)} is not an absolute IRI and cannot be written. Correct the term.`);
  }
  return `<${value}>`;
}

/** One term; "" for no term (the default graph). */
export function ntriplesTerm(table: TermTable, id: TermId): string {
  if (id === NO_TERM) return "";
  const value = table.value(id);
  switch (table.kind(id)) {
    case TermKind.IRI:
      return ntriplesIri(value);
    case TermKind.BLANK:
      if (!isBlankNodeLabel(value)) {
        throw new SensError("SENS_IRI", `${quoteInput(value)} cannot be written as a blank node label.`);
      }
      return `_:${value}`;
    case TermKind.PLAIN:
      return `"${escapeLiteral(value)}"`;
    case TermKind.LANGUAGE:
      return `"${escapeLiteral(value)}"@${table.language(id)}`;
    case TermKind.TYPED:
      return `"${escapeLiteral(value)}"^^${ntriplesIri(table.value(table.datatype(id)))}`;
  }
}
