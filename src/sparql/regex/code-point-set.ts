/**
 * Sets of code points as sorted, disjoint ranges [first, last, first, last, …], with the set operations that the character
 * classes of XPath need. Surrogates belong to no set. Sets of Unicode properties are computed once and kept: there are
 * fewer than fifty, of at most a few thousand numbers each.
 */
export type CodePointSet = readonly number[];

const LAST = 0x10ffff;

/** Sorts and merges ranges given in any order. */
export function setOf(ranges: readonly number[]): CodePointSet {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) pairs.push([ranges[index], ranges[index + 1]]);
  pairs.sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [first, last] of pairs) {
    if (out.length > 0 && first <= out[out.length - 1] + 1) out[out.length - 1] = Math.max(out[out.length - 1], last);
    else out.push(first, last);
  }
  return out;
}

export function union(a: CodePointSet, b: CodePointSet): CodePointSet {
  return setOf([...a, ...b]);
}

export function complement(set: CodePointSet): CodePointSet {
  const out: number[] = [];
  let next = 0;
  for (const [first, last] of [...pairsOf(set), [0xd800, 0xdfff] as const].sort((a, b) => a[0] - b[0])) {
    if (first > next) out.push(next, first - 1);
    next = Math.max(next, last + 1);
  }
  if (next <= LAST) out.push(next, LAST);
  return out;
}

export function subtract(a: CodePointSet, b: CodePointSet): CodePointSet {
  return complement(union(complement(a), b));
}

const properties = new Map<string, CodePointSet | undefined>();

/** The set of a general category, "L" or "Lu"; `undefined` when there is none of that name. */
export function categorySet(name: string): CodePointSet | undefined {
  if (!/^(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/.test(name)) return undefined;
  if (!properties.has(name)) properties.set(name, scan(new RegExp(`^\\p{${name}}$`, "u")));
  return properties.get(name);
}

let casePairs: readonly (readonly [number, number])[] | undefined;

/** Adds the other cases of every member. */
export function closeOverCase(set: CodePointSet): CodePointSet {
  casePairs ??= findCasePairs();
  const extra: number[] = [];
  for (const [a, b] of casePairs) {
    if (contains(set, a)) extra.push(b, b);
    if (contains(set, b)) extra.push(a, a);
  }
  return extra.length === 0 ? set : union(set, setOf(extra));
}

export function contains(set: CodePointSet, point: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (point < set[middle * 2]) high = middle - 1;
    else if (point > set[middle * 2 + 1]) low = middle + 1;
    else return true;
  }
  return false;
}

/** The set as the inside of an RE2 class. */
export function formatSet(set: CodePointSet): string {
  return pairsOf(set)
    .map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`))
    .join("");
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

function pairsOf(set: CodePointSet): (readonly [number, number])[] {
  const out: (readonly [number, number])[] = [];
  for (let index = 0; index < set.length; index += 2) out.push([set[index], set[index + 1]]);
  return out;
}

/** The expression is one of ours, of a fixed form: never a user's. */
function scan(property: RegExp): CodePointSet {
  const out: number[] = [];
  for (let point = 0; point <= LAST; point++) {
    if (point === 0xd800) point = 0xe000;
    if (!property.test(String.fromCodePoint(point))) continue;
    if (out.length > 0 && out[out.length - 1] === point - 1) out[out.length - 1] = point;
    else out.push(point, point);
  }
  return out;
}

function findCasePairs(): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let point = 0x41; point < 0x1e944; point++) {
    if (point === 0xd800) point = 0xe000;
    const text = String.fromCodePoint(point);
    for (const other of [text.toLowerCase(), text.toUpperCase()]) {
      const folded = other.codePointAt(0) ?? 0;
      if (folded !== point && other.length === String.fromCodePoint(folded).length) pairs.push([point, folded]);
    }
  }
  return pairs;
}
