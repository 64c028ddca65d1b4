import type * as RDF from "@rdfjs/types";
import fc from "fast-check";
import { Parser } from "n3";
import { describe, expect, it } from "vitest";
import { parseNQuads, parseServerQuads, writeNQuads, writeRequestQuad } from "./ntriples.ts";
import { blankNode, defaultGraph, literal, namedNode, quad } from "./terms.ts";

const iri = fc.string({ unit: fc.constantFrom("a", "é", "/", "#", "%", "😀", "~") }).map((tail) => namedNode(`urn:x:${tail}`));
const blank = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/).map((label) => blankNode(label));
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "\r", "\t", "\b", "\f", "\u0000", "\u007f", "\u0085", "é", "😀", "'"),
});
const someLiteral: fc.Arbitrary<RDF.Literal> = fc.oneof(
  text.map((value) => literal(value)),
  text.map((value) => literal(value, "en-gb")),
  text.map((value) => literal(value, { language: "ar", direction: "rtl" })),
  fc.tuple(text, iri).map(([value, type]) => literal(value, type)),
);
const triple = fc
  .tuple(fc.oneof(iri, blank), iri, fc.oneof(iri, blank, someLiteral))
  .map(([subject, predicate, object]) => quad(subject, predicate, object));
const statement = fc
  .tuple(triple, fc.oneof(triple, fc.constant(undefined)), fc.oneof(iri, blank, fc.constant(defaultGraph())))
  .map(([base, inner, graph]) => quad(base.subject, base.predicate, inner ?? base.object, graph));

describe("N-Quads", () => {
  it("what is written is read as the same quads", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 8 }), (quads) => {
        const read = parseNQuads(writeNQuads(quads));
        expect(read).toHaveLength(quads.length);
        for (const [i, one] of read.entries()) expect(one.equals(quads[i])).toBe(true);
      }),
    );
  });

  it("an independent parser reads what is written as the same", () => {
    const plain = triple.filter((one) => !(one.object.termType === "Literal" && one.object.direction));
    fc.assert(
      fc.property(plain, (one) => {
        const [read] = new Parser({ format: "N-Triples", blankNodePrefix: "" }).parse(writeNQuads([one]));
        expect(read?.equals(one)).toBe(true);
      }),
    );
  });

  it("takes comments, blank lines, tabs, escapes, and statements without spaces", () => {
    const read = parseNQuads('# all of it\n\n<urn:a>\t<urn:b>"x\\u0041"@EN .# end\r\n_:b1<urn:p><urn:\\u00e9><urn:g>.\n');
    expect(writeNQuads(read)).toBe('<urn:a> <urn:b> "xA"@en .\n_:b1 <urn:p> <urn:é> <urn:g> .\n');
  });

  it.each([
    ["<urn:a> <urn:b> .", "Line 1, column 17"],
    ['<urn:a> <urn:b> "open .', "Line 1, column 17"],
    ["<urn:a> <urn:b> <urn:c> .\n<urn:a> _:b <urn:c> .", "Line 2, column 13"],
    ["<urn:a> <urn:b> <urn:c>", "Line 1, column 24"],
    ["<urn:a> <urn:b> <urn:c> . <urn:d>", "Line 1, column 26"],
    ["<urn:a b> <urn:b> <urn:c> .", "Line 1, column 1"],
    ['"a" <urn:b> <urn:c> .', "IRI or a blank node as subject"],
  ])("says where %j is wrong", (document, message) => {
    expect(() => parseNQuads(document)).toThrow(message);
  });

  it("a blank node from the server means the same node when it is sent back, one made here a new one", () => {
    const [fromServer] = parseServerQuads("_:b7 <urn:p> _:b8 .\n");
    expect(writeRequestQuad(fromServer as RDF.Quad)).toBe("<_:b7> <urn:p> <_:b8> .\n");
    expect(writeRequestQuad(quad(blankNode("b7"), namedNode("urn:p"), blankNode("b8")))).toBe("_:b7 <urn:p> _:b8 .\n");
    expect(writeNQuads([fromServer as RDF.Quad])).toBe("_:b7 <urn:p> _:b8 .\n");
  });

  it("an IRI that holds what IRIs may not is refused instead of changing the document", () => {
    expect(() => writeNQuads([quad(namedNode("urn:a> <urn:b> <urn:c> .\n"), namedNode("urn:p"), literal("x"))])).toThrow("Percent-encode");
    expect(() => writeNQuads([quad(blankNode("b <urn:p> <urn:o> .\n"), namedNode("urn:p"), literal("x"))])).toThrow("label");
  });
});
