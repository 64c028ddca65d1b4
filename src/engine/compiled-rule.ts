/**
 * A rule made ready: for each place where a delta can enter, a variant of its body in which that place stands on top.
 *
 * For a body l1 … ln the change of its bag of solutions is
 *     Δ(l1 ⋈ … ⋈ ln) = Σ_i  l1' ⋈ … ⋈ l(i-1)' ⋈ Δl_i ⋈ l(i+1) ⋈ … ⋈ ln        (' = new state, none = old)
 * A union is unfolded at the branch where the delta enters. A filter over sub-bodies has a delta too: the solutions of
 * the other literals for which its truth changed; they are found from the changed atoms of the sub-bodies, whose
 * bindings of the shared slots (the *key*) say where to look.
 */
import { SensError } from "../base/index.ts";
import type { Arg, AtomLiteral, Body, FilterLiteral, Frame, Head, Literal, RuleShape, Slot } from "./body.ts";
import { CompiledBody } from "./compiled-body.ts";
import { type DispatchKey, dispatchKey } from "./dispatch.ts";
import type { Machine, WorkAccount } from "./machine.ts";
import { EITHER, NOW, OLD } from "./mode.ts";
import { QuadRelation } from "./quad-relation.ts";
import { Relation } from "./relation.ts";
import { certainSlots } from "./slots.ts";
import type { TermEquality } from "./term-equality.ts";

/** A changed row of `atom` enters `body` at `index`. */
export interface AtomTrigger {
  readonly kind: "atom";
  readonly rule: CompiledRule;
  readonly atom: AtomLiteral;
  readonly body: CompiledBody;
  readonly index: number;
  readonly key: DispatchKey;
  /** The row alone says what the heads are: one solution is as good as all, where heads are sets. */
  readonly decided: boolean;
}

/** A filter over sub-bodies, seen through sub-body `sub`: where its truth may have changed is gathered in `keys`. */
export interface FilterSite {
  readonly rule: CompiledRule;
  readonly body: CompiledBody;
  readonly index: number;
  readonly sub: number;
  /** Slots that say which solutions may be concerned. */
  readonly keySlots: readonly Slot[];
  /** Bindings of the key slots gathered in the running transaction. */
  readonly keys: Map<string, readonly number[]>;
}

/** A changed row of `atom`, inside the sub-body of a filter, may change the filter's truth. */
export interface FilterTrigger {
  readonly kind: "filter";
  readonly rule: CompiledRule;
  readonly atom: AtomLiteral;
  readonly site: FilterSite;
  /** The sub-body without its filters, the changed atom at `candidateIndex`. */
  readonly candidates: CompiledBody;
  readonly candidateIndex: number;
  readonly key: DispatchKey;
}

export type Trigger = AtomTrigger | FilterTrigger;

export class CompiledRule implements WorkAccount {
  readonly name: string;
  readonly slotCount: number;
  readonly heads: readonly Head[];
  readonly literals: readonly Literal[];
  readonly parameters: Relation | undefined;
  readonly triggers: readonly Trigger[];
  /** For backward evaluation, everything in the state now. */
  readonly backward: CompiledBody;
  /** Negation or what comes from counted relations: runs only when its inputs are final. */
  readonly monotone: boolean;
  /** A value that the rule computes reaches a head: applied to its own results it may never end. */
  readonly invents: boolean;
  since = 0;
  work = 0;
  rows = 0;
  /** Non-monotone rules run from this stage of a transaction on; set by the stratifier. */
  stage = 0;

  constructor(machine: Machine, shape: RuleShape, parameters: Relation | undefined, typePredicate: number, mode: "set" | "counted") {
    this.name = shape.key;
    this.parameters = parameters;
    const literals = parameters ? [parameterAtom(shape, parameters), ...shape.body.literals] : [...shape.body.literals];
    this.literals = literals;
    // One slot more for the instance number of rules that do not use it.
    const plainSlots = shape.slotCount + 1;
    this.heads = shape.heads;
    this.backward = new CompiledBody(machine, { literals });
    this.backward.setModes(NOW);
    refuseUnmaintainable({ literals }, shape.key);
    const { equality } = machine;
    const places: Places = { equality, modulo: mode === "set", nextSlot: plainSlots };
    this.triggers = [...variants({ literals }, places)].flatMap((variant) =>
      this.#triggersOf(machine, variant, typePredicate, mode, places),
    );
    this.slotCount = places.nextSlot;
    this.monotone = !hasNegation({ literals });
    const computed = computedSlots({ literals });
    this.invents = shape.heads.some((head) => head.args.some((arg) => "slot" in arg && computed.has(arg.slot)));
  }

