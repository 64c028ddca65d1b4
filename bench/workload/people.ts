/**
 * Patients in family trees. A family has 8 to 20 members in up to five generations below one couple; couples have one to
 * four children, and more when the family is still small; six in ten children found a couple of their own. A link is
 * stated by the parent, by the child or, one in ten times, by both, so that reasoning has something to find either way.
 * Members arrive in random order.
 */
import { SeededNumbers } from "./random.ts";

export interface Person {
  readonly name: string;
  readonly family: number;
  readonly isWoman: boolean;
  readonly generation: number;
  readonly age: number;
  readonly blood: string;
  readonly parents: Person[];
  readonly children: Person[];
  /** Links this person's own document states. */
  readonly links: Link[];
}

export interface Link {
  readonly predicate: "isParentOf" | "isChildOf";
  readonly other: string;
}

/** Share of each type among patients. */
const BLOOD_SHARES: readonly (readonly [string, number])[] = [
  ["O", 0.38],
  ["A", 0.34],
  ["B", 0.09],
  ["Oneg", 0.07],
  ["Aneg", 0.06],
  ["AB", 0.03],
  ["Bneg", 0.02],
  ["ABneg", 0.01],
];
export const BLOOD_TYPES = BLOOD_SHARES.map(([type]) => type);

const YOUNGEST_GENERATION = 4;

/** The first `count` patients, in the order in which they arrive. The last family may be cut short. */
export function people(count: number, seed = 2024): Person[] {
  const random = new SeededNumbers(seed);
  const all: Person[] = [];
  for (let family = 0; all.length < count; family++) {
    const members = makeFamily(family, Math.min(8 + random.below(13), count - all.length), random);
    for (const member of members) for (const parent of member.parents) stateLink(parent, member, random);
    random.shuffle(members);
    all.push(...members);
  }
  return all;
}

function makeFamily(family: number, size: number, random: SeededNumbers): Person[] {
  const members: Person[] = [];
  const join = (isWoman: boolean, generation: number): Person => {
    const age = Math.max(1, 92 - generation * 25 + random.below(9));
    const person: Person = {
      name: `p${family}_${members.length}`,
      family,
      isWoman,
      generation,
      age,
      blood: bloodType(random),
      parents: [],
      children: [],
      links: [],
    };
    members.push(person);
    return person;
  };
  const founder = join(false, 0);
  if (size === 1) return members;
  const couples: [Person, Person][] = [[founder, join(true, 0)]];
  while (members.length < size) {
    const [one, two] = couples.shift() as [Person, Person];
    const births = 1 + random.below(4);
    for (let birth = 0; birth < births && members.length < size; birth++) {
      const child = join(random.chance(0.5), one.generation + 1);
      child.parents.push(one, two);
      one.children.push(child);
      two.children.push(child);
      const mustMarry = birth === 0 && couples.length === 0;
      if (child.generation < YOUNGEST_GENERATION && members.length < size && (mustMarry || random.chance(0.6)))
        couples.push([child, join(!child.isWoman, child.generation)]);
    }
    if (couples.length === 0) couples.push([one, two]);
  }
  return members;
}

function stateLink(parent: Person, child: Person, random: SeededNumbers): void {
  const who = random.fraction();
  if (who < 0.55) parent.links.push({ predicate: "isParentOf", other: child.name });
  if (who >= 0.45) child.links.push({ predicate: "isChildOf", other: parent.name });
}

function bloodType(random: SeededNumbers): string {
  let left = random.fraction();
  for (const [type, share] of BLOOD_SHARES) {
    left -= share;
    if (left < 0) return type;
  }
  return "O";
}
