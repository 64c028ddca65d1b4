/** The functions that may be called by IRI: the constructor functions of SPARQL 1.1, section 17.5, and their relatives. */
export const XSD = "http://www.w3.org/2001/XMLSchema#";

const CASTS: ReadonlySet<string> = new Set([
  "string",
  "boolean",
  "integer",
  "decimal",
  "float",
  "double",
  "dateTime",
  "date",
  "time",
  "duration",
  "dayTimeDuration",
  "yearMonthDuration",
]);

/** The local name of the cast behind a function IRI, or `undefined`. */
export function castName(iri: string): string | undefined {
  if (!iri.startsWith(XSD)) return undefined;
  const name = iri.slice(XSD.length);
  return CASTS.has(name) ? name : undefined;
}

export function isKnownFunction(iri: string): boolean {
  return castName(iri) !== undefined;
}
