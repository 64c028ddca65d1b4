/**
 * The second evaluator: Comunica over a read-only view of one snapshot.
 *
 * Imported only when it is needed (0.8 s, 44 MB). It gets query text that our parser has read as a query, never an
 * update, and a source that cannot be written. Terms go in and out as RDF/JS; blank nodes come back under their stored
 * labels.
 */
import { Readable } from "node:stream";
import { QueryEngine } from "@comunica/query-sparql-rdfjs";
import type * as RDF from "@rdfjs/types";
import { LIMITS, SensError, systemClock } from "../../base/index.ts";
import type { QuadReader } from "../../engine/index.ts";
import type { TermTable } from "../../rdf/index.ts";
import type { ParsedQuery } from "../parse/index.ts";
import type { QueryOptions, QueryResult, QuerySource } from "./query-result.ts";
import { selectedVariables } from "./selected-variables.ts";
import { Deadline, tooManyRows } from "./solutions.ts";
import { TripleSet } from "./triple-set.ts";

let sharedEngine: QueryEngine | undefined;

/** Evaluates `text`, which `query` was parsed from. Throws SENS_QUERY_TIMEOUT, SENS_TOO_MANY_ROWS, SENS_QUERY_UNSUPPORTED. */
export async function evaluateElsewhere(
  source: QuerySource,
  query: ParsedQuery,
  text: string,
  options: QueryOptions,
  why: string,
): Promise<QueryResult> {
  if (/<_:/.test(text) || options.defaultGraphs?.length || options.namedGraphs?.length) {
    throw new SensError(
      "SENS_QUERY_UNSUPPORTED",
      `The query cannot be planned (${why}), and the second evaluator knows neither <_:label> nor graphs chosen by the protocol. Rewrite it.`,
    );
  }
  sharedEngine ??= new QueryEngine();
  const { terms } = source;
  const deadline = new Deadline(source, options);
  const rowsMax = options.rowsMax ?? LIMITS.queryRowsMax;
  const context = {
    sources: [new SnapshotSource(source.engine.reader(options.at), terms, deadline)] as [SnapshotSource],
    ...(query.baseIri === undefined ? {} : { baseIRI: query.baseIri }),
    queryTimestamp: new Date(options.nowMs ?? systemClock.wallMs()),
  };
  const evaluated = { evaluator: "comunica", why } as const;
  switch (query.form) {
    case "ask":
      return { form: "ask", boolean: await within(deadline, sharedEngine.queryBoolean(text, context)), ...evaluated };
    case "select": {
      const variables = selectedVariables(query.algebra);
      const rows: number[][] = [];
      const bindings = await within(deadline, sharedEngine.queryBindings(text, context));
      await collect(bindings, deadline, (binding: RDF.Bindings) => {
        if (rows.length >= rowsMax) throw tooManyRows(rowsMax);
        rows.push(variables.map((name) => idOf(binding.get(name), terms)));
      });
      return { form: "select", variables, rows, ...evaluated };
    }
    default: {
      const triples = new TripleSet();
      const quads = await within(deadline, sharedEngine.queryQuads(text, context));
      await collect(quads, deadline, (quad: RDF.Quad) => {
        triples.add(idOf(quad.subject, terms), idOf(quad.predicate, terms), idOf(quad.object, terms));
        if (triples.size > rowsMax) throw tooManyRows(rowsMax);
      });
      return { form: query.form, triples: triples.toArray(), leftOut: 0, ...evaluated };
    }
  }
}

/** RDF/JS `Source` over a reader; only `match` is there, so nothing can be written through it. */
class SnapshotSource implements RDF.Source {
  readonly #reader: QuadReader;
  readonly #terms: TermTable;
  readonly #deadline: Deadline;

  constructor(reader: QuadReader, terms: TermTable, deadline: Deadline) {
    this.#reader = reader;
    this.#terms = terms;
    this.#deadline = deadline;
  }

  match(subject?: RDF.Term | null, predicate?: RDF.Term | null, object?: RDF.Term | null, graph?: RDF.Term | null): RDF.Stream<RDF.Quad> {
    const ids = [subject, predicate, object].map((term) => this.#wanted(term));
    const inGraph = isWildcard(graph) ? undefined : graph?.termType === "DefaultGraph" ? 0 : this.#wanted(graph);
    const quads: RDF.Quad[] = [];
    if (!ids.includes(-1) && inGraph !== -1) {
      this.#reader.match(ids[0] as number, ids[1] as number, ids[2] as number, inGraph, (s, p, o, g) => {
        if ((quads.length & 1023) === 1023) this.#deadline.check();
        quads.push(this.#quad(s, p, o, g));
        return true;
      });
    }
    return Readable.from(quads) as unknown as RDF.Stream<RDF.Quad>;
  }

  /** 0 for any, -1 for a term that is nowhere. */
  #wanted(term: RDF.Term | null | undefined): number {
    if (isWildcard(term)) return 0;
    const id = this.#terms.find(term as RDF.Term);
    return id === 0 ? -1 : id;
  }

  #quad(s: number, p: number, o: number, g: number): RDF.Quad {
    const quad = {
      termType: "Quad",
      value: "",
      subject: this.#terms.decode(s),
      predicate: this.#terms.decode(p),
      object: this.#terms.decode(o),
      graph: g === 0 ? DEFAULT_GRAPH : this.#terms.decode(g),
      equals: (other: RDF.Term | null | undefined): boolean =>
        other?.termType === "Quad" &&
        quad.subject.equals(other.subject) &&
        quad.predicate.equals(other.predicate) &&
        quad.object.equals(other.object) &&
        quad.graph.equals(other.graph),
    };
    return quad as RDF.Quad;
  }
}

const DEFAULT_GRAPH: RDF.DefaultGraph = { termType: "DefaultGraph", value: "", equals: (other) => other?.termType === "DefaultGraph" };

function isWildcard(term: RDF.Term | null | undefined): boolean {
  return term === null || term === undefined || term.termType === "Variable";
}

/** Comunica puts the number of the source before labels of blank nodes. */
function idOf(term: RDF.Term | undefined, terms: TermTable): number {
  if (!term) return 0;
  const label = term.termType === "BlankNode" ? /^bc_\d+_(.*)$/s.exec(term.value)?.[1] : undefined;
  return label === undefined ? terms.encode(term) : terms.blank(label);
}

/** Waits for a promise, but not beyond the deadline. */
async function within<T>(deadline: Deadline, promise: Promise<T>): Promise<T> {
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = systemClock.after(deadline.leftMs + 1, () => {
      try {
        deadline.check();
      } catch (error) {
        reject(error);
      }
    });
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel?.();
  }
}

interface ItemStream<T> {
  on(event: "data", listener: (item: T) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  destroy?(): void;
}

function collect<T>(stream: unknown, deadline: Deadline, visit: (item: T) => void): Promise<void> {
  const items = stream as ItemStream<T>;
  const done = new Promise<void>((resolve, reject) => {
    items.on("error", reject);
    items.on("end", resolve);
    items.on("data", (item) => {
      try {
        visit(item);
      } catch (error) {
        items.destroy?.();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
  return within(deadline, done).finally(() => items.destroy?.());
}
