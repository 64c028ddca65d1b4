/**
 * Slots of one rule, and the plan the rules make up.
 *
 * Every rule of a plan lays out its frame alike: slot 0 is the instance, slots 1 to k the constants, then variables.
 * So a constant has the same slot everywhere, and a piece of a query can move to a rule of its own.
 */
import type {
  AnyRelation,
  Arg,
  Body,
  Head,
  Literal,
  PipelineStep,
  Relation,
  RelationFactory,
  RuleShape,
  Slot,
} from "../../engine/index.ts";
import type { TermTable } from "../../rdf/index.ts";
import { isParameter, parameterIndex } from "./canonical.ts";
import { VariableAnalysis } from "./variables.ts";

export const INSTANCE_SLOT: Slot = 0;
export const INSTANCE: Arg = { slot: INSTANCE_SLOT };

/** The pattern needs more than rules give; `remedy` says what can answer it instead. */
export class NotPlanned extends Error {
  readonly remedy: "each-graph" | "other-evaluator";
  constructor(why: string, remedy: "each-graph" | "other-evaluator" = "other-evaluator") {
    super(why);
    this.name = "NotPlanned";
    this.remedy = remedy;
  }
}

/** What a plan is built from. */
export interface PlanSettings {
  readonly terms: TermTable;
  readonly quads: AnyRelation;
  readonly baseIri: string | undefined;
  /** Constants taken out of the query, the identity included. */
  readonly constants: number;
  /** Which constant names the query, for UUID, BNODE and nodes of templates. */
  readonly identity: number | undefined;
  readonly nowMs: number;
  readonly random: () => number;
}

/** Bound on what nested OPTIONALs and paths may unfold to. */
const LITERALS_MAX = 20_000;

export class PlanBuilder {
  readonly settings: PlanSettings;
  readonly key: string;
  readonly steps: PipelineStep[] = [];
  readonly analysis = new VariableAnalysis();
  readonly #relations: RelationFactory;
  readonly #sites = new WeakMap<object, number>();
  #siteCount = 0;
  #literals = 0;
  /** Set when a part can only be evaluated, not maintained. */
  hasCalls = false;
  /** (instance, graph), once a part asks for it. */
  namedGraphs: Relation | undefined;

  constructor(settings: PlanSettings, key: string, relations: RelationFactory) {
    this.settings = settings;
    this.key = key;
    this.#relations = relations;
  }

  /** A relation between steps; its first column is the instance. */
  relation(purpose: string, arity: number, nullable: boolean): Relation {
    return this.#relations(`${purpose}${this.steps.length}`, arity, { nullable });
  }

  rule(builder: RuleBuilder, literals: readonly Literal[], heads: readonly Head[]): void {
    this.steps.push({ kind: "rule", shape: builder.shape(`${this.key}#${this.steps.length}`, { literals }, heads) });
  }

  /** A number for an expression: copies of a part of the query call UUID() and BNODE() at the same site. */
  siteOf(expression: object): number {
    let site = this.#sites.get(expression);
    if (site === undefined) {
      site = this.#siteCount++;
      this.#sites.set(expression, site);
    }
    return site;
  }

  count(literals: number): void {
    this.#literals += literals;
    if (this.#literals > LITERALS_MAX) throw new NotPlanned("the query unfolds to too many parts");
  }
}

export class RuleBuilder {
  readonly #constants: number;
  #slotCount: number;

  constructor(constants: number) {
    this.#constants = constants;
    this.#slotCount = 1 + constants;
  }

  newSlot(): Slot {
    return this.#slotCount++;
  }

  shape(key: string, body: Body, heads: readonly Head[]): RuleShape {
    const parameters = Array.from({ length: this.#constants }, (_, index) => parameterSlot(index));
    return { key, slotCount: this.#slotCount, parameters, instance: INSTANCE_SLOT, body, heads };
  }
}

export function parameterSlot(index: number): Slot {
  return 1 + index;
}

/** Which slot carries which variable, within one scope of the query. Names are given slots when first asked for. */
export class Scope {
  readonly #rule: RuleBuilder;
  readonly #slots = new Map<string, Slot>();
  readonly #parent: Scope | undefined;
  readonly #hidden: ReadonlySet<string>;

  private constructor(rule: RuleBuilder, parent: Scope | undefined, hidden: ReadonlySet<string>) {
    this.#rule = rule;
    this.#parent = parent;
    this.#hidden = hidden;
  }

  static root(rule: RuleBuilder): Scope {
    return new Scope(rule, undefined, new Set());
  }

  /** The same names, but those in `hidden` have slots of their own. */
  renamed(hidden: ReadonlySet<string>): Scope {
    return hidden.size === 0 ? this : new Scope(this.#rule, this, hidden);
  }

  /** Slots of their own for all names but `shared`. */
  apart(shared: Iterable<string>): Scope {
    const scope = Scope.root(this.#rule);
    for (const name of shared) scope.#slots.set(name, this.slot(name));
    return scope;
  }

  slot(name: string): Slot {
    if (isParameter(name)) return parameterSlot(parameterIndex(name));
    if (this.#parent && !this.#hidden.has(name)) return this.#parent.slot(name);
    let slot = this.#slots.get(name);
    if (slot === undefined) {
      slot = this.#rule.newSlot();
      this.#slots.set(name, slot);
    }
    return slot;
  }
}
