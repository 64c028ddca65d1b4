/**
 * The order of rows: by sort keys, then by the order of all their terms. Total, and independent of ids, so that LIMIT
 * takes the same rows ad hoc, standing, and after a restart.
 */
import type { TermTable } from "../../rdf/index.ts";
import { compareSortKeys, compareTerms } from "../expressions/index.ts";

export interface SortKey {
  readonly descending: boolean;
}

/** Compares rows that have `start` columns to skip, then one column for each key, then columns of values. */
export function compareRows(
  terms: TermTable,
  keys: readonly SortKey[],
  start: number,
): (a: readonly number[], b: readonly number[]) => number {
  return (a, b) => {
    let column = start;
    for (const { descending } of keys) {
      const order = compareSortKeys(terms, a[column] as number, b[column] as number);
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
