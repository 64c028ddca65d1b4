/** A small vocabulary and shorthands for engine tests. */
import { SensError } from "../base/index.ts";
import type { Arg, AtomLiteral, PipelinePlan, Reading } from "./body.ts";
import { Engine, type EngineOptions } from "./engine.ts";
import type { Pipeline } from "./pipeline.ts";
import { Relation } from "./relation.ts";
import type { Transaction } from "./transaction.ts";

export const TYPE = 1;
export const KNOWS = 2;
export const LIKES = 3;
export const ANCESTOR = 4;
export const DERIVED_FROM = 5;
/** Nodes are 100 and above. */
export const NODE = 100;

export const slot = (index: number): Arg => ({ slot: index });
export const value = (id: number): Arg => ({ value: id });

export function newEngine(options: Partial<EngineOptions> = {}): Engine {
  return new Engine({ typePredicate: TYPE, now: () => 0, ...options });
}

export function atom(engine: Engine, s: Arg, p: Arg, o: Arg, reading?: Reading, g: Arg = value(0)): AtomLiteral {
  return { kind: "atom", relation: engine.quads, args: [s, p, o, g], ...(reading ? { reading } : {}) };
}

/** Runs one transaction to its end and seals it unless told otherwise. */
export function transact(engine: Engine, stage: (tx: Transaction) => void, seal = true): Transaction {
  const tx = engine.begin();
  stage(tx);
  for (const _ of tx.settle());
  tx.commit();
  if (seal) engine.seal(engine.tick);
  return tx;
}

export function addTransitive(engine: Engine, p: number): void {
  engine.addRule({
    key: `transitive ${p}`,
    slotCount: 3,
    parameters: [],
    body: { literals: [atom(engine, slot(0), value(p), slot(1), "base"), atom(engine, slot(1), value(p), slot(2))] },
    heads: [{ relation: engine.quads, args: [slot(0), value(p), slot(2), value(0)], transitive: true }],
  });
}

/** The result relation of a query that does not derive quads. */
export function resultOf(pipeline: Pipeline): Relation {
  const { output } = pipeline.shape;
  if (!(output instanceof Relation)) throw new Error("the pipeline derives quads");
  return output;
}

/** CONSTRUCT { node knows ?x } WHERE { node knows ?x . ?x likes liked }, as rows (instance, x). */
export function friendsPlan(engine: Engine, node: number, liked: number): PipelinePlan {
  return {
    key: "friends",
    constants: [node, liked],
    build: (relations) => {
      const output = relations("friends", 2);
      return {
        key: "friends",
        constants: 2,
        output,
        steps: [
          {
            kind: "rule",
            shape: {
              key: "friends",
              slotCount: 4,
              parameters: [0, 1],
              instance: 2,
              body: { literals: [atom(engine, slot(0), value(KNOWS), slot(3)), atom(engine, slot(3), value(LIKES), slot(1))] },
              heads: [{ relation: output, args: [slot(2), slot(3)] }],
            },
          },
        ],
      };
    },
  };
}

/** Derives ?x derivedFrom ?x for each ?x of `type` that does not have `negated`. */
export function unlessPlan(engine: Engine, key: string, has: number, negated: number, head: number): PipelinePlan {
  return {
    key,
    constants: [],
    build: () => ({
      key,
      constants: 0,
      output: engine.quads,
      steps: [
        {
          kind: "rule",
          shape: {
            key,
            slotCount: 3,
            parameters: [],
            body: {
              literals: [
                atom(engine, slot(0), value(has), slot(1)),
                {
                  kind: "filter",
                  reads: [],
                  exists: [{ literals: [atom(engine, slot(0), value(negated), slot(2))] }],
                  test: (_, exists) => !exists(0),
                },
              ],
            },
            heads: [{ relation: engine.quads, args: [slot(0), value(head), slot(0), value(0)] }],
          },
        },
      ],
    }),
  };
}

export function visible(engine: Engine, s: number, p: number, o: number, at?: number): boolean {
  let found = false;
  engine.quads.reader(at).match(s, p, o, undefined, () => {
    found = true;
    return false;
  });
  return found;
}

/** The refusal of what must not be possible; undefined when it was. */
export function codedErrorOf(run: () => unknown): SensError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SensError) return error;
    throw error;
  }
}
