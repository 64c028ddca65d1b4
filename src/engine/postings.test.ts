import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { finish, HashTable, mix } from "./hash-table.ts";
import { PairIndex } from "./pair-index.ts";
import { ASSERTED, DERIVED_TRANSITIVELY, QuadRelation } from "./quad-relation.ts";
import { QuadRows } from "./quad-rows.ts";
import { Relation } from "./relation.ts";
import { RowVectors } from "./row-vectors.ts";
import { thresholds } from "./thresholds.ts";

const usual = { ...thresholds };
afterEach(() => {
  Object.assign(thresholds, usual);
});

describe("HashTable", () => {
  it.each([0, 2])("of 2^%i segments finds exactly what was inserted and not removed, also with equal hashes", (bits) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 6 }), fc.boolean()), { maxLength: 300 }),
        (steps) => {
          const table = new HashTable(bits);
          const model = new Map<number, number>();
          for (const [v, bucket, add] of steps) {
            if (add && !model.has(v)) {
              table.insert(areaOf(bucket), hashOf(bucket), v);
              model.set(v, bucket);
            } else if (!add) {
              const known = model.get(v) ?? bucket;
              expect(table.remove(areaOf(known), hashOf(known), v)).toBe(model.has(v));
              model.delete(v);
            }
            for (const [expected, at] of model) expect(probe(table, areaOf(at), hashOf(at))).toContain(expected);
          }
        },
      ),
    );
  });

  it("splits an area of very many, so that no rehash is long", () => {
    const table = new HashTable(4);
    const area = areaOf(1);
    const count = 200_000;
    for (let v = 0; v < count; v++) table.insert(area, hashOf(v), v);
    table.insert(areaOf(2), hashOf(7), count);
    let longest = 0;
    for (let v = 0; v < count; v += 7) {
      longest = Math.max(longest, table.segment(area, hashOf(v)).length);
      expect(probe(table, area, hashOf(v))).toEqual([v]);
    }
    expect(longest).toBeLessThan(40_000);
    expect(table.memoryBytes / count).toBeLessThan(24);
    for (let v = 0; v < count; v += 2) expect(table.remove(area, hashOf(v), v)).toBe(true);
    table.replace(area, hashOf(1), 1, count + 1);
    expect([0, 1, 3].map((v) => probe(table, area, hashOf(v)))).toEqual([[], [count + 1], [3]]);
    expect(probe(table, areaOf(2), hashOf(7))).toEqual([count]);
    expect(table.remove(area, hashOf(0), 0)).toBe(false);
  });
});

const hashOf = (value: number): number => finish(mix(0, value));
const areaOf = (value: number): number => finish(mix(1, value));

function probe(table: HashTable, area: number, hash: number): number[] {
  const segment = table.segment(area, hash);
  const mask = (segment.length >> 1) - 1;
  const found: number[] = [];
  for (let i = hash & mask; segment[2 * i + 1] !== 0; i = (i + 1) & mask) if (segment[2 * i] === hash) found.push(segment[2 * i + 1] - 1);
  return found;
}

describe("RowVectors", () => {
  it("keeps each vector's rows through growth, shrinking and reuse of blocks", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.nat()), { maxLength: 400 }), (steps) => {
        const vectors = new RowVectors();
        const ids = [0, 1, 2, 3].map(() => vectors.create());
        const model: number[][] = [[], [], [], []];
        let next = 0;
        for (const [which, add, at] of steps) {
          const rows = model[which];
          if (add || rows.length === 0) {
            expect(vectors.add(ids[which], next)).toBe(rows.length);
            rows.push(next++);
          } else {
            const position = at % rows.length;
            const last = rows.pop() as number;
            const moved = vectors.remove(ids[which], position);
            if (position < rows.length) {
              rows[position] = last;
              expect(moved).toBe(last);
            } else expect(moved).toBe(-1);
          }
          model.forEach((expected, i) => {
            expect(expected.map((_, position) => vectors.at(ids[i], position))).toEqual(expected);
          });
        }
      }),
    );
  });

  it("gives blocks back: churn does not grow the arena", () => {
    const vectors = new RowVectors();
    const vector = vectors.create();
    for (let i = 0; i < 1000; i++) vectors.add(vector, i);
    const before = vectors.memoryBytes;
    for (let round = 0; round < 50; round++) {
      for (let i = 0; i < 999; i++) vectors.remove(vector, 0);
      for (let i = 0; i < 999; i++) vectors.add(vector, i);
    }
    expect(vectors.memoryBytes).toBe(before);
  });
});

