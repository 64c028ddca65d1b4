/** How the figures stand to what was aimed at. Missing a number is a line here, never a failed run. */
import { figure } from "./figure.ts";
import type { Measured } from "./measured.ts";

/** Ticks in which a row was born and died, rank, flags. */
const MARK_BYTES = 13;

export function aims(measured: Measured): string[][] {
  const value = (name: string, figureName: string): number | undefined =>
    measured.find(([benchCase]) => benchCase.name === name)?.[1].figures[figureName];
  const rows: string[][] = [];
  const add = (what: string, aim: number, got: number | undefined, atMost: boolean): void => {
    if (got === undefined || !Number.isFinite(got)) return;
    rows.push([what, `${atMost ? "<=" : ">="} ${figure(aim)}`, figure(got), (atMost ? got <= aim : got >= aim) ? "reached" : "missed"]);
  };
  add("triples/CPU-s into all indexes", 800_000, value("store-sens-store-1m", "insertPerS"), false);
  // The prototype kept no revisions and no reasons.
  const ownBytes = value("store-sens-store-1m", "ownBytesPerQuad");
  add("bytes per quad, beside its revision marks, rank and flags", 74, ownBytes === undefined ? undefined : ownBytes - MARK_BYTES, true);
  add(
    "explicit triples/CPU-s, N-Triples bytes through reasoning, 1,000,000",
    300_000,
    value("load-sens-engine-1m", "triplesPerCpuS"),
    false,
  );
  add(
    "CPU us per publish of 8 triples, 100,000 subscriptions, 1,000,000 triples",
    20,
    value("notify-sens-engine-1m-100k", "publish8Us"),
    true,
  );
  add(
    "CPU us per publish of 8 triples, 100,000 subscriptions, 10,000 triples",
    20,
    value("notify-sens-engine-10k-100k", "publish8Us"),
    true,
  );
  add("CPU us to delete a fact from 1,000,000", 1000, value("delete-sens-engine-1m", "factUs"), true);
  const small = value("notify-sens-engine-10k-1", "publishUs");
  const ratio = (name: string): number | undefined => {
    const cost = value(name, "publishUs");
    return small === undefined || cost === undefined ? undefined : cost / small;
  };
  add("publish, 100,000 subscriptions to 1 (10,000 triples)", 2, ratio("notify-sens-engine-10k-100k"), true);
  add("publish, 1,000,000 triples to 10,000 (1 subscription)", 2, ratio("notify-sens-engine-1m-1"), true);
  add("publish, largest to smallest", 2, ratio("notify-sens-engine-1m-100k"), true);
  return rows;
}
