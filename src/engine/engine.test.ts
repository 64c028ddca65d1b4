import { describe, expect, it } from "vitest";
import { SensError } from "../base/index.ts";
import {
  ANCESTOR,
  addTransitive,
  atom,
  DERIVED_FROM,
  friendsPlan,
  KNOWS,
  LIKES,
  NODE,
  newEngine,
  resultOf,
  slot,
  TYPE,
  transact,
  unlessPlan,
  value,
  visible,
} from "./engine.fixture.ts";
import type { Transaction } from "./transaction.ts";

describe("snapshots", () => {
  it("a pinned reader keeps its state while the writer goes on, and space is freed when it is released", () => {
    const engine = newEngine();
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE + 1, 0));
    const pin = engine.pin();
    transact(engine, (tx) => tx.retract(NODE, KNOWS, NODE + 1, 0));
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE + 2, 0));
    expect(visible(engine, NODE, KNOWS, NODE + 1, pin.tick)).toBe(true);
    expect(visible(engine, NODE, KNOWS, NODE + 2, pin.tick)).toBe(false);
    expect(visible(engine, NODE, KNOWS, NODE + 1)).toBe(false);
    pin.release();
    expect(engine.quads.find(NODE, KNOWS, NODE + 1, 0)).toBe(-1);
  });

  it("a triple that goes and comes back is readable in each state it had", () => {
    const engine = newEngine();
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    const first = engine.pin();
    transact(engine, (tx) => tx.retract(NODE, KNOWS, NODE, 0));
    const second = engine.pin();
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    expect([first, second].map((pin) => visible(engine, NODE, KNOWS, NODE, pin.tick))).toEqual([true, false]);
    expect(visible(engine, NODE, KNOWS, NODE)).toBe(true);
    expect(engine.quads.size).toBe(1);
  });

  it("streaming churn reuses the rows of dead quads", () => {
    const engine = newEngine();
    for (let round = 0; round < 200; round++) {
      transact(engine, (tx) => {
        for (let i = 0; i < 20; i++) {
          if (round > 0) tx.retract(NODE + (round - 1) * 20 + i, KNOWS, NODE, 0);
          tx.assert(NODE + round * 20 + i, KNOWS, NODE, 0);
        }
      });
    }
    expect(engine.quads.size).toBe(20);
    expect(engine.quads.end).toBeLessThanOrEqual(60);
  });
});

describe("the union of all graphs", () => {
  it("counts the graphs of a triple and its documents apart, and holds it until the last has gone", () => {
    const engine = newEngine({ unionDefaultGraph: true });
    const graphs = 65_537;
    const inAll = (change: "assert" | "retract", from: number) => (tx: Transaction) => {
      for (let g = from; g < graphs; g++) tx[change](NODE, KNOWS, NODE, 1_000 + g);
    };
    transact(engine, inAll("assert", 0));
    transact(engine, (tx) => tx.supply(NODE, KNOWS, NODE));
    transact(engine, inAll("retract", 1));
    expect(engine.quads.isVisible(NODE, KNOWS, NODE, 0)).toBe(true);
    transact(engine, (tx) => tx.withdraw(NODE, KNOWS, NODE));
    expect(engine.quads.isVisible(NODE, KNOWS, NODE, 0)).toBe(true);
    transact(engine, inAll("assert", 1), false);
    engine.undoAfter(engine.tick - 1);
    transact(engine, (tx) => tx.retract(NODE, KNOWS, NODE, 1_000));
    expect(engine.quads.isVisible(NODE, KNOWS, NODE, 0)).toBe(false);
    expect(engine.quads.size).toBe(0);
  });

  it("holds a triple of more documents than 16 bits count", () => {
    const engine = newEngine({ unionDefaultGraph: true });
    transact(engine, (tx) => {
      for (let n = 0; n < 65_537; n++) tx.supply(NODE, KNOWS, NODE);
      tx.withdraw(NODE, KNOWS, NODE);
    });
    expect(engine.quads.isVisible(NODE, KNOWS, NODE, 0)).toBe(true);
  });
});

