/** What people run into: two reasons for one fact, noise, literals as subjects, merged people, deep and wild hierarchies. */
import { describe, expect, it } from "vitest";
import { fresh, KnowledgeBase, type Triple } from "./knowledge-base.fixture.ts";

const visible = (tx: ReturnType<KnowledgeBase["add"]>): number[] =>
  [...tx.quadChanges()].map(({ visible: change }) => change).filter((change) => change !== 0);

describe("reasons", () => {
  it("removing a fact takes its inverse and everything above with it", () => {
    const base = new KnowledgeBase();
    base.add(
      "e:partOf owl:inverseOf e:hasPart . e:hasPart rdfs:domain e:Whole . e:Whole rdfs:subClassOf e:Thing2 . e:wheel e:partOf e:car .",
    );
    const ofTheSchema = "hasPart domain Thing2";
    expect(base.derived()).toEqual(["car hasPart wheel", "car type Thing2", "car type Whole", ofTheSchema]);
    expect(visible(base.remove("e:wheel e:partOf e:car ."))).toEqual([-1, -1, -1, -1]);
    expect(base.derived()).toEqual([ofTheSchema]);
  });

  it("a fact both stated and derived goes with its last reason, told once", () => {
    const stated = "e:x a e:B .";
    const premise = "e:x a e:A .";
    for (const add of [
      [stated, premise],
      [premise, stated],
    ]) {
      for (const remove of [
        [stated, premise],
        [premise, stated],
      ]) {
        const base = new KnowledgeBase();
        base.add("e:A rdfs:subClassOf e:B .");
        const appeared = add.map(
          (text) => [...base.add(text).quadChanges()].filter(({ o, visible: change }) => o === base.iri("B") && change > 0).length,
        );
        expect(appeared.reduce((a, b) => a + b)).toBe(1);
        base.remove(remove[0]);
        expect(base.has(stated)).toBe(true);
        const gone = [...base.remove(remove[1]).quadChanges()].filter(({ o, visible: change }) => o === base.iri("B") && change < 0);
        expect(gone).toHaveLength(1);
        expect(base.has(stated)).toBe(false);
      }
    }
  });

  it("one of two derivations is enough; both in one transaction is one disappearance", () => {
    const base = new KnowledgeBase();
    base.add(
      "e:Car rdfs:subClassOf e:Vehicle . e:Taxi rdfs:subClassOf e:Vehicle . e:x a e:Car, e:Taxi . e:to a owl:TransitiveProperty . e:p e:to e:m1, e:m2 . e:m1 e:to e:q . e:m2 e:to e:q .",
    );
    base.remove("e:x a e:Car . e:m1 e:to e:q .");
    expect([base.has("e:x a e:Vehicle ."), base.has("e:p e:to e:q .")]).toEqual([true, true]);
    base.add("e:x a e:Car . e:m1 e:to e:q .");
    const lost = [...base.remove("e:x a e:Car , e:Taxi . e:m1 e:to e:q . e:m2 e:to e:q .").quadChanges()];
    expect(lost.filter(({ visible: change }) => change < 0)).toHaveLength(4 + 2);
    expect([base.has("e:x a e:Vehicle ."), base.has("e:p e:to e:q .")]).toEqual([false, false]);
  });

  it("stating what transitivity derived makes it stand alone", () => {
    const base = new KnowledgeBase("rdfs");
    base.add("e:C rdfs:subClassOf e:D . e:D rdfs:subClassOf e:E . e:x a e:C .");
    base.add("e:C rdfs:subClassOf e:E .");
    base.remove("e:D rdfs:subClassOf e:E .");
    expect(base.derived()).toEqual(["x type D", "x type E"]);
  });

  it("axioms in documents and axioms as data act alike, and go apart", () => {
    const base = new KnowledgeBase();
    const axiom = base.parse("e:A rdfs:subClassOf e:B .");
    base.add("e:x a e:A .");
    const supply = (sign: 1 | -1): unknown =>
      base.transact((tx) => {
        for (const [s, p, o] of axiom) sign > 0 ? tx.supply(s, p, o) : tx.withdraw(s, p, o);
      });
    supply(1);
    base.add(axiom);
    supply(-1);
    expect(base.has("e:x a e:B .")).toBe(true);
    base.remove(axiom);
    expect(base.has("e:x a e:B .")).toBe(false);
  });

  it("a literal replaced under a property without axioms is two changes", () => {
    const base = new KnowledgeBase();
    base.add("e:A rdfs:subClassOf e:B . e:B rdfs:subClassOf e:C . e:x a e:A ; e:note 'old' .");
    const old = base.parse("e:x e:note 'old' .");
    const now = base.parse("e:x e:note 'new' .");
    const tx = base.transact((change) => {
      for (const [s, p, o] of old) change.retract(s, p, o, 0);
      for (const [s, p, o] of now) change.assert(s, p, o, 0);
    });
    expect(visible(tx).sort()).toEqual([-1, 1]);
  });
});

