import { expect, it } from "vitest";
import { negotiate } from "./negotiation.ts";
import { RDF_FORMATS } from "./rdf-format.ts";

const OFFERED = RDF_FORMATS.map((format) => format.mediaType);

it.each([
  [undefined, "text/turtle"],
  ["", "text/turtle"],
  ["*/*", "text/turtle"],
  ["application/*", "application/trig"],
  ["Application/LD+JSON", "application/ld+json"],
  ["text/turtle;q=0.4, application/n-triples;q=0.9", "application/n-triples"],
  ["text/turtle;q=0, */*", "application/trig"],
  ["text/html, application/xhtml+xml", undefined],
  ["application/rdf+xml; q=0.8 , */*; q=0.1", "application/rdf+xml"],
  ['application/ld+json;profile="a,b;q=0";q=0.5', "application/ld+json"],
  ["text/turtle;q=0", undefined],
])("Accept: %s gives %s", (accept, expected) => {
  expect(negotiate(accept, OFFERED)).toBe(expected);
});
