/** The order of queries that derive through negation. */
import { describe, expect, it } from "vitest";
import type { SensError } from "../base/index.ts";
import {
  ANCESTOR,
  atom,
  DERIVED_FROM,
  KNOWS,
  LIKES,
  NODE,
  newEngine,
  slot,
  TYPE,
  transact,
  unlessPlan,
  value,
  visible,
} from "./engine.fixture.ts";

describe("strata", () => {
  const run = (register: (add: (key: string, has: number, negated: number, head: number) => void) => void): SensError | undefined => {
    const engine = newEngine({ axiomPredicates: [TYPE + 50] });
    const tx = engine.begin();
    register((key, has, negated, head) => {
      tx.addInstance(engine.pipelineOf(unlessPlan(engine, key, has, negated, head)), []);
    });
    try {
      for (const _ of tx.settle());
      tx.commit();
      return undefined;
    } catch (error) {
      tx.rollback();
      expect([...engine.pipelines]).toEqual([]);
      return error as SensError;
    }
  };

  it("a query that negates what it derives is refused, and nothing is left of it", () => {
    const error = run((add) => add("liar", KNOWS, LIKES, LIKES));
    expect(error?.code).toBe("SENS_NOT_STRATIFIED");
    expect(error?.extra.cycle).toEqual(["liar#1"]);
  });

  it("a cycle over two queries is refused, naming both", () => {
    const error = run((add) => {
      add("one", KNOWS, LIKES, DERIVED_FROM);
      add("two", KNOWS, DERIVED_FROM, LIKES);
    });
    expect(error?.extra.cycle).toEqual(["one#1", "two#2"]);
  });

  it("queries that negate each other's inputs in one direction stand, in any order of registration", () => {
    expect(
      run((add) => {
        add("second", KNOWS, DERIVED_FROM, ANCESTOR);
        add("first", KNOWS, LIKES, DERIVED_FROM);
      }),
    ).toBeUndefined();
  });

  it("classes are told apart although rdf:type and they are parameters", () => {
    const engine = newEngine();
    // Derives `a ready` where something has no `a task`: type and classes are constants of the query.
    const plan = (key: string, ready: number, task: number) => ({
      key,
      constants: [TYPE, ready, task],
      build: () => ({
        key,
        constants: 3,
        output: engine.quads,
        steps: [
          {
            kind: "rule" as const,
            shape: {
              key,
              slotCount: 7,
              parameters: [0, 1, 2],
              body: {
                literals: [
                  atom(engine, slot(3), value(KNOWS), slot(4)),
                  {
                    kind: "filter" as const,
                    reads: [],
                    exists: [{ literals: [atom(engine, slot(5), slot(0), slot(2))] }],
                    test: (_: unknown, exists: (i: number) => boolean) => !exists(0),
                  },
                ],
              },
              heads: [{ relation: engine.quads, args: [slot(3), slot(0), slot(1), value(0)] }],
            },
          },
        ],
      }),
    });
    const ready = plan("ready", NODE + 50, NODE + 51);
    transact(engine, (tx) => {
      tx.addInstance(engine.pipelineOf(ready), ready.constants);
      tx.assert(NODE, KNOWS, NODE + 1, 0);
    });
    expect(visible(engine, NODE, TYPE, NODE + 50)).toBe(true);
    transact(engine, (tx) => tx.assert(NODE + 2, TYPE, NODE + 51, 0));
    expect(visible(engine, NODE, TYPE, NODE + 50)).toBe(false);
    const circular = plan("circular", NODE + 52, NODE + 52);
    const tx = engine.begin();
    tx.addInstance(engine.pipelineOf(circular), circular.constants);
    expect(() => {
      for (const _ of tx.settle());
    }).toThrow("depends on itself");
    tx.rollback();
  });

  it("axioms are not derived through negation", () => {
    expect(run((add) => add("schema", KNOWS, LIKES, TYPE + 50))?.code).toBe("SENS_NOT_STRATIFIED");
  });
});
