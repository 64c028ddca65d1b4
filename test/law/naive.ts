/**
 * The oracle: evaluates programs from scratch, slowly and plainly, sharing no code with the engine.
 * Solutions are maps from slot to value; bags are arrays.
 */
import type { Body, Head, Literal, PipelineShape, RuleShape } from "../../src/engine/index.ts";
import { QuadRelation, type Relation } from "../../src/engine/index.ts";

type Solution = ReadonlyMap<number, number>;
export type QuadKey = string;

/** Rows of every relation: quads by key, others as bags of rows. */
export interface World {
  readonly quads: Map<QuadKey, readonly [number, number, number, number]>;
  readonly bags: Map<Relation, Map<string, { values: number[]; weight: number }>>;
}

export const quadKey = (s: number, p: number, o: number, g: number): QuadKey => `${s},${p},${o},${g}`;

function rowsOf(world: World, literal: Literal & { kind: "atom" }): { values: readonly number[]; weight: number }[] {
  if (literal.relation instanceof QuadRelation) return [...world.quads.values()].map((values) => ({ values, weight: 1 }));
  const bag = world.bags.get(literal.relation);
  return [...(bag?.values() ?? [])]
    .filter((row) => row.weight > 0)
    .map(({ values, weight }) => ({ values, weight: literal.reading === "bag" ? weight : 1 }));
}

/** Joins one literal to a bag of solutions. */
function extend(world: World, literal: Literal, solutions: readonly Solution[]): Solution[] {
  const out: Solution[] = [];
  for (const solution of solutions) {
    switch (literal.kind) {
      case "atom":
        for (const { values, weight } of rowsOf(world, literal)) {
          const next = new Map(solution);
          const fits = literal.args.every((arg, i) => {
            const value = values[i];
            if ("value" in arg) return arg.value === value;
            if (literal.relation instanceof QuadRelation && i === 3 && value === 0) return false;
            const now = next.get(arg.slot);
            if (now !== undefined && now !== value) return false;
            next.set(arg.slot, value);
            return true;
          });
          if (fits) for (let n = 0; n < weight; n++) out.push(next);
        }
        break;
      case "union":
        for (const branch of literal.branches) out.push(...solutionsOf(world, branch, [solution]));
        break;
      case "values":
        for (const row of literal.rows) {
          const next = new Map(solution);
          const fits = literal.slots.every((slot, i) => {
            if (row[i] === 0) return true;
            const now = next.get(slot);
            if (now !== undefined && now !== row[i]) return false;
            next.set(slot, row[i]);
            return true;
          });
          if (fits) out.push(next);
        }
        break;
      case "filter": {
        const frame = frameOf(solution);
        if (literal.test(frame, (index) => solutionsOf(world, (literal.exists ?? [])[index], [solution]).length > 0)) out.push(solution);
        break;
      }
      case "bind": {
        const value = literal.compute(frameOf(solution), () => false);
        const now = solution.get(literal.target);
        if (value === 0 || now === value) out.push(solution);
        else if (now === undefined) out.push(new Map([...solution, [literal.target, value]]));
        break;
      }
      case "call":
        throw new Error("not in law tests");
    }
  }
  return out;
}

function frameOf(solution: Solution): Int32Array {
  const frame = new Int32Array(64);
  for (const [slot, value] of solution) frame[slot] = value;
  return frame;
}

export function solutionsOf(world: World, body: Body, start: readonly Solution[]): Solution[] {
  let solutions: Solution[] = [...start];
  for (const literal of body.literals) solutions = extend(world, literal, solutions);
  return solutions;
}

function headRow(head: Head, solution: Solution): number[] {
  return head.args.map((arg) => ("value" in arg ? arg.value : (solution.get(arg.slot) ?? 0)));
}

export interface Instance {
  readonly shape: PipelineShape;
  readonly id: number;
  readonly constants: readonly number[];
  readonly stage: number;
}

function startOf(shape: RuleShape, instance: Instance): Solution {
  const start = new Map<number, number>();
  shape.parameters.forEach((slot, i) => {
    start.set(slot, instance.constants[i]);
  });
  if (shape.instance !== undefined) start.set(shape.instance, instance.id);
  return start;
}