  /** The instance that is being evaluated, as far as the frame says; 0 when it does not. */
  instanceIn(frame: Frame): number {
    const atom = this.literals[0];
    if (!this.parameters || atom.kind !== "atom") return 0;
    const [instance] = atom.args;
    return "slot" in instance ? frame[instance.slot] : 0;
  }

  /** Clears marks left by an exception. */
  reset(): void {
    this.backward.reset();
    for (const trigger of this.triggers) {
      if (trigger.kind === "atom") trigger.body.reset();
      else {
        trigger.site.body.reset();
        trigger.site.keys.clear();
        trigger.candidates.reset();
      }
    }
  }

  #isDecidedBy({ args, expanded }: AtomLiteral): boolean {
    if (expanded) return false;
    const slots = new Set(args.flatMap((arg) => ("slot" in arg ? [arg.slot] : [])));
    return this.heads.every((head) => head.args.every((arg) => !("slot" in arg) || slots.has(arg.slot)));
  }

  #triggersOf(machine: Machine, variant: Variant, typePredicate: number, mode: "set" | "counted", places: Places): Trigger[] {
    const { literals, index } = variant;
    const literal = literals[index];
    if (literal.kind === "atom") {
      const body = new CompiledBody(machine, { literals });
      if (mode === "counted") telescope(body, index);
      const key = literal.relation instanceof QuadRelation ? dispatchKey(literal.args, literals, typePredicate) : ANY;
      return [{ kind: "atom", rule: this, atom: literal, body, index, key, decided: this.#isDecidedBy(literal) }];
    }
    if (literal.kind !== "filter") return [];
    const outerCertain = certainSlots({ literals });
    return (literal.exists ?? []).flatMap((sub, k) => {
      const stripped = strip(sub);
      const inner = certainSlots(stripped);
      const keySlots = [...inner].filter((slot) => outerCertain.has(slot)).sort((a, b) => a - b);
      const body = new CompiledBody(machine, { literals });
      if (mode === "counted") telescope(body, index);
      const site: FilterSite = { rule: this, body, index, sub: k, keySlots, keys: new Map() };
      return [...positiveVariants(stripped, places)].map((candidate): FilterTrigger => {
        const candidates = new CompiledBody(machine, { literals: candidate.literals });
        candidates.setModes(EITHER);
        const atom = candidate.literals[candidate.index] as AtomLiteral;
        const key = atom.relation instanceof QuadRelation ? dispatchKey(atom.args, literals, typePredicate) : ANY;
        return { kind: "filter", rule: this, atom, site, candidates, candidateIndex: candidate.index, key };
      });
    });
  }
}

const ANY: DispatchKey = { by: "any" };

/** Literals before the delta see the new state, those after it the old one. */
function telescope(body: CompiledBody, index: number): void {
  for (let i = 0; i < body.literals.length; i++) body.setMode(i, i < index ? NOW : OLD);
}

function parameterAtom(shape: RuleShape, parameters: Relation): AtomLiteral {
  const unused = shape.slotCount;
  return {
    kind: "atom",
    relation: parameters,
    args: [{ slot: shape.instance ?? unused }, ...shape.parameters.map((slot) => ({ slot }))],
  };
}

interface Variant {
  readonly literals: readonly Literal[];
  readonly index: number;
}

/** What equality of terms adds to the places where a delta can enter. */
interface Places {
  readonly equality: TermEquality | undefined;
  /** Expanded atoms have a delta when terms become equal; counted rules are told of it statement by statement instead. */
  readonly modulo: boolean;
  nextSlot: number;
}

