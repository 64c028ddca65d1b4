/** One suite for every ChangeLog. What only a file can do (restart, damage) is in sqlite-change-log.test.ts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChangeLog, type ChangeRecord, ManualClock, seededRandom, silentLogger } from "../base/index.ts";
import { openChangeLog } from "./index.ts";

const HOUR_MS = 3_600_000;

function publish(revision: number, wallMs = 1_000 + revision): ChangeRecord {
  return {
    transaction: {
      revision,
      wallMs,
      asserted: `<http://e/${revision}> <http://e/p> "value ${revision}" .\n`,
      retracted: "",
      derivedAdded: "",
      derivedRemoved: "",
      notifications: [],
    },
    registrations: [],
  };
}

function notify(revision: number, ...subscriptions: string[]): ChangeRecord {
  const { transaction } = publish(revision);
  if (!transaction) throw new Error("a publish has a transaction");
  const notifications = subscriptions.map((subscription) => ({
    subscription,
    added: `<http://e/${revision}> <http://e/q> "${subscription}" .\n`,
    removed: "",
  }));
  return {
    transaction: { ...transaction, derivedAdded: `<http://e/${revision}> <http://e/d> <http://e/o> .\n`, notifications },
    registrations: [],
  };
}

const subscription = (id: string, sinceRevision = 0) =>
  ({ put: "subscription", value: { id, name: id, query: "CONSTRUCT WHERE { ?s ?p ?o }", options: "{}", sinceRevision } }) as const;
const key = (name: string, wallMs: number) =>
  ({ put: "idempotency", value: { key: name, digest: "d", answer: `{"revision":1}`, wallMs } }) as const;

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(["memory", "sqlite"])("change log in %s", (kind) => {
  let directory: string;
  let log: ChangeLog;

  const make = (limits = {}): ChangeLog => {
    const file = kind === "memory" ? ":memory:" : join(directory, "a.db");
    return openChangeLog({ file, clock: new ManualClock(), random: seededRandom(1), logger: silentLogger, limits });
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sens-log-"));
    log = make();
  });

  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  test("a new log is empty and has an epoch", async () => {
    const state = await log.open();
    expect(state).toMatchObject({ revision: 0, snapshot: undefined, subscriptions: [], insertions: [], documents: [], claims: [] });
    expect(state.epoch).toMatch(/^[0-9a-f]{16}$/);
    expect(await collect(state.transactions)).toEqual([]);
    expect(await log.changesAfter(0, 10)).toEqual([]);
    expect(await log.verify()).toEqual({ ok: true, revision: 0, transactions: 0, problems: [] });
  });

  test("appended transactions come back whole and in order", async () => {
    await log.open();
    const records = [publish(1), notify(2, "a", "b"), publish(3)];
    await log.append(records.slice(0, 2));
    await log.append(records.slice(2));
    expect(await log.changesAfter(0, 10)).toEqual(records.map((record) => record.transaction));
    expect(await log.changesAfter(1, 1)).toEqual([records[1]?.transaction]);
    expect(await log.changesAfter(3, 10)).toEqual([]);
    expect(await log.changesAfter(99, 10)).toEqual([]);
    expect(await log.verify()).toMatchObject({ ok: true, revision: 3, transactions: 3 });
  });

  test("texts keep every character, large ones and NUL included", async () => {
    await log.open();
    const odd = `<http://e/s> <http://e/p> "9007199254740993 \u0000 \u{1F600} \ufeff \u2028 \\u0000" .\n`;
    const large = odd.repeat(20_000);
    const noise = Array.from({ length: 3_000 }, () => String.fromCharCode(32 + Math.floor(Math.random() * 5_000))).join("");
    const transaction = {
      revision: 1,
      wallMs: 12.5,
      asserted: large,
      retracted: odd,
      derivedAdded: noise,
      derivedRemoved: large,
      notifications: [{ subscription: `x "y" \u{1F600}`, added: large, removed: odd }],
    };
    await log.append([{ transaction, registrations: [subscription(`x "y" \u{1F600}`)] }]);
    expect(await log.changesAfter(0, 1)).toEqual([transaction]);
    expect(await log.notificationsAfter(`x "y" \u{1F600}`, 0, 5)).toEqual([{ revision: 1, added: large, removed: odd }]);
    expect((await log.verify()).problems).toEqual([]);
  });

  test("a lone surrogate is refused and nothing is written", async () => {
    await log.open();
    const { transaction } = publish(1);
    await expect(log.append([{ transaction: transaction && { ...transaction, asserted: "\ud800" }, registrations: [] }])).rejects.toThrow(
      "lone surrogate",
    );
    await log.append([publish(1)]);
    expect(await log.changesAfter(0, 10)).toHaveLength(1);
  });

  test("a revision out of order is refused with the whole batch, and the log goes on", async () => {
    await log.open();
    await expect(log.append([publish(1), publish(3)])).rejects.toThrow("revision 3 after 1");
    await log.append([publish(1), publish(2)]);
    expect(await log.changesAfter(0, 10)).toHaveLength(2);
  });

  test("appends must not overlap", async () => {
    await log.open();
    const first = log.append([publish(1)]);
    await expect(log.append([publish(2)])).rejects.toThrow("before the one before");
    await first;
    await log.append([publish(2)]);
  });

  test("the feed of one subscription has its deltas only, from any revision", async () => {
    await log.open();
    await log.append([{ registrations: [subscription("a"), subscription("late", 3)] }]);
    await log.append([notify(1, "a"), notify(2, "ab"), { registrations: [key("k", 1)] }, notify(3, "ab", "a"), publish(4)]);
    const revisions = async (id: string, after: number, limit = 10) =>
      (await log.notificationsAfter(id, after, limit))?.map((delta) => delta.revision);
    expect(await revisions("a", 0)).toEqual([1, 3]);
    expect(await revisions("a", 1)).toEqual([3]);
    expect(await revisions("a", 0, 1)).toEqual([1]);
    expect(await revisions("a", 4)).toEqual([]);
    expect(await revisions("late", 2)).toBeUndefined();
    expect(await revisions("late", 3)).toEqual([]);
    expect(await revisions("unknown", 0)).toBeUndefined();
  });

  test("feeds longer than one slice are complete", async () => {
    await log.open();
    await log.append([{ registrations: [subscription("a")] }]);
    const count = 9_000;
    await log.append(Array.from({ length: count }, (_, i) => (i % 3_000 === 2_999 ? notify(i + 1, "a") : publish(i + 1))));
    expect(await log.changesAfter(0, count + 1)).toHaveLength(count);
    expect((await log.notificationsAfter("a", 0, 10))?.map((delta) => delta.revision)).toEqual([3_000, 6_000, 9_000]);
    expect(await log.notificationsAfter("a", 0, 2)).toHaveLength(2);
  });

  test("an idempotency key is found with its answer, and the last put holds", async () => {
    await log.open();
    await log.append([{ registrations: [key("k", 5)] }]);
    expect(await log.idempotency("k")).toEqual({ key: "k", digest: "d", answer: `{"revision":1}`, wallMs: 5 });
    await log.append([{ registrations: [key("k", 6)] }]);
    expect(await log.idempotency("k")).toMatchObject({ wallMs: 6 });
    expect(await log.idempotency("other")).toBeUndefined();
    expect((await log.verify()).problems).toEqual([]);
  });

  test("registrations can be put, replaced and deleted in one batch", async () => {
    await log.open();
    const claim = { id: "c", quads: "<a:a> <a:b> <a:c> .\n", leaseMs: 1_000, deliveries: 1, order: Number.MAX_SAFE_INTEGER, dead: false };
    const document = { kind: "ontology", name: "o", contentType: "text/turtle", content: "# é\n" } as const;
    await log.append([
      { registrations: [subscription("a"), subscription("a", 7), { put: "claim", value: claim }, { put: "document", value: document }] },
      {
        registrations: [
          { delete: "claim", id: "c" },
          { delete: "claim", id: "absent" },
          { delete: "document", kind: "rules", name: "o" },
        ],
      },
      {
        registrations: [
          { delete: "document", kind: "ontology", name: "o" },
          { put: "document", value: document },
        ],
      },
    ]);
    expect((await log.verify()).problems).toEqual([]);
  });

  test("a snapshot is taken while appends go on", async () => {
    await log.open();
    await log.append([publish(1), publish(2)]);
    async function* quads(): AsyncGenerator<string> {
      yield "<a:a> <a:b> <a:c> .\n".repeat(40_000);
      await log.append([publish(3)]);
      yield "<a:a> <a:b> <a:d> .\n";
    }
    await log.writeSnapshot({ revision: 2, quads: quads() });
    expect(await log.changesAfter(2, 10)).toHaveLength(1);
    expect((await log.verify()).problems).toEqual([]);
    await log.writeSnapshot({ revision: 3, quads: pieces() });
    expect((await log.verify()).problems).toEqual([]);
  });

  test("a snapshot whose source fails leaves the one before", async () => {
    await log.open();
    await log.append([publish(1)]);
    await log.writeSnapshot({ revision: 1, quads: pieces("<a:a> <a:b> <a:c> .\n") });
    async function* failing(): AsyncGenerator<string> {
      yield "<a:a> <a:b> <a:d> .\n".repeat(40_000);
      throw new Error("source failed");
    }
    await expect(log.writeSnapshot({ revision: 1, quads: failing() })).rejects.toThrow("source failed");
    await log.writeSnapshot({ revision: 1, quads: pieces("<a:a> <a:b> <a:e> .\n") });
    expect((await log.verify()).problems).toEqual([]);
  });

  test("trim forgets what retention does not cover, and says so to old cursors", async () => {
    await log.open();
    await log.append([{ registrations: [subscription("a"), key("old", 0), key("new", 20 * HOUR_MS)] }]);
    await log.append([publish(1, 0), publish(2, HOUR_MS), publish(3, 20 * HOUR_MS), publish(4, 21 * HOUR_MS)]);
    await log.writeSnapshot({ revision: 4, quads: pieces("<a:a> <a:b> <a:c> .\n") });
    await log.trim(30 * HOUR_MS);
    expect(await log.idempotency("old")).toBeUndefined();
    expect(await log.idempotency("new")).toBeDefined();
    // The row of the registrations was appended at the clock's time, which is later: nothing after it may go before it.
    expect(await log.changesAfter(0, 10)).toHaveLength(4);
    await log.trim(new ManualClock().wallMs() + 30 * HOUR_MS);
    expect(await log.changesAfter(3, 10)).toBeUndefined();
    expect(await log.notificationsAfter("a", 3, 10)).toBeUndefined();
    expect(await log.changesAfter(4, 10)).toEqual([]);
    await log.append([publish(5)]);
    expect(await log.changesAfter(4, 10)).toHaveLength(1);
    expect((await log.verify()).problems).toEqual([]);
  });

  test("trim keeps the log below its size", async () => {
    await log.close();
    log = make({ deltaRetentionBytes: 20_000 });
    await log.open();
    const now = new ManualClock().wallMs();
    await log.append(Array.from({ length: 1_000 }, (_, i) => publish(i + 1, now)));
    await log.writeSnapshot({ revision: 1_000, quads: pieces("<a:a> <a:b> <a:c> .\n") });
    await log.trim(now);
    expect(await log.changesAfter(0, 10)).toBeUndefined();
    const kept = await log.changesAfter(990, 100);
    expect(kept).toHaveLength(10);
    expect((await log.verify()).problems).toEqual([]);
  });

  test("after close every call is refused, and closing again is nothing", async () => {
    await log.open();
    await log.close();
    await log.close();
    await expect(log.append([publish(1)])).rejects.toMatchObject({ code: "SENS_SHUTTING_DOWN" });
  });
});
