/** Sizes from which on a structure takes its other form. Tests make them small, so that both forms are met often. */
export const thresholds = {
  /** Numbers of a column from which on it stands in a memory of its own (columns.ts). */
  columnInPlace: 65_536,
  /** Pairs of one subject, or of one object, that are walked through to find one; beyond, a hash table has them (pair-index.ts). */
  pairsListed: { subject: 64, object: 8 },
  /** Rows of one subject and predicate that are looked at to find one; beyond, a hash table has them (quad-postings.ts). */
  rowsScanned: 8,
};
