/** Cases of area parse: what people send, and what must be kept of it. README.md beside this file lists all cases. */
import { describe, expect, it } from "vitest";
import { areIsomorphic, BlankNodeScope, decodeQuads, parseDocument, ServerLabels, TermDictionary } from "../../src/rdf/index.ts";
import { ask, E, graph, listen, open, PREFIXES, publish, retract, rows, update, XSD } from "./knowledge.fixture.ts";
import { piecesOf, postInPieces } from "./raw-request.ts";

const EVERYTHING = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";

describe("blank nodes", () => {
  const pump = (serial: string): string => `_:x a e:Pump ; e:serial "${serial}" .`;

  it("P01: the same label in two documents is two things, and publishing one again attaches nothing", async () => {
    const { session } = await open();
    await publish(session, pump("K-7"));
    await publish(session, pump("M-9"));
    const serials = "SELECT ?n { { SELECT ?p (COUNT(?s) AS ?n) { ?p a e:Pump ; e:serial ?s } GROUP BY ?p } }";
    expect(await rows(session, serials)).toEqual([["1"], ["1"]]);
    expect(await ask(session, '?p e:serial "K-7", "M-9"')).toBe(false);
    await publish(session, pump("K-7"));
    expect(await rows(session, serials)).toEqual([["1"], ["1"], ["1"]]);
  });

  const nested = '_:c e:name "shared" . [ e:ref _:c ] e:note "outer" . e:l e:has ( _:c ) .';
  const join = '?x e:ref ?c ; e:note "outer" . e:l e:has/<http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ?c . ?c e:name "shared"';

  it("P02: a label inside brackets and lists is the node of the same label outside", async () => {
    const { session } = await open();
    await publish(session, nested);
    expect(await ask(session, join)).toBe(true);
  });

  it("P02: a rule document with a blank node label is refused by name; a variable in brackets is the variable outside", async () => {
    const { session } = await open();
    const rule = (node: string): string =>
      `${PREFIXES}{ ${node} e:name "shared" . [ e:ref ${node} ] e:note "outer" . e:l e:has ${node} } => { e:l e:joined e:yes } .`;
    const put = (node: string) => session.putRule({ name: "r", contentType: "text/n3", content: rule(node) });
    await expect(put("_:c")).rejects.toMatchObject({ code: "SENS_RULE_UNSUPPORTED", message: expect.stringContaining("_:c") });
    expect(session.rules()).toEqual([]);
    await put("?c");
    await publish(session, '_:c e:name "shared" . [ e:ref [ e:name "shared" ] ] e:note "outer" . e:l e:has _:c .');
    expect(await ask(session, "e:l e:joined e:yes")).toBe(false);
    await publish(session, nested.replace("( _:c )", "_:c"));
    expect(await ask(session, "e:l e:joined e:yes")).toBe(true);
  });

  const nestedNodes = "e:s e:p [ e:a 1 ; e:b ( 2 [ e:c 3 ] ) ] .";

  it("P19: nested anonymous nodes survive Turtle, JSON-LD and Turtle again, over HTTP", async () => {
    const first = await listen();
    await publish(first.session, nestedNodes);
    const jsonLd = await fetchGraph(first.url, "application/ld+json");
    const second = await listen();
    const posted = await fetch(`${second.url}/publish`, {
      method: "POST",
      headers: { "content-type": "application/ld+json" },
      body: jsonLd,
    });
    expect(posted.status).toBe(200);
    const turtle = await fetchGraph(second.url, "text/turtle");
    expect(await isomorphic(turtle, PREFIXES + nestedNodes)).toBe(true);
    expect((await graph(second.session, EVERYTHING)).filter((line) => !/^(_:|e:s )/.test(line))).toEqual([]);
  });

  it("P20: labels stay short over twenty hops, and every hop is the same graph", async () => {
    const message = "_:a e:knows _:b . _:b e:knows _:c . _:c e:knows _:a .";
    let text = PREFIXES + message;
    for (let hop = 0; hop < 20; hop++) {
      const { session, service } = await open();
      await session.publish({ data: text, contentType: hop === 0 ? "text/turtle" : "application/n-triples" });
      text = (await session.query({ query: EVERYTHING })).graph?.ntriples ?? "";
      await service.close();
      expect(await isomorphic(text, PREFIXES + message)).toBe(true);
      for (const label of text.match(/_:\S+/g) ?? []) expect(label.length).toBeLessThan(30);
    }
  });
});