/** Everything that holds: stated quads closed under rules and deriving instances, then the results of the others. */
export function evaluate(
  stated: Iterable<readonly [number, number, number, number]>,
  rules: readonly RuleShape[],
  instances: readonly Instance[],
  facts: ReadonlyMap<Relation, Iterable<readonly number[]>> = new Map(),
): World {
  const world: World = { quads: new Map(), bags: new Map() };
  for (const [relation, rows] of facts)
    world.bags.set(relation, new Map([...rows].map((values) => [values.join(), { values: [...values], weight: 1 }])));
  for (const quad of stated) world.quads.set(quadKey(...quad), quad);
  const deriving = instances.filter((instance) => instance.shape.output instanceof QuadRelation);
  const last = Math.max(0, ...deriving.map((instance) => instance.stage));
  for (let stage = 0; stage <= last; stage++) {
    for (let grew = true; grew; ) {
      grew = false;
      for (const rule of rules) if (derive(world, rule, [new Map()])) grew = true;
      for (const instance of deriving) {
        if (instance.stage > stage) continue;
        const final = instance.shape.steps.at(-1);
        // Steps before the final rule read what earlier stages made final.
        if (instance.stage === stage || instance.stage === 0) runSteps(world, instance, -1);
        if (final?.kind === "rule" && derive(world, final.shape, [startOf(final.shape, instance)])) grew = true;
      }
    }
  }
  for (const instance of instances)
    if (!(instance.shape.output instanceof QuadRelation)) runSteps(world, instance, instance.shape.steps.length);
  return world;
}

function derive(world: World, rule: RuleShape, start: readonly Solution[]): boolean {
  let grew = false;
  for (const solution of solutionsOf(world, rule.body, start)) {
    for (const head of rule.heads) {
      if (head.guard && !head.guard(frameOf(solution))) continue;
      const [s, p, o, g] = headRow(head, solution);
      if (world.quads.has(quadKey(s, p, o, g))) continue;
      world.quads.set(quadKey(s, p, o, g), [s, p, o, g]);
      grew = true;
    }
  }
  return grew;
}

function runSteps(world: World, instance: Instance, until: number): void {
  const { steps } = instance.shape;
  const end = until < 0 ? steps.length - 1 : until;
  for (let i = 0; i < end; i++) {
    const step = steps[i];
    if (step.kind === "rule") {
      for (const head of step.shape.heads) {
        const bag = clear(world, head.relation as Relation, instance.id);
        for (const solution of solutionsOf(world, step.shape.body, [startOf(step.shape, instance)]))
          addRow(bag, headRow(head, solution), 1);
      }
    } else if (step.kind === "aggregate") {
      const { source, target, keys, aggregates, everyInstance } = step.shape;
      const groups = new Map<string, { key: number[]; rows: { values: number[]; weight: number }[] }>();
      if (everyInstance) groups.set(String(instance.id), { key: [instance.id], rows: [] });
      for (const row of world.bags.get(source)?.values() ?? []) {
        if (row.values[0] !== instance.id || row.weight <= 0) continue;
        const key = row.values.slice(0, keys);
        const group = groups.get(key.join()) ?? { key, rows: [] };
        groups.set(key.join(), group);
        group.rows.push(row);
      }
      const bag = clear(world, target, instance.id);
      for (const { key, rows } of groups.values()) {
        const values = aggregates.map((make, a) => {
          const accumulator = make();
          for (const row of rows) accumulator.add(row.values[keys + a], row.weight);
          return accumulator.result();
        });
        addRow(bag, [...key, ...values], 1);
      }
    } else {
      const { source, target, offset, limit, compare } = step.shape;
      const rows = [...(world.bags.get(source)?.values() ?? [])].filter((row) => row.values[0] === instance.id && row.weight > 0);
      rows.sort((a, b) => compare(a.values, b.values));
      const flat = rows.flatMap((row) => Array.from({ length: row.weight }, () => row.values));
      const bag = clear(world, target, instance.id);
      for (const values of flat.slice(offset, offset + limit)) addRow(bag, values, 1);
    }
  }
}

function clear(world: World, relation: Relation, instance: number): Map<string, { values: number[]; weight: number }> {
  let bag = world.bags.get(relation);
  if (!bag) {
    bag = new Map();
    world.bags.set(relation, bag);
  }
  for (const [key, row] of bag) if (row.values[0] === instance) bag.delete(key);
  return bag;
}

function addRow(bag: Map<string, { values: number[]; weight: number }>, values: number[], weight: number): void {
  const row = bag.get(values.join());
  if (row) row.weight += weight;
  else bag.set(values.join(), { values, weight });
}
