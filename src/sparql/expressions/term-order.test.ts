import { describe, expect, it } from "vitest";
import { ExpressionBench } from "./evaluate.fixture.ts";
import { compareForOrder } from "./term-order.ts";

const bench = new ExpressionBench();
const SORTED = [
  "",
  "BNODE('a')",
  "BNODE('b')",
  "e:a",
  "e:b",
  "false",
  "true",
  "-1",
  "0.5",
  "1",
  "01",
  "1.0",
  "2",
  "'2.5'^^xsd:float",
  "10",
  "11",
  "9007199254740992",
  "9007199254740993",
  "'2000-01-01'^^xsd:date",
  "'2000-01-01T00:00:00Z'^^xsd:dateTime",
  "'2000-01-01T01:00:00Z'^^xsd:dateTime",
  "'1'",
  "'11'",
  "'2'",
  "'a'",
  "'a'@en",
  "'x'^^xsd:integer",
];

describe("compareForOrder", () => {
  it("sorts 1, 2, 10, 11 by value and the kinds one after the other (P31)", () => {
    const ids = SORTED.map((text) => bench.term(text));
    const sorted = [...ids].reverse().sort((a, b) => compareForOrder(bench.terms, a, b));
    const show = (id: number): string => (id === 0 ? "" : bench.terms.ntriples(id));
    // ties by value are in order of their text
    const ties = (text: string): string => text.replace(/^"(?:01|1\.0)".*$/, '"1"^^<http://www.w3.org/2001/XMLSchema#integer>');
    expect(sorted.map(show).map(ties)).toEqual(ids.map(show).map(ties));
  });

  it("is total: antisymmetric, transitive, zero for the same term only", () => {
    const ids = [
      ...SORTED,
      "'0.1'^^xsd:float",
      "0.1",
      "1e-1",
      "'NaN'^^xsd:double",
      "'-0'^^xsd:double",
      "0",
      "'2000-01-01T00:00:00'^^xsd:dateTime",
    ].map((text) => bench.term(text));
    for (const a of ids) {
      for (const b of ids) {
        expect(Math.sign(compareForOrder(bench.terms, a, b))).toBe(0 - Math.sign(compareForOrder(bench.terms, b, a)));
        expect(compareForOrder(bench.terms, a, b) === 0).toBe(a === b);
        for (const c of ids)
          if (compareForOrder(bench.terms, a, b) < 0 && compareForOrder(bench.terms, b, c) < 0)
            expect(compareForOrder(bench.terms, a, c)).toBeLessThan(0);
      }
    }
  });
});
