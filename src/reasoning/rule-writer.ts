/**
 * Writes rules with named variables instead of slots:
 *
 *     writer.rule("domain", [domain.row("?p", "?c"), quad("?x", "?p", "?y")], [quad("?x", type, "?c")]);
 *
 * Premises over axiom relations stand first: the engine then files the rule under the predicates and classes those
 * relations hold, and a quad of any other predicate does not touch it.
 * Every conclusion over quads passes one guard, so that nothing unsayable or empty is derived: no literal as subject, no
 * predicate that is not an IRI, nothing that holds of everything (`x a owl:Thing`) or of every single term (`x sameAs x`).
 */
import { assert } from "../base/index.ts";
import type { AnyRelation, Arg, AtomLiteral, Engine, FilterLiteral, Frame, Head, Literal, Relation, RuleShape } from "../engine/index.ts";
import { TermKind, type TermTable } from "../rdf/index.ts";
import { type Vocabulary, vocabularyOf } from "./vocabulary.ts";

/** A variable (`?x`) or a constant id. */
export type Argument = `?${string}` | number;

export interface Atom {
  readonly relation: AnyRelation;
  readonly args: readonly Argument[];
  readonly base?: boolean;
}

/** A test on ids, of one or two variables. */
export interface Test {
  readonly reads: readonly Argument[];
  readonly holds: (a: number, b: number) => boolean;
}

export type Premise = Atom | Test;

export interface RuleOptions {
  /** The rule closes a transitive property. */
  readonly transitive?: boolean;
}

/** A rule as it was added, with the relation its conclusions are in (for explanations). */
export type InstalledRule = ReturnType<Engine["addRule"]>;

export class RuleWriter {
  readonly words: Vocabulary;
  readonly rules: InstalledRule[] = [];
  readonly #engine: Engine;
  readonly #terms: TermTable;
  readonly #reflexive: ReadonlySet<number>;
  readonly #universal: ReadonlySet<number>;

  constructor(engine: Engine, terms: TermTable) {
    this.#engine = engine;
    this.#terms = terms;
    this.words = vocabularyOf(terms);
    const { sameAs, subClassOf, subPropertyOf, equivalentClass, equivalentProperty, thing, resource } = this.words;
    this.#reflexive = new Set([sameAs, subClassOf, subPropertyOf, equivalentClass, equivalentProperty]);
    this.#universal = new Set([thing, resource]);
  }

  /** A relation that holds axioms: rules that join it are filed under its values. */
  axioms(name: string, arity: number): Relation {
    return this.#engine.relation(name, arity, { dispatching: true });
  }

  /** A relation that holds what rules found out about individuals. */
  relation(name: string, arity: number): Relation {
    return this.#engine.relation(name, arity);
  }

  quad(s: Argument, p: Argument, o: Argument): Atom {
    return { relation: this.#engine.quads, args: [s, p, o, 0] };
  }

  /** Only rows that are stated or derived by something other than a transitivity rule. */
  base(s: Argument, p: Argument, o: Argument): Atom {
    return { ...this.quad(s, p, o), base: true };
  }

  distinct(a: Argument, b: Argument): Test {
    return { reads: [a, b], holds: (x, y) => x !== y };
  }

  /** Not a literal. */
  node(a: Argument): Test {
    return { reads: [a], holds: (x) => this.#terms.kind(x) < TermKind.PLAIN };
  }

  iri(a: Argument): Test {
    return { reads: [a], holds: (x) => this.#terms.kind(x) === TermKind.IRI };
  }

  /** None of these terms. */
  notIn(a: Argument, ids: readonly number[]): Test {
    const set = new Set(ids);
    return { reads: [a], holds: (x) => !set.has(x) };
  }

  rule(name: string, premises: readonly Premise[], conclusions: readonly Atom[], options: RuleOptions = {}): void {
    const rule = this.#engine.addRule(this.shape(name, premises, conclusions, options));
    this.rules.push(rule);
  }

  shape(name: string, premises: readonly Premise[], conclusions: readonly Atom[], options: RuleOptions = {}): RuleShape {
    const slots = new Map<string, number>();
    const arg = (argument: Argument): Arg => {
      if (typeof argument === "number") return { value: argument };
      let slot = slots.get(argument);
      if (slot === undefined) {
        slot = slots.size;
        slots.set(argument, slot);
      }
      return { slot };
    };
    const literals = premises.map((premise) => literalOf(premise, arg));
    const bound = slots.size;
    const heads = conclusions.map(({ relation, args }): Head => {
      const headArgs = args.map(arg);
      const head: Head = { relation, args: headArgs, transitive: options.transitive };
      return relation === this.#engine.quads ? { ...head, guard: this.#guard(headArgs) } : head;
    });
    assert(slots.size === bound, `rule ${name}: a conclusion has a variable that no premise has`);
    return { key: name, slotCount: slots.size, parameters: [], body: { literals }, heads };
  }

  #guard([s, p, o]: readonly Arg[]): (frame: Frame) => boolean {
    const terms = this.#terms;
    const { type } = this.words;
    const reflexive = this.#reflexive;
    const universal = this.#universal;
    return (frame) => {
      const subject = "slot" in s ? frame[s.slot] : s.value;
      const predicate = "slot" in p ? frame[p.slot] : p.value;
      const object = "slot" in o ? frame[o.slot] : o.value;
      if (terms.kind(subject) >= TermKind.PLAIN || terms.kind(predicate) !== TermKind.IRI) return false;
      if (predicate === type) return !universal.has(object);
      return subject !== object || !reflexive.has(predicate);
    };
  }
}

function literalOf(premise: Premise, arg: (argument: Argument) => Arg): Literal {
  if ("relation" in premise) {
    const atom: AtomLiteral = { kind: "atom", relation: premise.relation, args: premise.args.map(arg) };
    return premise.base ? { ...atom, reading: "base" } : atom;
  }
  const reads = premise.reads.map((argument) => {
    const read = arg(argument);
    assert("slot" in read, "tests read variables");
    return read.slot;
  });
  const { holds } = premise;
  const [a, b = a] = reads;
  const filter: FilterLiteral = { kind: "filter", reads, test: (frame) => holds(frame[a], frame[b]) };
  return filter;
}

/** An atom over a relation. */
export function row(relation: Relation, ...args: readonly Argument[]): Atom {
  return { relation, args };
}
