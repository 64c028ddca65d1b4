import { describe, expect, it } from "vitest";
import { BlankNodeScope, ServerLabels } from "./blank-node-scope.ts";
import { decodeQuads } from "./decode-quads.ts";
import { areIsomorphic } from "./isomorphism.ts";
import { checkContexts } from "./jsonld-context-check.ts";
import { type ParseOptions, parseDocument, parseDocumentSync } from "./parse-document.ts";
import { TermDictionary } from "./term-dictionary.ts";
import { TermKind } from "./term-table.ts";
import { rowsAsQuads, writeNQuads, writeQuadsToString } from "./write-quads.ts";

const TURTLE = "text/turtle";
const JSON_LD = "application/ld+json";
const RDF_XML = "application/rdf+xml";

/** One server: a dictionary whose blank nodes are all "known". */
function server(life = "t") {
  const dictionary = new TermDictionary();
  const labels = new ServerLabels(life, (label) => dictionary.find({ termType: "BlankNode", value: label } as never) !== 0);
  const scope = () => new BlankNodeScope(labels);
  return {
    dictionary,
    scope,
    parse: (text: string | Uint8Array, contentType: string, more: Partial<ParseOptions> = {}) =>
      parseDocument(typeof text === "string" ? Buffer.from(text) : text, { contentType, dictionary, blankNodes: scope(), ...more }),
  };
}

async function lines(text: string | Uint8Array, contentType: string, more: Partial<ParseOptions> = {}): Promise<string[]> {
  const { parse, dictionary } = server();
  return writeNQuads(rowsAsQuads((await parse(text, contentType, more)).quads), dictionary)
    .trimEnd()
    .split("\n")
    .sort();
}

async function refusal(text: string | Uint8Array, contentType: string, more: Partial<ParseOptions> = {}) {
  return (await server()
    .parse(text, contentType, more)
    .then(
      () => ({ code: "accepted" }),
      (error: unknown) => error,
    )) as { code: string; message: string; position?: { line: number; column: number } };
}

