/** What a transaction may take, whom a breach names, and that nothing of the change is left. */
import { describe, expect, it } from "vitest";
import type { SensError } from "../base/index.ts";
import {
  ANCESTOR,
  addTransitive,
  atom,
  codedErrorOf,
  DERIVED_FROM,
  friendsPlan,
  KNOWS,
  LIKES,
  NODE,
  newEngine,
  resultOf,
  slot,
  transact,
  value,
} from "./engine.fixture.ts";
import type { Engine } from "./engine.ts";
import type { Transaction } from "./transaction.ts";

/** Runs a change that must be refused, and takes it back. */
function refusal(engine: Engine, stage: (tx: Transaction) => void): SensError | undefined {
  const tx = engine.begin();
  const error = codedErrorOf(() => {
    stage(tx);
    for (const _ of tx.settle());
  });
  tx.rollback();
  return error;
}

const chain = (tx: Transaction, from: number, length: number): void => {
  for (let i = from; i < from + length; i++) tx.assert(NODE + i, ANCESTOR, NODE + i + 1, 0);
};

describe("derivations", () => {
  it("above the limit: the change is refused whole and the rule named", () => {
    const engine = newEngine({ limits: { derivationsMax: 50 } });
    addTransitive(engine, ANCESTOR);
    transact(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0));
    expect(refusal(engine, (tx) => chain(tx, 0, 30))).toMatchObject({
      code: "SENS_DERIVATION_LIMIT",
      message: expect.stringContaining(`"transitive ${ANCESTOR}"`),
      extra: { rule: `transitive ${ANCESTOR}`, needs: "more than 50 derivations" },
    });
    expect(engine.quads.size).toBe(1);
    transact(engine, (tx) => tx.assert(NODE, ANCESTOR, NODE + 1, 0));
    expect(engine.quads.size).toBe(2);
  });

  it("are counted over all steps of a transaction", () => {
    const engine = newEngine({ limits: { derivationsMax: 50 } });
    addTransitive(engine, ANCESTOR);
    const inTwoSteps = (length: number): SensError | undefined =>
      refusal(engine, (tx) => {
        chain(tx, 0, length);
        for (const _ of tx.settle());
        chain(tx, 1_000, length);
      });
    // 28 and 28; 21 and 21.
    expect(inTwoSteps(8)?.extra).toMatchObject({ needs: "more than 50 derivations" });
    expect(inTwoSteps(7)).toBeUndefined();
    expect(engine.quads.size).toBe(0);
  });

  it("of one changed row are not gathered beyond the limit", () => {
    const engine = newEngine({ limits: { derivationsMax: 50 } });
    engine.addRule({
      key: "everybody",
      slotCount: 4,
      parameters: [],
      body: { literals: [atom(engine, slot(0), value(KNOWS), slot(1)), atom(engine, slot(2), value(LIKES), slot(3))] },
      heads: [{ relation: engine.quads, args: [slot(2), value(DERIVED_FROM), slot(3), value(0)] }],
    });
    transact(engine, (tx) => {
      for (let i = 0; i < 51; i++) tx.assert(NODE + i, LIKES, NODE + 500, 0);
    });
    const work = engine.machine.work;
    expect(refusal(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0))?.extra).toMatchObject({ rule: "everybody" });
    expect(engine.machine.work - work).toBeLessThan(500);
    expect(engine.quads.size).toBe(51);
    transact(engine, (tx) => tx.retract(NODE, LIKES, NODE + 500, 0));
    expect(refusal(engine, (tx) => tx.assert(NODE, KNOWS, NODE, 0))).toBeUndefined();
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
});

