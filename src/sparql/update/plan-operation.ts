/**
 * One operation of an update request as the quads it deletes and inserts, worked out against the state it finds.
 *
 *     DELETE/INSERT WHERE   deletes = ⋃ template(μ), inserts = ⋃ template'(μ)   over all solutions μ of WHERE
 *     CLEAR, DROP           deletes = assertions of the graphs
 *     ADD, COPY, MOVE       inserts = assertions of the source; COPY and MOVE first delete those of the destination
 *
 * The caller applies deletes before inserts and brings the engine to its fixpoint before it plans the next operation, so
 * each WHERE sees what the earlier ones did, inferences included. Only assertions are ever touched. Empty graphs are not
 * kept: CREATE makes nothing, and CLEAR and DROP of a graph that is not there find nothing to do.
 * Source: SPARQL 1.1 Update, section 4.
 */
import { quoteInput, SensError } from "../../base/index.ts";
import { TermKind, type TermTable } from "../../rdf/index.ts";
import type { Operation, Pattern, UpdateOperation, UpdateTarget } from "../parse/index.ts";
import { isHidden } from "../plan/canonical.ts";
import { queryShape } from "../plan/query-shape.ts";
import { NotPlanned } from "../plan/rule-builder.ts";
import { computedVariables, isTriple } from "../plan/template.ts";
import { VariableAnalysis } from "../plan/variables.ts";
import type { QueryOptions, QuerySource } from "../query/query-result.ts";
import { Deadline, solutionsOf } from "../query/solutions.ts";
import { QuadList } from "./quad-list.ts";

export interface UpdateOptions extends QueryOptions {
  /** Labels for the blank nodes of INSERT. */
  readonly labels: { fresh(): string };
}

/** About 1 ms. */
const SOLUTIONS_PER_STEP = 256;
const QUADS_PER_STEP = 1_024;

/** Rows x 4 term ids: s, p, o, g (0 = default graph), each quad once. */
export interface GraphChange {
  readonly deletes: Int32Array;
  readonly inserts: Int32Array;
  /** Template quads left out because they would not be valid RDF. */
  readonly leftOut: number;
}

/**
 * Plans one operation; yields where the caller may rest, when `options.at` names the finished tick to read, which must stay
 * readable until the end. Throws SENS_GRAPH_EXISTS, SENS_GRAPH_MISSING, SENS_QUERY_TIMEOUT, SENS_TOO_MANY_ROWS,
 * SENS_QUERY_UNSUPPORTED. LOAD must have been refused before.
 */
export function* planOperation(
  operation: UpdateOperation,
  source: QuerySource,
  options: UpdateOptions,
  baseIri?: string,
): Generator<void, GraphChange> {
  switch (operation.type) {
    case "nop":
      return changeOf(new QuadList(), new QuadList());
    case "deleteinsert":
      return operation.where
        ? yield* planPattern(operation, operation.where, source, options, baseIri)
        : planData(operation, source, options);
    case "clear":
    case "drop":
      return yield* planClear(operation.source, source, new Deadline(source, options));
    case "create":
      if (!operation.silent) checkAbsent(operation.source, source);
      return changeOf(new QuadList(), new QuadList());
    case "add":
    case "copy":
    case "move":
      return yield* planTransfer(operation, source, new Deadline(source, options));
    case "load":
      throw new SensError(
        "SENS_LOAD_DISABLED",
        `LOAD <${operation.source.value}> would fetch a document, and LOAD is switched off. Send the document with publish instead.`,
      );
  }
}

function changeOf(deletes: QuadList, inserts: QuadList, leftOut = 0): GraphChange {
  return { deletes: deletes.toArray(), inserts: inserts.toArray(), leftOut };
}

