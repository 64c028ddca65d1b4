/** One random program and history, checked after every transaction: maintained == recomputed, sum of deltas == result. */
import { SensError, seededRandom } from "../../src/base/index.ts";
import { Engine, type Pipeline, QuadRelation, type Relation } from "../../src/engine/index.ts";
import { evaluate, type Instance, quadKey } from "./naive.ts";
import { axiomRules, dice, randomAxiom, randomPlan, randomQuad, randomRules, TYPE } from "./program.ts";

interface Standing {
  readonly pipeline: Pipeline;
  readonly id: number;
  readonly constants: readonly number[];
}

/** Throws with the seed and the step where the law does not hold. Answers what was exercised. */
export function checkLaw(seed: number): { readonly transactions: number; readonly refused: number } {
  const d = dice(seededRandom(seed));
  const union = d.chance(0.25);
  const engine = new Engine({ typePredicate: TYPE, unionDefaultGraph: union, now: () => 0, reclaimInSlices: d.chance(0.3) });
  engine.reclaimRows = 1 + d.below(3);
  if (d.chance(0.3)) engine.machine.sliceRows = 1;
  const { quads } = engine;
  const rules = randomRules(d, quads);
  const axioms = engine.relation("axioms", 2, { dispatching: true });
  if (d.chance(0.5)) rules.push(...axiomRules(quads, axioms));
  for (const rule of rules) engine.addRule(rule);
  let facts = new Map<string, readonly [number, number]>();
  let standing: Standing[] = [];
  let stated = new Map<string, readonly [number, number, number, number]>();
  /** Results as a subscriber would have them, from deltas alone. */
  const mirrors = new Map<Relation, Map<string, number>>();
  let refused = 0;
  let plans = 0;
  const transactions = 3 + d.below(6);
  for (let step = 0; step < transactions; step++) {
    const tx = engine.begin();
    const nextStated = new Map(stated);
    const nextStanding = [...standing];
    const nextFacts = new Map(facts);
    const mode = d.below(10);
    try {
      for (let settles = d.chance(0.2) ? 2 : 1; settles > 0; settles--) {
        for (let i = d.below(6); i > 0; i--) {
          const known = [...nextStated.values()];
          if (known.length > 0 && d.chance(0.45)) {
            const quad = d.pick(known);
            tx.retract(...quad);
            nextStated.delete(quadKey(...quad));
          } else {
            const quad = randomQuad(d);
            tx.assert(...quad);
            nextStated.set(quadKey(...quad), quad);
          }
        }
        if (d.chance(0.3)) {
          const known = [...nextFacts.values()];
          const gone = known.length > 0 && d.chance(0.5);
          const axiom = gone ? d.pick(known) : randomAxiom(d);
          tx.change(axioms, axiom, gone ? -1 : 1);
          if (gone) nextFacts.delete(axiom.join());
          else nextFacts.set(axiom.join(), axiom);
        }
        if (d.chance(0.4)) {
          const plan = randomPlan(d, quads, `plan ${plans++}`, d.chance(0.4));
          const pipeline = engine.pipelineOf(plan);
          nextStanding.push({ pipeline, id: tx.addInstance(pipeline, plan.constants), constants: plan.constants });
          // A second instance of the shape with other constants.
          if (plan.constants.length > 0 && d.chance(0.5)) {
            const constants = plan.constants.map((c) => (d.chance(0.5) ? c : 2 + d.below(10)));
            nextStanding.push({ pipeline, id: tx.addInstance(pipeline, constants), constants });
          }
        }
        if (nextStanding.length > 0 && d.chance(0.15)) {
          const [gone] = nextStanding.splice(d.below(nextStanding.length), 1);
          tx.removeInstance(gone.pipeline, gone.id);
        }
        for (const _ of tx.settle()) if (mode === 0 && d.chance(0.2)) throw new SensError("SENS_CANCELLED", "in the middle");
      }
    } catch (error) {
      if (!(error instanceof SensError)) throw error;
      tx.rollback();
      refused++;
      check(
        engine,
        rules,
        standing,
        stated,
        new Map([[axioms, [...facts.values()]]]),
        union,
        `seed ${seed} step ${step} rolled back`,
        mirrors,
      );
      continue;
    }
    const deltas = [...tx.changedRelations()].map((relation) => [relation, tx.delta(relation)] as const);
    tx.commit();
    if (mode === 1) {
      engine.undoAfter(tx.firstTick - 1);
      check(engine, rules, standing, stated, new Map([[axioms, [...facts.values()]]]), union, `seed ${seed} step ${step} undone`, mirrors);
      continue;
    }
    for (const [relation, changes] of deltas) {
      const mirror = mirrors.get(relation) ?? new Map<string, number>();
      mirrors.set(relation, mirror);
      for (const { values, before, after } of changes) {
        const key = values.join();
        if ((mirror.get(key) ?? 0) !== before)
          throw new Error(`seed ${seed} step ${step}: delta of ${relation.name} ${key} says before=${before}, was ${mirror.get(key) ?? 0}`);
        if (after === 0) mirror.delete(key);
        else mirror.set(key, after);
      }
    }
    stated = nextStated;
    standing = nextStanding;
    facts = nextFacts;
    if (d.chance(0.5)) engine.seal(engine.tick);
    check(engine, rules, standing, stated, new Map([[axioms, [...facts.values()]]]), union, `seed ${seed} step ${step}`, mirrors);
  }
  return { transactions, refused };
}

