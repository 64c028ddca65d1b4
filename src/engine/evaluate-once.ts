/**
 * Ad-hoc evaluation of a plan: the same steps as a standing query's, run once over a snapshot into temporary relations.
 *
 * A plan whose last head is quads (of any number of columns) is not stored: its rows go to the caller as they are found.
 * `evaluatePaced` first tries at full speed within a bound of work; what needs more starts again with rests, so that one
 * long query does not hold up everything else.
 */
import { SensError } from "../base/index.ts";
import type { PipelinePlan, RuleShape } from "./body.ts";
import { CompiledBody } from "./compiled-body.ts";
import type { EngineCore, SolveOptions } from "./engine-core.ts";
import { GroupMaintainer } from "./group-maintainer.ts";
import { AT, NOW } from "./mode.ts";
import { pacedSolutions, SOLUTION } from "./paced-solutions.ts";
import { QuadRelation } from "./quad-relation.ts";
import { Relation } from "./relation.ts";
import { SliceMaintainer } from "./slice-maintainer.ts";

/** What handing a row on costs, in rows looked at. */
const WORK_PER_ROW = 8;
/** The one instance of an ad-hoc evaluation. */
const INSTANCE = 1;

/** Answers false to stop. */
export type EmitRow = (values: readonly number[], weight: number) => boolean | void;

export interface RowSink {
  readonly row: EmitRow;
  /** Forget the rows so far: the evaluation starts again. */
  readonly restart: () => void;
}

/** Thrown out of a first try; never seen outside. */
class FirstTryOver extends Error {}

export function evaluateOnce(engine: EngineCore, plan: PipelinePlan, options: SolveOptions, emit: EmitRow): void {
  for (const _ of new Evaluation(engine, plan, options, emit, false).run());
}

/** Yields where the caller may rest. `options.at` must be a pinned tick. */
export function* evaluatePaced(engine: EngineCore, plan: PipelinePlan, options: SolveOptions, sink: RowSink): Generator<void, void> {
  try {
    evaluateOnce(engine, plan, { ...options, workMax: engine.machine.firstTryWork, workExceeded: () => new FirstTryOver() }, sink.row);
  } catch (error) {
    if (!(error instanceof FirstTryOver)) throw error;
    sink.restart();
    yield* new Evaluation(engine, plan, options, sink.row, true).run();
  }
}

class Evaluation {
  readonly #engine: EngineCore;
  readonly #plan: PipelinePlan;
  readonly #options: SolveOptions;
  readonly #emit: EmitRow;
  readonly #paced: boolean;
  #nextId = 1;

  constructor(engine: EngineCore, plan: PipelinePlan, options: SolveOptions, emit: EmitRow, paced: boolean) {
    this.#engine = engine;
    this.#plan = plan;
    this.#options = options;
    this.#emit = emit;
    this.#paced = paced;
  }

  *run(): Generator<void, void> {
    const shape = this.#plan.build((name, arity, options) => new Relation(this.#nextId++, name, arity, { ...options, bits: 0 }));
    const instances = new Relation(this.#nextId++, "instances", 1, { bits: 0 });
    instances.change([INSTANCE], 1, 1);
    for (const step of shape.steps) {
      if (step.kind === "aggregate") new GroupMaintainer(step.shape, instances).evaluateAll(1);
      else if (step.kind === "slice") new SliceMaintainer(step.shape).evaluateAll(1);
      else yield* this.#runRule(step.shape);
    }
    const { output } = shape;
    if (output instanceof QuadRelation) return;
    let rows = 0;
    for (const { values, weight } of output.rows(INSTANCE)) {
      rows += weight;
      this.#checkRows(rows);
      if (this.#emit(values.slice(1), weight) === false) return;
    }
  }

  /** Runs one rule; its heads go into their relations, those that are quads to the caller. */
  *#runRule(shape: RuleShape): Generator<void, void> {
    const { machine } = this.#engine;
    const preset = new Set<number>(shape.parameters);
    if (shape.instance !== undefined) preset.add(shape.instance);
    const body = new CompiledBody(machine, shape.body, preset, preset);
    const { at } = this.#options;
    body.setModes(at === undefined ? NOW : AT);
    const prepare = (): void => {
      machine.at = at ?? machine.tick;
      shape.parameters.forEach((slot, i) => {
        machine.frame[slot] = this.#plan.constants[i];
      });
      if (shape.instance !== undefined) machine.frame[shape.instance] = INSTANCE;
    };
    let rows = 0;
    const visit = (): void => {
      machine.spend(WORK_PER_ROW);
      this.#checkRows(++rows);
      this.#emitHeads(shape);
    };
    if (this.#paced) {
      yield* this.#engine.pacedEvaluation(this.#options, shape.slotCount + 1, function* () {
        prepare();
        for (const mark of pacedSolutions(machine, body)) {
          if (mark === SOLUTION) visit();
          else yield;
          if (machine.stopped) return;
        }
      });
    } else {
      this.#engine.evaluation(this.#options, shape.slotCount + 1, () => {
        prepare();
        body.solve(visit);
      });
    }
  }

  #emitHeads(shape: RuleShape): void {
    const { machine } = this.#engine;
    const { frame } = machine;
    for (const { relation, args, guard } of shape.heads) {
      if (guard && !guard(frame)) continue;
      const values = args.map((arg) => ("slot" in arg ? frame[arg.slot] : arg.value));
      if (relation instanceof Relation) relation.change(values, machine.weight, 1);
      else if (this.#emit(values, machine.weight) === false) machine.stopped = true;
    }
  }

  #checkRows(rows: number): void {
    const { rowsMax } = this.#options;
    if (rowsMax !== undefined && rows > rowsMax)
      throw new SensError("SENS_TOO_MANY_ROWS", `The query has more than ${rowsMax} solutions. Narrow it or add LIMIT.`);
  }
}
