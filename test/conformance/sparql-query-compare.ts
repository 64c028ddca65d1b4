/** Comparison of solution multisets up to the names of blank nodes; numbers compare by datatype and value. */
import type * as RDF from "@rdfjs/types";

export type Row = readonly (RDF.Term | undefined)[];

const NUMBERS =
  /#(integer|decimal|double|float|int|long|short|byte|nonNegativeInteger|positiveInteger|nonPositiveInteger|negativeInteger|unsignedInt|unsignedLong|unsignedShort|unsignedByte)$/;

function keyOf(term: RDF.Term | undefined): string {
  if (!term) return "-";
  if (term.termType === "BlankNode") return `_:${term.value}`;
  if (term.termType !== "Literal") return `<${term.value}>`;
  const number = NUMBERS.test(term.datatype.value) && term.value !== "" ? Number(term.value.replace("INF", "Infinity")) : Number.NaN;
  return `"${Number.isNaN(number) ? term.value : number}"@${term.language.toLowerCase()}^^${term.datatype.value}`;
}

/** Undefined when equal, else what differs. */
export function rowsDifference(
  actual: readonly Row[],
  expected: readonly Row[],
  options: { ordered?: boolean; lax?: boolean } = {},
): string | undefined {
  let [a, b] = [actual, expected].map((rows) => rows.map((row) => row.map(keyOf))) as [string[][], string[][]];
  if (options.lax) {
    [a, b] = [a, b].map((rows) => [...new Map(rows.map((row) => [row.join("\t"), row])).values()]) as [string[][], string[][]];
  }
  const show = (rows: string[][]) =>
    rows
      .map((row) => row.join(" "))
      .sort()
      .join("\n");
  const message = () => `got ${a.length} rows:\n${show(a)}\nexpected ${b.length} rows:\n${show(b)}`;
  if (a.length !== b.length) return message();
  const matched = options.ordered ? matchInOrder(a, b) : matchAny(a, b);
  return matched ? undefined : message();
}

function matchInOrder(a: string[][], b: string[][]): boolean {
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  return a.every((row, index) => unify(row, b[index] as string[], there, back) !== undefined);
}

/** Backtracking over rows with blank nodes; the others are counted. */
function matchAny(a: string[][], b: string[][]): boolean {
  const counts = new Map<string, number>();
  const hasBlank = (row: string[]) => row.some((key) => key.startsWith("_:"));
  for (const row of a) if (!hasBlank(row)) counts.set(row.join("\t"), (counts.get(row.join("\t")) ?? 0) + 1);
  for (const row of b) if (!hasBlank(row)) counts.set(row.join("\t"), (counts.get(row.join("\t")) ?? 0) - 1);
  if ([...counts.values()].some((count) => count !== 0)) return false;
  const left = a.filter(hasBlank);
  const right = b.filter(hasBlank);
  const used = new Set<number>();
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  const search = (at: number): boolean => {
    if (at === left.length) return true;
    const row = left[at] as string[];
    for (const [index, other] of right.entries()) {
      if (used.has(index)) continue;
      const bound = unify(row, other, there, back);
      if (!bound) continue;
      used.add(index);
      if (search(at + 1)) return true;
      used.delete(index);
      for (const key of bound) {
        back.delete(there.get(key) as string);
        there.delete(key);
      }
    }
    return false;
  };
  return left.length === right.length && search(0);
}

/** Binds blank nodes of `a` to those of `b`; the newly bound ones, or undefined when the rows differ. */
function unify(a: string[], b: string[], there: Map<string, string>, back: Map<string, string>): string[] | undefined {
  const bound: string[] = [];
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i] as string, b[i] as string];
    const blank = left.startsWith("_:") && right.startsWith("_:");
    const fits = blank ? (there.get(left) ?? right) === right && (back.get(right) ?? left) === left : left === right;
    if (fits && blank && !there.has(left)) {
      there.set(left, right);
      back.set(right, left);
      bound.push(left);
    }
    if (fits) continue;
    for (const key of bound) {
      back.delete(there.get(key) as string);
      there.delete(key);
    }
    return undefined;
  }
  return bound;
}