/** INSERT DATA and DELETE DATA: quads without variables. */
function planData(operation: Extract<UpdateOperation, { type: "deleteinsert" }>, source: QuerySource, options: UpdateOptions): GraphChange {
  const template = new QuadTemplate(source.terms, () => undefined, options.labels, false);
  const deletes = new QuadList();
  const inserts = new QuadList();
  template.instantiate(operation.delete ?? [], [], deletes);
  template.instantiate(operation.insert ?? [], [], inserts);
  return changeOf(deletes, inserts, template.leftOut);
}

function* planPattern(
  operation: Extract<UpdateOperation, { type: "deleteinsert" }>,
  where: Operation,
  source: QuerySource,
  options: UpdateOptions,
  baseIri: string | undefined,
): Generator<void, GraphChange> {
  const { terms } = source;
  const templates = [...(operation.delete ?? []), ...(operation.insert ?? [])];
  const shape = queryShape(where, terms, { purpose: "update", nonce: options.labels.fresh(), baseIri });
  const named = new Set(
    templates
      .flatMap((quad) => [quad.subject, quad.predicate, quad.object, quad.graph])
      .flatMap((term) => (term.termType === "Variable" ? [term.value] : [])),
  );
  const visible = [...new VariableAnalysis().of(shape.operation, new Set()).maybe].filter((name) => !isHidden(name));
  const used = new Set([...named].map((name) => shape.nameOf(name)));
  const makesNodes = (operation.insert ?? []).some((quad) => isFresh(quad.subject) || isFresh(quad.object));
  const columns = makesNodes ? visible : visible.filter((name) => used.has(name));
  const modifiers = { pattern: shape.operation, variables: columns, order: [], distinct: !makesNodes, offset: 0, limit: undefined };
  let rows: readonly (readonly number[])[];
  try {
    const deadline = new Deadline(source, options);
    ({ rows } = yield* solutionsOf({ form: "select", algebra: where, baseIri }, shape, modifiers, source, options, deadline));
  } catch (error) {
    if (!(error instanceof NotPlanned)) throw error;
    throw new SensError("SENS_QUERY_UNSUPPORTED", `The WHERE of the update cannot be planned: ${error.message}. Rewrite that part.`, {
      cause: error,
    });
  }
  const columnOf = (variable: string) => {
    const at = columns.indexOf(shape.nameOf(variable) ?? "");
    return at < 0 ? undefined : at;
  };
  const template = new QuadTemplate(terms, columnOf, options.labels, computedVariables(shape.operation).size > 0);
  const deletes = new QuadList();
  const inserts = new QuadList();
  for (const [index, row] of rows.entries()) {
    template.instantiate(operation.delete ?? [], row, deletes);
    template.instantiate(operation.insert ?? [], row, inserts);
    if (index % SOLUTIONS_PER_STEP === SOLUTIONS_PER_STEP - 1) yield;
  }
  return changeOf(deletes, inserts, template.leftOut);
}

/** A blank node that each solution makes anew; `<_:label>` is a constant instead. */
function isFresh(term: Pattern["subject"]): boolean {
  return term.termType === "BlankNode" && !("stored" in term);
}

/** Quads of a template under solutions; invalid ones are left out. */
class QuadTemplate {
  readonly #terms: TermTable;
  readonly #columnOf: (variable: string) => number | undefined;
  readonly #labels: { fresh(): string };
  readonly #computed: boolean;
  leftOut = 0;

  constructor(terms: TermTable, columnOf: (variable: string) => number | undefined, labels: { fresh(): string }, computed: boolean) {
    this.#terms = terms;
    this.#columnOf = columnOf;
    this.#labels = labels;
    this.#computed = computed;
  }

