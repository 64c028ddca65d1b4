/** The SDK against a real server whose lines are cut and which is restarted. Cases P70 and P103. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SensError, seededRandom } from "../../src/base/index.ts";
import { connect, type Notification, type SensClient, writeNQuads } from "../../src/client/index.ts";
import { startServer } from "../../src/server/index.ts";
import { CuttableProxy } from "./cuttable-proxy.ts";

type Server = Awaited<ReturnType<typeof startServer>>;
const QUERY = "CONSTRUCT WHERE { ?s <urn:n> ?n }";

let folder: string;
let closing: (() => Promise<void> | void)[] = [];
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sens-recovery-"));
  closing = [];
  unhandled.length = 0;
  process.on("unhandledRejection", onUnhandled);
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});

async function start(port = 0): Promise<Server> {
  const server = await startServer({ host: "127.0.0.1", port, data: join(folder, "kb.db"), reasoning: "none", ontologies: [] });
  closing.push(() => server.close());
  return server;
}

async function client(url: string): Promise<SensClient> {
  const connected = await connect(url, { backoffMaxMs: 300 });
  closing.push(() => connected.close());
  return connected;
}

/** Collects notifications, and tells when a value has been seen. */
class Collected {
  readonly all: Notification[] = [];
  #check: () => void = () => undefined;

  readonly add = (notification: Notification): void => {
    this.all.push(notification);
    this.#check();
  };

  /** How often a value was in what was added. */
  times(value: string): number {
    return this.all.flatMap(({ added }) => added).filter(({ object }) => object.value === value).length;
  }

  saw(value: string): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (this.times(value) > 0) resolve();
      };
      this.#check();
    });
  }
}

describe("recovery", () => {
  it("after a restart each change arrives once per subscription, and the receive still waits", async () => {
    const first = await start();
    const subscriber = await client(first.url);
    const collected = [new Collected(), new Collected(), new Collected()];
    await subscriber.subscribe(QUERY, { name: "durable", onNotification: collected[0]?.add });
    await subscriber.subscribe(QUERY, { onNotification: collected[1]?.add });
    await subscriber.subscribe(QUERY, { removals: true, onNotification: collected[2]?.add });
    const waiting = subscriber.receive("CONSTRUCT WHERE { ?s <urn:awaited> ?o }", { timeoutMs: 60_000 });
    await (await client(first.url)).publish('<urn:a> <urn:n> "before" .');
    await Promise.all(collected.map((one) => one.saw("before")));
    await first.close();
    const second = await start(Number(new URL(first.url).port));
    const writer = await client(second.url);
    await writer.publish('<urn:a> <urn:n> "after" .');
    await Promise.all(collected.map((one) => one.saw("after")));
    for (const one of collected) {
      expect(one.times("after")).toBe(1);
      // What came before comes again only as part of a whole result that says so.
      expect(one.times("before")).toBe(1 + one.all.filter(({ reset }) => reset).length);
    }
    expect(collected[0]?.all.some(({ reset }) => reset)).toBe(false);
    await writer.publish("<urn:a> <urn:awaited> <urn:b> .");
    expect((await waiting)?.quads).toHaveLength(1);
  });

  it("over a line that is cut again and again, every change arrives once and in order, and is made once", async () => {
    const server = await start();
    const proxy = await CuttableProxy.before(server.url);
    closing.push(() => proxy.close());
    const subscriber = await client(proxy.url);
    const writer = await client(proxy.url);
    const collected = new Collected();
    await subscriber.subscribe(QUERY, { onNotification: collected.add });
    const from = await (await client(server.url)).cursor();
    const random = seededRandom(11);
    const values = Array.from({ length: 60 }, (_, i) => `v${String(i).padStart(2, "0")}`);
    for (const value of values) {
      const publishing = writer.publish(`<urn:a> <urn:n> "${value}" .`);
      if (random.next() < 0.2) proxy.cut();
      expect((await publishing).added).toBe(1);
    }
    await collected.saw("v59");
    expect(collected.all.flatMap(({ added }) => added.map(({ object }) => object.value))).toEqual(values);
    expect(collected.all.some(({ reset }) => reset)).toBe(false);
    const asserted: string[] = [];
    for await (const change of (await client(server.url)).changes({ after: from, untilNow: true }))
      asserted.push(writeNQuads(change.asserted));
    expect(asserted).toEqual(values.map((value) => `<urn:a> <urn:n> "${value}" .\n`));
    expect(proxy.cuts).toBeGreaterThan(5);
  });

  it("workers over cut lines do no task twice, and lose none without being told", async () => {
    const server = await start();
    const proxy = await CuttableProxy.before(server.url);
    closing.push(() => proxy.close());
    const producer = await client(server.url);
    const tasks = Array.from({ length: 12 }, (_, i) => `urn:task${i}`);
    await producer.publish(tasks.map((task) => `<${task}> <urn:todo> "x" .\n`).join(""));
    const done: string[] = [];
    let unknown = 0;
    const work = async (): Promise<void> => {
      const worker = await client(proxy.url);
      while (done.length + unknown < tasks.length) {
        const removing = worker.remove("CONSTRUCT { ?t <urn:todo> ?x } WHERE { ?t <urn:todo> ?x } LIMIT 1", { timeoutMs: 500 });
        if (done.length % 5 === 2) proxy.cut();
        try {
          for (const { subject } of (await removing)?.quads ?? []) done.push(subject.value);
        } catch (error) {
          if (!(error instanceof SensError && error.code === "SENS_OUTCOME_UNKNOWN")) throw error;
          unknown++;
        }
      }
    };
    await Promise.all([work(), work()]);
    expect(new Set(done).size).toBe(done.length);
    expect(done.length + unknown).toBe(tasks.length);
    expect(await producer.tryReceive("CONSTRUCT WHERE { ?t <urn:todo> ?x }")).toBeUndefined();
    expect(proxy.cuts).toBeGreaterThan(0);
  });

  it("a remove whose caller gave up takes nothing later", async () => {
    const server = await start();
    const taker = await client(server.url);
    const query = "CONSTRUCT WHERE { ?s <urn:quiet> ?o }";
    expect(await taker.remove(query, { timeoutMs: 100 })).toBeUndefined();
    const controller = new AbortController();
    const aborted = taker.remove(query, { signal: controller.signal });
    await taker.cursor();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "SENS_CANCELLED" });
    await (await client(server.url)).publish("<urn:a> <urn:quiet> <urn:b> .");
    expect((await taker.remove(query, { timeoutMs: 5_000 }))?.quads).toHaveLength(1);
  });
});
