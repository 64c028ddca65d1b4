/**
 * Ad-hoc evaluation of a plan: the same steps as a standing query's, run once over a snapshot into temporary relations.
 */
import { SensError } from "../base/index.ts";
import type { Literal, PipelinePlan, RuleShape } from "./body.ts";
import { CompiledBody } from "./compiled-body.ts";
import type { EngineCore, SolveOptions } from "./engine-core.ts";
import { GroupMaintainer } from "./group-maintainer.ts";
import { AT, NOW } from "./machine.ts";
import { QuadRelation } from "./quad-relation.ts";
import { Relation } from "./relation.ts";
import { SliceMaintainer } from "./slice-maintainer.ts";

/** The one instance of an ad-hoc evaluation. */
const INSTANCE = 1;

export function evaluateOnce(
  engine: EngineCore,
  plan: PipelinePlan,
  options: SolveOptions,
  emit: (values: readonly number[], weight: number) => boolean | void,
): void {
  let nextId = 1;
  const shape = plan.build((name, arity, relationOptions) => new Relation(nextId++, name, arity, { ...relationOptions, bits: 0 }));
  const instances = new Relation(nextId++, "instances", 1, { bits: 0 });
  instances.change([INSTANCE], 1, 1);
  const { output } = shape;
  const last = shape.steps.at(-1);
  // A last rule that feeds the output alone need not be stored when every row is a solution of its own.
  for (const step of shape.steps) {
    if (step.kind === "aggregate") new GroupMaintainer(step.shape, instances).evaluateAll(1);
    else if (step.kind === "slice") new SliceMaintainer(step.shape).evaluateAll(1);
    else if (step === last && output instanceof QuadRelation) runRule(engine, step.shape, plan.constants, options, emit);
    else runRule(engine, step.shape, plan.constants, options, undefined);
  }
  if (output instanceof QuadRelation) return;
  let rows = 0;
  for (const { values, weight } of output.rows(INSTANCE)) {
    rows += weight;
    if (options.rowsMax !== undefined && rows > options.rowsMax)
      throw new SensError("SENS_TOO_MANY_ROWS", `The query has more than ${options.rowsMax} rows. Narrow it or add LIMIT.`);
    if (emit(values.slice(1), weight) === false) return;
  }
}

/** Runs one rule; its heads go into their relations, or with `emit` to the caller. */
function runRule(
  engine: EngineCore,
  shape: RuleShape,
  constants: readonly number[],
  options: SolveOptions,
  emit: ((values: readonly number[], weight: number) => boolean | void) | undefined,
): void {
  const { machine } = engine;
  const preset = new Set<number>(shape.parameters);
  if (shape.instance !== undefined) preset.add(shape.instance);
  const literals: readonly Literal[] = shape.body.literals;
  const body = new CompiledBody(machine, { literals }, preset, preset);
  engine.evaluation(options, shape.slotCount + 1, () => {
    const { frame } = machine;
    machine.at = options.at ?? machine.tick;
    body.setModes(options.at === undefined ? NOW : AT);
    shape.parameters.forEach((slot, i) => {
      frame[slot] = constants[i];
    });
    if (shape.instance !== undefined) frame[shape.instance] = INSTANCE;
    const values: number[] = [];
    let rows = 0;
    body.solve(() => {
      if (options.rowsMax !== undefined && ++rows > options.rowsMax)
        throw new SensError("SENS_TOO_MANY_ROWS", `The query has more than ${options.rowsMax} solutions. Narrow it or add LIMIT.`);
      for (const { relation, args, guard } of shape.heads) {
        if (guard && !guard(frame)) continue;
        args.forEach((arg, i) => {
          values[i] = "slot" in arg ? frame[arg.slot] : arg.value;
        });
        if (emit) {
          if (emit(values.slice(0, args.length), machine.weight) === false) machine.stopped = true;
        } else if (relation instanceof Relation) relation.change(values, machine.weight, 1);
      }
    });
  });
}