/** Every atom and every filter over sub-bodies, each brought to the top by unfolding the unions around it. */
function* variants(body: Body, places: Places): Iterable<Variant> {
  const { literals } = body;
  for (let i = 0; i < literals.length; i++) {
    const literal = literals[i];
    const replaced = (inner: readonly Literal[]): Literal[] => [...literals.slice(0, i), ...inner, ...literals.slice(i + 1)];
    if (literal.kind === "atom") {
      yield { literals, index: i };
      if (!literal.expanded || !places.equality || !places.modulo) continue;
      const [s, p, o, g] = literal.args;
      for (const [position, arg] of [s, o].entries()) {
        const own = { slot: places.nextSlot++ };
        const atom: AtomLiteral = { ...literal, args: position === 0 ? [own, p, o, g] : [s, p, own, g] };
        const terms = equalTerms(own, arg, places, places.equality);
        for (const index of [i, i + 1]) yield { literals: replaced([...terms, atom]), index };
      }
    } else if (literal.kind === "same") {
      if (!places.equality) continue;
      const terms = equalTerms(literal.left, literal.right, places, places.equality);
      for (const index of [i, i + 1]) yield { literals: replaced(terms), index };
    } else if (literal.kind === "filter" && literal.exists && literal.exists.length > 0) yield { literals, index: i };
    else if (literal.kind === "union") {
      for (const branch of literal.branches)
        for (const inner of variants(branch, places))
          yield { literals: [...literals.slice(0, i), ...inner.literals, ...literals.slice(i + 1)], index: i + inner.index };
    }
  }
}

/** `left` and `right` in one class: two atoms where a delta can enter, and their equality, which knows its rank. */
function equalTerms(left: Arg, right: Arg, places: Places, { members }: TermEquality): Literal[] {
  const of = { slot: places.nextSlot++ };
  return [
    { kind: "atom", relation: members, args: [left, of] },
    { kind: "atom", relation: members, args: [right, of] },
    { kind: "same", left, right },
  ];
}

function* positiveVariants(body: Body, places: Places): Iterable<Variant> {
  for (const variant of variants(body, places)) if (variant.literals[variant.index].kind === "atom") yield variant;
  // Atoms of sub-bodies inside this sub-body: their change may change it anywhere they share slots with it.
  for (const literal of nestedSubBodies(body)) yield* withNested(body, literal, places);
}

/** The changed atom of a nested sub-body joins the sub-body as a whole: a superset of what may change. */
function* withNested(body: Body, nested: Body, places: Places): Iterable<Variant> {
  for (const inner of positiveVariants(strip(nested), places))
    yield { literals: [...strip(body).literals, ...inner.literals], index: strip(body).literals.length + inner.index };
}

const NESTED = new WeakMap<Body, readonly Body[]>();

function nestedSubBodies(body: Body): readonly Body[] {
  return NESTED.get(body) ?? [];
}

/** The body without filters and assignments; the sub-bodies of its filters are remembered for `positiveVariants`. */
function strip(body: Body): Body {
  const nested: Body[] = [...(NESTED.get(body) ?? [])];
  const literals: Literal[] = [];
  for (const literal of body.literals) {
    if (literal.kind === "filter" || literal.kind === "bind") nested.push(...(literal.exists ?? []));
    else if (literal.kind === "union") {
      const branches = literal.branches.map(strip);
      for (const branch of branches) nested.push(...nestedSubBodies(branch));
      literals.push({ kind: "union", branches });
    } else literals.push(literal);
  }
  const stripped: Body = { literals };
  if (nested.length > 0) NESTED.set(stripped, nested);
  return stripped;
}

function hasNegation(body: Body): boolean {
  return body.literals.some(
    (literal) =>
      ((literal.kind === "filter" || literal.kind === "bind") && (literal.exists?.length ?? 0) > 0) ||
      (literal.kind === "union" && literal.branches.some(hasNegation)) ||
      (literal.kind === "atom" && literal.relation instanceof Relation && literal.relation.counted),
  );
}

function refuseUnmaintainable(body: Body, rule: string): void {
  for (const literal of body.literals) {
    if (literal.kind === "call")
      throw new SensError("SENS_QUERY_UNSUPPORTED", `${rule}: a path closure cannot be kept up to date by deltas.`);
    if (literal.kind === "bind" && (literal.exists?.length ?? 0) > 0)
      throw new SensError("SENS_QUERY_UNSUPPORTED", `${rule}: an assignment over EXISTS cannot be kept up to date by deltas.`);
    if (literal.kind === "union") for (const branch of literal.branches) refuseUnmaintainable(branch, rule);
    if (literal.kind === "filter") for (const sub of (literal as FilterLiteral).exists ?? []) refuseUnmaintainable(sub, rule);
  }
}

function computedSlots(body: Body): Set<Slot> {
  const slots = new Set<Slot>();
  for (const literal of body.literals) {
    if (literal.kind === "bind") slots.add(literal.target);
    else if (literal.kind === "union") for (const branch of literal.branches) for (const slot of computedSlots(branch)) slots.add(slot);
  }
  return slots;
}
