/** The RDF syntaxes of the product and what can be done with each. */

export interface RdfFormat {
  readonly mediaType: string;
  readonly name: string;
  readonly extension: string;
  /** Named graphs can be written in it. */
  readonly supportsGraphs: boolean;
  readonly canParse: boolean;
  readonly canWrite: boolean;
  /** `parseDocumentSync` takes it. */
  readonly synchronous: boolean;
}

function format(mediaType: string, name: string, extension: string, supportsGraphs: boolean, synchronous: boolean): RdfFormat {
  return { mediaType, name, extension, supportsGraphs, canParse: true, canWrite: true, synchronous };
}

/** In order of preference when a client accepts several equally. N3 is for rules only and read elsewhere. */
export const RDF_FORMATS: readonly RdfFormat[] = [
  format("text/turtle", "Turtle", "ttl", false, true),
  format("application/trig", "TriG", "trig", true, true),
  format("application/n-triples", "N-Triples", "nt", false, true),
  format("application/n-quads", "N-Quads", "nq", true, true),
  format("application/ld+json", "JSON-LD", "jsonld", true, false),
  format("application/rdf+xml", "RDF/XML", "rdf", false, false),
];

const BY_MEDIA_TYPE = new Map(RDF_FORMATS.map((entry) => [entry.mediaType, entry]));

/** The format of a media type (lower case, without parameters), or `undefined`. */
export function rdfFormat(mediaType: string): RdfFormat | undefined {
  return BY_MEDIA_TYPE.get(mediaType);
}
