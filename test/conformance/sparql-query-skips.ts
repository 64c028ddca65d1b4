/** Entries of the SPARQL query suites that are treated specially, with the reason. The lists may only shrink. */

/** Not run. */
export const QUERY_SKIPS: Readonly<Record<string, string>> = {
  "sparql10/sort/extended-manifest.ttl dawg-sort-11": "orders plain literals before xsd:string; in RDF 1.1 they are the same terms",
};

/** Evaluated by Comunica, with what the engine does not plan. */
export const FALLBACKS: Readonly<Record<string, string>> = {};

/** Why a standing query may be evaluated again instead of being maintained. */
export const RE_EVALUATED: readonly RegExp[] = [/paths with \*/, /subselect inside GRAPH with a variable/];
