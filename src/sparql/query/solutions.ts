/**
 * Solutions of an ad-hoc query, in order: the engine evaluates the pattern, what remains is done on whole rows.
 *
 *     rows = pattern → ORDER BY → projection → DISTINCT → OFFSET, LIMIT
 *
 * LIMIT without ORDER BY takes rows in the order of their terms, ties likewise, so the choice depends on the data alone.
 * State: the rows, at most `rowsMax` of them.
 */
import { LIMITS, SensError, systemClock, systemRandom } from "../../base/index.ts";
import type { Literal, PipelinePlan, RowSink } from "../../engine/index.ts";
import type { Operation, ParsedQuery } from "../parse/index.ts";
import { isHidden } from "../plan/canonical.ts";
import type { Modifiers } from "../plan/modifiers.ts";
import { pipelinePlan, type QueryShape, queryShape } from "../plan/query-shape.ts";
import { compareRows } from "../plan/row-order.ts";
import type { PlanSettings } from "../plan/rule-builder.ts";
import { pushSortKeys } from "../plan/steps.ts";
import { VariableAnalysis } from "../plan/variables.ts";
import type { QueryOptions, QuerySource } from "./query-result.ts";
import { ResultBudget } from "./result-budget.ts";

export interface Solutions {
  /** Canonical names of the columns. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

export function shapeOf(
  query: ParsedQuery,
  source: QuerySource,
  options: QueryOptions,
  nonce: string,
  algebra: Operation = query.algebra,
): QueryShape {
  return queryShape(withDataset(algebra, options), source.terms, { purpose: "ad hoc", nonce, baseIri: query.baseIri });
}

/** Evaluates a plan: with rests over a pinned snapshot, in one go over the present state. */
export function* evaluated(
  source: QuerySource,
  plan: PipelinePlan,
  options: QueryOptions,
  deadline: Deadline,
  sink: RowSink,
): Generator<void, void> {
  const { at } = options;
  if (at === undefined) source.engine.evaluate(plan, { deadlineMs: deadline.atMs }, sink.row);
  else yield* source.engine.evaluatePaced(plan, { at, deadlineMs: deadline.atMs }, sink);
}

/** Runs an evaluation to its end without rests. */
export function atOnce<T>(evaluation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = evaluation.next();
    if (done) return value;
  }
}

/** Evaluates the pattern and applies the modifiers. Throws NotPlanned, SENS_QUERY_TIMEOUT, SENS_TOO_MANY_ROWS. */
export function* solutionsOf(
  query: ParsedQuery,
  shape: QueryShape,
  modifiers: Modifiers,
  source: QuerySource,
  options: QueryOptions,
  deadline: Deadline,
): Generator<void, Solutions> {
  const { pattern, order, distinct, offset, limit } = modifiers;
  const visible = [...new VariableAnalysis().of(pattern, new Set()).maybe].filter((name) => !isHidden(name));
  const columns = modifiers.variables ?? visible;
  let directions: readonly { readonly descending: boolean }[] = [];
  const plan = pipelinePlan(shape, settingsOf(query, shape, source, options), (root) => {
    const literals: Literal[] = [];
    root.translate(pattern, root, literals);
    const keys = pushSortKeys(root, root.plan.analysis.of(pattern, new Set()), order, literals);
    directions = keys;
    const slots = [...keys.map(({ slot }) => slot), ...columns.map((name) => root.scope.slot(name))];
    // Heads that are quads are handed to the caller one by one instead of being stored, whatever their number of columns.
    const { quads } = root.plan.settings;
    root.plan.rule(root.rule, literals, [{ relation: quads, args: slots.map((slot) => ({ slot })) }]);
    return quads;
  });
  const rowsMax = options.rowsMax ?? LIMITS.queryRowsMax;
  const unsorted = order.length === 0 && limit === undefined && offset === 0;
  const seen = distinct && unsorted ? new Set<string>() : undefined;
  const rows: number[][] = [];
  let budget = new ResultBudget(source.terms, options.bytesMax);
  yield* evaluated(source, plan, options, deadline, {
    row: (values, weight) => {
      const row = values.slice();
      if (seen) {
        const key = row.join();
        if (seen.has(key)) return true;
        seen.add(key);
      }
      const copies = seen ? 1 : weight;
      budget.spend(row, copies);
      for (let copy = copies; copy > 0; copy--) {
        if (rows.length >= rowsMax) throw tooManyRows(rowsMax);
        rows.push(row);
      }
      return true;
    },
    restart: () => {
      rows.length = 0;
      seen?.clear();
      budget = new ResultBudget(source.terms, options.bytesMax);
    },
  });
  if (unsorted) return { columns, rows };
  return { columns, rows: arranged(rows, source, directions, distinct, offset, limit, deadline) };
}