describe("blank nodes", () => {
  it("the same label in two documents is two nodes (P01)", () => {
    const { dictionary, scope } = server();
    const one = parseDocumentSync(Buffer.from("_:n <http://e/p> 1 ."), { contentType: TURTLE, dictionary, blankNodes: scope() });
    const two = parseDocumentSync(Buffer.from("_:n <http://e/p> 1 ."), { contentType: TURTLE, dictionary, blankNodes: scope() });
    expect(one.quads[0]).not.toBe(two.quads[0]);
    expect(one.freshBlankNodes).toBe(1);
  });

  it("a label means one node inside and outside of brackets and collections (P02)", async () => {
    const got = await lines("_:c <http://e/n> 1 . [ <http://e/r> _:c ] <http://e/k> 2 . <http://e/l> <http://e/h> ( _:c ) .", TURTLE);
    const node = got.find((line) => line.includes("<http://e/n>"))?.split(" ")[0] as string;
    expect(got.filter((line) => line.split(" ")[2] === node)).toHaveLength(2);
  });

  it.each(["_:", "<_:"])("a label the server gave out addresses its node again, written %s", (open) => {
    const { dictionary, scope } = server();
    const first = parseDocumentSync(Buffer.from("[] <http://e/p> 1 ."), { contentType: TURTLE, dictionary, blankNodes: scope() });
    const label = dictionary.value(first.quads[0]);
    const written = open === "_:" ? `_:${label}` : `<_:${label}>`;
    for (const contentType of [TURTLE, "application/trig", "application/n-triples"]) {
      const again = parseDocumentSync(Buffer.from(`${written} <http://e/q> <http://e/o> .`), {
        contentType,
        dictionary,
        blankNodes: scope(),
      });
      expect(again.quads[0]).toBe(first.quads[0]);
      expect(again.freshBlankNodes).toBe(0);
    }
  });

  it("an unknown label of the server's form is a label like any other; as <_:label> it is refused", async () => {
    const { dictionary, parse } = server();
    const parsed = await parse("_:sens-other-1 <http://e/p> 1 .", TURTLE);
    expect(dictionary.value(parsed.quads[0])).not.toBe("sens-other-1");
    expect((await refusal("<_:sens-other-1> <http://e/p> 1 .", TURTLE)).code).toBe("SENS_IRI");
    expect((await refusal("<_:nobody> <http://e/p> <http://e/o> .", "application/n-triples")).code).toBe("SENS_IRI");
  });

  it("a label that looks like an anonymous node's never meets one", async () => {
    const got = await lines("_:n3-0 <http://e/p> 1 . [] <http://e/p> 2 . _:b0 <http://e/p> 3 . [] <http://e/p> 4 .", TURTLE);
    expect(new Set(got.map((line) => line.split(" ")[0])).size).toBe(4);
  });

  it("twenty hops between two servers keep the graph and the length of labels (P20)", async () => {
    const servers = [server("left"), server("right")];
    let text = "<http://e/s> <http://e/p> [ <http://e/a> [ <http://e/b> _:x ] ] . _:x <http://e/c> 1 .";
    const original = await servers[0].parse(text, TURTLE);
    const expected = [...decodeQuads(original.quads, servers[0].dictionary)];
    for (let hop = 0; hop < 20; hop++) {
      const { parse, dictionary } = servers[hop % 2];
      const parsed = await parse(text, hop === 0 ? TURTLE : "application/n-triples");
      text = writeNQuads(rowsAsQuads(parsed.quads), dictionary);
      expect(areIsomorphic([...decodeQuads(parsed.quads, dictionary)], expected)).toBe(true);
      for (const label of text.match(/_:\S+/g) ?? []) expect(label.length).toBeLessThan(20);
    }
  });

  it("nested anonymous nodes survive Turtle -> JSON-LD -> Turtle (P19)", async () => {
    const { parse, dictionary } = server();
    const start = await parse("<http://e/s> <http://e/p> [ <http://e/a> 1 ; <http://e/b> ( 2 [ <http://e/c> 3 ] ) ] .", TURTLE);
    const json = await writeQuadsToString(JSON_LD, rowsAsQuads(start.quads), { dictionary });
    const other = server("other");
    const back = await other.parse(json, JSON_LD);
    const turtle = await writeQuadsToString(TURTLE, rowsAsQuads(back.quads), { dictionary: other.dictionary });
    const end = await other.parse(turtle, TURTLE);
    expect(areIsomorphic(decodeQuads(end.quads, other.dictionary), decodeQuads(start.quads, dictionary))).toBe(true);
    expect(turtle).not.toMatch(/<[^>]*sens-/);
  });
});

describe("spelling", () => {
  it.each([
    [TURTLE, (text: string) => `<http://e/1> <http://e/l> "${text}" .`],
    [JSON_LD, (text: string) => JSON.stringify({ "@id": "http://e/1", "http://e/l": text })],
    [
      RDF_XML,
      (text: string) =>
        `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description rdf:about="http://e/1"><e:l>${text}</e:l></rdf:Description></rdf:RDF>`,
    ],
  ])("characters outside ASCII are kept code point for code point in %s (P04)", async (contentType, document) => {
    const text = "Grüße 東京 🚀 e\u0301 \u202e";
    const { parse, dictionary } = server();
    const parsed = await parse(document(text), contentType);
    expect(dictionary.value(parsed.quads[2])).toBe(text);
  });

  it("numbers keep their spelling, also before a dot (P05, P07)", async () => {
    const { parse, dictionary } = server();
    const parsed = await parse(
      "@prefix e: <http://e/> . e:a e:v 3.75, 2.5e7, 8 . e:b e:v -0.25 ; e:w 07, +7, 7, 7.0, 7e0 .\ne:c e:v 8.",
      TURTLE,
    );
    const objects = Array.from({ length: parsed.count }, (_, i) => dictionary.value(parsed.quads[4 * i + 2]));
    expect(objects).toEqual(["3.75", "2.5e7", "8", "-0.25", "07", "+7", "7", "7.0", "7e0", "8"]);
    expect(new Set(parsed.quads.filter((_, i) => i % 4 === 2)).size).toBe(9);
  });

  it("date-times with an offset are kept as they are (P08)", async () => {
    const got = await lines('<http://e/a> <http://e/t> "2023-06-30T22:01:02+05:30"^^<http://www.w3.org/2001/XMLSchema#dateTime> .', TURTLE);
    expect(got[0]).toContain('"2023-06-30T22:01:02+05:30"');
  });

  it("language tags are stored in lower case", async () => {
    expect(await lines('<http://e/a> <http://e/p> "x"@de-CH .', "application/n-triples")).toEqual([
      '<http://e/a> <http://e/p> "x"@de-ch .',
    ]);
  });
});

