/** Clients of others, unmodified. */
import { Readable } from "node:stream";
import { EventSource } from "eventsource";
import { SparqlEndpointFetcher } from "fetch-sparql-endpoint";
import ParsingClient from "sparql-http-client/ParsingClient.js";
import StreamClient from "sparql-http-client/StreamClient.js";
import { describe, expect, it } from "vitest";
import { dataFactory } from "../../src/rdf/index.ts";
import { atEnd, post, served, TURTLE } from "./served.ts";

const TRIPLE = "<urn:a> <urn:p> <urn:b> .";
const LIKE_P = "CONSTRUCT WHERE { ?s <urn:p> ?o }";
const SELECT = "SELECT ?o WHERE { <urn:a> <urn:p> ?o }";

describe("sparql-http-client", () => {
  it("queries, constructs, asks and updates", async () => {
    const { url } = await served();
    const client = new ParsingClient({ endpointUrl: `${url}/sparql`, updateUrl: `${url}/sparql` });
    await client.query.update(`INSERT DATA { ${TRIPLE} }`);
    expect((await client.query.select(SELECT)).map((row) => row.o.value)).toEqual(["urn:b"]);
    expect([...(await client.query.construct(LIKE_P))].map((quad) => quad.subject.value)).toEqual(["urn:a"]);
    expect(await client.query.ask("ASK { <urn:a> ?p ?o }")).toBe(true);
    for (const operation of ["get", "postUrlencoded", "postDirect"] as const) {
      expect(await client.query.select(SELECT, { operation })).toHaveLength(1);
    }
  });

  it("writes and reads graphs", async () => {
    const { url } = await served();
    const client = new StreamClient({ storeUrl: `${url}/graphs` });
    const graph = dataFactory.namedNode("urn:g");
    const [a, p, b] = ["urn:a", "urn:p", "urn:b"].map((iri) => dataFactory.namedNode(iri));
    await client.store.put(Readable.from([dataFactory.quad(a, p, b, graph)]), { graph });
    await client.store.post(Readable.from([dataFactory.quad(b, p, a, graph)]), { graph });
    const subjects: string[] = [];
    for await (const quad of await client.store.get(graph)) subjects.push(quad.subject.value);
    expect(subjects.sort()).toEqual(["urn:a", "urn:b"]);
  });
});

describe("fetch-sparql-endpoint", () => {
  it("streams bindings and triples, asks and updates", async () => {
    const { url } = await served();
    const fetcher = new SparqlEndpointFetcher();
    await fetcher.fetchUpdate(`${url}/sparql`, `INSERT DATA { ${TRIPLE} }`);
    const rows: string[] = [];
    for await (const row of await fetcher.fetchBindings(`${url}/sparql`, SELECT))
      rows.push((row as unknown as Record<string, { value: string }>).o.value);
    expect(rows).toEqual(["urn:b"]);
    const subjects: string[] = [];
    for await (const quad of await fetcher.fetchTriples(`${url}/sparql`, LIKE_P))
      subjects.push((quad as unknown as { subject: { value: string } }).subject.value);
    expect(subjects).toEqual(["urn:a"]);
    expect(await fetcher.fetchAsk(`${url}/sparql`, "ASK { <urn:a> ?p ?o }")).toBe(true);
  });
});

describe("eventsource", () => {
  async function subscribed(url: string, body: object): Promise<string> {
    const made = await post(`${url}/subscriptions`, { "content-type": "application/json" }, JSON.stringify(body));
    expect(made.status).toBe(201);
    return `${url}${made.headers.get("location")}/events`;
  }

  function messages(source: EventSource): () => Promise<{ data: { added: string; initial?: boolean }; id: string }> {
    atEnd(() => source.close());
    const waiting: MessageEvent[] = [];
    const takers: ((event: MessageEvent) => void)[] = [];
    source.onmessage = (event) => {
      const taker = takers.shift();
      if (taker) taker(event);
      else waiting.push(event);
    };
    return async () => {
      const event = waiting.shift() ?? (await new Promise<MessageEvent>((resolve) => takers.push(resolve)));
      return { data: JSON.parse(event.data), id: event.lastEventId };
    };
  }

  it("gets what was published between subscribing and listening, then what follows", async () => {
    const { url } = await served();
    const events = await subscribed(url, { query: LIKE_P });
    await post(`${url}/publish`, TURTLE, TRIPLE);
    const next = messages(new EventSource(events));
    expect((await next()).data.added).toBe("<urn:a> <urn:p> <urn:b> .\n");
    await post(`${url}/publish`, TURTLE, "<urn:a> <urn:p> <urn:c> .");
    expect((await next()).data.added).toBe("<urn:a> <urn:p> <urn:c> .\n");
  });

  it("gets the initial result first when it was asked for", async () => {
    const { url } = await served();
    await post(`${url}/publish`, TURTLE, TRIPLE);
    const next = messages(new EventSource(await subscribed(url, { query: LIKE_P, initial: true })));
    expect((await next()).data).toMatchObject({ initial: true, added: "<urn:a> <urn:p> <urn:b> .\n" });
  });

  it("resumes by itself after the connection was cut, without gap or repeat", async () => {
    const { url } = await served();
    const events = await subscribed(url, { query: LIKE_P, name: "cut" });
    const connections: AbortController[] = [];
    const cuttableFetch = (address: string | URL, init: RequestInit): Promise<Response> => {
      const cut = new AbortController();
      connections.push(cut);
      return fetch(address, { ...init, signal: AbortSignal.any([cut.signal, ...(init.signal ? [init.signal] : [])]) });
    };
    const source = new EventSource(events, { fetch: cuttableFetch as never });
    const next = messages(source);
    await post(`${url}/publish`, TURTLE, TRIPLE);
    const first = await next();
    const reconnecting = new Promise((resolve) => source.addEventListener("error", resolve, { once: true }));
    connections[0].abort(new TypeError("cut"));
    await Promise.race([reconnecting, expect.poll(() => connections.length, { timeout: 5_000 }).toBe(2)]);
    const { cursor } = (await (await post(`${url}/publish`, TURTLE, "<urn:a> <urn:p> <urn:c> .")).json()) as { cursor: string };
    const second = await next();
    expect(second).toMatchObject({ id: cursor, data: { added: "<urn:a> <urn:p> <urn:c> .\n" } });
    expect(first.id).not.toBe(second.id);
  });
});