describe("undo", () => {
  it("an undone incarnation gives its key back to the one before", () => {
    const engine = newEngine();
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    const before = engine.tick;
    transact(engine, (tx) => tx.retract(NODE, KNOWS, NODE, 0), false);
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0), false);
    engine.undoAfter(before);
    expect(engine.quads.isAsserted(NODE, KNOWS, NODE, 0)).toBe(true);
    transact(engine, (tx) => expect(tx.assert(NODE, KNOWS, NODE, 0)).toBe(false));
    expect(engine.quads.size).toBe(1);
  });

  it("a failed storage group takes registrations back as well", () => {
    const engine = newEngine();
    transact(engine, (tx) => {
      tx.assert(NODE, KNOWS, NODE + 1, 0);
      tx.assert(NODE + 1, LIKES, NODE + 2, 0);
    });
    const plan = friendsPlan(engine, NODE, NODE + 2);
    let id = 0;
    transact(engine, (tx) => {
      id = tx.addInstance(engine.pipelineOf(plan), plan.constants);
      tx.addInstance(engine.pipelineOf(plan), plan.constants);
    });
    const pipeline = engine.pipelineOf(plan);
    const before = engine.tick;
    transact(engine, (tx) => tx.removeInstance(pipeline, id), false);
    transact(engine, (tx) => tx.removeInstance(pipeline, id), false);
    expect([...resultOf(pipeline).rows(id)]).toEqual([]);
    engine.undoAfter(before);
    expect([...resultOf(pipeline).rows(id)]).toEqual([{ values: [id, NODE + 1], weight: 1 }]);
    transact(engine, (tx) => tx.removeInstance(pipeline, id));
    expect([...resultOf(pipeline).rows(id)].length).toBe(1);
    transact(engine, (tx) => tx.removeInstance(pipeline, id));
    expect([...engine.pipelines]).toEqual([]);
  });
});

describe("standing queries", () => {
  it("equal queries share one evaluation, and the machinery goes with the last", () => {
    const engine = newEngine();
    const plan = friendsPlan(engine, NODE, NODE + 1);
    let ids: number[] = [];
    transact(engine, (tx) => {
      ids = [1, 2, 3].map(() => tx.addInstance(engine.pipelineOf(plan), plan.constants));
    });
    expect(new Set(ids).size).toBe(1);
    const pipeline = engine.pipelineOf(plan);
    for (const left of [1, 1, 0]) {
      transact(engine, (tx) => tx.removeInstance(pipeline, ids[0]));
      expect(pipeline.instanceCount).toBe(left);
    }
    expect([...engine.pipelines]).toEqual([]);
  });

  it("a publish looks at as many rows with 10,000 unaffected subscriptions as with 100", () => {
    const workOf = (subscriptions: number): number => {
      const engine = newEngine();
      transact(engine, (tx) => {
        for (let i = 0; i < subscriptions; i++) {
          const plan = friendsPlan(engine, NODE + 10 + i, NODE + 5);
          tx.addInstance(engine.pipelineOf(plan), plan.constants);
        }
        const affected = friendsPlan(engine, NODE, NODE + 5);
        tx.addInstance(engine.pipelineOf(affected), affected.constants);
      });
      const before = engine.machine.work;
      const tx = transact(engine, (t) => {
        t.assert(NODE, KNOWS, NODE + 1, 0);
        t.assert(NODE + 1, LIKES, NODE + 5, 0);
      });
      const pipeline = engine.pipelineOf(friendsPlan(engine, NODE, NODE + 5));
      expect(tx.delta(resultOf(pipeline)).length).toBe(1);
      return engine.machine.work - before;
    };
    expect(workOf(10_000)).toBe(workOf(100));
  });

  it("solutions carry their multiplicity", () => {
    const engine = newEngine();
    let rows: readonly unknown[] = [];
    transact(engine, (tx) => {
      tx.assert(NODE, KNOWS, NODE + 1, 0);
      tx.assert(NODE, KNOWS, NODE + 2, 0);
      const pipeline = engine.pipelineOf({
        key: "knowing",
        constants: [],
        build: (relations) => {
          const output = relations("knowing", 2);
          const shape = {
            key: "knowing",
            slotCount: 3,
            parameters: [],
            instance: 2,
            body: { literals: [atom(engine, slot(0), value(KNOWS), slot(1))] },
          };
          return {
            key: "knowing",
            constants: 0,
            output,
            steps: [{ kind: "rule", shape: { ...shape, heads: [{ relation: output, args: [slot(2), slot(0)] }] } }],
          };
        },
      });
      const id = tx.addInstance(pipeline, []);
      for (const _ of tx.settle());
      rows = [...resultOf(pipeline).rows(id)].map(({ values, weight }) => [values[1], weight]);
    });
    expect(rows).toEqual([[NODE, 2]]);
  });
});

