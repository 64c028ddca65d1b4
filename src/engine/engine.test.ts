import { describe, expect, it } from "vitest";
import {
  ANCESTOR,
  addTransitive,
  atom,
  friendsPlan,
  KNOWS,
  LIKES,
  NODE,
  newEngine,
  resultOf,
  slot,
  transact,
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
    expect(engine.quads.rows.end).toBeLessThanOrEqual(60);
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

describe("slices", () => {
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
    const { end } = engine.quads.rows;
    all("assert", 5_000);
    expect(engine.quads.rows.end).toBe(end);
    expect(engine.quads.size).toBe(1_000);
  });
});