  instantiate(template: readonly Pattern[], row: readonly number[], into: QuadList): void {
    const nodes = new Map<string, number>();
    for (const quad of template) {
      const [s, p, o] = [quad.subject, quad.predicate, quad.object].map((term) => this.#term(term, row, nodes)) as [number, number, number];
      const g = quad.graph.termType === "DefaultGraph" ? 0 : this.#term(quad.graph, row, nodes);
      const graphValid = quad.graph.termType === "DefaultGraph" || (g !== 0 && this.#terms.kind(g) === TermKind.IRI);
      if (graphValid && isTriple(this.#terms, s, p, o, this.#computed)) into.add(s, p, o, g);
      else this.leftOut++;
    }
  }

  #term(term: Pattern["subject"], row: readonly number[], nodes: Map<string, number>): number {
    if (term.termType === "Variable") {
      const column = this.#columnOf(term.value);
      return column === undefined ? 0 : (row[column] as number);
    }
    if (!isFresh(term)) return this.#terms.encode(term);
    let node = nodes.get(term.value);
    if (node === undefined) {
      node = this.#terms.blank(this.#labels.fresh());
      nodes.set(term.value, node);
    }
    return node;
  }
}

function* planClear(target: UpdateTarget, source: QuerySource, deadline: Deadline): Generator<void, GraphChange> {
  const deletes = new QuadList();
  for (const graph of graphsOf(target, source)) yield* assertionsInto(deletes, graph, graph, source, deadline);
  return changeOf(deletes, new QuadList());
}

function graphsOf(target: UpdateTarget, source: QuerySource): number[] {
  if (target === "DEFAULT") return [0];
  if (target === "NAMED") return [...source.engine.quads.graphs()];
  if (target === "ALL") return [0, ...source.engine.quads.graphs()];
  const id = source.terms.find(target);
  return id === 0 ? [] : [id];
}

function* planTransfer(
  operation: Extract<UpdateOperation, { type: "add" | "copy" | "move" }>,
  source: QuerySource,
  deadline: Deadline,
): Generator<void, GraphChange> {
  const deletes = new QuadList();
  const inserts = new QuadList();
  const from = operation.source === "DEFAULT" ? 0 : source.terms.encode(operation.source);
  const to = operation.destination === "DEFAULT" ? 0 : source.terms.encode(operation.destination);
  if (from === to) return changeOf(deletes, inserts);
  yield* assertionsInto(inserts, from, to, source, deadline);
  if (inserts.size === 0 && from !== 0) {
    if (operation.silent) return changeOf(deletes, inserts);
    throw new SensError(
      "SENS_GRAPH_MISSING",
      `There is no graph ${graphText(operation.source)} to ${operation.type} from. Add SILENT if that is fine.`,
    );
  }
  if (operation.type !== "add") yield* assertionsInto(deletes, to, to, source, deadline);
  if (operation.type === "move") yield* assertionsInto(deletes, from, from, source, deadline);
  return changeOf(deletes, inserts);
}

/** Adds what is asserted in `graph`, as quads of graph `as`. */
function* assertionsInto(list: QuadList, graph: number, as: number, source: QuerySource, deadline: Deadline): Generator<void> {
  const { quads } = source.engine;
  const visible: number[] = [];
  quads.reader().match(0, 0, 0, graph, (s, p, o) => visible.push(s, p, o) > 0);
  for (let at = 0; at < visible.length; at += 3) {
    const [s, p, o] = [visible[at], visible[at + 1], visible[at + 2]];
    if (quads.isAsserted(s, p, o, graph)) list.add(s, p, o, as);
    if (at % (3 * QUADS_PER_STEP) !== 0) continue;
    deadline.check();
    yield;
  }
}

function checkAbsent(graph: Extract<UpdateTarget, { termType: "NamedNode" }>, source: QuerySource): void {
  const id = source.terms.find(graph);
  if (id === 0 || ![...source.engine.quads.graphs()].includes(id)) return;
  throw new SensError("SENS_GRAPH_EXISTS", `The graph ${quoteInput(graph.value)} is there already. Add SILENT if that is fine.`);
}

function graphText(graph: "DEFAULT" | { readonly value: string }): string {
  return graph === "DEFAULT" ? "DEFAULT" : quoteInput(graph.value);
}