describe("bytes", () => {
  const text = "Grüße 東京 🚀 déjà e\u0301";
  const documents: Readonly<Record<string, string>> = {
    "text/turtle": `<${E}1> <${E}l> "${text}" .`,
    "application/n-triples": `<${E}1> <${E}l> "${text}" .`,
    "application/ld+json": JSON.stringify({ "@id": `${E}1`, [`${E}l`]: text }),
    "application/rdf+xml": `<?xml version="1.0"?>
<rdf:RDF xmlns:e="${E}" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${E}1"><e:l>${text}</e:l></rdf:Description></rdf:RDF>`,
  };

  it.each(Object.entries(documents))(
    "P04: %s in pieces of 1, 2, 3 and 7 bytes is kept code point for code point",
    async (type, document) => {
      for (const size of [1, 2, 3, 7]) {
        const { port, session, service } = await listen();
        const { status, body } = await postInPieces(port, "/publish", type, piecesOf(Buffer.from(document), size));
        expect([status, body]).toEqual([200, expect.stringContaining('"added":1')]);
        expect(await rows(session, "SELECT ?l { ?s e:l ?l }")).toEqual([[text]]);
        await service.close();
      }
    },
  );

  it("P05: a document cut in two at every byte gives the same six triples with the same spellings", async () => {
    const document = Buffer.from(`@prefix e: <${E}> .\ne:a e:v 3.75, 2.5e7, 8 . e:b e:v -0.25 ; e:w 6.0 .\ne:c e:v 8.`);
    const { port, session } = await listen();
    const expected = ["-0.25", "2.5e7", "3.75", "6.0", "8", "8"];
    for (let cut = 1; cut < document.length; cut++) {
      const pieces = [document.subarray(0, cut), document.subarray(cut)];
      expect((await postInPieces(port, "/publish", "text/turtle", pieces)).status, `cut after byte ${cut}`).toBe(200);
      const got = (await rows(session, "SELECT ?o { ?s ?p ?o }")).map(([value]) => value).sort();
      expect(got, `cut after byte ${cut}`).toEqual(expected);
      await update(session, "CLEAR DEFAULT");
    }
  });
});

describe("literals", () => {
  it("P07: 07, +7, 7, 7.0 and 7e0 are five terms of one value", async () => {
    const { session } = await open();
    await publish(session, "e:x1 e:v 07 . e:x2 e:v +7 . e:x3 e:v 7 . e:x4 e:v 7.0 . e:x5 e:v 7e0 .");
    const values = "SELECT ?v { ?s e:v ?v } ORDER BY ?s";
    expect(await rows(session, values)).toEqual([["07"], ["+7"], ["7"], ["7.0"], ["7e0"]]);
    expect(await rows(session, "SELECT ?s { ?s e:v ?v FILTER(?v = 7) } ORDER BY ?s")).toHaveLength(5);
    expect(await retract(session, "e:x1 e:v 7 . e:x2 e:v 7 . e:x3 e:v 7 . e:x4 e:v 7 .")).toMatchObject({ removed: 1 });
    expect(await rows(session, values)).toEqual([["07"], ["+7"], ["7.0"], ["7e0"]]);
  });

  it("P08: a date-time with an offset is found as written and by the same instant, and shown as written", async () => {
    const { session } = await open();
    await publish(session, 'e:a e:t "2023-06-30T22:01:02+05:30"^^xsd:dateTime .');
    expect(await ask(session, '?s e:t "2023-06-30T22:01:02+05:30"^^xsd:dateTime')).toBe(true);
    const query = 'SELECT ?t { ?s e:t ?t FILTER(?t = "2023-06-30T16:31:02Z"^^xsd:dateTime) }';
    expect(await rows(session, query)).toEqual([["2023-06-30T22:01:02+05:30"]]);
  });
});

