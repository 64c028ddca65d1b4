import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish, HashTable, mix } from "./hash-table.ts";
import { PairIndex } from "./pair-index.ts";
import { Relation } from "./relation.ts";
import { RowVectors } from "./row-vectors.ts";

describe("HashTable", () => {
  it("finds exactly what was inserted and not removed, also with equal hashes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 6 }), fc.boolean()), { maxLength: 300 }),
        (steps) => {
          const table = new HashTable(2);
          const model = new Map<number, number>();
          for (const [v, bucket, add] of steps) {
            const hash = finish(mix(0, bucket));
            if (add && !model.has(v)) {
              table.insert(hash, v);
              model.set(v, hash);
            } else if (!add) {
              const known = model.get(v);
              expect(table.remove(known ?? hash, v)).toBe(known !== undefined);
              model.delete(v);
            }
            for (const [expected, at] of model) expect(probe(table, at)).toContain(expected);
          }
        },
      ),
    );
  });
});

function probe(table: HashTable, hash: number): number[] {
  const segment = table.segment(hash);
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
  it("finds rows by pair and by first term after additions and removals", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 200 }),
        (steps) => {
          const first = new Int32Array(256);
          const predicate = new Int32Array(256);
          const index = new PairIndex({ first, predicate, position: { of: new Int32Array(16) } });
          const live = new Set<number>();
          steps.forEach(([term, p, add], i) => {
            if (add) {
              first[i] = term;
              predicate[i] = p;
              index.add(i, term, p);
              live.add(i);
            } else {
              const [row] = live;
              if (row !== undefined) {
                live.delete(row);
                index.remove(row, first[row], predicate[row]);
              }
            }
            for (let t = 1; t <= 5; t++) {
              const rows: number[] = [];
              for (let v = index.firstOf(t); v >= 0; v = index.next(v))
                for (let n = 0; n < index.count(v); n++) rows.push(index.vectors.at(v, n));
              expect(rows.sort((a, b) => a - b)).toEqual([...live].filter((row) => first[row] === t).sort((a, b) => a - b));
            }
          });
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
