/** The HTTP routes, called with fetch. */
import { SensError } from "../../src/base/index.ts";
import type {
  ChangesEntry,
  ClaimStatus,
  NamedDocument,
  Notification,
  Proof,
  SparqlJson,
  SubscribeRequest,
} from "../../src/protocol/index.ts";
import { serve } from "../../src/server/index.ts";
import {
  type ContractClient,
  type ContractSubscription,
  Mailbox,
  type Surface,
  sortedNotification,
  sortLines,
  type Taken,
  type TakeOptions,
} from "./client.ts";

export const overHttp: Surface = {
  name: "HTTP",
  async open(service) {
    const server = await serve(service, { port: 0 });
    return { service, connect: async () => clientOf(server.url), close: () => server.close() };
  },
};

const QUERY = { "content-type": "application/sparql-query" };
const JSON_BODY = { "content-type": "application/json" };

/** A request; refusals become the SensError they describe. */
async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const { code, detail } = (await response.json()) as { code: SensError["code"]; detail: string };
  const error = new SensError(code, detail);
  if (error.status !== response.status) throw new Error(`${code} answered with ${response.status}`);
  throw error;
}

async function askJson<T>(url: string, init?: RequestInit): Promise<T> {
  return (await (await ask(url, init)).json()) as T;
}

function clientOf(base: string): ContractClient {
  const gone = new AbortController();
  const send = (
    path: string,
    method: string,
    headers: Record<string, string | undefined> = {},
    body?: string,
  ): RequestInit & { url: string } => ({
    url: `${base}${path}`,
    method,
    headers: Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    body,
    signal: gone.signal,
  });
  const json = <T>(request: RequestInit & { url: string }): Promise<T> => askJson<T>(request.url, request);
  const change =
    (path: string) =>
    (data: string, options: { contentType?: string; graph?: string; key?: string } = {}) =>
      json<Awaited<ReturnType<ContractClient["publish"]>>>(
        send(
          `/${path}${search({ graph: options.graph })}`,
          "POST",
          { "content-type": options.contentType ?? "application/n-quads", "idempotency-key": options.key },
          data,
        ),
      );
  const query = (text: string, accept: string) => ask(`${base}/query`, send("/query", "POST", { ...QUERY, accept }, text));
  const sparqlJson = async (text: string) => (await (await query(text, "application/sparql-results+json")).json()) as SparqlJson;
  const wait = async (path: string, text: string, { timeoutMs, leaseMs, graph, signal }: TakeOptions = {}): Promise<Taken> => {
    const request = send(
      `/${path}${search({ timeout: timeoutMs, lease: leaseMs, graph })}`,
      "POST",
      { ...QUERY, accept: "application/n-triples" },
      text,
    );
    return takenOf(await ask(request.url, { ...request, signal: signal ? AbortSignal.any([signal, gone.signal]) : gone.signal }));
  };
  const claim = (id: string, action: string, leaseMs?: number) =>
    ask(`${base}/claims/${id}/${action}${search({ lease: leaseMs })}`, { method: "POST" }).then(() => undefined);
  const documents = (path: "ontologies" | "rules") => ({
    put: ({ name, content, contentType }: NamedDocument) =>
      json<Awaited<ReturnType<ContractClient["putRule"]>>>(send(`/${path}/${name}`, "PUT", { "content-type": contentType }, content)),
    get: async (name: string): Promise<NamedDocument> => {
      const response = await ask(`${base}/${path}/${name}`);
      return { name, contentType: (response.headers.get("content-type") ?? "").split(";", 1)[0], content: await response.text() };
    },
    delete: (name: string) => json<Awaited<ReturnType<ContractClient["putRule"]>>>(send(`/${path}/${name}`, "DELETE")),
    list: async () => (await askJson<Record<string, string[]>>(`${base}/${path}`))[path],
  });
  const ontologies = documents("ontologies");
  const rules = documents("rules");
  return {
    publish: change("publish"),
    retract: change("retract"),
    update: (text, key) => json(send("/update", "POST", { "content-type": "application/sparql-update", "idempotency-key": key }, text)),
    select: async (text) =>
      ((await sparqlJson(text)).results?.bindings ?? []).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, term]) => [name, String(term.value)])),
      ),
    ask: async (text) => (await sparqlJson(text)).boolean === true,
    construct: async (text) => sortLines(await (await query(text, "application/n-triples")).text()),
    subscribe: (request) => subscribe(base, request, gone.signal),
    unsubscribe: (id) => ask(`${base}/subscriptions/${id}`, { method: "DELETE" }).then(() => undefined),
    subscriptions: async () =>
      (await askJson<{ subscriptions: { subscription: string }[] }>(`${base}/subscriptions`)).subscriptions.map((one) => one.subscription),
    result: async (id) => sortLines(await (await ask(`${base}/subscriptions/${id}/result`)).text()),
    receive: (text, options) => wait("receive", text, options),
    tryReceive: (text) => wait("try-receive", text),
    remove: (text, options) => wait("remove", text, options),
    tryRemove: (text, options) => wait("try-remove", text, options),
    confirm: (id) => claim(id, "confirm"),
    release: (id) => claim(id, "release"),
    extend: (id, leaseMs) => claim(id, "extend", leaseMs),
    claims: async (state) => (await askJson<{ claims: ClaimStatus[] }>(`${base}/claims${search({ state })}`)).claims,
    requeue: (id) => json(send(`/claims/${id}/requeue`, "POST")),
    discard: (id) => ask(`${base}/claims/${id}`, { method: "DELETE" }).then(() => undefined),
    registerInsertion: (text, options) => json(send("/insertions", "POST", JSON_BODY, JSON.stringify({ query: text, ...options }))),
    unregisterInsertion: (id) => ask(`${base}/insertions/${id}`, { method: "DELETE" }).then(() => undefined),
    insertions: async () => (await askJson<{ insertions: [] }>(`${base}/insertions`)).insertions,
    putOntology: ontologies.put,
    getOntology: ontologies.get,
    deleteOntology: ontologies.delete,
    ontologies: ontologies.list,
    putRule: rules.put,
    getRule: rules.get,
    deleteRule: rules.delete,
    rules: rules.list,
    explain: (statement) => json<Proof>(send("/explain", "POST", { "content-type": "application/n-triples" }, statement)),
    changes: async (after) => {
      const text = await (await ask(`${base}/changes${search({ after })}`)).text();
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ChangesEntry);
    },
    close: async () => gone.abort(),
  };
}

