/** Large documents: scanned in slices or parsed in another thread, with the answers that small ones get. */
import { describe, expect, it } from "vitest";
import { parseApart } from "./document-workers.ts";
import { BlankNodeScope, decodeQuads, parseDocument, parseDocumentSync, ServerLabels, TermDictionary } from "./index.ts";
import { areIsomorphic } from "./isomorphism.ts";

const KNOWN = "sens-old-1";
const TURTLE = `@prefix e: <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  e:a e:p "x\\ty"@EN-gb , 01 , "1.0"^^xsd:decimal , <_:${KNOWN}> , [ e:q ( 1 2 ) ] ; a e:C . _:n e:q _:n , <rel#x> .`;
const DOCUMENTS: readonly (readonly [contentType: string, text: string])[] = [
  ["text/turtle", TURTLE],
  ["application/trig", `${TURTLE} e:g { e:a e:p _:n . _:m e:p e:b }`],
  ["application/n-quads", '<http://e/a> <http://e/p> "1" <http://e/g> .\n_:x <http://e/p> _:y .\n_:x <http://e/p> _:x .\n'],
  ["application/ld+json", '{"@id":"http://e/a","http://e/p":[{"@id":"_:b"},{"@value":"v","@language":"de"},{"http://e/q":5}]}'],
  [
    "application/rdf+xml",
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description rdf:nodeID="n"><e:p rdf:parseType="Resource"><e:q>v</e:q></e:p></rdf:Description></rdf:RDF>',
  ],
];

function setting() {
  const dictionary = new TermDictionary();
  const blankNodes = new BlankNodeScope(new ServerLabels("now", (label) => label === KNOWN));
  return { dictionary, blankNodes, baseIri: "http://example.org/base" };
}

async function parse(contentType: string, text: string, largeBytes: number) {
  const options = setting();
  const parsed = await parseDocument(Buffer.from(text), {
    ...options,
    contentType,
    largeBytes,
    graph: options.dictionary.iri("http://e/into"),
  });
  return { quads: [...decodeQuads(parsed.quads, options.dictionary)], fresh: parsed.freshBlankNodes };
}

describe("a large document", () => {
  for (const [contentType, text] of DOCUMENTS)
    it(`in ${contentType} gives what a small one gives`, async () => {
      const small = await parse(contentType, text, Number.POSITIVE_INFINITY);
      const large = await parse(contentType, text, 0);
      expect(areIsomorphic(large.quads, small.quads)).toBe(true);
      expect(large.fresh).toBe(small.fresh);
    });

  it("is refused with the place where it is wrong", async () => {
    for (const [contentType, text, code, position] of [
      ["text/turtle", "<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> .", "SENS_SYNTAX", { line: 2 }],
      [
        "application/n-triples",
        "<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> .",
        "SENS_SYNTAX",
        { line: 2, column: 27 },
      ],
      ["application/ld+json", '{"@id":"http://e/a","unmapped":1}', "SENS_DATA_LOSS", undefined],
      ["text/turtle", "<http://e/a> <http://e/p> <_:sens-gone-9> .", "SENS_IRI", { line: 1, column: 27 }],
    ] as const) {
      const error = await parse(contentType, text, 0).catch((reason: unknown) => reason);
      expect(error, text).toMatchObject({ code, ...(position ? { position } : {}) });
    }
  });

  it("lets others run while it is read, whatever the format", async () => {
    const count = 20_000;
    const lines = Array.from({ length: count }, (_, i) => `<http://e/s${i}> <http://e/p> "${i}" .\n`).join("");
    for (const contentType of ["application/n-triples", "text/turtle"]) {
      let turns = 0;
      let reading = true;
      const turn = (): void => {
        turns++;
        if (reading) setImmediate(turn);
      };
      setImmediate(turn);
      const { count: read } = await parseDocument(Buffer.from(lines), { ...setting(), contentType });
      reading = false;
      expect([read, turns > 3], contentType).toEqual([count, true]);
    }
  });

  it("scanned in slices among others is not mixed up with them", async () => {
    const documents = [0, 1, 2].map((n) =>
      Array.from({ length: 9000 }, (_, i) => `<http://e/${n}/${i >> 2}> <http://e/p${(i + n) % 5}> "\\u0041${n} ${i}" .\n`).join(""),
    );
    const options = setting();
    const parsed = await Promise.all(
      documents.map((text) => parseDocument(Buffer.from(text), { ...options, contentType: "application/n-triples", largeBytes: 0 })),
    );
    for (const [n, text] of documents.entries()) {
      const alone = parseDocumentSync(Buffer.from(text), { ...options, contentType: "application/n-triples" });
      expect(parsed[n].quads).toEqual(alone.quads);
    }
  });

  it("is refused as busy when too much is being parsed, and taken when that is over", async () => {
    const bytes = Buffer.from(TURTLE);
    const contentType = "text/turtle";
    const rest = { limits: undefined, contexts: undefined, unmapped: undefined, labelPrefix: "x" };
    const apart = () => parseApart({ bytes, contentType, baseIri: "http://example.org/", ...rest }, undefined, bytes.length * 3);
    const answers = await Promise.allSettled([apart(), apart(), apart(), apart()]);
    expect(answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : "parsed"))).toEqual([
      "parsed",
      "parsed",
      "parsed",
      "SENS_BUSY",
    ]);
    expect((await apart()).nquads.length).toBeGreaterThan(0);
  });

  it("is given up when its sender does, and the next one is parsed", async () => {
    const controller = new AbortController();
    const slow = `{"@graph":[${Array.from({ length: 40_000 }, (_, i) => `{"@id":"http://e/${i}","http://e/p":"v"}`).join()}]}`;
    const parsing = parseDocument(Buffer.from(slow), { ...setting(), contentType: "application/ld+json", signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(parsing).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    expect((await parse("text/turtle", TURTLE, 0)).quads.length).toBeGreaterThan(5);
  });
});
