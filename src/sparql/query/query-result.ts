/** Answers of ad-hoc queries, and what an evaluation needs to know. */
import type { Engine } from "../../engine/index.ts";
import type { TermTable } from "../../rdf/index.ts";

export interface QuerySource {
  readonly engine: Engine;
  readonly terms: TermTable;
}

export interface QueryOptions {
  /** Tick of a pinned snapshot; without it the present state. */
  readonly at?: number;
  readonly timeoutMs?: number;
  readonly rowsMax?: number;
  /** Characters of all terms of the solutions. */
  readonly bytesMax?: number;
  /** Of the SPARQL protocol; they replace FROM and FROM NAMED. IRIs. */
  readonly defaultGraphs?: readonly string[];
  readonly namedGraphs?: readonly string[];
  readonly baseIri?: string;
  /** What NOW() answers, ms since 1970. */
  readonly nowMs?: number;
  readonly random?: () => number;
  /** Monotonic ms, for the deadline; the engine's clock when absent, and of the same origin when given. */
  readonly monotonicMs?: () => number;
  /**
   * What the blank nodes of a template depend on beside query and solution; random when absent. A standing query that is
   * evaluated again gives the same, so that an unchanged solution is an unchanged node.
   */
  readonly nonce?: string;
  /** Told of each query the engine does not evaluate itself. */
  readonly onFallback?: (why: string) => void;
}

interface Evaluated {
  /** Who evaluated it, and if it was not the engine, why. */
  readonly evaluator: "engine" | "comunica";
  readonly why?: string;
}

export type QueryResult = Evaluated &
  (
    | {
        readonly form: "select";
        /** Names without `?`. */
        readonly variables: readonly string[];
        /** Term ids, one column for each variable; 0 = unbound. */
        readonly rows: readonly (readonly number[])[];
      }
    | { readonly form: "ask"; readonly boolean: boolean }
    | {
        readonly form: "construct" | "describe";
        /** Rows x 3 term ids: s, p, o; a set. */
        readonly triples: Int32Array;
        /** Template triples that would not have been valid RDF. */
        readonly leftOut: number;
      }
  );
