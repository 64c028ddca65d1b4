/** Each construct of OWL 2 RL alone: exactly what follows, in whatever order it is told, and gone with either half. */
import { describe, expect, it } from "vitest";
import { fresh, KnowledgeBase } from "./knowledge-base.fixture.ts";

interface Construct {
  readonly name: string;
  readonly axiom: string;
  readonly data: string;
  /** Every derived triple but those of RDF lists' blank nodes. */
  readonly follows: readonly string[];
}

const SAME = (a: string, b: string): string[] => [`${a} sameAs ${b}`, `${b} sameAs ${a}`];

const CONSTRUCTS: readonly Construct[] = [
  {
    name: "subClassOf",
    axiom: "e:A rdfs:subClassOf e:B . e:B rdfs:subClassOf e:C .",
    data: "e:x a e:A .",
    follows: ["A subClassOf C", "x type B", "x type C"],
  },
  {
    name: "a circle of classes",
    axiom: "e:A rdfs:subClassOf e:B . e:B rdfs:subClassOf e:A .",
    data: "e:x a e:A .",
    follows: ["A equivalentClass B", "B equivalentClass A", "x type B"],
  },
  {
    name: "subPropertyOf",
    axiom: "e:p rdfs:subPropertyOf e:q . e:q rdfs:subPropertyOf e:r .",
    data: "e:x e:p e:y .",
    follows: ["p subPropertyOf r", "x q y", "x r y"],
  },
  { name: "subPropertyOf with a literal", axiom: "e:p rdfs:subPropertyOf e:q .", data: "e:x e:p 'v' .", follows: ['x q "v"'] },
  { name: "domain", axiom: "e:p rdfs:domain e:A .", data: "e:x e:p 'v' .", follows: ["x type A"] },
  { name: "range", axiom: "e:p rdfs:range e:A .", data: "e:x e:p e:y , 'v' .", follows: ["y type A"] },
  {
    name: "domain and range, inherited",
    axiom: "e:q rdfs:domain e:A ; rdfs:range e:B . e:p rdfs:subPropertyOf e:q . e:A rdfs:subClassOf e:C .",
    data: "e:x e:p e:y .",
    follows: ["p domain A", "p domain C", "p range B", "q domain C", "x q y", "x type A", "x type C", "y type B"],
  },
  {
    name: "restrictions of one property with the same filler",
    axiom: "e:A owl:onProperty e:p ; owl:someValuesFrom e:D . e:B owl:onProperty e:p ; owl:someValuesFrom e:D .",
    data: "e:x a e:A .",
    follows: ["A equivalentClass B", "A subClassOf B", "B equivalentClass A", "B subClassOf A", "x type B"],
  },
  {
    name: "someValuesFrom a narrower class, of a narrower property, of anything",
    axiom: `e:D rdfs:subClassOf e:E . e:p rdfs:subPropertyOf e:q .
      e:A owl:onProperty e:p ; owl:someValuesFrom e:D . e:B owl:onProperty e:p ; owl:someValuesFrom e:E .
      e:C owl:onProperty e:q ; owl:someValuesFrom e:D . e:F owl:onProperty e:p ; owl:someValuesFrom owl:Thing .`,
    data: "e:x a e:A .",
    follows: ["A subClassOf B", "A subClassOf C", "A subClassOf F", "B subClassOf F", "x type B", "x type C", "x type F"],
  },
  {
    name: "allValuesFrom a narrower class, of a narrower property",
    axiom: `e:D rdfs:subClassOf e:E . e:p rdfs:subPropertyOf e:q .
      e:A owl:onProperty e:p ; owl:allValuesFrom e:D . e:B owl:onProperty e:p ; owl:allValuesFrom e:E .
      e:C owl:onProperty e:q ; owl:allValuesFrom e:D .`,
    data: "e:x a e:C .",
    follows: ["A subClassOf B", "C subClassOf A", "C subClassOf B", "x type A", "x type B"],
  },
  {
    name: "hasValue of a narrower property",
    axiom: "e:p rdfs:subPropertyOf e:q . e:A owl:onProperty e:p ; owl:hasValue e:v . e:B owl:onProperty e:q ; owl:hasValue e:v .",
    data: "e:x a e:A .",
    follows: ["A subClassOf B", "x p v", "x q v", "x type B"],
  },
  {
    name: "hasKey of one property",
    axiom: "e:A owl:hasKey ( e:p ) .",
    data: "e:x a e:A ; e:p 'v' . e:y a e:A ; e:p 'v' , 'w' . e:z e:p 'v' . e:u a e:A ; e:p 'w2' .",
    follows: [...SAME("x", "y"), 'x p "w"'],
  },
  { name: "hasKey of everything", axiom: "owl:Thing owl:hasKey ( e:p ) .", data: "e:x e:p 'v' . e:y e:p 'v' .", follows: SAME("x", "y") },
  {
    name: "hasKey of two properties",
    axiom: "e:A owl:hasKey ( e:p e:q ) .",
    data: "e:x a e:A ; e:p 'v' ; e:q e:b . e:y a e:A ; e:p 'v' ; e:q e:b . e:z a e:A ; e:p 'v' ; e:q e:c .",
    follows: SAME("x", "y"),
  },
  {
    name: "hasKey of six properties",
    axiom: "e:A owl:hasKey ( e:p1 e:p2 e:p3 e:p4 e:p5 e:p6 ) .",
    data: `e:x a e:A ; e:p1 1 ; e:p2 2 ; e:p3 3 ; e:p4 4 ; e:p5 5 ; e:p6 6 . e:y a e:A ; e:p1 1 ; e:p2 2 ; e:p3 3 ; e:p4 4 ; e:p5 5 ; e:p6 6 .
      e:z a e:A ; e:p1 1 ; e:p2 2 ; e:p3 3 ; e:p4 4 ; e:p5 5 ; e:p6 7 . e:u a e:A ; e:p1 1 ; e:p2 2 ; e:p3 3 ; e:p4 4 ; e:p6 6 .`,
    follows: SAME("x", "y"),
  },
  {
    name: "equivalentClass",
    axiom: "e:A owl:equivalentClass e:B .",
    data: "e:x a e:A . e:y a e:B .",
    follows: ["A subClassOf B", "B equivalentClass A", "B subClassOf A", "x type B", "y type A"],
  },
  {
    name: "equivalentProperty",
    axiom: "e:p owl:equivalentProperty e:q .",
    data: "e:x e:p e:y . e:y e:q e:z .",
    follows: ["p subPropertyOf q", "q equivalentProperty p", "q subPropertyOf p", "x q y", "y p z"],
  },
  { name: "inverseOf", axiom: "e:p owl:inverseOf e:q .", data: "e:x e:p e:y , 'v' . e:z e:q e:x .", follows: ["x p z", "y q x"] },
  { name: "symmetric", axiom: "e:p a owl:SymmetricProperty .", data: "e:x e:p e:y , 'v' .", follows: ["y p x"] },
  {
    name: "transitive",
    axiom: "e:p a owl:TransitiveProperty .",
    data: "e:a e:p e:b . e:b e:p e:c . e:c e:p e:d .",
    follows: ["a p c", "a p d", "b p d"],
  },
  {
    name: "transitive in a circle",
    axiom: "e:p a owl:TransitiveProperty .",
    data: "e:a e:p e:b . e:b e:p e:a .",
    follows: ["a p a", "b p b"],
  },
  {
    name: "the inverse of a transitive property",
    axiom: "e:p a owl:TransitiveProperty ; owl:inverseOf e:q .",
    data: "e:a e:p e:b . e:c e:q e:b .",
    follows: ["a p c", "b p c", "b q a", "c q a"],
  },
  {
    name: "symmetric and transitive",
    axiom: "e:p a owl:SymmetricProperty , owl:TransitiveProperty .",
    data: "e:a e:p e:b . e:b e:p e:c .",
    follows: ["a p a", "a p c", "b p a", "b p b", "c p a", "c p b", "c p c"],
  },
  { name: "functional", axiom: "e:p a owl:FunctionalProperty .", data: "e:x e:p e:a , e:b , 'v' .", follows: SAME("a", "b") },
  {
    name: "functional with facts",
    axiom: "e:p a owl:FunctionalProperty .",
    data: "e:x e:p e:a , e:b . e:a e:q 'v' . e:y e:r e:b .",
    follows: [...SAME("a", "b"), 'b q "v"', "y r a"],
  },
  {
    name: "inverse functional",
    axiom: "e:p a owl:InverseFunctionalProperty .",
    data: "e:a e:p e:x . e:b e:p e:x .",
    follows: SAME("a", "b"),
  },
  {
    name: "sameAs",
    axiom: "e:a owl:sameAs e:b . e:b owl:sameAs e:c .",
    data: "e:a a e:A .",
    follows: [...SAME("a", "c"), "b sameAs a", "c sameAs b", "b type A", "c type A"],
  },
  { name: "sameAs of properties", axiom: "e:p owl:sameAs e:q .", data: "e:x e:p e:y .", follows: ["q sameAs p", "x q y"] },
  {
    name: "hasValue",
    axiom: "e:A owl:onProperty e:p ; owl:hasValue e:v .",
    data: "e:x a e:A . e:y e:p e:v .",
    follows: ["x p v", "y type A"],
  },
  {
    name: "hasValue with a literal",
    axiom: "e:A owl:onProperty e:p ; owl:hasValue 1 .",
    data: "e:x a e:A . e:y e:p 1 . e:z e:p 01 .",
    follows: ['x p "1"^^integer', "y type A"],
  },
  {
    name: "someValuesFrom",
    axiom: "e:A owl:onProperty e:p ; owl:someValuesFrom e:B .",
    data: "e:x e:p e:y . e:y a e:B . e:z e:p e:z .",
    follows: ["x type A"],
  },
  {
    name: "someValuesFrom owl:Thing",
    axiom: "e:A owl:onProperty e:p ; owl:someValuesFrom owl:Thing .",
    data: "e:x e:p e:y .",
    follows: ["x type A"],
  },
  {
    name: "allValuesFrom",
    axiom: "e:A owl:onProperty e:p ; owl:allValuesFrom e:B .",
    data: "e:x a e:A ; e:p e:y , 'v' . e:z e:p e:w .",
    follows: ["y type B"],
  },
  {
    name: "maxCardinality 1",
    axiom: "e:A owl:onProperty e:p ; owl:maxCardinality '1'^^xsd:nonNegativeInteger .",
    data: "e:x a e:A ; e:p e:a , e:b . e:y e:p e:c , e:d .",
    follows: SAME("a", "b"),
  },
  {
    name: "maxQualifiedCardinality 1",
    axiom: "e:A owl:onProperty e:p ; owl:onClass e:B ; owl:maxQualifiedCardinality '1'^^xsd:nonNegativeInteger .",
    data: "e:x a e:A ; e:p e:a , e:b , e:c . e:a a e:B . e:b a e:B .",
    follows: SAME("a", "b"),
  },
  {
    name: "intersectionOf",
    axiom: "e:A owl:intersectionOf (e:B e:C e:D) .",
    data: "e:x a e:B , e:C , e:D . e:y a e:B , e:D . e:z a e:A .",
    follows: ["A subClassOf B", "A subClassOf C", "A subClassOf D", "x type A", "z type B", "z type C", "z type D"],
  },
  {
    name: "unionOf",
    axiom: "e:A owl:unionOf (e:B e:C) .",
    data: "e:x a e:B . e:y a e:C .",
    follows: ["B subClassOf A", "C subClassOf A", "x type A", "y type A"],
  },
  {
    name: "oneOf",
    axiom: "e:A owl:oneOf (e:x e:y) . e:A rdfs:subClassOf e:B .",
    data: "e:x e:p e:y .",
    follows: ["x type A", "y type A", "x type B", "y type B"],
  },
  { name: "a chain of one", axiom: "e:q owl:propertyChainAxiom (e:p) .", data: "e:x e:p e:y .", follows: ["p subPropertyOf q", "x q y"] },
  {
    name: "a chain of two, in its order",
    axiom: "e:q owl:propertyChainAxiom (e:p e:r) .",
    data: "e:a e:p e:b . e:b e:r e:c . e:d e:r e:e . e:e e:p e:f .",
    follows: ["a q c"],
  },
  {
    name: "a chain of three",
    axiom: "e:q owl:propertyChainAxiom (e:p e:r e:s) .",
    data: "e:a e:p e:b . e:b e:r e:c . e:c e:s e:d .",
    follows: ["a q d"],
  },
  {
    name: "a chain of five",
    axiom: "e:q owl:propertyChainAxiom (e:p e:p e:r e:p e:s) .",
    data: "e:a e:p e:b . e:b e:p e:c . e:c e:r e:d . e:d e:p e:e . e:e e:s 'v' .",
    follows: ['a q "v"'],
  },
  {
    name: "a chain through itself",
    axiom: "e:p owl:propertyChainAxiom (e:p e:p) .",
    data: "e:a e:p e:b . e:b e:p e:c . e:c e:p e:d .",
    follows: ["a p c", "a p d", "b p d"],
  },
  {
    name: "a definition: equivalentClass of a restriction",
    axiom: "e:Parent owl:equivalentClass [ owl:intersectionOf (e:Person [ owl:onProperty e:hasChild ; owl:someValuesFrom e:Person ]) ] .",
    data: "e:x a e:Person ; e:hasChild e:y . e:y a e:Person .",
    follows: ["x type Parent", "Parent subClassOf Person"],
  },
];

