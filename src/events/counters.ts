/** Totals since the start, for /metrics. */
export class Counters {
  transactions = 0;
  notifications = 0;
  reEvaluations = 0;
  comunicaFallbacks = 0;
  queries = 0;
  takes = 0;
  claimsReturned = 0;
  deadLetters = 0;
  onceRounds = 0;
  suspensions = 0;
  endedQueries = 0;
  leftOut = 0;
  appends = 0;
  undone = 0;
  snapshots = 0;
  refusedBusy = 0;
}
