/**
 * A workload whose whole state follows from a seed and the last revision, so that whatever a fault leaves behind can be
 * judged: nothing acknowledged may be missing, no batch may be there in part, nothing may be changed.
 */
import {
  type ChangeLog,
  type ChangeRecord,
  type Logger,
  seededRandom,
  silentLogger,
  systemClock,
  systemRandom,
} from "../../src/base/index.ts";
import { openChangeLog } from "../../src/storage/index.ts";

export const SUBSCRIPTION = "durable-one";
/** Small, so that a run trims. */
const RETENTION = { deltaRetentionBytes: 30_000 };

export function openLog(file: string, logger: Logger = silentLogger): ChangeLog {
  return openChangeLog({ file, clock: systemClock, random: systemRandom, logger, limits: RETENTION });
}

export function quadOf(revision: number): string {
  return `<http://e/s${revision}> <http://e/p> "value ${revision} ${"x".repeat((revision * 37) % 400)}" .\n`;
}

export function recordOf(revision: number): ChangeRecord {
  const removed = revision % 5 === 0 ? quadOf(revision - 3) : "";
  const notifications = revision % 3 === 0 ? [{ subscription: SUBSCRIPTION, added: quadOf(revision), removed }] : [];
  const claim = { id: `c${revision}`, quads: quadOf(revision), leaseMs: 1, deliveries: 1, order: revision, dead: false };
  return {
    transaction: {
      revision,
      wallMs: 1_000 + revision,
      asserted: quadOf(revision),
      retracted: removed,
      derivedAdded: "",
      derivedRemoved: "",
      notifications,
    },
    registrations: [
      { put: "idempotency", value: { key: `k${revision}`, digest: "d", answer: String(revision), wallMs: Date.now() } },
      { put: "claim", value: claim },
      { delete: "claim", id: `c${revision - 2}` },
    ],
  };
}

/** Last revision of each batch, for ever. */
export function* batchEnds(seed: number): Generator<number> {
  const random = seededRandom(seed);
  let end = 0;
  for (;;) {
    end += 1 + Math.floor(random.next() * 6);
    yield end;
  }
}

export function assertedAt(revision: number): string[] {
  const quads = new Set<string>();
  for (let r = 1; r <= revision; r++) {
    quads.add(quadOf(r));
    if (r % 5 === 0) quads.delete(quadOf(r - 3));
  }
  return [...quads].sort();
}

/** Appends batches from where the log stands until `until`, taking a snapshot and trimming now and then. */
export async function runWorkload(
  log: ChangeLog,
  seed: number,
  from: number,
  until: number,
  acknowledged: (revision: number) => void,
): Promise<void> {
  let last = from;
  let batches = 0;
  for (const end of batchEnds(seed)) {
    if (last >= until) return;
    if (end <= last) continue;
    const records: ChangeRecord[] = [];
    if (last === 0) {
      const value = { id: SUBSCRIPTION, name: SUBSCRIPTION, query: "CONSTRUCT WHERE { ?s ?p ?o }", options: "{}", sinceRevision: 0 };
      records.push({ registrations: [{ put: "subscription", value }] });
    }
    for (let revision = last + 1; revision <= end; revision++) records.push(recordOf(revision));
    await log.append(records);
    last = end;
    acknowledged(end);
    if (++batches % 25 !== 0) continue;
    await log.writeSnapshot({ revision: last, quads: inPieces(assertedAt(last)) });
    await log.trim(Date.now());
  }
}

/** Opens the log and judges what it holds. Answers its last revision; throws the log's error, or says what is wrong. */
export async function judge(file: string, seed: number, acknowledged: number, logger?: Logger): Promise<number> {
  const log = openLog(file, logger);
  try {
    const state = await log.open();
    const quads = new Set<string>();
    for await (const piece of state.snapshot?.quads ?? []) for (const line of linesOf(piece)) quads.add(line);
    let revision = state.snapshot?.revision ?? 0;
    for await (const transaction of state.transactions) {
      for (const line of linesOf(transaction.retracted)) quads.delete(line);
      for (const line of linesOf(transaction.asserted)) quads.add(line);
      revision = transaction.revision;
    }
    expectEqual("last revision", revision, state.revision);
    if (revision < acknowledged) throw new Error(`SILENT LOSS: revision ${acknowledged} was acknowledged, the log ends at ${revision}`);
    if (revision > 0) expectEqual("end of a batch", isBatchEnd(seed, revision), true);
    expectEqual("asserted quads", [...quads].sort(), assertedAt(revision));
    expectEqual(
      "subscriptions",
      state.subscriptions.map((s) => s.id),
      revision > 0 ? [SUBSCRIPTION] : [],
    );
    expectEqual(
      "claims",
      state.claims.map((c) => c.order),
      [revision - 1, revision].filter((r) => r > 0),
    );
    await judgeFeeds(log, revision);
    return revision;
  } finally {
    await log.close();
  }
}

async function judgeFeeds(log: ChangeLog, revision: number): Promise<void> {
  for (let r = 1; r <= revision; r++) expectEqual(`key of ${r}`, (await log.idempotency(`k${r}`))?.answer, String(r));
  let from = revision;
  while (from > 0 && (await log.changesAfter(from - 1, 1)) !== undefined) from--;
  const changes = (await log.changesAfter(from, revision + 1)) ?? [];
  expectEqual(
    "feed",
    changes.map((t) => t.asserted),
    range(from + 1, revision).map(quadOf),
  );
  const deltas = revision === 0 ? [] : await log.notificationsAfter(SUBSCRIPTION, from, revision + 1);
  expectEqual(
    "notifications",
    deltas?.map((d) => d.revision),
    range(from + 1, revision).filter((r) => r % 3 === 0),
  );
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i);
}

function isBatchEnd(seed: number, revision: number): boolean {
  for (const end of batchEnds(seed)) if (end >= revision) return end === revision;
  return false;
}

function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Error(`SILENT DAMAGE: ${what} is ${JSON.stringify(found)?.slice(0, 300)}, expected ${JSON.stringify(expected)?.slice(0, 300)}`);
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

async function* inPieces(lines: readonly string[]): AsyncGenerator<string> {
  for (let i = 0; i < lines.length; i += 50) yield lines.slice(i, i + 50).join("");
}
