import { describe, expect, it } from "vitest";
import { SensError } from "../base/index.ts";
import { dataFactory } from "./data-factory.ts";
import { ScratchTerms, UNKNOWN_TERM } from "./scratch-terms.ts";
import { TermDictionary } from "./term-dictionary.ts";
import { TermKind } from "./term-table.ts";

const XSD = "http://www.w3.org/2001/XMLSchema#";

describe("ScratchTerms", () => {
  it("gives terms of the dictionary their ids, and others ids that no dictionary gives", () => {
    const base = new TermDictionary();
    const known = base.typed("1", `${XSD}integer`);
    const { size } = base;
    const scratch = new ScratchTerms(base);
    expect(scratch.typed("1", `${XSD}integer`)).toBe(known);
    expect(scratch.hasOwn).toBe(false);
    const own = scratch.typed("01", `${XSD}integer`);
    expect(own).toBeGreaterThan(2 ** 28);
    expect(own).toBeLessThan(UNKNOWN_TERM);
    expect(scratch.typed("01", `${XSD}integer`)).toBe(own);
    expect(scratch.find(dataFactory.literal("01", dataFactory.namedNode(`${XSD}integer`)))).toBe(own);
    expect(scratch.datatype(own)).toBe(base.iri(`${XSD}integer`));
    expect(base.size).toBe(size);
  });

  it("knows everything of its terms, of whatever kind", () => {
    const scratch = new ScratchTerms(new TermDictionary());
    const terms = [
      dataFactory.namedNode("http://e/x"),
      dataFactory.blankNode("b"),
      dataFactory.literal("x"),
      dataFactory.literal("x", "en"),
      dataFactory.literal("x", dataFactory.namedNode("http://e/t")),
    ];
    const ids = terms.map((term) => scratch.encode(term));
    expect(new Set(ids).size).toBe(terms.length);
    for (const [i, id] of ids.entries()) expect(scratch.decode(id).equals(terms[i])).toBe(true);
    expect(ids.map((id) => scratch.kind(id))).toEqual([TermKind.IRI, TermKind.BLANK, TermKind.PLAIN, TermKind.LANGUAGE, TermKind.TYPED]);
    expect(ids.map((id) => scratch.ntriples(id))).toEqual(["<http://e/x>", "_:b", '"x"', '"x"@en', '"x"^^<http://e/t>']);
    expect(scratch.language(ids[3])).toBe("en");
    expect(scratch.value(scratch.datatype(ids[4]))).toBe("http://e/t");
  });

  it("stays what it was when the dictionary learns one of its terms: one term, one id", () => {
    const base = new TermDictionary();
    const scratch = new ScratchTerms(base);
    const own = scratch.iri("http://e/late");
    base.iri("http://e/late");
    expect(scratch.iri("http://e/late")).toBe(own);
    const other = base.iri("http://e/other");
    expect(scratch.iri("http://e/other")).not.toBe(other);
  });

  it("holds a bounded number of bytes", () => {
    const scratch = new ScratchTerms(new TermDictionary(), 1_000_000);
    const fill = (): void => {
      for (let i = 0; i < 100_000; i++) scratch.string(`a text that is not stored anywhere, number ${i}`);
    };
    expect(fill).toThrow(SensError);
    expect(fill).toThrow("new terms");
  });
});
