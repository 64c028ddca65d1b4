/** What one case reports to the runner. */
export interface Outcome {
  /** `ok`, `WRONG …`, or how far it came in its budget. */
  readonly result: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** The settings of one case, as plain data. */
export interface CaseSettings {
  readonly contender: string;
  readonly triples: number;
  readonly subscriptions?: number;
  readonly budgetSeconds: number;
  readonly quick: boolean;
}
