/** The knowledge base that tests run on. */
import { createKnowledgeBase } from "../../src/events/index.ts";
import type { KnowledgeService, NamedDocument } from "../../src/protocol/index.ts";

export interface ServiceOptions {
  readonly data?: string;
  readonly reasoning?: "none" | "rdfs" | "owl";
  readonly ontologies?: readonly NamedDocument[];
  readonly defaultGraph?: "own" | "union";
}
export type OpenService = (options: ServiceOptions) => Promise<KnowledgeService>;

export const openKnowledgeBase: OpenService = (options) =>
  createKnowledgeBase({ data: ":memory:", reasoning: "none", ontologies: [], defaultGraph: "own", ...options });