async function subscribe(base: string, request: SubscribeRequest, gone: AbortSignal): Promise<ContractSubscription> {
  const { from, reset, ...body } = request;
  const { subscription, cursor, mode } = await askJson<{ subscription: string; cursor: string; mode: "incremental" }>(
    `${base}/subscriptions`,
    {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify(body),
    },
  );
  const closed = new AbortController();
  const signal = AbortSignal.any([closed.signal, gone]);
  const events = await ask(`${base}/subscriptions/${subscription}/events${search({ from, reset })}`, { signal });
  const mailbox = new Mailbox<Notification>();
  readEvents(events, mailbox).catch((error: unknown) => mailbox.end(error));
  return { id: subscription, cursor, mode, next: () => mailbox.take(), close: async () => closed.abort() };
}

async function readEvents(response: Response, mailbox: Mailbox<Notification>): Promise<void> {
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (data === undefined) continue;
      const value: unknown = JSON.parse(data);
      if (lines.includes("event: end")) {
        const { code, detail } = value as { code: SensError["code"]; detail: string };
        mailbox.end(new SensError(code, detail));
      } else {
        const notification = value as Notification;
        if (!lines.includes(`id: ${notification.cursor}`)) throw new Error(`the event of ${notification.cursor} has another id`);
        mailbox.put(sortedNotification(notification));
      }
    }
  }
}

async function takenOf(response: Response): Promise<Taken> {
  const { headers } = response;
  const number = (name: string): number | undefined => (headers.has(name) ? Number(headers.get(name)) : undefined);
  return {
    graph: response.status === 204 ? undefined : sortLines(await response.text()),
    cursor: headers.get("sens-cursor") ?? undefined,
    claim: headers.get("sens-claim") ?? undefined,
    deliveries: number("sens-deliveries"),
    stillEntailed: number("sens-still-entailed"),
    nothingAsserted: headers.get("sens-nothing-asserted") === "true" ? true : undefined,
  };
}

function search(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