describe("recursion", () => {
  it("closing a chain twice as long costs four times as much, not eight", () => {
    const workOf = (length: number): number => {
      const engine = newEngine();
      addTransitive(engine, ANCESTOR);
      transact(engine, (tx) => {
        for (let i = 0; i < length; i++) tx.assert(NODE + i, ANCESTOR, NODE + i + 1, 0);
      });
      expect(engine.quads.size).toBe((length * (length + 1)) / 2);
      return engine.machine.work;
    };
    expect(workOf(160) / workOf(80)).toBeLessThan(5);
  });

  it("a cycle of derived rows does not hold itself up", () => {
    const engine = newEngine();
    addTransitive(engine, ANCESTOR);
    transact(engine, (tx) => {
      for (const [a, b] of [
        [0, 1],
        [1, 2],
        [2, 1],
        [2, 3],
      ])
        tx.assert(NODE + a, ANCESTOR, NODE + b, 0);
    });
    expect(visible(engine, NODE, ANCESTOR, NODE + 3)).toBe(true);
    transact(engine, (tx) => tx.retract(NODE, ANCESTOR, NODE + 1, 0));
    expect(visible(engine, NODE, ANCESTOR, NODE + 3)).toBe(false);
    expect(visible(engine, NODE + 1, ANCESTOR, NODE + 1)).toBe(true);
  });

  it("stating what is derived is no news, and withdrawing it loses nothing", () => {
    const engine = newEngine();
    addTransitive(engine, ANCESTOR);
    transact(engine, (tx) => {
      tx.assert(NODE, ANCESTOR, NODE + 1, 0);
      tx.assert(NODE + 1, ANCESTOR, NODE + 2, 0);
    });
    const stated = transact(engine, (tx) => tx.assert(NODE, ANCESTOR, NODE + 2, 0));
    expect([...stated.quadChanges()].map(({ asserted, visible: seen }) => [asserted, seen])).toEqual([[1, 0]]);
    const withdrawn = transact(engine, (tx) => tx.retract(NODE, ANCESTOR, NODE + 2, 0));
    expect([...withdrawn.quadChanges()].map(({ asserted, visible: seen }) => [asserted, seen])).toEqual([[-1, 0]]);
  });
});

describe("limits", () => {
  it("a change that derives too much is refused whole and names the rule", () => {
    const engine = newEngine({ limits: { derivationsMax: 50 } });
    addTransitive(engine, ANCESTOR);
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    const tx = engine.begin();
    for (let i = 0; i < 30; i++) tx.assert(NODE + i, ANCESTOR, NODE + i + 1, 0);
    let error: unknown;
    try {
      for (const _ of tx.settle());
    } catch (caught) {
      error = caught;
      tx.rollback();
    }
    expect(error).toBeInstanceOf(SensError);
    expect((error as SensError).code).toBe("SENS_DERIVATION_LIMIT");
    expect((error as SensError).message).toContain(`transitive ${ANCESTOR}`);
    expect(engine.quads.size).toBe(1);
    transact(engine, (next) => next.assert(NODE, ANCESTOR, NODE + 1, 0));
    expect(engine.quads.size).toBe(2);
  });

  it("a rule that makes a value of each value it made is stopped long before the derivation limit", () => {
    const engine = newEngine();
    engine.addRule({
      key: "count on",
      slotCount: 3,
      parameters: [],
      body: {
        literals: [atom(engine, slot(0), value(KNOWS), slot(1)), { kind: "bind", reads: [1], target: 2, compute: (frame) => frame[1] + 1 }],
      },
      heads: [{ relation: engine.quads, args: [slot(0), value(KNOWS), slot(2), value(0)] }],
    });
    const tx = engine.begin();
    for (let i = 0; i < 50; i++) tx.assert(NODE + i, KNOWS, NODE, 0);
    let error: unknown;
    try {
      for (const _ of tx.settle());
    } catch (caught) {
      error = caught;
      tx.rollback();
    }
    expect((error as SensError).code).toBe("SENS_NON_TERMINATING");
    expect((error as SensError).extra).toMatchObject({ rule: "count on" });
    expect(engine.quads.size).toBe(0);
  });

  it("a long transaction pauses, and a reader of the last state sees nothing of it", () => {
    const engine = newEngine();
    addTransitive(engine, ANCESTOR);
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    const pin = engine.pin();
    const tx = engine.begin();
    for (let i = 0; i < 300; i++) tx.assert(NODE + i, ANCESTOR, NODE + i + 1, 0);
    let pauses = 0;
    for (const _ of tx.settle()) {
      if (pauses++ % 64 > 0) continue;
      let seen = 0;
      engine.solve({ literals: [atom(engine, slot(0), value(ANCESTOR), slot(1))] }, 2, { at: pin.tick }, () => {
        seen++;
      });
      expect(seen).toBe(0);
    }
    tx.commit();
    pin.release();
    expect(pauses).toBeGreaterThan(100);
    expect(engine.quads.size).toBe(1 + (300 * 301) / 2);
  });
});

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