describe("JSON-LD", () => {
  it("of very many nodes in one array is looked through for contexts", () => {
    const many = Array.from({ length: 300_000 }, () => ({}));
    expect(() => checkContexts([many])).not.toThrow();
    expect(() => checkContexts([...many, { "@context": { a: "b:c", b: "a:d" } }])).toThrow("defined by");
  });

  it.each([
    ['{"@id":"http://e/a b","http://e/p":1}', "SENS_IRI"],
    ['{"@id":"http://e/c","unmapped":1}', "SENS_DATA_LOSS"],
    ['[{"@id":"http://e/d","http://e/p":1},{"@id":"http://e/c","unmapped":1}]', "SENS_DATA_LOSS"],
    ['{"@id":"http://e/d","_:p":1}', "SENS_SYNTAX"],
    ['{"@id":"http://e/d","http://e/p":1,"http://e/p":2}', "SENS_DATA_LOSS"],
    ['{"@id":"x","http://e/p":1}', "SENS_RELATIVE_IRI"],
    ['{"@id":"http://e/d","http://e/p":"\\ud83d"}', "SENS_ENCODING"],
    ['{"@id":"http://e/d","http://e/p":1e999}', "SENS_DATA_LOSS"],
    ['{"@id":"http://e/d","toString":1}', "SENS_SYNTAX"],
    ['{"@context":"http://127.0.0.1:9/c","@id":"http://e/d"}', "SENS_REMOTE_CONTEXT"],
    ['{"@context":{"@import":"http://127.0.0.1:9/c"},"@id":"http://e/d"}', "SENS_REMOTE_CONTEXT"],
    ['{"@context":{"a":"b:1","b":"c:1","c":"a:1"},"@id":"http://e/d"}', "SENS_SYNTAX"],
    ["true", "SENS_SYNTAX"],
    ["", "SENS_SYNTAX"],
    ['{"@id":"http://e/d"} x', "SENS_SYNTAX"],
  ])("%s is refused with %s (P10, P116)", async (text, code) => {
    expect((await refusal(text, JSON_LD)).code).toBe(code);
  });

  it("with `unmapped: ignore` unmapped keys are left out", async () => {
    expect(await lines('{"@id":"http://e/c","unmapped":1,"http://e/p":"x"}', JSON_LD, { unmapped: "ignore" })).toEqual([
      '<http://e/c> <http://e/p> "x" .',
    ]);
  });

  it("a context after the members, or inside, does not cost the subject (P11)", async () => {
    const text =
      '{"holds":[{"@id":"http://e/in","@context":{"img":"http://e/img"},"img":"b.png"}],"name":"case","@id":"http://e/out","@context":{"holds":"http://e/holds","name":"http://e/name"}}';
    expect(await lines(text, JSON_LD)).toEqual([
      '<http://e/in> <http://e/img> "b.png" .',
      "<http://e/out> <http://e/holds> <http://e/in> .",
      '<http://e/out> <http://e/name> "case" .',
    ]);
  });

  it.each([
    ["9007199254740993", "9007199254740993", "integer"],
    ["-9007199254740993", "-9007199254740993", "integer"],
    ["987654321098765432109876543210", "987654321098765432109876543210", "integer"],
    ["9007199254740991", "9007199254740991", "integer"],
    ["2.5", "2.5E0", "double"],
    ["98765432109876543210.5", "9.876543210987654E19", "double"],
    ["7.0", "7", "integer"],
  ])("the number %s becomes %s (P13)", async (number, lexical, type) => {
    const expected = [`<http://e/n> <http://e/p> "${lexical}"^^<http://www.w3.org/2001/XMLSchema#${type}> .`];
    expect(await lines(`{"@id":"http://e/n","http://e/p":${number}}`, JSON_LD)).toEqual(expected);
    expect(await lines(`{"@context":{"@language":"de"},"@id":"http://e/n","http://e/p":{"@value":${number}}}`, JSON_LD)).toEqual(expected);
  });

  it("an allowed context is used without a fetch", async () => {
    const contexts = new Map([["http://e/context", { "@context": { name: "http://e/name" } }]]);
    expect(await lines('{"@context":"http://e/context","@id":"http://e/c","name":"x"}', JSON_LD, { contexts })).toEqual([
      '<http://e/c> <http://e/name> "x" .',
    ]);
  });
});