describe("noise", () => {
  it("one published triple gives that triple and nothing of the vocabulary", () => {
    const base = new KnowledgeBase();
    base.add("e:p rdfs:domain owl:Thing ; rdfs:range rdfs:Resource . e:C rdfs:subClassOf owl:Thing .");
    expect(visible(base.add("e:x e:p e:y ."))).toEqual([1]);
    expect(visible(base.add("e:y a e:C ."))).toEqual([1]);
  });

  it("a literal is never a subject", () => {
    const base = new KnowledgeBase();
    base.add(
      "e:born a owl:DatatypeProperty ; rdfs:range xsd:date . e:born rdfs:subPropertyOf e:about . e:about owl:inverseOf e:of . e:about a owl:SymmetricProperty . e:louie e:born '2022-08-11'^^xsd:date . e:p a owl:FunctionalProperty . e:louie e:p 1 , 2 , e:z .",
    );
    expect(base.derived()).toEqual(['louie about "2022-08-11"^^date']);
  });

  it("leads past owl:Thing without saying it", () => {
    const base = new KnowledgeBase();
    base.add("e:A rdfs:subClassOf owl:Thing . owl:Thing rdfs:subClassOf e:B . e:x a e:A .");
    expect(base.derived()).toEqual(["A subClassOf B", "x type B"]);
  });
});

describe("sameAs", () => {
  const FACTS = 20;
  const crowd = (n: number): string =>
    `e:page a owl:InverseFunctionalProperty . ${Array.from({ length: n }, (_, i) => `e:p${i} e:page e:home .${Array.from({ length: FACTS }, (__, j) => `e:p${i} e:f${j} "${i}-${j}" .`).join("")}`).join("\n")}`;
  /** What is asked for: the axiom, everyone's page, everyone the same as everyone else, everyone with everyone's facts. */
  const merged = (n: number): number => 1 + n + n * (n - 1) + n * n * FACTS;
  /** What is kept: the axiom, pages, facts, and the equality of each with one other. */
  const kept = (n: number): number => 1 + n + n * FACTS + (n - 1);

  it("people who share a page under an inverse functional property are one, and nothing is copied", () => {
    const base = new KnowledgeBase();
    base.add(crowd(40));
    expect([base.lines().length, base.engine.quads.size]).toEqual([merged(40), kept(40)]);
    base.remove("e:p7 e:page e:home .");
    expect([base.lines().length, base.engine.quads.size]).toEqual([merged(39) + FACTS, kept(39) + FACTS]);
    base.remove("e:page a owl:InverseFunctionalProperty .");
    expect([base.lines().length, base.engine.quads.size]).toEqual([39 + 40 * FACTS, 39 + 40 * FACTS]);
  });

  it("a thousand are joined, split and joined again within what is linear in them", () => {
    const base = new KnowledgeBase();
    const n = 1000;
    base.add(crowd(n));
    expect(base.engine.quads.size).toBe(kept(n));
    expect(base.has("e:p3 e:f7 '998-7' .")).toBe(true);
    base.remove("e:page a owl:InverseFunctionalProperty .");
    expect(base.engine.quads.size).toBe(n + n * FACTS);
    expect(base.has("e:p3 e:f7 '998-7' .")).toBe(false);
    base.add("e:page a owl:InverseFunctionalProperty .");
    expect(base.engine.quads.size).toBe(kept(n));
  });

  it("one who gives the page up is split off completely", () => {
    const base = new KnowledgeBase();
    base.add(crowd(6));
    base.remove("e:p3 e:page e:home .");
    const rest = base.parse(crowd(6)).filter(([s, p]) => !(s === base.iri("p3") && p === base.iri("page")));
    expect(base.lines()).toEqual(fresh(base, rest));
    expect(base.derived().filter((line) => line.startsWith("p3 ") || line.endsWith(" p3"))).toEqual([]);
  });

  it("literals never merge, and stay where they are", () => {
    const base = new KnowledgeBase();
    base.add("e:p a owl:FunctionalProperty . e:x e:p 'a' , 'b' . e:a owl:sameAs 'lit' . e:a e:q e:b .");
    expect(base.derived()).toEqual([]);
  });

  it("reaches properties and classes", () => {
    const base = new KnowledgeBase();
    base.add("e:p owl:sameAs e:q . e:A owl:sameAs e:B . e:A rdfs:subClassOf e:C . e:x e:p e:y ; a e:B .");
    for (const triple of ["e:x e:q e:y", "e:x a e:A", "e:x a e:C", "e:B rdfs:subClassOf e:C"])
      expect(base.has(`${triple} .`), triple).toBe(true);
  });
});