describe("JSON-LD", () => {
  const publishJson = async (value: unknown) => {
    const opened = await listen();
    const body = typeof value === "string" ? value : JSON.stringify(value);
    const response = await fetch(`${opened.url}/publish`, { method: "POST", headers: { "content-type": "application/ld+json" }, body });
    return { ...opened, status: response.status, answer: (await response.json()) as Record<string, unknown> };
  };

  it.each([
    ["an @id with a space", { "@id": `${E}a b`, [`${E}p`]: "lost" }, "SENS_IRI"],
    ["a key without a mapping", { "@id": `${E}c`, colour: "lost" }, "SENS_DATA_LOSS"],
    [
      "one of them beside a good one",
      [
        { "@id": `${E}d`, [`${E}p`]: "kept" },
        { "@id": `${E}c`, colour: "lost" },
      ],
      "SENS_DATA_LOSS",
    ],
  ])("P10: %s is refused, and nothing is stored", async (_, document, code) => {
    const { status, answer, service } = await publishJson(document);
    expect([status, answer.code]).toEqual([400, code]);
    expect(service.figures().quads).toBe(0);
  });

  it("P11: a nested or trailing context does not cost a thing its identifier", async () => {
    const { session, answer } = await publishJson(
      `{"holds":[{"@id":"${E}in","@context":{"img":"${E}img"},"img":"b.png"}],"name":"case","@id":"${E}out","@context":{"holds":"${E}holds","name":"${E}name"}}`,
    );
    expect(answer).toMatchObject({ added: 3 });
    expect(await graph(session, EVERYTHING)).toEqual(['e:in e:img "b.png"', "e:out e:holds e:in", 'e:out e:name "case"']);
  });

  it("P13: large JSON numbers keep their digits, are numbers, and can be computed with", async () => {
    const numbers = { a: "9007199254740991", b: "9007199254740993", c: "987654321098765432109", d: "2.5", e: "98765432109876543210.5" };
    const members = Object.entries(numbers).map(([name, number]) => `"${E}${name}":${number}`);
    const { session } = await publishJson(`{"@id":"${E}n",${members.join()}}`);
    const query = "SELECT ?p ?n (DATATYPE(?n) AS ?t) (?n + 1 AS ?m) { ?s ?p ?n } ORDER BY ?p";
    const found = (await rows(session, query)).map((row) => row.map((cell) => cell.replace(XSD, "")));
    expect(found.slice(0, 3)).toEqual([
      ["e:a", "9007199254740991", "integer", "9007199254740992"],
      ["e:b", "9007199254740993", "integer", "9007199254740994"],
      ["e:c", "987654321098765432109", "integer", "987654321098765432110"],
    ]);
    expect(found.slice(3).map(([p, n, type, m]) => [p, Number(n), type, Number(m)])).toEqual([
      ["e:d", 2.5, "double", 3.5],
      ["e:e", Number(numbers.e), "double", Number(numbers.e) + 1],
    ]);
  });
});