/** Without statements about the blank nodes of lists and restrictions. */
function named(lines: readonly string[]): string[] {
  return lines.filter((line) => !/(^| )_:/.test(line)).sort();
}

describe.each(CONSTRUCTS)("$name", ({ axiom, data, follows }) => {
  it("derives exactly what follows, axioms first or last", () => {
    for (const order of [[axiom, data], [data, axiom], [axiom + data]]) {
      const base = new KnowledgeBase();
      for (const text of order) base.add(text);
      expect(named(base.derived())).toEqual([...follows].sort());
    }
  });

  it("takes back what rested on the half that goes", () => {
    const base = new KnowledgeBase();
    const axioms = base.parse(axiom);
    const facts = base.parse(data);
    base.add([...axioms, ...facts]);
    const all = base.lines();
    base.remove(axioms);
    expect(base.lines()).toEqual(fresh(base, facts));
    base.add(axioms);
    expect(base.lines()).toEqual(all);
    base.remove(facts);
    expect(base.lines()).toEqual(fresh(base, axioms));
    base.add(facts);
    expect(base.lines()).toEqual(all);
  });

  it("follows each single triple", () => {
    const base = new KnowledgeBase();
    const triples = base.parse(axiom + data);
    for (let i = 0; i < triples.length; i++) {
      base.add([triples[i]]);
      expect(base.lines()).toEqual(fresh(base, triples.slice(0, i + 1)));
    }
    for (let i = 0; i < triples.length; i++) {
      base.remove([triples[i]]);
      expect(base.lines()).toEqual(fresh(base, triples.slice(i + 1)));
    }
  });
});

describe("rdfs", () => {
  it("knows nothing of OWL", () => {
    const base = new KnowledgeBase("rdfs");
    base.add("e:p a owl:TransitiveProperty . e:a e:p e:b . e:b e:p e:c . e:A rdfs:subClassOf e:B . e:a a e:A .");
    expect(base.derived()).toEqual(["a type B"]);
  });
});

describe("none", () => {
  it("derives nothing", () => {
    const base = new KnowledgeBase("none");
    base.add("e:A rdfs:subClassOf e:B . e:a a e:A .");
    expect(base.derived()).toEqual([]);
  });
});
