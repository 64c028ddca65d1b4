/**
 * The law: after every transaction of a random history over a random program, what the engine maintains equals what a
 * naive evaluator computes from scratch, and the deltas sum up to the result; a rolled back or undone transaction leaves
 * no trace. SENS_SEED picks the first seed, so that a failure can be replayed alone.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { thresholds } from "../../src/engine/index.ts";
import { checkLaw } from "./engine-law.ts";

const FULL = process.env.SENS_FULL === "1";
const FIRST = Number(process.env.SENS_SEED ?? (FULL ? Math.floor(Date.now() / 1000) % 1_000_000_000 : 1));
const HISTORIES = FULL ? 40_000 : 2_000;
const BATCH = HISTORIES / 10;

const usual = { ...thresholds };

describe(`engine, seeds ${FIRST} to ${FIRST + HISTORIES - 1}`, () => {
  for (let from = FIRST; from < FIRST + HISTORIES; from += BATCH) {
    it(`maintained equals recomputed, seeds from ${from}`, { timeout: 120_000 }, () => {
      // In every other batch small columns grow in place, which leaves no old view usable, and small postings are hashed.
      if (((from - FIRST) / BATCH) % 2 === 1)
        Object.assign(thresholds, { columnInPlace: 32, pairsListed: { subject: 2, object: 2 }, rowsScanned: 1 });
      onTestFinished(() => {
        Object.assign(thresholds, usual);
      });
      let transactions = 0;
      let refused = 0;
      for (let seed = from; seed < from + BATCH; seed++) {
        const done = checkLaw(seed);
        transactions += done.transactions;
        refused += done.refused;
      }
      // The generator must not degenerate into refusals.
      expect(refused).toBeLessThan(transactions / 4);
    });
  }
});
