/** For tests: random small ontologies, data and histories, drawn so that constructs meet. */
import type { Random } from "../base/index.ts";
import type { KnowledgeBase, Triple } from "./knowledge-base.fixture.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** An axiom or a fact: triples that usually come and go together. */
export type Item = readonly Triple[];

export interface History {
  readonly items: readonly Item[];
  /** Each step: which items to flip, and which single triples of items. */
  readonly steps: readonly { readonly items: readonly number[]; readonly triples: readonly (readonly [item: number, triple: number])[] }[];
}

export interface Recipe {
  readonly axioms: number;
  readonly facts: number;
  readonly steps: number;
  /** Probability that a constant of the ontology language stands where a name of the user would. */
  readonly meta: number;
}

export function randomHistory(random: Random, base: KnowledgeBase, recipe: Recipe): History {
  const draw = new Draw(random, base, recipe.meta);
  const items = [...Array.from({ length: recipe.axioms }, () => draw.axiom()), ...Array.from({ length: recipe.facts }, () => draw.fact())];
  const steps = Array.from({ length: recipe.steps }, (_, i) => {
    const flipped =
      i === 0
        ? items.map((_, k) => k).filter(() => random.next() < 0.6)
        : Array.from({ length: 1 + draw.below(3) }, () => draw.below(items.length));
    const triples = Array.from({ length: random.next() < 0.3 ? 1 : 0 }, () => {
      const item = draw.below(items.length);
      return [item, draw.below(items[item].length)] as const;
    });
    return { items: [...new Set(flipped)], triples };
  });
  return { items, steps };
}

class Draw {
  readonly #random: Random;
  readonly #base: KnowledgeBase;
  readonly #words: ReturnType<typeof vocabularyOf>;
  readonly #meta: number;
  #cells = 0;

  constructor(random: Random, base: KnowledgeBase, meta: number) {
    this.#random = random;
    this.#base = base;
    this.#words = vocabularyOf(base.terms);
    this.#meta = meta;
  }

  below(n: number): number {
    return Math.floor(this.#random.next() * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  property(): number {
    if (this.#random.next() < this.#meta) {
      const w = this.#words;
      return this.pick([w.type, w.subClassOf, w.subPropertyOf, w.sameAs, w.domain, w.range]);
    }
    return this.#base.iri(`p${this.below(4)}`);
  }

  individual(): number {
    return this.#base.iri(`i${this.below(5)}`);
  }

  class(): number {
    if (this.#random.next() < this.#meta) return this.pick([this.#words.thing, this.#words.transitive, this.#words.functional]);
    return this.#base.iri(`C${this.below(5)}`);
  }

  value(): number {
    return this.#random.next() < 0.15 ? this.#base.terms.string(`v${this.below(2)}`) : this.individual();
  }

  fact(): Item {
    return this.#random.next() < 0.3
      ? [[this.individual(), this.#words.type, this.class()]]
      : [[this.individual(), this.property(), this.value()]];
  }

  list(items: readonly number[]): { readonly head: number; readonly triples: Triple[] } {
    const cells = items.map(() => this.#base.terms.blank(`cell${this.#cells++}`));
    const triples = items.flatMap((item, i): Triple[] => [
      [cells[i], this.#words.first, item],
      [cells[i], this.#words.rest, cells[i + 1] ?? this.#words.nil],
    ]);
    return { head: cells[0], triples };
  }

  several<T>(make: () => T): T[] {
    return Array.from({ length: 1 + this.below(4) }, make);
  }

  /** A list-valued axiom. */
  listed(subject: number, word: number, items: readonly number[]): Item {
    const { head, triples } = this.list(items);
    return [[subject, word, head], ...triples];
  }

  axiom(): Item {
    const w = this.#words;
    const { type } = w;
    const p = (): number => this.property();
    const c = (): number => this.class();
    const kinds: (() => Item)[] = [
      () => [[c(), w.subClassOf, c()]],
      () => [[c(), w.subClassOf, c()]],
      () => [[p(), w.subPropertyOf, p()]],
      () => [[p(), w.subPropertyOf, p()]],
      () => [[c(), w.equivalentClass, c()]],
      () => [[p(), w.equivalentProperty, p()]],
      () => [[p(), w.domain, c()]],
      () => [[p(), w.range, c()]],
      () => [[p(), w.inverseOf, p()]],
      () => [[p(), type, w.symmetric]],
      () => [[p(), type, w.transitive]],
      () => [[p(), type, w.transitive]],
      () => [[p(), type, w.functional]],
      () => [[p(), type, w.inverseFunctional]],
      () => this.restriction(w.hasValue, this.value()),
      () => this.restriction(w.someValuesFrom, this.#random.next() < 0.2 ? w.thing : c()),
      () => this.restriction(w.allValuesFrom, c()),
      () => this.restriction(w.maxCardinality, w.one),
      () => [...this.restriction(w.maxQualifiedCardinality, w.one), ...this.onClass()],
      () => this.listed(c(), w.intersectionOf, this.several(c)),
      () => this.listed(c(), w.unionOf, this.several(c)),
      () =>
        this.listed(
          c(),
          w.oneOf,
          this.several(() => this.individual()),
        ),
      () => this.listed(p(), w.propertyChainAxiom, this.several(p)),
      () => this.listed(c(), w.hasKey, Array.from({ length: 1 + this.below(6) }, p)),
      () => this.listed(p(), w.propertyChainAxiom, this.several(p)),
      () => [[this.individual(), w.sameAs, this.individual()]],
    ];
    return this.pick(kinds)();
  }

  #restricted = 0;

  restriction(word: number, value: number): Item {
    this.#restricted = this.class();
    return [
      [this.#restricted, word, value],
      [this.#restricted, this.#words.onProperty, this.property()],
    ];
  }

  onClass(): Item {
    return [[this.#restricted, this.#words.onClass, this.class()]];
  }
}
