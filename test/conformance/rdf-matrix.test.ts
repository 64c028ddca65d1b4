/** Hostile and unusual documents, tables A (RDF text) and B (RDF/XML, JSON-LD) of the reliability matrix, read from ../shared. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/base/index.ts";
import { BlankNodeScope, parseDocument, ServerLabels, TermDictionary } from "../../src/rdf/index.ts";
import { skippedWithout } from "./absent-input.ts";

const INPUTS = join(import.meta.dirname, "../../../shared/reliability/inputs");
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ttl: "text/turtle",
  nt: "application/n-triples",
  rdf: "application/rdf+xml",
  jsonld: "application/ld+json",
};

/** File to the code of its refusal, or to the number of triples it states. */
const EXPECTED: Readonly<Record<string, ErrorCode | number>> = {
  "A01-partial-doc.ttl": "SENS_SYNTAX",
  "A02-iri-space.ttl": "SENS_IRI",
  "A03-iri-escape-space.ttl": "SENS_IRI",
  "A04-iri-escape-gt.ttl": "SENS_IRI",
  "A05-invalid-utf8.ttl": "SENS_ENCODING",
  "A06-nul-literal.ttl": 1,
  "A07-lone-surrogate.ttl": "SENS_SYNTAX",
  "A08-bom.ttl": 1,
  "A09-utf16.ttl": "SENS_ENCODING",
  "A10-relative-iri.ttl": "SENS_RELATIVE_IRI",
  "A11-bad-lang.ttl": "SENS_SYNTAX",
  "A12-literal-subject.ttl": "SENS_SYNTAX",
  "A13-bnode-predicate.nt": "SENS_SYNTAX",
  "A14-undeclared-prefix.ttl": "SENS_SYNTAX",
  "A15-proto-prefix.ttl": "SENS_SYNTAX",
  "A16-illtyped.ttl": 3,
  "A17-n3-rules-as-turtle.ttl": "SENS_SYNTAX",
  "A18-trig-as-turtle.ttl": "SENS_SYNTAX",
  "A19-empty.ttl": 0,
  "A20-comments-only.ttl": 0,
  "A21-same-bnode-label.ttl": 1,
  "A22-newline-literal.ttl": 1,
  "A23-formula.ttl": 5,
  "A24-rtl-and-html.ttl": 1,
  "A25-scheme-iris.ttl": 3,
  "B01-external-entity.rdf": "SENS_EXTERNAL_ENTITY",
  "B02-external-dtd.rdf": "SENS_EXTERNAL_ENTITY",
  "B03-parameter-entity.rdf": "SENS_EXTERNAL_ENTITY",
  "B04-nested-entities.rdf": "SENS_ENTITY_LIMIT",
  "B05-iri-gt.rdf": "SENS_IRI",
  "B06-duplicate-rdf-ID.rdf": "SENS_SYNTAX",
  "B07-unclosed.rdf": "SENS_SYNTAX",
  "B08-remote-context.jsonld": "SENS_REMOTE_CONTEXT",
  "B09-import-context.jsonld": "SENS_REMOTE_CONTEXT",
  "B10-file-context.jsonld": "SENS_REMOTE_CONTEXT",
  "B11-proto.jsonld": "SENS_SYNTAX",
  "B12-bad-iri.jsonld": "SENS_IRI",
  "B13-cyclic-context.jsonld": "SENS_SYNTAX",
  "B14-duplicate-keys.jsonld": "SENS_DATA_LOSS",
  "B15-truncated.jsonld": "SENS_SYNTAX",
  "B16-not-an-object.jsonld": "SENS_SYNTAX",
  "B17-nested-200.jsonld": "SENS_TOO_DEEP",
};

/** The large inputs, made here: they are described in the matrix, not kept as files. */
const XML_HEAD = '<?xml version="1.0"?>\n';
const XML_NS = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"';
const LARGE: readonly (readonly [id: string, extension: string, text: () => string, code: ErrorCode])[] = [
  ["A30", "ttl", () => `<http://s> <http://p> "${"a".repeat(5e6)}" .`, "SENS_LITERAL_TOO_LONG"],
  ["A31", "ttl", () => `<http://s> <http://p> """${"a".repeat(5e7)}`, "SENS_SYNTAX"],
  ["A32", "ttl", () => `<http://s> <http://p> ${"[ <http://p> ".repeat(1e5)}1 ${"]".repeat(1e5)} .`, "SENS_TOO_DEEP"],
  ["A33", "ttl", () => Array.from({ length: 1e5 }, (_, i) => `@prefix p${i}: <http://x/${i}> .`).join("\n"), "SENS_TOO_MANY_PREFIXES"],
  ["A34", "ttl", () => `<http://x/${"a".repeat(1e6)}> <http://p> 1 .`, "SENS_IRI_TOO_LONG"],
  ["A36", "ttl", () => `<http://s> <http://p> ${"<<( <http://s> <http://p> ".repeat(5000)}1 ${")>> ".repeat(5000)} .`, "SENS_SYNTAX"],
  ["B18", "jsonld", () => `{"@context":{"@vocab":"http://v/"},${'"a":{'.repeat(3000)}"b":1${"}".repeat(3000)}}`, "SENS_TOO_DEEP"],
  [
    "B19",
    "rdf",
    () => `${XML_HEAD}<rdf:RDF ${XML_NS}>${"<e:C><e:p>".repeat(10_000)}${"</e:p></e:C>".repeat(10_000)}</rdf:RDF>`,
    "SENS_TOO_DEEP",
  ],
  [
    "B20",
    "rdf",
    () =>
      `${XML_HEAD}<!DOCTYPE rdf:RDF [<!ENTITY a "${"x".repeat(1e5)}">]><rdf:RDF ${XML_NS}><rdf:Description rdf:about="http://s"><e:p>${"&a;".repeat(2000)}</e:p></rdf:Description></rdf:RDF>`,
    "SENS_ENTITY_LIMIT",
  ],
];

function parse(bytes: Uint8Array, extension: string) {
  const blankNodes = new BlankNodeScope(new ServerLabels("matrix", () => false));
  return parseDocument(bytes, { contentType: MEDIA_TYPES[extension], dictionary: new TermDictionary(), blankNodes });
}

async function expectOutcome(bytes: Uint8Array, extension: string, expected: ErrorCode | number): Promise<void> {
  if (typeof expected === "number") expect((await parse(bytes, extension)).count).toBe(expected);
  else await expect(parse(bytes, extension)).rejects.toMatchObject({ name: "SensError", code: expected });
}

if (!existsSync(INPUTS)) {
  skippedWithout("../shared/reliability/inputs", "RDF rows of the reliability matrix");
} else {
  describe("RDF rows of the reliability matrix", () => {
    for (const [file, expected] of Object.entries(EXPECTED)) {
      it(`${file}: ${expected}`, () => expectOutcome(readFileSync(join(INPUTS, file)), file.slice(file.lastIndexOf(".") + 1), expected));
    }
  });
}

describe("large rows of the reliability matrix", () => {
  for (const [id, extension, text, code] of LARGE) it(`${id}: ${code}`, () => expectOutcome(Buffer.from(text()), extension, code));
});
