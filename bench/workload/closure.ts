/**
 * What must hold after reasoning, computed directly from the links that documents state, with no rule engine: the oracle
 * of every load and delete. Closures are compared as counts per relation and an order-free sum of hashes.
 */
import type { Person } from "./people.ts";

export const CLOSURE_RELATIONS = ["Person", "isParentOf", "isChildOf", "isAncestorOf"] as const;
export type ClosureRelation = (typeof CLOSURE_RELATIONS)[number];

/** A set of facts over local names, reduced to what is needed to tell two of them apart. */
export class Fingerprint {
  readonly counts: Record<ClosureRelation, number> = { Person: 0, isParentOf: 0, isChildOf: 0, isAncestorOf: 0 };
  #low = 0;
  #high = 0;

  /** One fact; each must be added once. `object` is "" for a Person. */
  add(relation: ClosureRelation, subject: string, object: string): void {
    this.counts[relation]++;
    const text = `${relation} ${subject} ${object}`;
    let low = 0x811c9dc5;
    let high = 0x1234567;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x5bd1e995);
    }
    this.#low = (this.#low + low) | 0;
    this.#high = (this.#high + (high ^ (high >>> 15))) | 0;
  }

  equals(other: Fingerprint): boolean {
    return this.toString() === other.toString();
  }

  toString(): string {
    return `${CLOSURE_RELATIONS.map((relation) => `${relation} ${this.counts[relation]}`).join(", ")}, sum ${this.#low}:${this.#high}`;
  }
}

export interface Closure {
  readonly facts: Fingerprint;
  /** Facts that no document states. */
  readonly derived: number;
}

/** The closure of what these patients' documents state. */
export function closureOf(patients: Iterable<Person>): Closure {
  const facts = new Fingerprint();
  const children = new Map<string, Set<string>>();
  const persons = new Set<string>();
  let stated = 0;
  const toldLinks = new Set<string>();
  for (const patient of patients) {
    persons.add(patient.name);
    for (const { predicate, other } of patient.links) {
      persons.add(other);
      const [parent, child] = predicate === "isParentOf" ? [patient.name, other] : [other, patient.name];
      const known = children.get(parent);
      if (known) known.add(child);
      else children.set(parent, new Set([child]));
      if (!toldLinks.has(`${predicate} ${parent} ${child}`)) stated++;
      toldLinks.add(`${predicate} ${parent} ${child}`);
    }
  }
  for (const person of persons) facts.add("Person", person, "");
  for (const [parent, ofParent] of children) {
    for (const child of ofParent) {
      facts.add("isParentOf", parent, child);
      facts.add("isChildOf", child, parent);
    }
    for (const descendant of reachable(parent, children)) facts.add("isAncestorOf", parent, descendant);
  }
  const { counts } = facts;
  return { facts, derived: counts.Person + counts.isParentOf + counts.isChildOf + counts.isAncestorOf - stated };
}

function reachable(start: string, children: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of children.get(next) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      open.push(child);
    }
  }
  return seen;
}