describe("RDF/XML", () => {
  const HEAD = '<?xml version="1.0"?>\n';

  it("P14: entities of ontology editors and a namespace on the element itself are read", async () => {
    const { session } = await open();
    const data = `${HEAD}<!DOCTYPE rdf:RDF [<!ENTITY o "${E}o"><!ENTITY xsd "${XSD}">]>
<rdf:RDF xmlns="&o;#" xml:base="&o;" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about=""><title rdf:datatype="&xsd;string">t</title><on xmlns="${E}w#" rdf:datatype="&xsd;date">2025-02-03</on><rdf:type rdf:resource="&o;#Plan"/></rdf:Description>
</rdf:RDF>`;
    expect(await session.publish({ data, contentType: "application/rdf+xml" })).toMatchObject({ added: 3 });
    expect(await graph(session, EVERYTHING)).toEqual([
      "e:o <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> e:o#Plan",
      'e:o e:o#title "t"',
      `e:o e:w#on "2025-02-03"^^<${XSD}date>`,
    ]);
  });

  it("P14: nested entities that multiply are refused", async () => {
    const { service, session } = await open();
    const nestedEntities = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
    const data = `${HEAD}<!DOCTYPE rdf:RDF [<!ENTITY e0 "x">${nestedEntities}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="${E}"><rdf:Description rdf:about="${E}a"><e:p>&e12;</e:p></rdf:Description></rdf:RDF>`;
    await expect(session.publish({ data, contentType: "application/rdf+xml" })).rejects.toMatchObject({ code: "SENS_ENTITY_LIMIT" });
    expect(service.figures().quads).toBe(0);
  });
});

describe("content types", () => {
  const TRIPLE = `<${E}a> <${E}p> <${E}b> .`;
  const post = (url: string, type: string | undefined, body: string): Promise<Response> =>
    fetch(url, { method: "POST", headers: type === undefined ? {} : { "content-type": type }, body: Buffer.from(body) });

  it("P16: parameters and capitals of a media type do not matter; a charset is decoded or refused", async () => {
    const { url } = await listen();
    for (const type of [
      "text/turtle;charset=UTF-8",
      "TEXT/TURTLE",
      'text/turtle; charset="utf-8"',
      "application/n-triples ; Charset=utf-8",
    ])
      expect((await post(`${url}/publish`, type, TRIPLE)).status, type).toBe(200);
    const ask = "ASK { ?s ?p ?o }";
    for (const type of ["application/sparql-query; charset=utf-8", "Application/Sparql-Query"])
      expect(await (await post(`${url}/sparql`, type, ask)).json(), type).toMatchObject({ boolean: true });
    for (const type of ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=UTF-8"])
      expect(await (await post(`${url}/sparql`, type, `query=${encodeURIComponent(ask)}`)).json(), type).toMatchObject({ boolean: true });
    for (const charset of ["utf-16", "iso-8859-1"])
      expect((await post(`${url}/publish`, `text/turtle;charset=${charset}`, TRIPLE)).status, charset).toBe(415);
  });

  it("P17: a body is stored or refused at once, never accepted and thrown away", async () => {
    for (const type of ["text/plain", "application/n-triples", "application/octet-stream", undefined]) {
      const { url, service } = await listen();
      const response = await post(`${url}/publish`, type, TRIPLE);
      if (response.status === 200) expect(await response.json(), type).toMatchObject({ added: 1 });
      else expect([400, 415], type).toContain(response.status);
      expect(service.figures().quads, type).toBe(response.status === 200 ? 1 : 0);
    }
  });

  it("P17: an empty body of a supported type changes nothing", async () => {
    const { url } = await listen();
    for (const type of ["text/turtle", "application/n-triples", "application/n-quads", "application/trig"]) {
      const response = await post(`${url}/publish`, type, "");
      expect([response.status, await response.json()], type).toEqual([200, expect.objectContaining({ added: 0, removed: 0 })]);
    }
  });
});

async function fetchGraph(url: string, accept: string): Promise<string> {
  const response = await fetch(`${url}/graphs?default`, { headers: { accept } });
  expect(response.headers.get("content-type")).toContain(accept);
  return response.text();
}

/** Whether two documents in Turtle say the same. */
async function isomorphic(one: string, two: string): Promise<boolean> {
  const graphs = [];
  for (const [n, text] of [one, two].entries()) {
    const dictionary = new TermDictionary();
    const blankNodes = new BlankNodeScope(new ServerLabels(`s${n}`, () => false));
    const { quads } = await parseDocument(Buffer.from(text), { contentType: "text/turtle", dictionary, blankNodes });
    graphs.push([...decodeQuads(quads, dictionary)]);
  }
  return areIsomorphic(graphs[0], graphs[1]);
}
