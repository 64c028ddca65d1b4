import { describe, expect, it } from "vitest";
import { seededRandom } from "../../base/index.ts";
import type { AggregateKind } from "../parse/index.ts";
import { createAggregate } from "./aggregate.ts";
import { ExpressionBench } from "./evaluate.fixture.ts";

const bench = new ExpressionBench();
const KINDS: readonly AggregateKind[] = ["count", "sum", "min", "max", "avg", "sample", "group_concat"];

function aggregate(kind: AggregateKind, values: readonly string[], distinct = false, separator?: string): string {
  const accumulator = createAggregate(kind, distinct, separator, bench.terms);
  for (const value of values) accumulator.add(bench.term(value), 1);
  const id = accumulator.result();
  return id === 0 ? "" : bench.terms.ntriples(id).replace("http://www.w3.org/2001/XMLSchema#", "");
}

describe("aggregates", () => {
  it.each<[AggregateKind, string[], boolean, string]>([
    ["sum", [], false, '"0"^^<integer>'],
    ["avg", [], false, '"0"^^<integer>'],
    ["min", [], false, ""],
    ["sample", [], false, ""],
    ["group_concat", [], false, '""'],
    ["count", ["1", "", "1"], false, '"2"^^<integer>'],
    ["count", ["1", "", "1"], true, '"1"^^<integer>'],
    ["sum", ["0.1", "0.2"], false, '"0.3"^^<decimal>'],
    ["sum", ["1.5", "-0.5"], false, '"1"^^<decimal>'],
    ["sum", ["9007199254740993", "9007199254740993"], false, '"18014398509481986"^^<integer>'],
    ["sum", ["1", "1", "2"], true, '"3"^^<integer>'],
    ["sum", ["1", "'x'"], false, ""],
    ["sum", ["1", ""], false, ""],
    ["sum", ["1", "'2.5'^^xsd:float"], false, '"3.5E0"^^<float>'],
    ["sum", ["1", "2.5e0", "'1'^^xsd:float"], false, '"4.5E0"^^<double>'],
    ["avg", ["1", "2"], false, '"1.5"^^<decimal>'],
    ["avg", ["1", "1", "4"], true, '"2.5"^^<decimal>'],
    ["min", ["10", "9", "e:a"], false, "<http://e/a>"],
    ["max", ["10", "9", "1.5e1"], false, '"1.5e1"^^<double>'],
    ["sample", ["2", "1", ""], false, '"1"^^<integer>'],
    ["group_concat", ["'b'", "'a'", "'b'"], false, '"a b b"'],
    ["group_concat", ["'b'", "'a'", "'b'"], true, '"a b"'],
  ])("%s of %j (distinct: %s) is %s", (kind, values, distinct, expected) => {
    expect(aggregate(kind, values, distinct)).toBe(expected);
  });

  it("concatenates with the separator given, even an empty one", () => {
    expect(aggregate("group_concat", ["'b'", "'a'"], false, "")).toBe('"ab"');
  });

  it("maintained equals recomputed after any additions and removals", () => {
    const pool = ["1", "2", "0.1", "0.25", "'3.3'^^xsd:float", "1e100", "-1e100", "0.7e0", "'x'", "", "e:a", "9007199254740993"].map(
      (text) => bench.term(text),
    );
    for (let seed = 1; seed <= 60; seed++) {
      const random = seededRandom(seed);
      for (const kind of KINDS) {
        for (const distinct of [false, true]) {
          const maintained = createAggregate(kind, distinct, undefined, bench.terms);
          const present: number[] = [];
          for (let step = 0; step < 25; step++) {
            if (present.length > 0 && random.next() < 0.5)
              maintained.add(present.splice(Math.floor(random.next() * present.length), 1)[0], -1);
            else {
              const term = pool[Math.floor(random.next() * pool.length)];
              present.push(term);
              maintained.add(term, 1);
            }
          }
          const recomputed = createAggregate(kind, distinct, undefined, bench.terms);
          for (const term of present.reverse()) recomputed.add(term, 1);
          expect([seed, kind, maintained.result()]).toEqual([seed, kind, recomputed.result()]);
        }
      }
    }
  });
});
