/**
 * Ad-hoc queries, answered as of the last durable revision, which stays pinned until the answer is complete. What they name
 * or compute is forgotten with them: they read through scratch terms.
 */
import { SensError } from "../base/index.ts";
import type { QueryAnswer, QueryRequest } from "../protocol/index.ts";
import { ScratchTerms, type TermTable } from "../rdf/index.ts";
import { executeQuery, parseQuery, type QueryResult } from "../sparql/index.ts";
import { rowsOfThree, triplesText } from "./graph-text.ts";
import type { Kernel } from "./kernel.ts";
import { ReadersTurns } from "./slices.ts";

export class Queries {
  readonly #kernel: Kernel;
  readonly #turns: ReadersTurns;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#turns = new ReadersTurns(kernel.clock);
  }

  async query(request: QueryRequest): Promise<QueryAnswer> {
    const { engine, positions, counters, clock, random, limits } = this.#kernel;
    const { signal, atLeast, forms } = request;
    const timeoutMs = this.#timeout(request.timeoutMs);
    if (forms) checkForm(request.query, forms);
    if (atLeast !== undefined) await positions.whenDurable(positions.revisionOf(atLeast));
    const turn = this.#turns.next();
    if (turn) await turn;
    if (signal?.aborted) throw new SensError("SENS_CANCELLED", "The query was cancelled.", { cause: signal.reason });
    const { revision, tick } = positions.durable;
    const pin = engine.pin(tick);
    try {
      counters.queries++;
      const terms = new ScratchTerms(this.#kernel.terms);
      const result = await executeQuery({ engine, terms }, request.query, {
        at: tick,
        timeoutMs,
        rowsMax: limits.queryRowsMax,
        nowMs: clock.wallMs(),
        random: () => random.next(),
        onFallback: () => counters.comunicaFallbacks++,
        ...(request.defaultGraphs?.length ? { defaultGraphs: request.defaultGraphs } : {}),
        ...(request.namedGraphs?.length ? { namedGraphs: request.namedGraphs } : {}),
      });
      return answerOf(result, positions.cursor(revision), terms);
    } finally {
      pin.release();
    }
  }

  #timeout(asked: number | undefined): number {
    // A query pins its revision until it is answered: its time is that of a pin, too.
    const { queryTimeoutMs, pinMaxMs } = this.#kernel.limits;
    if (asked === undefined) return Math.min(queryTimeoutMs, pinMaxMs);
    if (asked >= 0 && asked <= pinMaxMs) return asked;
    throw new SensError("SENS_LIMIT", `A query's time-out is 0 to ${pinMaxMs} ms, not ${asked}.`);
  }
}

function answerOf(result: QueryResult, cursor: string, terms: TermTable): QueryAnswer {
  const common = {
    cursor,
    form: result.form,
    evaluator: result.evaluator,
    ...(result.why === undefined ? {} : { why: result.why }),
    variables: [],
    rows: [],
  };
  switch (result.form) {
    case "ask":
      return { ...common, boolean: result.boolean };
    case "select":
      return {
        ...common,
        variables: result.variables,
        rows: result.rows.map((row) => row.map((id) => (id === 0 ? undefined : terms.decode(id)))),
      };
    default:
      return { ...common, graph: triplesText(rowsOfThree(result.triples), terms) };
  }
}

function checkForm(text: string, forms: readonly string[]): void {
  const { form } = parseQuery(text);
  if (forms.includes(form)) return;
  throw new SensError(
    "SENS_QUERY_FORM",
    `This operation takes ${forms.map((name) => name.toUpperCase()).join(" or ")}, not ${form.toUpperCase()}.`,
  );
}
