/** Which state a literal reads. */
export const NOW = 0;
export const OLD = 1;
export const EITHER = 2;
/** At the machine's `at` tick (ad-hoc reads). */
export const AT = 3;
export type Mode = typeof NOW | typeof OLD | typeof EITHER | typeof AT;
