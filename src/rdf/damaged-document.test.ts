import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlankNodeScope, ServerLabels } from "./blank-node-scope.ts";
import { parseDocument } from "./parse-document.ts";
import { TermDictionary } from "./term-dictionary.ts";
import { rowsAsQuads, writeNQuads } from "./write-quads.ts";

/** A document of each format that uses most of its syntax. */
const WHOLE: Readonly<Record<string, string>> = {
  "text/turtle":
    '@prefix e: <http://e/> . @base <http://b/> . e:s a e:T ; e:p 1, -2.5, 3e4, true, "x"@en-gb, """long "one" """^^e:d ; e:q [ e:r ( 1 <rel> _:b ) ] . # end\n',
  "application/trig": "PREFIX e: <http://e/>\ne:g { e:s e:p e:o, [] . } { _:a e:p 'x\\u00e9\\n' } GRAPH _:g { e:s e:p () }\n",
  "application/n-triples": '<http://e/s> <http://e/p> "a\\tb\\u00e9\\U0001F600"^^<http://e/d> . # note\n_:a <http://e/p> "é"@en .\r\n',
  "application/n-quads": '<http://e/s> <http://e/p> _:b.c <http://e/g> .\n\n_:b.c <http://e/\\u0070> "x" _:g .\n',
  "application/ld+json":
    '{"@context":{"e":"http://e/","n":{"@id":"e:n","@type":"@id"},"l":{"@id":"e:l","@container":"@list"}},"@id":"e:s","@type":"e:T","n":"e:o","l":[1,2.5,true,null],"e:v":{"@value":"x","@language":"en"},"@graph":[{"@id":"_:b","e:p":9007199254740993}]}',
  "application/rdf+xml":
    '<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY e "http://e/">]>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&e;" xml:base="http://b/"><!-- c --><e:T rdf:about="&e;s" e:a="1"><e:p xml:lang="en">x<![CDATA[<y>]]></e:p><e:q rdf:parseType="Collection"><e:U rdf:nodeID="n"/></e:q><e:r rdf:parseType="Literal"><b>x</b></e:r><e:z rdf:resource="rel"/></e:T></rdf:RDF>',
};

const TOKENS = [
  '"',
  "'",
  '"""',
  "<",
  ">",
  "_:",
  "\\u0020",
  "\\uD800",
  "@prefix",
  "[",
  "]",
  "(",
  "{",
  "}",
  "&",
  "&e;",
  "\u0000",
  "\\",
  "^^",
  "@en",
  ".",
  ";",
  "null",
  "1e999",
  '"@id":',
  '"@context":',
  '"@list":',
  "#",
  "\u00ff",
  "<?",
  "<!--",
  "]]>",
  "http://a&b",
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  cut: fc.nat(6),
  insert: fc.oneof(fc.constantFrom("", ...TOKENS), fc.string({ unit: "binary", maxLength: 2 })),
});

function damage(text: string, edits: readonly { at: number; cut: number; insert: string }[]): string {
  for (const { at, cut, insert } of edits) {
    const place = Math.floor(at * text.length);
    text = text.slice(0, place) + insert + text.slice(place + cut);
  }
  return text;
}

function parse(text: string, contentType: string, dictionary: TermDictionary) {
  const blankNodes = new BlankNodeScope(new ServerLabels("d", () => false));
  return parseDocument(Buffer.from(text), { contentType, dictionary, blankNodes, baseIri: "http://b/" });
}

describe("a damaged document", () => {
  for (const [contentType, text] of Object.entries(WHOLE)) {
    it(`of ${contentType} is refused with a coded error, or gives quads that can be written`, async () => {
      expect((await parse(text, contentType, new TermDictionary())).count).toBeGreaterThan(1);
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
          const dictionary = new TermDictionary();
          try {
            const parsed = await parse(damage(text, edits), contentType, dictionary);
            writeNQuads(rowsAsQuads(parsed.quads), dictionary);
          } catch (error) {
            expect(error).toMatchObject({ name: "SensError", code: expect.not.stringMatching("SENS_INTERNAL") });
          }
        }),
        { numRuns: 300 },
      );
    });
  }

  it("a prefix whose IRI has no scheme character before the colon is a syntax error, not a crash", async () => {
    await expect(parse("@prefix : <ht&tp://e/> .\n:s", "text/turtle", new TermDictionary())).rejects.toMatchObject({
      code: expect.stringMatching(/SENS_(SYNTAX|IRI)/),
    });
  });
});
