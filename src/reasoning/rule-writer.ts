/**
 * Writes rules with named variables instead of slots:
 *
 *     writer.rule("domain", [domain.row("?p", "?c"), quad("?x", "?p", "?y")], [quad("?x", type, "?c")]);
 *
 * Premises over axiom relations stand first: the engine then files the rule under the predicates and classes those
 * relations hold, and a quad of any other predicate does not touch it.
 * Statements are joined modulo equality of terms: where an individual occurs again, the engine finds what is said of its
 * equals too (engine/equality.ts). Predicates and objects of rdf:type are compared as they are (same-as-rules.ts).
 * Every conclusion over quads passes one guard, so that nothing unsayable or empty is derived: no literal as subject, no
 * predicate that is not an IRI, nothing that holds of everything (`x a owl:Thing`) or of every single term (`x sameAs x`).
 */
import { assert } from "../base/index.ts";
import type {
  AnyRelation,
  Arg,
  AtomLiteral,
  Engine,
  FilterLiteral,
  Frame,
  Head,
  Literal,
  Relation,
  RuleShape,
  TermEquality,
} from "../engine/index.ts";
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

/** Both stand for equal terms. */
interface Same {
  readonly same: readonly [left: Argument, right: Argument];
}

/** Computes a variable from others. */
export interface Computed {
  readonly target: Argument;
  readonly from: readonly Argument[];
  readonly compute: (...values: number[]) => number;
}

