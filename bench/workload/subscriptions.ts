/**
 * Nine shapes of subscriptions and, for each subscription, documents that touch it and no other.
 *
 * Subscription number k has shape k mod 9. Its constants are patients, wards, doctors, cities… of the data as long as
 * there are some, then ones that nobody has mentioned yet. Newcomers take every other value from outside what is
 * watched, and the three shapes about relatives watch different families, so that exactly one subscription is affected.
 */
import type { Documents } from "./documents.ts";
import { type Attribute, documentOf, filledUp, POOLS } from "./documents.ts";
import { BLOOD_TYPES, type Person } from "./people.ts";
import { SeededNumbers } from "./random.ts";
import { iri, literal, TYPE } from "./vocabulary.ts";

export const SHAPES = ["donor", "sibling", "ward", "doctor", "grandparent", "uninsured", "drug", "count", "family"] as const;
export type Shape = (typeof SHAPES)[number];

/** Shapes that plain Horn rules can express: no filter, negation, optional part or count. */
export const HORN_SHAPES: readonly Shape[] = ["donor", "grandparent", "drug", "family"];

export interface Target {
  readonly number: number;
  readonly shape: Shape;
  /** N-Triples terms of the query's constants. */
  readonly constants: readonly string[];
  readonly query: string;
}

export interface Publication {
  readonly target: number;
  readonly document: Buffer;
  /** N-Triples lines the one affected subscription is told, sorted. */
  readonly expected: readonly string[];
  /** The newcomer, and what reasoning adds, for contenders that have no reasoner in the loop. */
  readonly inferred: readonly string[];
}

const PREFIX = "PREFIX : <http://example.org/donor#> ";
const SENIOR = 65;

export class Subscriptions {
  readonly #documents: Documents;
  readonly #leaves: Person[] = [];
  readonly #siblings: Person[] = [];
  readonly #grandchildren: Person[] = [];
  readonly #shapes: readonly Shape[];

  /** With fewer `shapes` only those are used. */
  constructor(patients: readonly Person[], documents: Documents, shapes: readonly Shape[] = SHAPES) {
    this.#documents = documents;
    this.#shapes = shapes;
    const taken = new Set<number>();
    for (const person of patients) {
      if (person.children.length > 0 || person.parents.length !== 2) continue;
      const kind = person.family % 3;
      if (kind === 0) this.#leaves.push(person);
      else if (kind === 1 && !taken.has(person.family)) {
        taken.add(person.family);
        this.#siblings.push(person);
      } else if (kind === 2 && person.generation >= 2 && !taken.has(person.family)) {
        taken.add(person.family);
        this.#grandchildren.push(person);
      }
    }
  }

  get shapeCount(): number {
    return this.#shapes.length;
  }

  target(number: number): Target {
    const shape = this.#shapes[number % this.#shapes.length];
    const constants = this.#constants(shape, Math.floor(number / this.#shapes.length));
    return { number, shape, constants, query: queryOf(shape, constants) };
  }

