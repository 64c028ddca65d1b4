import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fresh, KnowledgeBase } from "./knowledge-base.fixture.ts";

const FAMILY = readFileSync(new URL("../../ontologies/family.ttl", import.meta.url), "utf8").replaceAll(/^@prefix (owl|rdfs).*$/gm, "");
const F = "@prefix f: <http://example.org/family#> .\n";

describe("the family ontology", () => {
  it("derives parents, ancestors and people from what children say", () => {
    const base = new KnowledgeBase();
    base.add(FAMILY);
    base.add(`${F} f:c f:isChildOf f:b . f:b f:isChildOf f:a .`);
    for (const triple of ["f:b f:isParentOf f:c", "f:a f:isAncestorOf f:c", "f:a f:isAncestorOf f:b", "f:a a f:Person", "f:c a f:Person"])
      expect(base.has(`${F} ${triple} .`), triple).toBe(true);
    expect(base.has(`${F} f:c f:isAncestorOf f:a .`)).toBe(false);
  });

  it("takes back what followed, also when the axioms go and come", () => {
    const base = new KnowledgeBase();
    const ontology = base.parse(FAMILY);
    const data = base.parse(`${F} f:c f:isChildOf f:b . f:b f:isChildOf f:a . f:a f:isParentOf f:d .`);
    base.add(data);
    base.add(ontology);
    const all = base.lines();
    expect(all).toEqual(fresh(base, [...ontology, ...data]));
    base.remove(ontology);
    expect(base.lines()).toEqual(fresh(base, data));
    base.add(ontology);
    expect(base.lines()).toEqual(all);
    base.remove([data[0]]);
    expect(base.lines()).toEqual(fresh(base, [...ontology, ...data.slice(1)]));
  });
});
