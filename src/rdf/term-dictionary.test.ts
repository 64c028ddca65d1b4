import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFactory } from "./data-factory.ts";
import { TermDictionary } from "./term-dictionary.ts";
import { TermKind } from "./term-table.ts";

const XSD = "http://www.w3.org/2001/XMLSchema#";

describe("TermDictionary", () => {
  it("gives one id per term and finds it again, over many segment growths and chunks", () => {
    const dictionary = new TermDictionary();
    const ids = Array.from({ length: 60_000 }, (_, i) => dictionary.iri(`http://example.org/some/longer/path/item${i}`));
    expect(new Set(ids).size).toBe(ids.length);
    const size = dictionary.size;
    for (let i = 0; i < ids.length; i += 7) {
      expect(dictionary.iri(`http://example.org/some/longer/path/item${i}`)).toBe(ids[i]);
      expect(dictionary.value(ids[i])).toBe(`http://example.org/some/longer/path/item${i}`);
    }
    expect(dictionary.size).toBe(size);
  });

  it("keeps texts of every length, also longer than a chunk", () => {
    const dictionary = new TermDictionary();
    const texts = [0, 1, 127, 128, 16_383, 16_384, 70_000, 1_048_576, 3_000_000].map(
      (length) => "é".repeat(length >> 1) + "x".repeat(length & 1),
    );
    const ids = texts.map((text) => dictionary.string(text));
    for (const [i, id] of ids.entries()) expect(dictionary.value(id)).toBe(texts[i]);
    expect(texts.map((text) => dictionary.string(text))).toEqual(ids);
  });

  it("tells kinds, datatypes and languages apart and never spellings together", () => {
    const d = new TermDictionary();
    const ids = [
      d.iri("a:x"),
      d.blank("a:x"),
      d.string("a:x"),
      d.langString("a:x", "en"),
      d.langString("a:x", "de"),
      d.typed("a:x", `${XSD}integer`),
      d.typed("a:x", `${XSD}token`),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.map((id) => d.kind(id))).toEqual([
      TermKind.IRI,
      TermKind.BLANK,
      TermKind.PLAIN,
      TermKind.LANGUAGE,
      TermKind.LANGUAGE,
      TermKind.TYPED,
      TermKind.TYPED,
    ]);
    expect(d.value(d.datatype(ids[5]))).toBe(`${XSD}integer`);
    expect(d.langString("a:x", "EN")).toBe(ids[3]);
    expect(d.typed("a:x", `${XSD}string`)).toBe(ids[2]);
    expect(d.typed("01", `${XSD}integer`)).not.toBe(d.typed("1", `${XSD}integer`));
  });

  it("find never adds, encode and decode are inverse", () => {
    const d = new TermDictionary();
    const terms = [
      dataFactory.namedNode("urn:a"),
      dataFactory.blankNode("b"),
      dataFactory.literal("x"),
      dataFactory.literal("x", "fr"),
      dataFactory.literal("1", dataFactory.namedNode(`${XSD}int`)),
    ];
    const size = d.size;
    for (const term of terms) expect(d.find(term)).toBe(0);
    expect(d.size).toBe(size);
    for (const term of terms) {
      const id = d.encode(term);
      expect(d.find(term)).toBe(id);
      expect(d.decode(id).equals(term)).toBe(true);
    }
  });

  it("adds the same term from bytes as from a string", () => {
    const d = new TermDictionary();
    const bytes = Buffer.from("..http://e/ü..");
    expect(d.addBytes(TermKind.IRI, 0, bytes, 2, bytes.length - 2)).toBe(d.iri("http://e/ü"));
  });

  it("compares by term, not by id: two dictionaries filled in opposite order agree", () => {
    const texts = fc.uniqueArray(
      fc.string({ unit: "binary", maxLength: 6 }).filter((text) => text.isWellFormed()),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(texts, (values) => {
        const fill = (d: TermDictionary, order: string[]) =>
          order.flatMap((v) => [d.iri(v), d.blank(v), d.string(v), d.langString(v, "en"), d.typed(v, `${XSD}date`)]);
        const sorted = (d: TermDictionary, ids: number[]) =>
          ids.sort((a, b) => d.compareTerms(a, b)).map((id) => `${d.kind(id)} ${JSON.stringify(d.value(id))}`);
        const one = new TermDictionary();
        const two = new TermDictionary();
        expect(sorted(one, fill(one, values))).toEqual(sorted(two, fill(two, [...values].reverse())));
      }),
    );
    const d = new TermDictionary();
    expect(d.compareTerms(0, d.blank("z"))).toBeLessThan(0);
    expect(d.compareTerms(d.blank("z"), d.iri("a:"))).toBeLessThan(0);
    expect(d.compareTerms(d.iri("z:"), d.string(""))).toBeLessThan(0);
    expect(d.compareTerms(d.string("\uffee"), d.string("\u{10000}"))).toBeLessThan(0);
  });
});
