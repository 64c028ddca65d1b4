/** Functions on terms. Source: SPARQL 1.1, sections 17.4.1 and 17.4.2; SPARQL 1.2 for language direction. */
import { isAbsoluteIri, isLanguageTag } from "../../rdf/index.ts";
import { resolveIri } from "../parse/index.ts";
import { literalValue } from "./literal.ts";
import type { FunctionContext, StrictFunction } from "./strict-function.ts";
import { booleanValue, FALSE, iriValue, isLiteral, isNumeric, languageValue, stringValue, type Value, ValueKind } from "./value.ts";
import { valueReader } from "./value-reader.ts";
import { canonicalText, datatypeIri } from "./value-writer.ts";

const RDF_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

const isIri: StrictFunction = ([value]) => booleanValue(value.kind === ValueKind.IRI);
const toIri: StrictFunction = ([value], { baseIri }) => {
  if (value.kind === ValueKind.IRI) return value;
  if (value.kind !== ValueKind.STRING) return undefined;
  const iri = resolveIri(value.text, baseIri);
  return iri !== undefined && isAbsoluteIri(iri) ? iriValue(iri) : undefined;
};

export const TERM_FUNCTIONS: Readonly<Record<string, StrictFunction>> = {
  isiri: isIri,
  isuri: isIri,
  isblank: ([value]) => booleanValue(value.kind === ValueKind.BLANK),
  isliteral: ([value]) => booleanValue(isLiteral(value)),
  isnumeric: ([value]) => booleanValue(isNumeric(value)),
  // triple terms are not stored, so no value is one
  istriple: () => FALSE,
  iri: toIri,
  uri: toIri,
  str: ([value], context) => (value.kind === ValueKind.BLANK ? undefined : stringValue(spelling(value, context.terms))),
  lang: ([value]) => (isLiteral(value) ? stringValue(value.kind === ValueKind.LANGUAGE ? value.language : "") : undefined),
  langdir: ([value]) => (isLiteral(value) ? stringValue("") : undefined),
  haslang: ([value]) => booleanValue(value.kind === ValueKind.LANGUAGE),
  haslangdir: () => FALSE,
  datatype: ([value], context) => {
    if (!isLiteral(value)) return undefined;
    return iriValue(value.id === 0 ? datatypeIri(value) : context.terms.value(context.terms.datatype(value.id)));
  },
  strdt: ([text, datatype], context) => {
    if (text.kind !== ValueKind.STRING || datatype.kind !== ValueKind.IRI) return undefined;
    if (datatype.text === RDF_LANG_STRING) return undefined;
    return literalText(text.text, datatype.text, context);
  },
  strlang: ([text, tag]) => {
    if (text.kind !== ValueKind.STRING || tag.kind !== ValueKind.STRING || !isLanguageTag(tag.text)) return undefined;
    return languageValue(text.text, tag.text);
  },
  langmatches: ([tag, range]) => {
    if (tag.kind !== ValueKind.STRING || range.kind !== ValueKind.STRING) return undefined;
    return booleanValue(languageMatches(tag.text.toLowerCase(), range.text.toLowerCase()));
  },
};

/** The text as a literal of the datatype, spelling kept: one that is not canonical becomes a term at once, for that. */
function literalText(text: string, datatype: string, { terms }: FunctionContext): Value | undefined {
  const value = literalValue(text, datatype, 0);
  if (value.kind >= ValueKind.UNKNOWN || (canonicalText(value) === text && datatypeIri(value) === datatype)) return value;
  return valueReader(terms).value(terms.typed(text, datatype));
}

/** The lexical form as it stands in the table, or the canonical one of a computed value. */
export function spelling(value: Value, terms: { value(id: number): string }): string {
  return value.id === 0 ? canonicalText(value) : terms.value(value.id);
}

/** Basic filtering of RFC 4647, section 3.3.1. */
function languageMatches(tag: string, range: string): boolean {
  if (range === "*") return tag !== "";
  return tag === range || (tag.startsWith(range) && tag[range.length] === "-" && range !== "");
}
