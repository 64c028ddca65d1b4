/**
 * The whole server in one place: a knowledge base, and what serves it. Everything is built here by plain calls; what is
 * built is closed by `close`, sockets first, the knowledge base last.
 */
import { createKnowledgeBase } from "../events/index.ts";
import type { NamedDocument } from "../protocol/index.ts";
import { type RunningServer, type ServeOptions, serve } from "./serve.ts";

export interface ServerOptions extends ServeOptions {
  /** Database file, or `:memory:`. */
  readonly data: string;
  readonly reasoning: "none" | "rdfs" | "owl";
  /** Ontology documents that are put at start, already read. */
  readonly ontologies: readonly NamedDocument[];
  /** `union`: queries without GRAPH see all graphs. Default `own`. */
  readonly defaultGraph?: "own" | "union";
  /** `data` is a copy that was brought back: a new epoch begins, and cursors of the former life are refused. */
  readonly restored?: boolean;
}

/** Opens the knowledge base and listens. Throws SENS_CONFIG, SENS_DATA_DAMAGED, SENS_DATA_LOCKED. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { data, reasoning, ontologies, defaultGraph = "own", restored = false, clock, logger, limits } = options;
  const service = await createKnowledgeBase({ data, reasoning, ontologies, defaultGraph, restored, clock, logger, limits });
  const server = await serve(service, options);
  return { ...server, summary: { ...server.summary, data: dataSummary(data), reasoning } };
}

function dataSummary(data: string): string {
  return data === ":memory:"
    ? "in memory, gone when the process ends"
    : `${data} (SQLite, WAL, synchronous=FULL: acknowledged means on disk)`;
}