function check(
  engine: Engine,
  rules: ReturnType<typeof randomRules>,
  standing: readonly Standing[],
  stated: ReadonlyMap<string, readonly [number, number, number, number]>,
  facts: ReadonlyMap<Relation, readonly (readonly number[])[]>,
  union: boolean,
  where: string,
  mirrors: ReadonlyMap<Relation, ReadonlyMap<string, number>>,
): void {
  const { quads } = engine;
  const visible = [...stated.values()];
  if (union) for (const [s, p, o, g] of stated.values()) if (g !== 0) visible.push([s, p, o, 0]);
  const instances: Instance[] = standing.map(({ pipeline, id, constants }) => ({
    shape: pipeline.shape,
    id,
    constants,
    stage: pipeline.final && pipeline.producer ? pipeline.final.stage : 0,
  }));
  const world = evaluate(visible, rules, instances, facts);
  const maintained = new Set<string>();
  quads.match(0, 0, 0, undefined, engine.tick, (s, p, o, g) => {
    const key = quadKey(s, p, o, g);
    if (maintained.has(key)) throw new Error(`${where}: ${key} is there twice`);
    maintained.add(key);
  });
  for (const key of world.quads.keys()) if (!maintained.has(key)) throw new Error(`${where}: quad ${key} is missing`);
  for (const key of maintained) if (!world.quads.has(key)) throw new Error(`${where}: quad ${key} should be gone`);
  if (quads.size !== maintained.size) throw new Error(`${where}: size ${quads.size}, but ${maintained.size} visible`);
  if (quads.assertedSize !== stated.size) throw new Error(`${where}: assertedSize ${quads.assertedSize}, but ${stated.size} stated`);
  for (const { pipeline, id } of standing) {
    const { output } = pipeline.shape;
    if (output instanceof QuadRelation) continue;
    const expected = new Map<string, number>();
    for (const row of world.bags.get(output)?.values() ?? [])
      if (row.values[0] === id && row.weight > 0) expected.set(row.values.join(), row.weight);
    const actual = new Map<string, number>();
    for (const { values, weight } of output.rows(id)) actual.set(values.join(), weight);
    compare(expected, actual, `${where}: ${output.name}`);
    const mirror = new Map<string, number>();
    for (const [key, weight] of mirrors.get(output) ?? []) if (key.startsWith(`${id},`)) mirror.set(key, weight);
    compare(actual, mirror, `${where}: sum of deltas of ${output.name}`);
  }
}

function compare(expected: ReadonlyMap<string, number>, actual: ReadonlyMap<string, number>, where: string): void {
  for (const [key, weight] of expected)
    if (actual.get(key) !== weight) throw new Error(`${where}: ${key} should count ${weight}, counts ${actual.get(key) ?? 0}`);
  for (const [key, weight] of actual) if (!expected.has(key)) throw new Error(`${where}: ${key} should be gone, counts ${weight}`);
}