describe("a change that takes too long", () => {
  it("names the rule with most work and the instance that was at work", () => {
    let nowMs = 0;
    const engine = newEngine({ now: () => nowMs });
    const idle = friendsPlan(engine, NODE + 1, NODE + 5);
    const busy = friendsPlan(engine, NODE, NODE + 5);
    let instance = 0;
    transact(engine, (tx) => {
      const pipeline = engine.pipelineOf(busy);
      tx.addInstance(pipeline, idle.constants);
      instance = tx.addInstance(pipeline, busy.constants);
      tx.addInstance(pipeline, friendsPlan(engine, NODE + 2, NODE + 5).constants);
      for (let n = 0; n < 20_000; n++) tx.assert(NODE, KNOWS, NODE + 10 + n, 0);
    });
    const tx = engine.begin();
    for (let n = 0; n < 20_000; n++) tx.assert(NODE + 10 + n, LIKES, NODE + 5, 0);
    nowMs = 1_000_000;
    expect(codedErrorOf(() => [...tx.settle()])).toMatchObject({
      code: "SENS_DERIVATION_LIMIT",
      extra: { rule: "friends", instance },
    });
    tx.rollback();
  });

  it("does not count the work of readers as that of the rule that rests meanwhile", () => {
    const engine = newEngine();
    transact(engine, (tx) => {
      for (let n = 0; n < 1_000; n++) tx.assert(NODE + n, KNOWS, NODE, 0);
    });
    const account = { name: "rests", parameters: undefined, work: 0, workTick: 0 };
    engine.machine.charge(account);
    engine.machine.spend(10);
    const before = engine.machine.work;
    engine.solve({ literals: [atom(engine, slot(0), value(KNOWS), slot(1))] }, 2, {}, () => true);
    expect(engine.machine.work - before).toBeGreaterThan(900);
    engine.machine.spend(10);
    engine.machine.charge(undefined);
    expect(account.work).toBe(20);
  });
});

describe("rows that died", () => {
  it("are freed some at a time when asked so, and their places used again", () => {
    const engine = newEngine({ reclaimInSlices: true });
    engine.reclaimRows = 100;
    const all = (change: "assert" | "retract", from: number): void => {
      transact(engine, (tx) => {
        for (let n = 0; n < 1_000; n++) tx[change](NODE + from + n, KNOWS, NODE, 0);
      });
    };
    all("assert", 0);
    while (engine.reclaim());
    all("retract", 0);
    let turns = 0;
    while (engine.reclaim()) turns++;
    expect(turns).toBeGreaterThan(5);
    const { end } = engine.quads;
    all("assert", 5_000);
    expect(engine.quads.end).toBe(end);
    expect(engine.quads.size).toBe(1_000);
  });
});

function codedErrorOf(run: () => unknown): SensError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SensError) return error;
    throw error;
  }
}