describe("RDF/XML", () => {
  it("entities of ontology editors and namespaces on the element itself are read (P14)", async () => {
    const text = `<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY o "http://e/o"><!ENTITY xsd "http://www.w3.org/2001/XMLSchema#"> <!ENTITY both "&o;#x">]>
<rdf:RDF xmlns="&o;#" xml:base="&o;" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about=""><on xmlns="http://e/w#" rdf:datatype="&xsd;date">2025-02-03</on><is rdf:resource="&both;"/></rdf:Description>
</rdf:RDF>`;
    expect(await lines(text, RDF_XML)).toEqual([
      "<http://e/o> <http://e/o#is> <http://e/o#x> .",
      '<http://e/o> <http://e/w#on> "2025-02-03"^^<http://www.w3.org/2001/XMLSchema#date> .',
    ]);
  });

  it("a relative IRI without base is refused", async () => {
    const text =
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description rdf:about="x"><e:p>1</e:p></rdf:Description></rdf:RDF>';
    expect((await refusal(text, RDF_XML)).code).toBe("SENS_RELATIVE_IRI");
    expect(await lines(text, RDF_XML, { baseIri: "http://b/d" })).toEqual(['<http://b/x> <http://e/p> "1" .']);
  });
});

describe("content types (P16, P17)", () => {
  it.each(["text/turtle;charset=UTF-8", "TEXT/TURTLE", 'text/turtle; charset="utf-8"', "text/turtle ; Charset=utf8"])(
    "%s is Turtle",
    async (contentType) => {
      expect(await lines("<http://e/a> <http://e/p> 1 .", contentType)).toHaveLength(1);
    },
  );

  it.each(["text/plain", "application/octet-stream", "", "text/turtle; charset=iso-8859-1", "application/json", "text/n3"])(
    "%s is refused",
    async (contentType) => {
      expect((await refusal("<http://e/a> <http://e/p> 1 .", contentType)).code).toBe("SENS_UNSUPPORTED_MEDIA_TYPE");
    },
  );

  it("an empty body of a line or Turtle format states nothing", async () => {
    for (const contentType of [TURTLE, "application/trig", "application/n-quads"])
      expect((await server().parse("", contentType)).count).toBe(0);
  });
});

describe("refusals", () => {
  it("name line and column", async () => {
    expect((await refusal('<http://e/a> <http://e/p> "x" .\n<http://e/a> <http://e/é> "x .', "application/n-triples")).position).toEqual({
      line: 2,
      column: 27,
    });
    expect((await refusal("<http://e/a> <http://e/p> 1 .\n\n  <http://e/a> <http://e/p> x .", TURTLE)).position?.line).toBe(3);
    expect((await refusal('{\n "@id": x}', JSON_LD)).position).toEqual({ line: 2, column: 9 });
  });

  it("a graph option takes the triples without graph, and only those", () => {
    const { dictionary, scope } = server();
    const graph = dictionary.iri("http://e/g");
    const text = "<http://e/a> <http://e/p> <http://e/o> .\n<http://e/a> <http://e/p> <http://e/o> <http://e/h> .\n";
    const parsed = parseDocumentSync(Buffer.from(text), { contentType: "application/n-quads", dictionary, blankNodes: scope(), graph });
    expect([parsed.quads[3], parsed.quads[7]]).toEqual([graph, dictionary.iri("http://e/h")]);
    expect(dictionary.kind(graph)).toBe(TermKind.IRI);
  });

  it("an aborted signal stops the work", async () => {
    expect((await refusal("[]", JSON_LD, { signal: AbortSignal.abort() })).code).toBe("SENS_CANCELLED");
  });
});