describe("rows of results", () => {
  const liked = NODE + 5_000;
  const likedBy = (count: number) => (tx: Transaction) => {
    for (let n = 0; n < count; n++) tx.assert(NODE + n, LIKES, liked, 0);
  };

  it("above the limit: the change is refused, the query and its instance are named, and nothing is left", () => {
    const engine = newEngine({ limits: { standingRowsMax: 100 } });
    const [few, many] = [friendsPlan(engine, NODE + 3_000, liked), friendsPlan(engine, NODE + 3_001, liked)];
    const pipeline = engine.pipelineOf(many);
    let instance = 0;
    transact(engine, (tx) => {
      instance = tx.addInstance(pipeline, many.constants);
      tx.addInstance(pipeline, few.constants);
      for (let n = 0; n < 200; n++) tx.assert(NODE + 3_001, KNOWS, NODE + n, 0);
      tx.assert(NODE + 3_000, KNOWS, NODE, 0);
    });
    expect(refusal(engine, likedBy(150))).toMatchObject({
      code: "SENS_DERIVATION_LIMIT",
      message: expect.stringContaining("a standing query"),
      extra: { rule: "friends", instance, needs: "more than 100 new rows of results" },
    });
    expect([engine.quads.size, resultOf(pipeline).size]).toEqual([201, 0]);
    transact(engine, likedBy(99));
    expect(resultOf(pipeline).size).toBe(100);
    // What is there already does not count.
    transact(engine, likedBy(150));
    expect(resultOf(pipeline).size).toBe(151);
  });
});

describe("memory", () => {
  const MANY = 70_000;
  const many = (tx: Transaction): void => {
    for (let n = 0; n < MANY; n++) tx.assert(NODE + n, KNOWS, NODE, 0);
  };

  it("above the limit: nothing is added, removing goes on and makes room", () => {
    let otherBytes = 0;
    const engine = newEngine({ limits: { memoryBytesMax: 50_000_000 }, otherBytes: () => otherBytes });
    transact(engine, many);
    const used = engine.usedBytes;
    expect(used).toBeLessThan(engine.memoryBytes + 1);
    otherBytes = 50_000_000 - used - 1;
    const more = (tx: Transaction): void => {
      for (let n = 0; n < MANY; n++) tx.assert(NODE + n, LIKES, NODE, 0);
    };
    const refused = refusal(engine, more);
    expect(refused).toMatchObject({ code: "SENS_MEMORY_LIMIT", extra: { needs: "more than the 47 MiB of memory for all that is kept" } });
    expect(refused?.extra.rule).toBeUndefined();
    expect([engine.quads.size, engine.usedBytes < 1.01 * used]).toEqual([MANY, true]);
    otherBytes = 50_000_000 - 0.9 * engine.usedBytes;
    expect(refusal(engine, (tx) => tx.assert(NODE, LIKES, NODE, 0))?.code).toBe("SENS_MEMORY_LIMIT");
    transact(engine, (tx) => {
      for (let n = 0; n < MANY / 2; n++) tx.retract(NODE + n, KNOWS, NODE, 0);
    });
    transact(engine, (tx) => tx.assert(NODE, LIKES, NODE, 0));
    expect(engine.quads.size).toBe(MANY / 2 + 1);
  });

  it("taken by the results of a query is blamed on the query", () => {
    let otherBytes = 0;
    const engine = newEngine({ limits: { memoryBytesMax: 200_000_000 }, otherBytes: () => otherBytes });
    const plan = friendsPlan(engine, NODE, NODE);
    const pipeline = engine.pipelineOf(plan);
    transact(engine, (tx) => {
      for (let n = 1; n < MANY; n++) tx.assert(NODE, KNOWS, NODE + n, 0);
      for (let n = 1; n < MANY; n++) tx.assert(NODE + n, LIKES, NODE, 0);
    });
    otherBytes = 200_000_000 - engine.usedBytes - 2_000_000;
    let instance = 0;
    const refused = refusal(engine, (tx) => {
      instance = tx.addInstance(pipeline, plan.constants);
    });
    expect(refused).toMatchObject({ code: "SENS_MEMORY_LIMIT", extra: { rule: "friends", instance } });
    expect(engine.quads.size).toBe(2 * MANY - 2);
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
    const account = { since: 0, work: 0, rows: 0, instanceIn: () => 0 };
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
