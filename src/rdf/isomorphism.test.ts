import { expect, it } from "vitest";
import { dataFactory } from "./data-factory.ts";
import { areIsomorphic } from "./isomorphism.ts";

const p = dataFactory.namedNode("http://e/p");
const edges = (...pairs: string[]) =>
  pairs.map((pair) => dataFactory.quad(dataFactory.blankNode(pair[0]), p, dataFactory.blankNode(pair[1])));

it("names of blank nodes and order do not matter", () => {
  expect(areIsomorphic(edges("ab", "bc"), edges("yz", "xy"))).toBe(true);
  expect(areIsomorphic(edges("ab", "bc"), edges("ab", "cb"))).toBe(false);
});

it("two triangles are not a hexagon, though every node looks alike", () => {
  expect(areIsomorphic(edges("ab", "bc", "ca", "de", "ef", "fd"), edges("ab", "bc", "cd", "de", "ef", "fa"))).toBe(false);
  expect(areIsomorphic(edges("ab", "bc", "ca", "de", "ef", "fd"), edges("fd", "ca", "ab", "ef", "bc", "de"))).toBe(true);
});

it("literals compare by spelling and datatype, languages without case", () => {
  const one = (object: ReturnType<typeof dataFactory.literal>) => [dataFactory.quad(dataFactory.namedNode("urn:s"), p, object)];
  expect(areIsomorphic(one(dataFactory.literal("x", "EN")), one(dataFactory.literal("x", "en")))).toBe(true);
  expect(areIsomorphic(one(dataFactory.literal("01")), one(dataFactory.literal("1")))).toBe(false);
});
