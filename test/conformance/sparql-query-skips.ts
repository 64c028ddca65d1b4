/** Entries of the SPARQL query suites that are run in a special way, with the reason. The lists may only shrink. */

/** Evaluated by Comunica, with what the engine does not plan. */
export const FALLBACKS: Readonly<Record<string, string>> = {};

/** Why a standing query may be evaluated again instead of being maintained. */
export const RE_EVALUATED: readonly RegExp[] = [/paths with \*/, /subselect inside GRAPH with a variable/];
