/**
 * For tests: the OWL 2 RL rules as the W3C table writes them, run over and over until nothing new comes. Slow, obvious,
 * and without any of the engine's shortcuts (base edges, told axioms, list cells).
 */
import { TermKind, type TermTable } from "../rdf/index.ts";
import type { Triple } from "./knowledge-base.fixture.ts";
import { vocabularyOf } from "./vocabulary.ts";

class Graph {
  readonly byPredicate = new Map<number, Map<number, Set<number>>>();
  readonly #guard: (s: number, p: number, o: number) => boolean;
  grew = false;

  constructor(guard: (s: number, p: number, o: number) => boolean) {
    this.#guard = guard;
  }

  add(s: number, p: number, o: number, stated = false): void {
    if (!stated && !this.#guard(s, p, o)) return;
    let subjects = this.byPredicate.get(p);
    if (!subjects) {
      subjects = new Map();
      this.byPredicate.set(p, subjects);
    }
    let objects = subjects.get(s);
    if (!objects) {
      objects = new Set();
      subjects.set(s, objects);
    }
    if (objects.has(o)) return;
    objects.add(o);
    this.grew = true;
  }

  has(s: number, p: number, o: number): boolean {
    return this.byPredicate.get(p)?.get(s)?.has(o) ?? false;
  }

  pairs(p: number): [number, number][] {
    const pairs: [number, number][] = [];
    for (const [s, objects] of this.byPredicate.get(p) ?? []) for (const o of objects) pairs.push([s, o]);
    return pairs;
  }

  objects(s: number, p: number): number[] {
    return [...(this.byPredicate.get(p)?.get(s) ?? [])];
  }

  subjects(p: number, o: number): number[] {
    return this.pairs(p)
      .filter((pair) => pair[1] === o)
      .map((pair) => pair[0]);
  }

  triples(): Triple[] {
    return [...this.byPredicate.keys()].flatMap((p) => this.pairs(p).map(([s, o]) => [s, p, o] as const));
  }
}

/** Every triple that follows, the given ones included. */
export function naiveClosure(terms: TermTable, triples: readonly Triple[], language: "rdfs" | "owl" = "owl"): Triple[] {
  const w = vocabularyOf(terms);
  const universal = new Set<number>([w.thing, w.resource]);
  const reflexive = new Set<number>([w.sameAs, w.subClassOf, w.subPropertyOf, w.equivalentClass, w.equivalentProperty]);
  const isNode = (x: number): boolean => terms.kind(x) < TermKind.PLAIN;
  const isIri = (x: number): boolean => terms.kind(x) === TermKind.IRI;
  const g = new Graph((s, p, o) => isNode(s) && isIri(p) && (p === w.type ? !universal.has(o) : s !== o || !reflexive.has(p)));
  for (const [s, p, o] of triples) g.add(s, p, o, true);
  do {
    g.grew = false;
    rdfs(g, w, isNode);
    if (language === "owl") {
      properties(g, w);
      classes(g, w, isNode);
      equality(g, w, isNode);
      schema(g, w, isNode);
    }
  } while (g.grew);
  return g.triples();
}

type Words = ReturnType<typeof vocabularyOf>;

function rdfs(g: Graph, w: Words, isNode: (x: number) => boolean): void {
  for (const p of [w.subClassOf, w.subPropertyOf]) for (const [a, b] of g.pairs(p)) for (const c of g.objects(b, p)) g.add(a, p, c);
  for (const [c, d] of g.pairs(w.subClassOf)) if (isNode(d)) for (const x of g.subjects(w.type, c)) g.add(x, w.type, d);
  for (const [p, q] of g.pairs(w.subPropertyOf)) for (const [x, y] of g.pairs(p)) g.add(x, q, y);
  for (const [p, c] of g.pairs(w.domain)) if (isNode(c)) for (const [x] of g.pairs(p)) g.add(x, w.type, c);
  for (const [p, c] of g.pairs(w.range)) if (isNode(c)) for (const [, y] of g.pairs(p)) g.add(y, w.type, c);
}

function properties(g: Graph, w: Words): void {
  for (const [p, q] of g.pairs(w.inverseOf)) {
    for (const [x, y] of g.pairs(p)) g.add(y, q, x);
    for (const [x, y] of g.pairs(q)) g.add(y, p, x);
  }
  for (const p of g.subjects(w.type, w.symmetric)) for (const [x, y] of g.pairs(p)) g.add(y, p, x);
  for (const p of g.subjects(w.type, w.transitive)) for (const [x, y] of g.pairs(p)) for (const z of g.objects(y, p)) g.add(x, p, z);
  for (const [p, q] of g.pairs(w.equivalentProperty)) {
    g.add(p, w.subPropertyOf, q);
    g.add(q, w.subPropertyOf, p);
  }
  for (const [p, q] of g.pairs(w.subPropertyOf)) if (g.has(q, w.subPropertyOf, p)) g.add(p, w.equivalentProperty, q);
  for (const [q, list] of g.pairs(w.propertyChainAxiom)) {
    for (const chain of lists(g, w, list)) {
      if (chain.length === 1) g.add(chain[0], w.subPropertyOf, q);
      let reached = g.pairs(chain[0]);
      for (const p of chain.slice(1)) reached = compose(g, reached, p);
      for (const [x, z] of reached) g.add(x, q, z);
    }
  }
}

function compose(g: Graph, pairs: readonly [number, number][], p: number): [number, number][] {
  const composed = new Map<string, [number, number]>();
  for (const [x, y] of pairs) for (const z of g.objects(y, p)) composed.set(`${x},${z}`, [x, z]);
  return [...composed.values()];
}

function classes(g: Graph, w: Words, isNode: (x: number) => boolean): void {
  const typed = (c: number): number[] => g.subjects(w.type, c);
  for (const [c, d] of g.pairs(w.equivalentClass)) {
    if (!isNode(d)) continue;
    g.add(c, w.subClassOf, d);
    g.add(d, w.subClassOf, c);
  }
  for (const [c, d] of g.pairs(w.subClassOf)) if (g.has(d, w.subClassOf, c)) g.add(c, w.equivalentClass, d);
  for (const [c, p] of g.pairs(w.onProperty)) {
    for (const v of g.objects(c, w.hasValue)) {
      for (const x of typed(c)) g.add(x, p, v);
      for (const x of g.subjects(p, v)) g.add(x, w.type, c);
    }
    for (const d of g.objects(c, w.someValuesFrom))
      for (const [x, y] of g.pairs(p)) if (d === w.thing || d === w.resource || g.has(y, w.type, d)) g.add(x, w.type, c);
    for (const d of g.objects(c, w.allValuesFrom))
      if (isNode(d)) for (const x of typed(c)) for (const y of g.objects(x, p)) g.add(y, w.type, d);
    const one = [w.one, w.oneInteger];
    for (const x of typed(c)) {
      const values = g.objects(x, p);
      if (one.some((n) => g.has(c, w.maxCardinality, n))) allSame(g, w, values, isNode);
      if (one.some((n) => g.has(c, w.maxQualifiedCardinality, n)))
        for (const d of g.objects(c, w.onClass)) allSame(g, w, d === w.thing ? values : values.filter((y) => g.has(y, w.type, d)), isNode);
    }
  }
  for (const [c, list] of g.pairs(w.intersectionOf)) {
    for (const parts of lists(g, w, list))
      for (const x of typed(parts[0])) if (parts.every((part) => g.has(x, w.type, part))) g.add(x, w.type, c);
    for (const part of items(g, w, list)) if (isNode(part)) g.add(c, w.subClassOf, part);
    for (const parts of lists(g, w, list)) if (parts.length === 1) g.add(parts[0], w.subClassOf, c);
  }
  for (const [c, list] of g.pairs(w.unionOf)) for (const part of items(g, w, list)) g.add(part, w.subClassOf, c);
  for (const [c, list] of g.pairs(w.oneOf)) for (const item of items(g, w, list)) g.add(item, w.type, c);
}

/** What follows of the axioms themselves (scm-dom, -rng, -hv, -svf, -avf). */
function schema(g: Graph, w: Words, isNode: (x: number) => boolean): void {
  for (const word of [w.domain, w.range]) {
    for (const [p, c] of g.pairs(word)) {
      if (!isNode(c)) continue;
      for (const d of g.objects(c, w.subClassOf)) if (isNode(d)) g.add(p, word, d);
      for (const q of g.subjects(w.subPropertyOf, p)) g.add(q, word, c);
    }
  }
  const restrictions = (word: number): [c: number, p: number, value: number][] =>
    g.pairs(word).flatMap(([c, value]) => g.objects(c, w.onProperty).map((p): [number, number, number] => [c, p, value]));
  // Everything is below owl:Thing, and each class and property below itself: that is not shown, but counts here.
  const top = (c: number): number => (c === w.resource ? w.thing : c);
  const below = (a: number, b: number, word: number): boolean => a === b || g.has(a, word, b);
  for (const [word, reversed] of [
    [w.hasValue, false],
    [w.someValuesFrom, false],
    [w.allValuesFrom, true],
  ] as const) {
    const all = restrictions(word);
    for (const [c1, p1, v1] of all)
      for (const [c2, p2, v2] of all) {
        const [a, b] = word === w.someValuesFrom ? [top(v1), top(v2)] : [v1, v2];
        if (a === b && below(p1, p2, w.subPropertyOf)) {
          if (reversed) g.add(c2, w.subClassOf, c1);
          else g.add(c1, w.subClassOf, c2);
        }
        if (word === w.hasValue || p1 !== p2) continue;
        if (below(v1, v2, w.subClassOf) || (word === w.someValuesFrom && b === w.thing)) g.add(c1, w.subClassOf, c2);
      }
  }
}

function equality(g: Graph, w: Words, isNode: (x: number) => boolean): void {
  for (const p of g.subjects(w.type, w.functional)) for (const [x] of g.pairs(p)) allSame(g, w, g.objects(x, p), isNode);
  for (const p of g.subjects(w.type, w.inverseFunctional)) for (const [, y] of g.pairs(p)) allSame(g, w, g.subjects(p, y), isNode);
  for (const [c, list] of g.pairs(w.hasKey)) {
    const isTop = c === w.thing || c === w.resource;
    const members = isTop ? [...new Set(g.triples().map(([s]) => s))] : g.subjects(w.type, c);
    for (const key of lists(g, w, list))
      for (const x of members)
        for (const y of members)
          if (x !== y && key.every((p) => g.objects(x, p).some((value) => g.has(y, p, value)))) g.add(x, w.sameAs, y);
  }
  for (const [x, y] of g.pairs(w.sameAs)) {
    if (!isNode(y)) continue;
    g.add(y, w.sameAs, x);
    for (const z of g.objects(y, w.sameAs)) if (isNode(z)) g.add(x, w.sameAs, z);
    for (const p of [w.subClassOf, w.subPropertyOf, w.equivalentClass, w.equivalentProperty]) if (g.has(x, p, y)) g.add(y, p, x);
    for (const [s, p, o] of g.triples()) {
      if (p === x) g.add(s, y, o);
      if (s === x) g.add(y, p, o);
      if (o === x) g.add(s, p, y);
    }
  }
}

function allSame(g: Graph, w: Words, values: readonly number[], isNode: (x: number) => boolean): void {
  for (const a of values) for (const b of values) if (isNode(a) && isNode(b)) g.add(a, w.sameAs, b);
}

/** Every well-formed reading of a list (a broken document may have several heads or tails in one cell). */
function lists(g: Graph, w: Words, cell: number, depth = 12): number[][] {
  if (cell === w.nil || depth === 0) return [];
  const found: number[][] = [];
  for (const item of g.objects(cell, w.first)) {
    for (const rest of g.objects(cell, w.rest)) {
      if (rest === w.nil) found.push([item]);
      else for (const tail of lists(g, w, rest, depth - 1)) found.push([item, ...tail]);
    }
  }
  return found;
}

/** Items of all cells reached from `list`, complete or not. */
function items(g: Graph, w: Words, list: number): Set<number> {
  const cells = new Set([list]);
  for (const cell of cells) for (const next of g.objects(cell, w.rest)) cells.add(next);
  return new Set([...cells].flatMap((cell) => g.objects(cell, w.first)));
}
