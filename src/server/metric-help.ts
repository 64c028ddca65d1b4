/** What each figure of `/metrics` counts, for its HELP line. A figure without an entry is explained by its name. */

const HELP: Readonly<Record<string, string>> = {
  // the knowledge base
  revision: "Revision of the newest durable change",
  quads: "Quads known, asserted or derived",
  quads_asserted: "Quads somebody stated",
  quads_derived: "Quads that hold only because they follow from others",
  terms: "Distinct RDF terms held in memory",
  memory_bytes: "Bytes of the term table and of the engine's indexes, an estimate",
  ontology_documents: "Ontology documents installed",
  rule_documents: "Rule documents installed",
  // who listens, waits and works
  sessions: "Open sessions: WebSocket clients, and the one of all HTTP requests",
  subscriptions: "Subscriptions, named ones that nobody reads included",
  subscription_sinks: "Readers attached to subscriptions",
  standing_queries: "Distinct queries kept up to date for subscriptions, waits and insertions",
  standing_queries_idle: "Queries still kept up to date that nobody uses at the moment",
  waits: "Receives and removes that wait for a result",
  claims: "Takes with a lease that are neither confirmed nor given back yet",
  dead_letters: "Takes that came back unconfirmed as often as is allowed, and are not handed out again",
  insertions: "Continuous insertions registered, suspended ones included",
  insertions_suspended: "Continuous insertions that were suspended because they reached a limit",
  // the writer
  writer_queue_length: "Requests that wait for the writer",
  writer_queue_bytes: "Bytes of the requests that wait for the writer",
  commits_pending: "Transactions applied that are not durable or not told of yet",
  transactions_total: "Transactions that changed something",
  appends_total: "Appends to the log, each with one sync and any number of transactions",
  undone_total: "Steps taken back because the log could not be written",
  snapshots_total: "Snapshots written",
  refused_busy_total: "Requests refused with SENS_BUSY because the writer's queue was full",
  // what was done
  notifications_total: "Notifications made for subscriptions",
  queries_total: "Queries answered once",
  takes_total: "Takes and removes that got something",
  claims_returned_total: "Takes given back to the others: released, out of time, or their client was lost",
  dead_letters_total: "Takes that became dead letters since the start",
  once_rounds_total: "Follow-on transactions of insertions of mode once",
  suspensions_total: "Times a continuous insertion was suspended",
  ended_queries_total: "Standing queries ended because they could not be evaluated",
  re_evaluations_total: "Times a standing query that is not incremental was evaluated anew",
  comunica_fallbacks_total: "Evaluations handed to the general query engine",
  template_triples_left_out_total: "Triples of templates left out because they were not valid RDF",
  // the network
  http_requests_total: "HTTP requests answered",
  http_refusals_total: "HTTP requests answered with a status of 400 or more",
  http_requests_in_flight: "HTTP requests being answered, event streams included",
  websocket_connections: "Open WebSocket connections",
  event_streams: "Open event streams",
  slow_consumers_total: "Readers cut off because they were too slow",
  dead_connections_total: "WebSocket connections cut off because they no longer answered",
  event_loop_delay_p99_seconds: "Delay of the event loop since the start, 99th percentile",
  resident_memory_bytes: "Resident memory of the process",
};

/** Names as in the figures: without the prefix `sens_`. */
export function metricHelp(name: string): string {
  return HELP[name] ?? name.replaceAll("_", " ");
}
