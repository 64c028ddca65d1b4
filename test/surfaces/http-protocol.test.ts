/** HTTP as it is spoken badly: media types, limits, addresses, parameters. What is refused changes nothing. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { post, problemOf, rawExchange, SPARQL, served, TURTLE } from "./served.ts";

const QUERY = "CONSTRUCT WHERE { ?s ?p ?o }";
const TRIPLE = "<urn:a> <urn:b> <urn:c> .";

describe("content types", () => {
  it.each(["text/turtle;charset=UTF-8", "TEXT/TURTLE", 'text/turtle; charset="utf-8"', "application/n-triples", "application/trig"])(
    "a document labelled %s is stored",
    async (type) => {
      const { url } = await served();
      const response = await post(`${url}/publish`, { "content-type": type }, TRIPLE);
      expect(await response.json()).toMatchObject({ added: 1 });
    },
  );

  it.each(["text/plain", "application/octet-stream", "text/html", "turtle", "text/turtle; charset=iso-8859-1"])(
    "a document labelled %s is refused at once, and not stored",
    async (type) => {
      const { url } = await served();
      const refusal = await problemOf(await post(`${url}/publish`, { "content-type": type }, TRIPLE));
      expect(refusal).toEqual({ status: 415, code: "SENS_UNSUPPORTED_MEDIA_TYPE" });
      expect(await (await post(`${url}/query`, SPARQL, QUERY)).text()).toBe("");
    },
  );

  it("a document without a label is refused", async () => {
    const { url, port } = await served();
    expect((await problemOf(await post(`${url}/publish`, {}, new Uint8Array([60])))).status).toBe(415);
    const answer = await rawExchange(
      port,
      `POST /publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${TRIPLE.length}\r\nConnection: close\r\n\r\n${TRIPLE}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });

  it("an empty document of a supported type is accepted and adds nothing", async () => {
    const { url } = await served();
    expect(await (await post(`${url}/publish`, TURTLE)).json()).toMatchObject({ added: 0 });
  });

  it("queries come with a charset, as a form, or in the address", async () => {
    const { url } = await served();
    await post(`${url}/publish`, TURTLE, TRIPLE);
    const form = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    for (const response of [
      await post(`${url}/sparql`, { "content-type": "application/sparql-query; charset=utf-8" }, QUERY),
      await post(`${url}/sparql`, form, `query=${encodeURIComponent(QUERY)}`),
      await fetch(`${url}/sparql?query=${encodeURIComponent(QUERY)}`),
    ]) {
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("urn:a");
    }
  });

  it("an encoded body is refused, not stored as it is", async () => {
    const { url } = await served();
    const response = await post(`${url}/publish`, { ...TURTLE, "content-encoding": "gzip" }, new Uint8Array(gzipSync(TRIPLE)));
    expect((await problemOf(response)).status).toBe(415);
  });

  it("bytes that are not UTF-8 are refused", async () => {
    const { url } = await served();
    const response = await post(`${url}/publish`, TURTLE, new Uint8Array([60, 0xff, 62]));
    expect(await problemOf(response)).toEqual({ status: 400, code: "SENS_ENCODING" });
  });
});

describe("results", () => {
  const SELECT = "SELECT ?o { ?s ?p ?o } ORDER BY ?o";

  async function selected(accept: string): Promise<Response> {
    const { url } = await served();
    await post(`${url}/publish`, TURTLE, '<urn:a> <urn:b> "x, \\"y\\"\\nz" .');
    return post(`${url}/query`, { ...SPARQL, accept }, SELECT);
  }

  it.each([
    ["text/csv", 'o\r\n"x, ""y""\nz"\r\n'],
    ["text/tab-separated-values", '?o\n"x, \\"y\\"\\nz"\n'],
    [
      "application/sparql-results+json",
      `${JSON.stringify({ head: { vars: ["o"] }, results: { bindings: [{ o: { type: "literal", value: 'x, "y"\nz' } }] } })}\n`,
    ],
  ])("solutions as %s are exact", async (accept, expected) => {
    const response = await selected(accept);
    expect(response.headers.get("content-type")).toContain(accept);
    expect(await response.text()).toBe(expected);
  });

  it("solutions as XML escape what XML reserves", async () => {
    expect(await (await selected("application/sparql-results+xml")).text()).toContain("<literal>x, &quot;y&quot;&#10;z</literal>");
  });

  it("quality decides, wildcards count, and what cannot be written is refused", async () => {
    expect((await selected("text/csv;q=0.5, application/sparql-results+xml;q=0.9")).headers.get("content-type")).toContain("xml");
    expect((await selected("text/*")).headers.get("content-type")).toContain("text/csv");
    expect(await problemOf(await selected("image/png"))).toEqual({ status: 406, code: "SENS_NOT_ACCEPTABLE" });
  });

  it.each([
    "text/turtle",
    "application/trig",
    "application/n-triples",
    "application/n-quads",
    "application/ld+json",
    "application/rdf+xml",
  ])("a graph written as %s can be published again, with nothing new", async (accept) => {
    const { url } = await served();
    await post(`${url}/publish`, TURTLE, '<urn:x:a> <http://e/b> "ü"@de, 1, <urn:x:c> .');
    const response = await post(`${url}/query`, { ...SPARQL, accept }, QUERY);
    const again = await post(`${url}/publish`, { "content-type": response.headers.get("content-type")! }, await response.text());
    expect(await again.json()).toMatchObject({ added: 0 });
  });
});

describe("addresses and parameters", () => {
  it("an unknown address is not found, a wrong method is told the right ones", async () => {
    const { url } = await served();
    expect(await problemOf(await fetch(`${url}/nothing`))).toEqual({ status: 404, code: "SENS_NOT_FOUND" });
    const wrong = await fetch(`${url}/publish`);
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await problemOf(wrong)).toEqual({ status: 405, code: "SENS_METHOD_NOT_ALLOWED" });
  });

  it.each([
    "/%zz",
    "/graphs?graph=%zz",
    "/graphs?graph=%ff",
    "/graphs?graph=relative",
    "/graphs?graph=..%2f..%2fx",
    "/graphs?default&graph=urn:g",
    "/changes",
    "/sparql",
  ])("%s is refused as malformed", async (path) => {
    const { url } = await served();
    expect((await problemOf(await fetch(url + path))).status).toBe(400);
  });

  it.each(["..%2f..%2fetc%2fpasswd", "x%00", "a%20b", "x".repeat(65), "%E2%80%AE"])("the ontology name %s is refused", async (name) => {
    const { url } = await served();
    const response = await fetch(`${url}/ontologies/${name}`, { method: "PUT", headers: TURTLE, body: "" });
    expect((await problemOf(response)).status).toBe(400);
  });

  it.each(["-1", "Infinity", "2147483648", "5s", "300001", "1e3", "", "0x10"])("a time-out of %j is refused", async (timeout) => {
    const { url } = await served();
    expect((await problemOf(await post(`${url}/receive?timeout=${timeout}`, SPARQL, QUERY))).status).toBe(400);
  });

  it("a misspelt or repeated parameter is refused instead of ignored", async () => {
    const { url } = await served();
    expect((await problemOf(await post(`${url}/receive?tiemout=1`, SPARQL, QUERY))).status).toBe(400);
    expect((await problemOf(await post(`${url}/receive?timeout=1&timeout=2`, SPARQL, QUERY))).status).toBe(400);
  });

  it("prototype keys and deep nesting in JSON are refused", async () => {
    const { url } = await served();
    const json = { "content-type": "application/json" };
    for (const body of [
      '{"__proto__":{"query":"x"}}',
      '{"query":"x","constructor":{"prototype":{}}}',
      "[".repeat(5000),
      '{"query":5}',
      "{}",
    ]) {
      expect((await problemOf(await post(`${url}/subscriptions`, json, body))).status).toBe(400);
    }
  });
});

describe("limits of the connection", () => {
  it("a body larger than the limit is refused", async () => {
    const { url } = await served({ limits: { bodyBytesMax: 1000 } });
    expect(await problemOf(await post(`${url}/publish`, TURTLE, `# ${"x".repeat(2000)}`))).toEqual({ status: 413, code: "SENS_TOO_LARGE" });
  });

  it("headers larger than the limit are refused, and the server goes on", async () => {
    const { url, port } = await served();
    const answer = await rawExchange(port, `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("a request with both lengths, or a broken chunk, is refused and the connection closed", async () => {
    const { port } = await served();
    const head = "POST /publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\n";
    expect(await rawExchange(port, `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await rawExchange(port, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("an offer of another protocol is ignored", async () => {
    const { port } = await served();
    const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    expect(await rawExchange(port, `GET /health HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`, /"ok"/)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("headers that do not come are answered with 408 in time", async () => {
    const { port } = await served({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } });
    expect(await rawExchange(port, "GET /health HTTP/1.1\r\nHo")).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("a body that does not come is answered with 408 in time", async () => {
    const { port } = await served({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } });
    const head = "POST /publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/turtle\r\nContent-Length: 100\r\n\r\n<urn";
    expect(await rawExchange(port, head)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("connections beyond the cap are closed, and those within it served", async () => {
    const { url, port } = await served({ limits: { connectionsMax: 2 } });
    const held = [await fetch(`${url}/health`), await fetch(`${url}/health`)];
    expect(held.map((response) => response.status)).toEqual([200, 200]);
    const strangers = await Promise.all(
      [1, 2, 3].map(() => rawExchange(port, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").catch(() => "")),
    );
    expect(strangers.filter((answer) => answer === "").length).toBeGreaterThan(0);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe("graph store protocol", () => {
  it("puts, adds to, reads and deletes a graph with the statuses of the recommendation", async () => {
    const { url } = await served();
    const graph = `${url}/graphs?graph=${encodeURIComponent("http://e/g")}`;
    const put = (body: string): Promise<Response> => fetch(graph, { method: "PUT", headers: TURTLE, body });
    expect((await fetch(graph)).status).toBe(404);
    expect((await put("<a> <b> <c> .")).status).toBe(201);
    expect((await put("<a> <b> <d> .")).status).toBe(204);
    expect((await fetch(graph, { method: "POST", headers: TURTLE, body: "<a> <b> <e> ." })).status).toBe(200);
    const read = await fetch(graph, { headers: { accept: "application/n-triples" } });
    expect(await read.text()).toBe("<http://e/a> <http://e/b> <http://e/d> .\n<http://e/a> <http://e/b> <http://e/e> .\n");
    const head = await fetch(graph, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(graph, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(graph, { method: "DELETE" })).status).toBe(404);
    expect((await fetch(`${url}/graphs?default`)).status).toBe(200);
  });
});
