/**
 * A standing query's machinery, shared by all queries of one shape.
 *
 * State: the parameter relation params(instance, c1…ck), one row per distinct query, whose weight counts how many asked
 * for it; the rules, groups and slices of its steps; the relations between them.
 */
import { SensError } from "../base/index.ts";
import type { PipelinePlan, PipelineShape, RuleShape } from "./body.ts";
import { CompiledRule } from "./compiled-rule.ts";
import type { EngineCore } from "./engine-core.ts";
import type { GroupMaintainer } from "./group-maintainer.ts";
import { Levels } from "./levels.ts";
import { QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";
import type { SliceMaintainer } from "./slice-maintainer.ts";
import type { Producer } from "./stratifier.ts";

export class Pipeline {
  key: string;
  readonly shape: PipelineShape;
  readonly parameters: Relation;
  /** Rules whose heads are quads, run in the fixpoint. */
  readonly final: CompiledRule | undefined;
  /** Set when the final rule must wait for its inputs. */
  readonly producer: Producer | undefined;
  /** A non-monotone deriving query does not share its machinery: its place in the order is its own. */
  readonly exclusive: boolean;
  /** Runs the steps before the final rule of a deriving query; the engine's own levels otherwise. */
  readonly levels: Levels;
  readonly #engine: EngineCore;
  readonly #relations: Relation[] = [];
  readonly #steps: { level: number; rule?: CompiledRule; maintainer?: GroupMaintainer | SliceMaintainer }[] = [];
  readonly #whenDropped: (key: string) => void;
  #dropped = false;

  constructor(engine: EngineCore, plan: PipelinePlan, whenDropped: (key: string) => void) {
    this.#engine = engine;
    this.#whenDropped = whenDropped;
    this.key = plan.key;
    this.shape = plan.build((name, arity, options) => {
      const relation = engine.relation(name, arity, options);
      relation.counted = true;
      this.#relations.push(relation);
      return relation;
    });
    this.parameters = engine.relation(`${plan.key} parameters`, 1 + this.shape.constants, { dispatching: true });
    this.#relations.push(this.parameters);
    const deriving = this.shape.output instanceof QuadRelation;
    const { steps } = this.shape;
    const compiled = steps.map((step, i) =>
      step.kind === "rule"
        ? new CompiledRule(
            engine.machine,
            this.#checked(step.shape),
            this.parameters,
            engine.typePredicate,
            deriving && i === steps.length - 1 ? "set" : "counted",
          )
        : undefined,
    );
    const last = compiled.at(-1);
    this.final = deriving ? last : undefined;
    this.exclusive = deriving && (steps.length > 1 || !(last?.monotone ?? true));
    this.levels = this.exclusive ? new Levels(engine.machine, engine.typePredicate, engine.budget) : engine.levels;
    for (let level = 0; level < steps.length; level++) this.#install(level, compiled[level]);
    if (this.exclusive && this.final)
      this.producer = { name: plan.key, final: this.final, inner: compiled.slice(0, -1).filter((rule) => rule !== undefined) };
  }

  #checked(shape: RuleShape): RuleShape {
    if (shape.parameters.length !== this.shape.constants)
      throw new SensError(
        "SENS_INTERNAL",
        `Rule ${shape.key} has ${shape.parameters.length} parameters, its pipeline ${this.shape.constants}.`,
      );
    return shape;
  }

  #install(level: number, rule: CompiledRule | undefined): void {
    const step = this.shape.steps[level];
    if (step.kind === "rule" && rule) {
      if (rule === this.final) this.#engine.fixpoint.rules.add(rule);
      else this.levels.addRule(level, rule);
      this.#steps.push({ level, rule });
    } else if (step.kind === "aggregate") this.#steps.push({ level, maintainer: this.levels.addGroup(level, step.shape, this.parameters) });
    else if (step.kind === "slice") this.#steps.push({ level, maintainer: this.levels.addSlice(level, step.shape) });
  }

  /** Whether a rule of this name is its own: rules are named by the key of the shape, followed by a number of the step. */
  hasRule(name: string): boolean {
    const { key } = this.shape;
    return name === this.key || name === key || name.startsWith(`${key} `) || name.startsWith(`${key}#`);
  }

  /** The number of the registered instance with these constants, or 0. */
  instanceWith(constants: readonly number[]): number {
    const { parameters } = this;
    if (constants.length === 0) {
      for (let row = 0; row < parameters.end; row++) if (parameters.weight[row] > 0) return parameters.columns[0][row];
      return 0;
    }
    const index = parameters.index(2 ** parameters.arity - 2);
    for (let row = index.first(constants); row >= 0; row = index.next[row])
      if (parameters.weight[row] > 0) return parameters.columns[0][row];
    return 0;
  }

  /** The parameter row of an instance, or -1. */
  rowOf(instance: number): number {
    const { parameters } = this;
    const index = parameters.index(1);
    for (let row = index.first([instance]); row >= 0; row = index.next[row]) if (parameters.weight[row] > 0) return row;
    return -1;
  }

  get instanceCount(): number {
    return this.parameters.size;
  }

  /** Parameters, and what stands between the steps. */
  get relations(): readonly Relation[] {
    return this.#relations;
  }

  /** Its relations were set back: kept accumulators and orders over them are not to be trusted any more. */
  forget(): void {
    for (const { maintainer } of this.#steps) maintainer?.forget();
  }

  /** Forgets what an exception left behind. */
  reset(): void {
    if (this.levels !== this.#engine.levels) this.levels.reset();
    for (const { rule, maintainer } of this.#steps) {
      rule?.reset();
      maintainer?.forget();
    }
  }

  /** Takes the machinery away when no instance is left; safe to call again. */
  dropIfUnused(): void {
    if (this.parameters.size > 0 || this.#dropped) return;
    this.#dropped = true;
    for (const { level, rule, maintainer } of this.#steps) {
      if (rule && rule === this.final) this.#engine.fixpoint.rules.remove(rule);
      else if (rule) this.levels.removeRule(level, rule);
      if (maintainer) this.levels.removeStep(level, maintainer);
    }
    for (const relation of this.#relations) this.#engine.dropRelation(relation);
    this.#whenDropped(this.key);
  }
}
