/** The subprotocol `sens.v1`, spoken by hand. */
import { WebSocket } from "ws";
import { SensError } from "../../src/base/index.ts";
import type {
  ClaimStatus,
  NamedDocument,
  Notification,
  ServerFrame,
  SparqlJson,
  SubscribeAnswer,
  WaitResultFields,
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
  type WaitOptions,
} from "./client.ts";

export const overWebSocket: Surface = {
  name: "WebSocket",
  async open(service) {
    const server = await serve(service, { port: 0 });
    return { service, connect: () => connectSocket(server.url), close: () => server.close() };
  },
};

type Answer = Record<string, unknown>;

async function connectSocket(url: string): Promise<ContractClient> {
  const socket = new WebSocket(`${url.replace("http:", "ws:")}/ws`, "sens.v1");
  await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
  return clientOf(new FrameClient(socket));
}

class FrameClient {
  readonly #socket: WebSocket;
  readonly #calls = new Map<string, { resolve(answer: Answer): void; reject(error: unknown): void }>();
  readonly #subscriptions = new Map<string, Mailbox<Notification>>();
  #nextId = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(JSON.parse(data.toString()) as ServerFrame));
    socket.on("close", (code) => {
      for (const call of this.#calls.values()) call.reject(new Error(`closed with ${code}`));
    });
  }

  call(op: string, fields: object = {}, signal?: AbortSignal): Promise<Answer> {
    const id = String(this.#nextId++);
    signal?.addEventListener("abort", () => void this.call("cancel", { request: id }).catch(() => undefined), { once: true });
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, op, ...fields }));
    });
  }

  mailbox(subscription: string): Mailbox<Notification> {
    const mailbox = this.#subscriptions.get(subscription) ?? new Mailbox<Notification>();
    this.#subscriptions.set(subscription, mailbox);
    return mailbox;
  }

  forget(subscription: string): void {
    this.#subscriptions.delete(subscription);
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.close();
    await closed;
  }

  #receive(frame: ServerFrame): void {
    if (!("ok" in frame)) {
      if (frame.type === "notification") this.mailbox(frame.subscription as string).put(sortedNotification(frame as Notification));
      if (frame.type === "end") {
        const { code, detail } = frame.error as { code: SensError["code"]; detail: string };
        this.mailbox(frame.subscription as string).end(new SensError(code, detail));
      }
      return;
    }
    const call = this.#calls.get(String(frame.id));
    this.#calls.delete(String(frame.id));
    if (frame.ok) call?.resolve(fieldsOf(frame));
    else {
      const { code, detail } = frame.error as { code: SensError["code"]; detail: string };
      call?.reject(new SensError(code, detail));
    }
  }
}

function fieldsOf({ id: _id, ok: _ok, ...fields }: Answer): Answer {
  return fields;
}

function clientOf(frames: FrameClient): ContractClient {
  const call = async <T>(op: string, fields?: object, signal?: AbortSignal): Promise<T> => (await frames.call(op, fields, signal)) as T;
  const wait = async (
    op: string,
    query: string,
    { timeoutMs, leaseMs, graph, signal }: WaitOptions & { leaseMs?: number; graph?: string } = {},
  ) => takenOf(await call<WaitResultFields>(op, { query, timeout: timeoutMs, lease: leaseMs, graph }, signal));
  const document = ({ name, content, contentType }: NamedDocument) => ({ name, data: content, contentType });
  return {
    publish: (data, options) => call("publish", { data, ...options }),
    retract: (data, options) => call("retract", { data, ...options }),
    update: (update, key) => call("update", { update, key }),
    select: async (query) => {
      const { result } = await call<{ result: SparqlJson }>("query", { query });
      return (result.results?.bindings ?? []).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, term]) => [name, String(term.value)])),
      );
    },
    ask: async (query) => (await call<{ result: SparqlJson }>("query", { query })).result.boolean === true,
    construct: async (query) => sortLines((await call<{ result: string }>("query", { query })).result),
    subscribe: async (request) => subscriptionOf(frames, await call<SubscribeAnswer>("subscribe", request)),
    unsubscribe: (subscription) => call("unsubscribe", { subscription }),
    subscriptions: async () =>
      (await call<{ subscriptions: { subscription: string }[] }>("subscriptions")).subscriptions.map((one) => one.subscription),
    result: async (subscription) => sortLines((await call<{ result: string }>("result", { subscription })).result),
    receive: (query, options) => wait("receive", query, options),
    tryReceive: (query) => wait("tryReceive", query),
    remove: (query, options) => wait("remove", query, options),
    tryRemove: (query, options) => wait("tryRemove", query, options),
    confirm: (claim) => call("confirm", { claim }),
    release: (claim) => call("release", { claim }),
    extend: (claim, lease) => call("extend", { claim, lease }),
    claims: async (state) => (await call<{ claims: ClaimStatus[] }>("claims", { state })).claims,
    requeue: (claim) => call("requeue", { claim }),
    discard: (claim) => call("discard", { claim }),
    registerInsertion: (query, options) => call("registerInsertion", { query, ...options }),
    unregisterInsertion: (insertion) => call("unregisterInsertion", { insertion }),
    insertions: async () => (await call<{ insertions: [] }>("insertions")).insertions,
    putOntology: (put) => call("putOntology", document(put)),
    getOntology: (name) => call("getOntology", { name }),
    deleteOntology: (name) => call("deleteOntology", { name }),
    ontologies: async () => (await call<{ ontologies: string[] }>("ontologies")).ontologies,
    putRule: (put) => call("putRule", document(put)),
    getRule: (name) => call("getRule", { name }),
    deleteRule: (name) => call("deleteRule", { name }),
    rules: async () => (await call<{ rules: string[] }>("rules")).rules,
    explain: async (statement) => (await call<{ proof: Awaited<ReturnType<ContractClient["explain"]>> }>("explain", { statement })).proof,
    changes: async (after) => (await call<{ entries: [] }>("changes", { after })).entries,
    close: () => frames.close(),
  };
}

function subscriptionOf(frames: FrameClient, { subscription, cursor, mode }: SubscribeAnswer): ContractSubscription {
  const mailbox = frames.mailbox(subscription);
  return {
    id: subscription,
    cursor,
    mode,
    next: () => mailbox.take(),
    close: async () => {
      await frames.call("detach", { subscription });
      frames.forget(subscription);
    },
  };
}

function takenOf({ result, cursor, claim, deliveries, stillEntailedCount, nothingAsserted }: WaitResultFields): Taken {
  return {
    graph: result === undefined ? undefined : sortLines(result),
    cursor,
    claim,
    deliveries,
    stillEntailed: stillEntailedCount,
    nothingAsserted,
  };
}