export type Premise = Atom | Test | Computed | Same;

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
    this.#reflexive = new Set(this.closed);
    this.#universal = new Set([this.words.thing, this.words.resource]);
  }

  /** Properties of axioms that rules of their own close transitively. */
  get closed(): readonly number[] {
    const { sameAs, subClassOf, subPropertyOf, equivalentClass, equivalentProperty } = this.words;
    return [sameAs, subClassOf, subPropertyOf, equivalentClass, equivalentProperty];
  }

  /** Properties of axioms of which rows follow that are not base and do not close their base rows transitively (schema-rules.ts). */
  get inherited(): readonly number[] {
    return [this.words.domain, this.words.range];
  }

  /** A relation that holds axioms: rules that join it are filed under its values. */
  axioms(name: string, arity: number): Relation {
    return this.#engine.relation(name, arity, { dispatching: true });
  }

  /** Why terms are equal, and which are: engine/equality.ts. Only for languages with equality. */
  get equality(): TermEquality {
    const { equality } = this.#engine.machine;
    assert(equality !== undefined, "the engine has equality");
    return equality;
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

  /** Of two distinct terms, one order. */
  before(a: Argument, b: Argument): Test {
    return { reads: [a, b], holds: (x, y) => x < y };
  }

  same(a: Argument, b: Argument): Same {
    return { same: [a, b] };
  }

  /** Not a literal, and not a hub of equal terms. */
  node(a: Argument): Test {
    return { reads: [a], holds: (x) => x > 0 && this.#terms.kind(x) < TermKind.PLAIN };
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
    this.rules.push(this.#engine.addRule(this.shape(name, premises, conclusions, options)));
    for (const conclusion of conclusions) this.#betweenEquals(name, premises, conclusion, options);
  }

  /**
   * `x w x` says nothing and is not derived, but where x has an equal y, `x w y` says something. One pair of the class is
   * enough: the others follow modulo equality.
   */
  #betweenEquals(name: string, premises: readonly Premise[], { relation, args: [s, w, o] }: Atom, options: RuleOptions): void {
    const { equality } = this.#engine.machine;
    if (!equality || relation !== this.#engine.quads) return;
    if (typeof w === "string") {
      this.#betweenEqualsByAxiom(name, premises, this.quad(s, w, o), options);
      return;
    }
    if (w === this.words.sameAs || !this.#reflexive.has(w)) return;
    const pair = [row(equality.tree, "?a (equal)", "?b (equal)"), this.node("?a (equal)"), this.node("?b (equal)")];
    const premise = [...premises, this.same(s, o), ...pair, this.same("?a (equal)", s)];
    this.rules.push(this.#engine.addRule(this.shape(name, premise, [this.quad("?a (equal)", w, "?b (equal)")], options)));
  }

  /** The predicate comes from an axiom: those that lead into the schema stand in a relation of their own, usually empty. */
  #betweenEqualsByAxiom(name: string, premises: readonly Premise[], { args: [s, w, o] }: Atom, options: RuleOptions): void {
    const at = premises.findIndex(
      (premise) => "relation" in premise && premise.relation !== this.#engine.quads && premise.args.includes(w),
    );
    const axiom = premises[at] as Atom | undefined;
    if (!axiom) return;
    for (const word of this.#reflexive) {
      if (word === this.words.sameAs) continue;
      const withWord = (args: readonly Argument[]): Argument[] => args.map((argument) => (argument === w ? word : argument));
      const rest = [...new Set(axiom.args.filter((argument) => typeof argument === "string" && argument !== w))];
      const into = this.axioms(`${axiom.relation.name} into the schema`, rest.length);
      this.exactRule(`${name} (schema)`, [{ ...axiom, args: withWord(axiom.args) }], [row(into, ...rest)]);
      const others = premises.map((premise, i) => {
        if (i === at) return row(into, ...rest);
        if ("relation" in premise) return { ...premise, args: withWord(premise.args) };
        return "reads" in premise && premise.reads.includes(w) ? undefined : premise;
      });
      this.#betweenEquals(
        name,
        others.filter((premise) => premise !== undefined),
        this.quad(s, word, o),
        options,
      );
    }
  }

  /** A rule whose premises are compared term by term. */
  exactRule(name: string, premises: readonly Premise[], conclusions: readonly Atom[]): void {
    this.rules.push(this.#engine.addRule(this.#shape(name, premises, conclusions, {})));
  }

  shape(name: string, premises: readonly Premise[], conclusions: readonly Atom[], options: RuleOptions = {}): RuleShape {
    return this.#shape(name, this.#moduloEquality(premises), conclusions, options);
  }

  #shape(name: string, premises: readonly Premise[], conclusions: readonly Atom[], options: RuleOptions): RuleShape {
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

  /** Gives each further occurrence of an individual a variable of its own, equal to the first. */
  #moduloEquality(premises: readonly Premise[]): Premise[] {
    if (!this.#engine.machine.equality) return [...premises];
    const individuals = new Set(premises.flatMap((premise) => ("relation" in premise ? this.#individuals(premise) : [])));
    const seen = new Set<Argument>();
    const written: Premise[] = [];
    for (const premise of premises) {
      if (!("relation" in premise)) {
        written.push(premise);
        continue;
      }
      const again: Same[] = [];
      const ofQuads = premise.relation === this.#engine.quads;
      const args = premise.args.map((argument, position) => {
        const joins = !ofQuads || this.#joinsAt(premise, position);
        if (!joins || !individuals.has(argument)) {
          seen.add(argument);
          return argument;
        }
        if (typeof argument === "string" && !seen.has(argument)) {
          seen.add(argument);
          return argument;
        }
        if (typeof argument === "number" && (!ofQuads || this.#terms.kind(argument) >= TermKind.PLAIN)) return argument;
        const other: Argument = `?${argument} (${written.length}.${position})`;
        again.push({ same: [argument, other] });
        return other;
      });
      written.push(...again, { ...premise, args });
    }
    return written;
  }

  #individuals(atom: Atom): Argument[] {
    return atom.relation === this.#engine.quads ? atom.args.filter((_, position) => this.#joinsAt(atom, position)) : [];
  }

  /** Whether the position of a quad is compared modulo equality. */
  #joinsAt({ args }: Atom, position: number): boolean {
    return position === 0 || (position === 2 && args[1] !== this.words.type);
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
  if ("same" in premise) return { kind: "same", left: arg(premise.same[0]), right: arg(premise.same[1]) };
  if ("relation" in premise) {
    const atom: AtomLiteral = { kind: "atom", relation: premise.relation, args: premise.args.map(arg) };
    return premise.base ? { ...atom, reading: "base" } : atom;
  }
  if ("compute" in premise) {
    const from = premise.from.map(arg);
    const target = arg(premise.target);
    assert("slot" in target, "a variable is computed");
    const { compute } = premise;
    return {
      kind: "bind",
      reads: from.flatMap((read) => ("slot" in read ? [read.slot] : [])),
      target: target.slot,
      compute: (frame) => compute(...from.map((read) => ("slot" in read ? (frame[read.slot] as number) : read.value))),
    };
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
