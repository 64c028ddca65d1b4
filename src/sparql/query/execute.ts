/**
 * Ad-hoc queries, answered as of one tick by the plans that standing queries use.
 *
 * Everything is evaluated in the engine; what cannot be planned goes to Comunica over a read-only view of the same tick,
 * and is counted. Deadline and row limits hold inside the loops of both.
 */
import { randomBytes } from "node:crypto";
import type * as RDF from "@rdfjs/types";
import { LIMITS, SensError } from "../../base/index.ts";
import type { Operation, ParsedQuery } from "../parse/index.ts";
import { forbidOutgoing, parseQuery } from "../parse/index.ts";
import { modifiersOf } from "../plan/modifiers.ts";
import { pipelinePlan, type QueryShape } from "../plan/query-shape.ts";
import { NotPlanned, parameterSlot } from "../plan/rule-builder.ts";
import { computedVariables, TemplateInstances } from "../plan/template.ts";
import { describeInto } from "./describe.ts";
import { overEachGraph } from "./each-graph.ts";
import type { QueryOptions, QueryResult, QuerySource } from "./query-result.ts";
import { selectedVariables } from "./selected-variables.ts";
import { atOnce, Deadline, evaluated, settingsOf, shapeOf, solutionsOf, tooManyRows } from "./solutions.ts";
import { TripleSet } from "./triple-set.ts";

/**
 * Evaluates a query. Throws what `parseQuery` throws, SENS_SERVICE_DISABLED, SENS_QUERY_TIMEOUT, SENS_TOO_MANY_ROWS,
 * SENS_REGEX_UNSUPPORTED.
 */
export async function executeQuery(source: QuerySource, text: string, options: QueryOptions = {}): Promise<QueryResult> {
  const query = parseQuery(text, options.baseIri === undefined ? {} : { baseIri: options.baseIri });
  try {
    return await withRests(evaluateInEngine(source, query, options));
  } catch (error) {
    if (!(error instanceof NotPlanned)) throw error;
    options.onFallback?.(error.message);
    const { evaluateElsewhere } = await import("./comunica.ts");
    return evaluateElsewhere(source, query, text, options, error.message);
  }
}

/** Evaluates a parsed query in the engine, at once. Throws NotPlanned for what the engine does not evaluate. */
export function evaluateQuery(source: QuerySource, query: ParsedQuery, options: QueryOptions = {}): QueryResult {
  return atOnce(evaluateInEngine(source, query, options));
}

/** Lets everything else have a turn where the evaluation rests. */
async function withRests<T>(evaluation: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = evaluation.next();
    if (done) return value;
    await nextTurn();
  }
}

