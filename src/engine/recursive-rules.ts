/** The rules of the fixpoint, by what concerns them: changed quads and rows, what is derived, what the stratifier asks. */
import { BackwardRules } from "./backward-rules.ts";
import type { CompiledRule, FilterSite, Trigger } from "./compiled-rule.ts";
import { Dispatch } from "./dispatch.ts";
import type { Machine } from "./machine.ts";
import { QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";
import { append, without } from "./relation-lists.ts";
import type { RuleIndex } from "./stratifier.ts";

const NONE: readonly never[] = [];

export class RecursiveRules implements Iterable<CompiledRule> {
  /** From a changed quad. */
  readonly triggers: Dispatch<Trigger>;
  /** From what is derived to the rules that may derive it. */
  readonly backward: BackwardRules;
  readonly #machine: Machine;
  readonly #typePredicate: number;
  readonly #rules = new Set<CompiledRule>();
  readonly #byRelation = new Map<Relation, Trigger[]>();
  /** Of non-monotone rules. */
  readonly #sites = new Map<CompiledRule, FilterSite[]>();

  constructor(machine: Machine, typePredicate: number) {
    this.#machine = machine;
    this.#typePredicate = typePredicate;
    this.triggers = new Dispatch(typePredicate);
    this.backward = new BackwardRules(machine, typePredicate);
  }

  [Symbol.iterator](): Iterator<CompiledRule> {
    return this.#rules.values();
  }

  add(rule: CompiledRule): void {
    this.#rules.add(rule);
    for (const trigger of rule.triggers) {
      if (trigger.atom.relation instanceof QuadRelation) this.triggers.add(trigger.key, trigger);
      else append(this.#byRelation, trigger.atom.relation, trigger);
      if (trigger.kind === "filter") {
        const sites = this.#sites.get(rule) ?? [];
        if (!sites.includes(trigger.site)) sites.push(trigger.site);
        this.#sites.set(rule, sites);
      }
    }
    this.backward.add(rule);
  }

  remove(rule: CompiledRule): void {
    this.#rules.delete(rule);
    this.#sites.delete(rule);
    for (const trigger of rule.triggers) {
      if (trigger.atom.relation instanceof QuadRelation) this.triggers.remove(trigger);
      else without(this.#byRelation, trigger.atom.relation, trigger);
    }
    this.backward.remove(rule);
  }

  /** From a changed row of another relation. */
  triggersOf(relation: Relation): readonly Trigger[] {
    return this.#byRelation.get(relation) ?? NONE;
  }

  sitesOf(rule: CompiledRule): readonly FilterSite[] {
    return this.#sites.get(rule) ?? NONE;
  }

  /** Those that were gathered in a transaction. */
  forgetKeys(): void {
    for (const sites of this.#sites.values()) for (const site of sites) if (site.keys.size > 0) site.keys.clear();
  }

  /** For the stratifier: which monotone rules a change of a node may concern. */
  index(): RuleIndex {
    const { triggers } = this;
    const byRelation = this.#byRelation;
    const typePredicate = this.#typePredicate;
    function* monotone(items: Iterable<Trigger> | undefined): Iterable<Trigger> {
      for (const item of items ?? []) if (item.rule.monotone) yield item;
    }
    return {
      typePredicate,
      equality: this.#machine.equality,
      *forNode(kind, value) {
        if (kind === "relation") {
          yield* monotone(byRelation.get(value as Relation));
          return;
        }
        yield* monotone(triggers.forAny);
        if (kind === "predicate") yield* monotone(triggers.forPredicate(value as number));
        else {
          yield* monotone(triggers.forPredicate(typePredicate));
          yield* monotone(kind === "class" ? triggers.forClass(typePredicate, value as number) : triggers.forAnyClass());
        }
      },
    };
  }
}