describe("hierarchies", () => {
  it("a chain of 500 classes is closed, and cut in the middle", () => {
    const base = new KnowledgeBase("rdfs");
    const chain = Array.from({ length: 500 }, (_, i): Triple => base.parse(`e:c${i} rdfs:subClassOf e:c${i + 1} .`)[0]);
    base.add(chain);
    expect(base.engine.quads.size).toBe((501 * 500) / 2);
    base.add("e:x a e:c0 .");
    expect(base.engine.quads.size).toBe((501 * 500) / 2 + 501);
    base.remove([chain[250]]);
    expect(base.engine.quads.size).toBe((251 * 250) / 2 + (250 * 249) / 2 + 251);
  });

  it("the vocabulary turned on itself ends", () => {
    const base = new KnowledgeBase();
    const wild =
      "rdfs:subClassOf rdfs:subPropertyOf rdf:type . rdf:type rdfs:subPropertyOf rdfs:subClassOf . rdfs:subPropertyOf a owl:SymmetricProperty , owl:TransitiveProperty ; rdfs:domain e:P . owl:sameAs rdfs:subPropertyOf rdfs:subPropertyOf .";
    const data = "e:A rdfs:subClassOf e:B . e:x a e:A . e:p rdfs:subPropertyOf e:q .";
    base.add(data);
    const before = base.lines();
    base.add(wild);
    base.remove(wild);
    expect(base.lines()).toEqual(before);
  });

  it("a chain into itself over a transitive property ends", () => {
    const base = new KnowledgeBase();
    base.add(
      "e:involves owl:propertyChainAxiom ( e:involves e:hasPart ) . e:hasPart a owl:TransitiveProperty . e:overlaps a owl:SymmetricProperty, owl:TransitiveProperty .",
    );
    const n = 60;
    base.add(
      Array.from({ length: n }, (_, i) => `e:n${i} e:hasPart e:n${i + 1} ; e:involves e:n${i} ; e:overlaps e:n${(i * 7) % n} .`).join("\n"),
    );
    expect(base.has("e:n0 e:involves e:n60 .")).toBe(true);
    expect(base.has("e:n60 e:involves e:n0 .")).toBe(false);
  });

  it("more derivations than the limit: refused, the rule named, nothing changed", () => {
    const base = new KnowledgeBase("owl", undefined, { derivationsMax: 1000 });
    base.add("e:p a owl:TransitiveProperty .");
    const chain = Array.from({ length: 100 }, (_, i) => `e:n${i} e:p e:n${i + 1} .`).join("\n");
    expect(() => base.add(chain)).toThrow(
      expect.objectContaining({ code: "SENS_DERIVATION_LIMIT", extra: expect.objectContaining({ rule: "transitive" }) }),
    );
    expect(base.engine.quads.size).toBe(1);
    base.add("e:a e:p e:b . e:b e:p e:c .");
    expect(base.derived()).toEqual(["a p c"]);
  });
});