/** Resolves in the next turn of the event loop, after what is due there: I/O, timers, heartbeats. Node's own, so not in base, which browsers load. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function* evaluateInEngine(source: QuerySource, query: ParsedQuery, options: QueryOptions): Generator<void, QueryResult> {
  forbidOutgoing(query);
  const deadline = new Deadline(source, options);
  try {
    return yield* evaluateForm(source, query, query.algebra, options, deadline);
  } catch (error) {
    if (!(error instanceof NotPlanned) || error.remedy !== "each-graph") throw error;
    const graphs = yield* storedGraphs(source, options, deadline);
    return yield* evaluateForm(source, query, overEachGraph(query.algebra, graphs), options, deadline);
  }
}

function* evaluateForm(
  source: QuerySource,
  query: ParsedQuery,
  algebra: Operation,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, QueryResult> {
  const shape = shapeOf(query, source, options, options.nonce ?? randomBytes(9).toString("base64url"), algebra);
  switch (query.form) {
    case "select":
      return yield* select(source, query, shape, options, deadline);
    case "ask":
      return { form: "ask", boolean: yield* ask(source, query, shape, options, deadline), evaluator: "engine" };
    case "construct":
      return yield* construct(source, query, shape, options, deadline);
    case "describe":
      return yield* describe(source, query, shape, options, deadline);
  }
}

function* select(
  source: QuerySource,
  query: ParsedQuery,
  shape: QueryShape,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, QueryResult> {
  const { rows } = yield* solutionsOf(query, shape, modifiersOf(shape.operation), source, options, deadline);
  return { form: "select", variables: selectedVariables(query.algebra), rows, evaluator: "engine" };
}

function* ask(
  source: QuerySource,
  query: ParsedQuery,
  shape: QueryShape,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, boolean> {
  const { pattern, offset, limit } = modifiersOf(shape.operation);
  if (limit === 0) return false;
  const plan = pipelinePlan(shape, settingsOf(query, shape, source, options), (root) => {
    const literals: Parameters<typeof root.translate>[2] = [];
    root.translate(pattern, root, literals);
    const { quads } = root.plan.settings;
    root.plan.rule(root.rule, literals, [{ relation: quads, args: [] }]);
    return quads;
  });
  let found = 0;
  yield* evaluated(source, plan, options, deadline, {
    row: (_values, weight) => {
      found += weight;
      return found <= offset;
    },
    restart: () => {
      found = 0;
    },
  });
  return found > offset;
}

function* construct(
  source: QuerySource,
  query: ParsedQuery,
  shape: QueryShape,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, QueryResult> {
  const modifiers = modifiersOf(shape.operation);
  const { columns, rows } = yield* solutionsOf(query, shape, modifiers, source, options, deadline);
  const identity = shape.identity === undefined ? 0 : (shape.constants[shape.identity] as number);
  const instances = new TemplateInstances(
    source.terms,
    shape.template ?? [],
    columns,
    shape.constants,
    identity,
    computedVariables(modifiers.pattern).size > 0,
  );
  const triples = new TripleSet();
  const rowsMax = options.rowsMax ?? LIMITS.queryRowsMax;
  const copies = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if ((index & 1023) === 0) deadline.check();
    // Equal solutions make blank nodes of their own each.
    const key = identity === 0 ? "" : row.join();
    const copy = identity === 0 ? 0 : (copies.get(key) ?? 0);
    if (identity !== 0) copies.set(key, copy + 1);
    for (const [s, p, o] of instances.of(row, copy)) triples.add(s, p, o);
    if (triples.size > rowsMax) throw tooManyRows(rowsMax);
  }
  return { form: "construct", triples: triples.toArray(), leftOut: instances.leftOut, evaluator: "engine" };
}

function* describe(
  source: QuerySource,
  query: ParsedQuery,
  shape: QueryShape,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, QueryResult> {
  const modifiers = modifiersOf(shape.operation);
  const terms = describedTerms(shape.operation);
  const names = terms.filter((term) => term.termType === "Variable").map((term) => term.value);
  const resources = new Set<number>();
  for (const term of terms) if (term.termType !== "Variable") resources.add(source.terms.find(term));
  if (names.length > 0) {
    const { rows } = yield* solutionsOf(query, shape, { ...modifiers, variables: names }, source, options, deadline);
    for (const row of rows) for (const id of row) resources.add(id);
  }
  const graphs = shape.graph.kind === "merge" ? shape.graph.slots.map((slot) => shape.constants[slot - parameterSlot(0)] as number) : [0];
  const triples = new TripleSet();
  const rowsMax = options.rowsMax ?? LIMITS.queryRowsMax;
  let read = 0;
  describeInto(triples, resources, graphs, source.engine.reader(options.at), source.terms, () => {
    if ((++read & 1023) === 0) deadline.check();
    if (triples.size > rowsMax) throw tooManyRows(rowsMax);
  });
  return { form: "describe", triples: triples.toArray(), leftOut: 0, evaluator: "engine" };
}

function describedTerms(
  operation: Operation,
): readonly { termType: string; value: string }[] & Extract<Operation, { type: "describe" }>["terms"] {
  let inner = operation;
  while (inner.type !== "describe") {
    if (!("input" in inner) || Array.isArray(inner.input))
      throw new SensError("SENS_INTERNAL", `A DESCRIBE query has no describe operator but ${operation.type}.`);
    inner = inner.input as Operation;
  }
  return inner.terms;
}

/** The named graphs of the snapshot. */
function* storedGraphs(source: QuerySource, options: QueryOptions, deadline: Deadline): Generator<void, RDF.NamedNode[]> {
  const query = parseQuery("SELECT ?g { GRAPH ?g { } }");
  const shape = shapeOf(query, source, options, "");
  const { rows } = yield* solutionsOf(query, shape, modifiersOf(shape.operation), source, options, deadline);
  return rows.map(([id]) => source.terms.decode(id as number) as RDF.NamedNode);
}
