/** Figures for /metrics: what there is, and what was done since the start. */
import type { Claims } from "./claims.ts";
import type { Documents } from "./documents.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Insertions } from "./insertions.ts";
import type { Kernel } from "./kernel.ts";
import type { StandingQueries } from "./standing-queries.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Waits } from "./waits.ts";
import type { WriterQueue } from "./writer-queue.ts";

export interface FigureSources {
  readonly kernel: Kernel;
  readonly queue: WriterQueue;
  readonly group: GroupCommit;
  readonly standing: StandingQueries;
  readonly subscriptions: Subscriptions;
  readonly waits: Waits;
  readonly claims: Claims;
  readonly insertions: Insertions;
  readonly documents: Documents;
  readonly sessions: number;
}

export function figuresOf({
  kernel,
  queue,
  group,
  standing,
  subscriptions,
  waits,
  claims,
  insertions,
  documents,
  sessions,
}: FigureSources): Record<string, number> {
  const { engine, terms, positions, counters } = kernel;
  const { quads } = engine;
  return {
    revision: positions.durable.revision,
    quads: quads.size,
    quads_asserted: quads.assertedSize,
    quads_derived: quads.size - quads.assertedSize,
    terms: terms.size,
    memory_bytes: engine.memoryBytes + terms.memoryBytes,
    sessions,
    subscriptions: subscriptions.size,
    subscription_sinks: subscriptions.attached,
    standing_queries: standing.inUse,
    standing_queries_idle: standing.idle,
    waits: waits.size,
    claims: claims.held,
    dead_letters: claims.dead,
    insertions: insertions.size,
    insertions_suspended: insertions.suspendedCount,
    ontology_documents: documents.counts.ontology,
    rule_documents: documents.counts.rules,
    writer_queue_length: queue.length,
    writer_queue_bytes: queue.bytes,
    commits_pending: group.pending,
    transactions_total: counters.transactions,
    appends_total: counters.appends,
    undone_total: counters.undone,
    notifications_total: counters.notifications,
    queries_total: counters.queries,
    takes_total: counters.takes,
    claims_returned_total: counters.claimsReturned,
    dead_letters_total: counters.deadLetters,
    once_rounds_total: counters.onceRounds,
    suspensions_total: counters.suspensions,
    ended_queries_total: counters.endedQueries,
    re_evaluations_total: counters.reEvaluations,
    comunica_fallbacks_total: counters.comunicaFallbacks,
    template_triples_left_out_total: counters.leftOut,
    snapshots_total: counters.snapshots,
    refused_busy_total: counters.refusedBusy,
  };
}