  #constants(shape: Shape, index: number): string[] {
    const pooled = (pool: keyof typeof POOLS): string => iri(index < POOLS[pool] ? `${pool}${index}` : `${pool}-awaited-${index}`);
    switch (shape) {
      case "donor": {
        const leaf = this.#leaves.length > 0 ? this.#leaves[index % this.#leaves.length] : undefined;
        const round = leaf ? Math.floor(index / this.#leaves.length) : BLOOD_TYPES.length;
        const blood = BLOOD_TYPES[round % BLOOD_TYPES.length];
        return [iri(leaf && round < BLOOD_TYPES.length ? leaf.name : `awaited-${index}`), iri(blood)];
      }
      case "sibling":
        return [iri(this.#siblings[index]?.name ?? `awaited-sibling-${index}`)];
      case "grandparent":
        return [iri(this.#grandchildren[index]?.name ?? `awaited-grandchild-${index}`)];
      case "ward":
        return [pooled("Hospital"), literal(SENIOR, "int")];
      case "doctor":
        return [pooled("Doctor")];
      case "uninsured":
        return [pooled("City")];
      case "drug":
        return [pooled("Drug")];
      case "count":
        return [pooled("ICD")];
      case "family":
        return [literal(`Family${index}`)];
    }
  }

  /**
   * `count` documents of `size` triples, each for one of the subscriptions from number `first` on, chosen at random among
   * `among`. All of them are published before any is withdrawn: counts go up as they come.
   */
  publications(count: number, size: number, first: number, among: number, seed: number): Publication[] {
    const random = new SeededNumbers(seed);
    const counted = new Map<number, number>();
    return Array.from({ length: count }, (_, i) => {
      const target = this.target(first + random.below(among));
      const before = (target.shape === "count" ? this.#countOf(target.number) : 0) + (counted.get(target.number) ?? 0);
      counted.set(target.number, (counted.get(target.number) ?? 0) + 1);
      return this.#publication(target, `newcomer${seed}_${i}`, size, before, random);
    });
  }

  #countOf(number: number): number {
    return this.#documents.diagnoses.get(Math.floor(number / this.#shapes.length)) ?? 0;
  }

  #publication(target: Target, name: string, size: number, before: number, random: SeededNumbers): Publication {
    const subject = iri(name);
    const [constant, second] = target.constants;
    const says: Attribute[] = [];
    const others: string[] = [];
    const values = new Map<string, string>([
      ["hasAge", literal(40, "int")],
      ["hasBloodType", iri("O")],
      ["hasInsurance", iri("Insurer0")],
      ["livesIn", iri("Elsewhere")],
    ]);
    let expected: string[];
    const inferred = [`${subject} ${TYPE} ${iri("Person")} .`];
    const parentOf = (child: string): void => {
      says.push([iri("isParentOf"), child]);
      inferred.push(`${child} ${iri("isChildOf")} ${subject} .`, `${subject} ${iri("isAncestorOf")} ${child} .`);
    };
    switch (target.shape) {
      case "donor":
        parentOf(constant);
        values.set("hasBloodType", second);
        expected = [`${constant} ${iri("canReceiveBloodFrom")} ${subject} .`];
        break;
      case "sibling": {
        const parent = this.#relative(target.number, this.#siblings);
        says.push([iri("isChildOf"), parent.name]);
        inferred.push(`${parent.name} ${iri("isParentOf")} ${subject} .`, `${parent.name} ${iri("isAncestorOf")} ${subject} .`);
        if (parent.isNew) {
          others.push(`${constant} ${iri("isChildOf")} ${parent.name} .`);
          inferred.push(`${parent.name} ${iri("isParentOf")} ${constant} .`);
        }
        expected = [`${constant} ${iri("hasSibling")} ${subject} .`];
        break;
      }
      case "grandparent": {
        const parent = this.#relative(target.number, this.#grandchildren);
        parentOf(parent.name);
        if (parent.isNew) others.push(`${parent.name} ${iri("isParentOf")} ${constant} .`);
        expected = [`${constant} ${iri("hasGrandparent")} ${subject} .`];
        break;
      }
      case "ward":
        values.set("hasAge", literal(SENIOR + 5, "int"));
        values.set("registeredAt", constant);
        expected = [`${constant} ${iri("hasSenior")} ${subject} .`];
        break;
      case "doctor":
        values.set("hasPractitioner", constant);
        values.set("hasAllergy", iri("Nuts"));
        expected = [`${constant} ${iri("caresFor")} ${subject} .`, `${subject} ${iri("mustAvoid")} ${iri("Nuts")} .`];
        break;
      case "uninsured":
        values.delete("hasInsurance");
        values.set("livesIn", constant);
        expected = [`${constant} ${iri("hasUninsured")} ${subject} .`];
        break;
      case "drug":
        values.set("hasAllergy", constant);
        expected = [`${constant} ${iri("concerns")} ${subject} .`];
        break;
      case "count":
        values.set("hasDiagnosis", constant);
        expected = [`${constant} ${iri("isHadBy")} "${before + 1}"^^<http://www.w3.org/2001/XMLSchema#integer> .`];
        break;
      case "family":
        values.set("hasFamilyName", constant);
        expected = [`${subject} ${iri("isOfFamily")} ${constant} .`];
        break;
    }
    const attributes: Attribute[] = [[TYPE, iri("Woman")], ...says, ...[...values].map(([key, value]): Attribute => [iri(key), value])];
    const text = documentOf(name, filledUp(attributes, size - others.length, random)) + others.map((line) => `${line}\n`).join("");
    return { target: target.number, document: Buffer.from(text, "latin1"), expected: expected.sort(), inferred };
  }

  /** The parent through whom the newcomer becomes a relative: one of the data, or one that is first mentioned here. */
  #relative(number: number, watched: readonly Person[]): { readonly name: string; readonly isNew: boolean } {
    const index = Math.floor(number / this.#shapes.length);
    const known = watched[index];
    return known ? { name: iri(known.parents[0].name), isNew: false } : { name: iri(`awaited-parent-${number}`), isNew: true };
  }
}

function queryOf(shape: Shape, [first, second]: readonly string[]): string {
  return PREFIX + patternOf(shape, first, second);
}

function patternOf(shape: Shape, first: string, second: string | undefined): string {
  switch (shape) {
    case "donor":
      return `CONSTRUCT { ${first} :canReceiveBloodFrom ?p } WHERE { ?p :isAncestorOf ${first} . ?p :hasBloodType ${second} }`;
    case "sibling":
      return `CONSTRUCT { ${first} :hasSibling ?y } WHERE { ?p :isParentOf ${first} , ?y FILTER(?y != ${first}) }`;
    case "ward":
      return `CONSTRUCT { ${first} :hasSenior ?p } WHERE { ?p a :Woman ; :registeredAt ${first} ; :hasAge ?a FILTER(?a > ${second}) }`;
    case "doctor":
      return `CONSTRUCT { ${first} :caresFor ?p . ?p :mustAvoid ?x } WHERE { ?p :hasPractitioner ${first} OPTIONAL { ?p :hasAllergy ?x } }`;
    case "grandparent":
      return `CONSTRUCT { ${first} :hasGrandparent ?g } WHERE { ?g :isParentOf ?p . ?p :isParentOf ${first} }`;
    case "uninsured":
      return `CONSTRUCT { ${first} :hasUninsured ?p } WHERE { ?p :livesIn ${first} FILTER NOT EXISTS { ?p :hasInsurance ?i } }`;
    case "drug":
      return `CONSTRUCT { ${first} :concerns ?p } WHERE { { ?p :takesMedication ${first} } UNION { ?p :hasAllergy ${first} } }`;
    case "count":
      return `CONSTRUCT { ${first} :isHadBy ?n } WHERE { { SELECT (COUNT(?p) AS ?n) WHERE { ?p :hasDiagnosis ${first} } } }`;
    case "family":
      return `CONSTRUCT { ?p :isOfFamily ${first} } WHERE { ?p a :Person ; :hasFamilyName ${first} }`;
  }
}
