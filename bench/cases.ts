/**
 * The cases of `npm run bench`: what is measured, with whom, at which sizes. `quick` cases also run with --quick.
 * Budgets are of wall time, for the measured part; a case is killed a while after its budget.
 */
import type { CaseSettings } from "./measure/outcome.ts";

export type TableName = "load" | "notify" | "delete" | "store" | "surface";

export interface BenchCase extends CaseSettings {
  readonly name: string;
  readonly table: TableName;
  /** Runs whose median is reported. */
  readonly runs: number;
  readonly isQuick: boolean;
}

export const CONTENDERS: Readonly<Record<string, string>> = {
  "sens-engine": "SENS engine",
  "sens-memory": "SENS, in process, memory",
  "sens-durable": "SENS, in process, durable",
  "sens-http-memory": "SENS, HTTP to WebSocket, memory",
  "sens-http": "SENS, HTTP to WebSocket, durable",
  "db-ivm": "db-ivm, N3.js parser",
  "db-ivm-split": "db-ivm, lines split",
  n3: "N3.js Reasoner",
  "sens-store": "SENS quad relation",
  "n3-store": "N3.js Store",
  comunica: "Comunica, asked again",
};

const K = 1000;
const M = 1_000_000;

function label(count: number): string {
  return count >= M ? `${count / M}m` : count >= K ? `${count / K}k` : String(count);
}

interface Options {
  readonly runs?: number;
  readonly budget?: number;
  readonly quick?: boolean;
  readonly subscriptions?: number;
}

function bench(table: TableName, contender: string, triples: number, options: Options = {}): BenchCase {
  const { runs = 1, budget = 30, quick = false, subscriptions } = options;
  const parts = [table, contender, label(triples), ...(subscriptions === undefined ? [] : [label(subscriptions)])];
  return { name: parts.join("-"), table, contender, triples, runs, budgetSeconds: budget, isQuick: quick, quick: false, subscriptions };
}

const LOADS = [
  bench("load", "sens-engine", 10 * K, { runs: 3, quick: true }),
  bench("load", "sens-memory", 10 * K, { runs: 3, quick: true }),
  bench("load", "sens-durable", 10 * K, { runs: 3 }),
  bench("load", "db-ivm", 10 * K, { runs: 3, quick: true }),
  bench("load", "db-ivm-split", 10 * K, { runs: 3 }),
  bench("load", "n3", 10 * K, { budget: 20 }),
  bench("load", "sens-engine", 100 * K, { runs: 3, quick: true }),
  bench("load", "sens-memory", 100 * K, { runs: 3, quick: true }),
  bench("load", "sens-durable", 100 * K),
  bench("load", "db-ivm", 100 * K, { runs: 3, quick: true }),
  bench("load", "db-ivm-split", 100 * K, { runs: 3, quick: true }),
  bench("load", "n3", 100 * K, { budget: 10 }),
  bench("load", "sens-engine", M, { budget: 60 }),
  bench("load", "sens-memory", M, { budget: 60 }),
  bench("load", "sens-durable", M, { budget: 60 }),
  bench("load", "db-ivm", M, { budget: 60 }),
  bench("load", "db-ivm-split", M, { budget: 60 }),
];

const NOTIFIES = [
  ...[10 * K, M].flatMap((triples) =>
    [1, 100, 10 * K, 100 * K].map((subscriptions) =>
      bench("notify", "sens-engine", triples, { subscriptions, budget: 90, quick: triples === 10 * K && subscriptions <= 10 * K }),
    ),
  ),
  bench("notify", "sens-memory", 10 * K, { subscriptions: 1, quick: true }),
  bench("notify", "sens-memory", 10 * K, { subscriptions: 10 * K }),
  bench("notify", "sens-memory", M, { subscriptions: 100, budget: 90 }),
  bench("notify", "sens-durable", 10 * K, { subscriptions: 100, budget: 15, quick: true }),
  ...[1, 100, 10 * K, 100 * K].map((subscriptions) => bench("notify", "db-ivm", 10 * K, { subscriptions, quick: subscriptions === 100 })),
  bench("notify", "db-ivm", M, { subscriptions: 100, budget: 60 }),
  bench("notify", "db-ivm", M, { subscriptions: 10 * K, budget: 60 }),
  bench("notify", "db-ivm-split", 10 * K, { subscriptions: 100, quick: true }),
  bench("notify", "db-ivm-split", M, { subscriptions: 10 * K, budget: 60 }),
  bench("notify", "n3", 10 * K, { subscriptions: 1, budget: 10 }),
  bench("notify", "n3", 10 * K, { subscriptions: 100, budget: 10, quick: true }),
  bench("notify", "comunica", 10 * K, { subscriptions: 1, budget: 8 }),
  bench("notify", "comunica", 10 * K, { subscriptions: 100, budget: 10, quick: true }),
];

const DELETES = [
  ...[10 * K, 100 * K, M].map((triples) =>
    bench("delete", "sens-engine", triples, { runs: triples < M ? 3 : 1, quick: triples === 10 * K }),
  ),
  bench("delete", "sens-memory", 100 * K, { quick: true }),
  ...[10 * K, 100 * K, M].map((triples) => bench("delete", "db-ivm", triples, { runs: triples < M ? 3 : 1, quick: triples === 10 * K })),
  bench("delete", "n3", 10 * K, { budget: 10, quick: true }),
];

const STORES = [
  bench("store", "sens-store", 100 * K, { runs: 3, quick: true }),
  bench("store", "n3-store", 100 * K, { runs: 1, quick: true }),
  bench("store", "sens-store", M, { budget: 60 }),
  bench("store", "n3-store", M, { budget: 90 }),
];

const SURFACES = [
  bench("surface", "sens-http-memory", 10 * K, { subscriptions: 100, budget: 12 }),
  bench("surface", "sens-http", 10 * K, { subscriptions: 100, budget: 15, quick: true }),
  bench("surface", "sens-http", 100 * K, { subscriptions: 1000, budget: 15 }),
];

export const CASES: readonly BenchCase[] = [...LOADS, ...NOTIFIES, ...DELETES, ...STORES, ...SURFACES];