describe("PairIndex", () => {
  it.each([1, 64])("finds rows by pair and by first term after additions and removals, with lists of up to %i", (longest) => {
    thresholds.pairsListed = { subject: longest, object: longest };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 200 }),
        (steps) => {
          const rows = new QuadRows();
          const index = new PairIndex(rows, "subject", { of: new Int32Array(16) });
          const live = new Set<number>();
          for (const [term, p, add] of steps) {
            if (add) {
              const row = rows.create(term, p, 0, 0, 1);
              index.add(row, term, p);
              live.add(row);
            } else {
              const [row] = live;
              if (row !== undefined) {
                live.delete(row);
                index.remove(row, rows.subject(row), rows.predicate(row));
              }
            }
            for (let t = 1; t <= 5; t++) {
              const found: number[] = [];
              for (let v = index.firstOf(t); v >= 0; v = index.next(v))
                for (let n = 0; n < index.vectors.count(v); n++) found.push(index.vectors.at(v, n));
              expect(found.sort((a, b) => a - b)).toEqual([...live].filter((row) => rows.subject(row) === t).sort((a, b) => a - b));
              for (let q = 1; q <= 4; q++) {
                const vector = index.find(t, q);
                const expected = [...live].filter((row) => rows.subject(row) === t && rows.predicate(row) === q).length;
                expect(vector < 0 ? 0 : index.vectors.count(vector)).toBe(expected);
              }
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("Relation", () => {
  it("weights, indexes and undo follow a plain map", () => {
    const step = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: -2, max: 2 }),
      fc.constantFrom("same", "next", "undo", "seal"),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const relation = new Relation(1, "r", 2);
        let model = new Map<string, number>();
        let before = new Map(model);
        let tick = 1;
        const pending: NonNullable<ReturnType<Relation["journal"]>>[] = [];
        for (const [a, b, delta, then] of steps) {
          relation.change([a, b], delta, tick);
          model.set(`${a},${b}`, (model.get(`${a},${b}`) ?? 0) + delta);
          const journal = relation.journal(tick);
          if (then === "undo" && journal) {
            relation.undo(journal);
            model = before;
            if (pending.length === 0) relation.sweep();
          } else if (then !== "same" && journal) pending.push(journal);
          if (then === "seal") for (const old of pending.splice(0)) relation.reclaim(old);
          if (then !== "same") {
            before = new Map(model);
            tick++;
          }
          for (let x = 1; x <= 3; x++) {
            const expected = [...model].filter(([key, weight]) => key.startsWith(`${x},`) && weight > 0).sort();
            const actual = [...relation.rows(x)].map(({ values, weight }) => [values.join(), weight]).sort();
            expect(actual).toEqual(expected);
          }
        }
      }),
    );
  });
});

describe("QuadRelation", () => {
  it.each([1, 2, 4])("finds a quad whatever its subject and predicate have beside it, up to %i looked at one by one", (scanned) => {
    thresholds.rowsScanned = scanned;
    const step = fc.tuple(
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom("assert", "derive", "kill", "kill"),
      fc.constantFrom("same", "same", "same", "next", "next", "next", "undo", "undo all", "seal"),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 150 }), (steps) => {
        const quads = new QuadRelation();
        let visible = new Set<string>();
        let tick = 1;
        /** Ticks that are not sealed: what was visible before, and how to get back there. */
        const unsealed: { readonly before: Set<string>; readonly journal: ReturnType<QuadRelation["finish"]> }[] = [];
        let before = new Set(visible);
        for (const [s, o, what, then] of steps) {
          const key = `${s},${o}`;
          if (what === "kill") {
            const row = quads.find(s, 1, o, 0);
            if (row >= 0 && quads.isAlive(row)) quads.kill(row, tick);
            visible.delete(key);
          } else {
            const row = quads.rowFor(s, 1, o, 0, tick, what === "derive");
            quads.addReason(row, what === "derive" ? DERIVED_TRANSITIVELY : ASSERTED, 0, tick);
            visible.add(key);
          }
          if (then !== "same") {
            unsealed.push({ before, journal: quads.finish(tick++) });
            for (let undone = 0; unsealed.length > 0 && (then === "undo all" || (then === "undo" && undone === 0)); undone++) {
              const last = unsealed.pop();
              if (last?.journal) quads.undo(last.journal);
              visible = last?.before ?? visible;
            }
            if (then === "seal") for (const { journal } of unsealed.splice(0)) if (journal) quads.reclaim(journal);
            before = new Set(visible);
          }
          for (let x = 1; x <= 2; x++)
            for (let y = 1; y <= 5; y++) expect(quads.isVisible(x, 1, y, 0), `${x},${y}`).toBe(visible.has(`${x},${y}`));
          expect(quads.size).toBe(visible.size);
        }
      }),
      { numRuns: 200 },
    );
  });
});
