/**
 * The order of rows: by sort keys, then by the order of all their terms. Total, and independent of ids, so that LIMIT
 * takes the same rows ad hoc, standing, and after a restart.
 */
import type { TermTable } from "../../rdf/index.ts";
import { compareForOrder } from "../expressions/index.ts";

export interface SortKey {
  readonly descending: boolean;
}

/** Compares rows that have `start` columns to skip, then one column for each key, then columns of values. */
export function compareRows(terms: TermTable, keys: readonly SortKey[], start: number): (a: readonly number[], b: readonly number[]) => number {
  return (a, b) => {
    let column = start;
    for (const { descending } of keys) {
      const order = compareForOrder(terms, a[column] as number, b[column] as number);
      if (order !== 0) return descending ? -order : order;
      column++;
    }
    for (; column < a.length; column++) {
      const order = compareTerms(terms, a[column] as number, b[column] as number);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** A total order of terms: that of ORDER BY, and by spelling where it does not decide. */
export function compareTerms(terms: TermTable, a: number, b: number): number {
  if (a === b) return 0;
  const order = compareForOrder(terms, a, b);
  if (order !== 0 || a === 0 || b === 0) return order;
  const left = terms.ntriples(a);
  const right = terms.ntriples(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