function arranged(
  rows: number[][],
  source: QuerySource,
  directions: readonly { readonly descending: boolean }[],
  distinct: boolean,
  offset: number,
  limit: number | undefined,
  deadline: Deadline,
): number[][] {
  const compare = compareRows(source.terms, directions, 0);
  let compared = 0;
  rows.sort((a, b) => {
    if ((++compared & 4095) === 0) deadline.check();
    return compare(a, b);
  });
  const kept: number[][] = [];
  const seen = new Set<string>();
  let skipped = 0;
  for (const row of rows) {
    if (limit !== undefined && kept.length >= limit) break;
    const values = directions.length === 0 ? row : row.slice(directions.length);
    if (distinct) {
      const key = values.join();
      if (seen.has(key)) continue;
      seen.add(key);
    }
    if (skipped < offset) skipped++;
    else kept.push(values);
  }
  return kept;
}

export function settingsOf(
  query: { readonly baseIri: string | undefined },
  shape: QueryShape,
  source: QuerySource,
  options: QueryOptions,
): PlanSettings {
  return {
    terms: source.terms,
    quads: source.engine.quads,
    baseIri: query.baseIri,
    constants: shape.constants.length,
    identity: shape.identity,
    nowMs: options.nowMs ?? systemClock.wallMs(),
    random: options.random ?? systemRandom.next,
  };
}

/** Graphs named in the protocol replace those named in the query. */
function withDataset(algebra: Operation, options: QueryOptions): Operation {
  const { defaultGraphs = [], namedGraphs = [] } = options;
  if (defaultGraphs.length === 0 && namedGraphs.length === 0) return algebra;
  const input = algebra.type === "from" ? algebra.input : algebra;
  return { type: "from", input, default: defaultGraphs.map(namedNode), named: namedGraphs.map(namedNode) };
}

function namedNode(value: string): Extract<Operation, { type: "from" }>["default"][number] {
  return { termType: "NamedNode", value, equals: (other) => other?.termType === "NamedNode" && other.value === value };
}

export function tooManyRows(rowsMax: number): SensError {
  return new SensError("SENS_TOO_MANY_ROWS", `The query has more than ${rowsMax} rows. Narrow it, or add LIMIT to a subselect.`);
}

/** The moment a query must have ended. */
export class Deadline {
  readonly atMs: number;
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;

  constructor(source: QuerySource, options: QueryOptions) {
    this.#nowMs = options.monotonicMs ?? (() => source.engine.now());
    this.#timeoutMs = options.timeoutMs ?? LIMITS.queryTimeoutMs;
    this.atMs = this.#nowMs() + this.#timeoutMs;
  }

  get leftMs(): number {
    return Math.max(this.atMs - this.#nowMs(), 0);
  }

  /** Throws SENS_QUERY_TIMEOUT when time is up. */
  check(): void {
    if (this.#nowMs() > this.atMs)
      throw new SensError("SENS_QUERY_TIMEOUT", `The query did not end within ${this.#timeoutMs} ms. Narrow it, or ask for less.`);
  }
}
