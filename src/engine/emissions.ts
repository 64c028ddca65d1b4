/**
 * Heads of solutions, kept until the enumeration that found them has ended: it must not see relations change.
 *
 * State: flat records of numbers, beside them the rules. About 40 B each.
 */

import { grown } from "./columns.ts";
import type { CompiledRule } from "./compiled-rule.ts";

/** A larger buffer is not kept from one transaction to the next. */
const NUMBERS_KEPT = 65_536;
/** Numbers of a record before its values. */
const FIXED = 4;

export interface Emission {
  rule: CompiledRule;
  /** Number of the head. */
  head: number;
  /** Of a rule with parameters: whose it is. */
  instance: number;
  /** Of the deepest premise. */
  rank: number;
  /** How many made-up values led to it. */
  inventions: number;
  readonly values: number[];
}

export class Emissions {
  count = 0;
  #rules: CompiledRule[] = [];
  #numbers = new Int32Array(256);
  #end = 0;
  readonly #emission: Emission = { rule: undefined as never, head: 0, instance: 0, rank: 0, inventions: 0, values: [] };

  add(rule: CompiledRule, head: number, instance: number, rank: number, inventions: number, values: readonly number[]): void {
    const { arity } = rule.heads[head].relation;
    const at = this.#end;
    this.#end = at + FIXED + arity;
    if (this.#end > this.#numbers.length) this.#numbers = grown(this.#numbers, this.#end);
    const numbers = this.#numbers;
    numbers[at] = head;
    numbers[at + 1] = instance;
    numbers[at + 2] = rank;
    numbers[at + 3] = inventions;
    for (let i = 0; i < arity; i++) numbers[at + FIXED + i] = values[i];
    this.#rules[this.count++] = rule;
  }

  /** Hands out each, in one object, and forgets them; nothing may be added meanwhile. */
  take(visit: (emission: Emission) => void): void {
    const { count } = this;
    const emission = this.#emission;
    const numbers = this.#numbers;
    this.count = 0;
    this.#end = 0;
    let at = 0;
    for (let i = 0; i < count; i++) {
      emission.rule = this.#rules[i];
      emission.head = numbers[at];
      emission.instance = numbers[at + 1];
      emission.rank = numbers[at + 2];
      emission.inventions = numbers[at + 3];
      const { arity } = emission.rule.heads[emission.head].relation;
      emission.values.length = arity;
      for (let k = 0; k < arity; k++) emission.values[k] = numbers[at + FIXED + k];
      at += FIXED + arity;
      visit(emission);
    }
  }

  /** Forgets all, and what it held of rules. */
  clear(): void {
    this.count = 0;
    this.#end = 0;
    if (this.#rules.length > 0) this.#rules = [];
    if (this.#numbers.length > NUMBERS_KEPT) this.#numbers = new Int32Array(256);
  }
}
