/**
 * The law of equal terms: whatever is asked of a knowledge base in which terms are equal is answered as if every
 * consequence of that were written out; ad hoc, standing, as of an earlier tick, and through continuous insertions.
 */
import { describe, expect, it, vi } from "vitest";
import { seededRandom } from "../base/index.ts";
import type { Relation, Transaction } from "../engine/index.ts";
import { executeQuery, parseQuery, planStanding } from "../sparql/index.ts";
import { KnowledgeBase, type Triple } from "./knowledge-base.fixture.ts";
import { naiveClosure } from "./naive-owl.fixture.ts";
import { randomHistory } from "./random-ontology.fixture.ts";

const RUNS = process.env.SENS_FULL === "1" ? 400 : 30;
const FIRST_SEED = Number(process.env.SENS_SEED ?? 1);
const PREFIXES = "PREFIX e: <http://example.org/> PREFIX owl: <http://www.w3.org/2002/07/owl#> ";

const QUERIES = [
  "SELECT ?s ?p ?o { ?s ?p ?o }",
  "SELECT ?x ?y { ?x e:p0 ?y }",
  "SELECT ?x ?y ?z { ?x e:p0 ?y . ?y e:p1 ?z }",
  "SELECT ?x ?z { ?y e:p0 ?x . ?y e:p1 ?z . ?z a e:C1 }",
  "SELECT ?x (COUNT(*) AS ?n) { ?x e:p0 ?y } GROUP BY ?x",
  "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x ?p e:i1 }",
  "SELECT ?x { ?x e:p0 ?z FILTER NOT EXISTS { ?x e:p1 ?y } }",
  "SELECT ?x ?z { ?x e:p0 ?z MINUS { ?z e:p2 ?y } }",
  "SELECT ?x ?y { ?x e:p0 ?z OPTIONAL { ?x e:p2 ?y } }",
  "SELECT ?x ?y { ?x owl:sameAs ?y }",
  "SELECT ?p ?y { e:i0 ?p ?y }",
  "SELECT ?p { e:i0 ?p e:i1 }",
  "SELECT ?x { ?x e:p1 e:i2 }",
  "SELECT ?x ?y { ?x e:p0 ?y FILTER(?x != ?y) }",
  "SELECT ?x { ?x e:p0 ?x }",
  "SELECT ?x ?c { ?x a ?c ; e:p3 ?y }",
  "SELECT DISTINCT ?x { { ?x e:p0 ?y } UNION { ?y e:p1 ?x } }",
];

const INSERTIONS = [
  "CONSTRUCT { ?x e:q ?z } { ?x e:p0 ?y . ?y e:p1 ?z }",
  "CONSTRUCT { ?x e:p2 ?y } { ?y e:p0 ?x . ?x a e:C1 }",
  "CONSTRUCT { ?x e:meets e:i3 } { ?x e:p0 e:i1 FILTER(?x != e:i2) }",
];
const WITH_NEGATION = "CONSTRUCT { ?x e:lonely ?y } { ?x e:p0 ?y FILTER NOT EXISTS { ?x e:p1 ?z } }";

async function rows(base: KnowledgeBase, text: string, at?: number): Promise<string[]> {
  const result = await executeQuery(base, PREFIXES + text, {
    at,
    onFallback: (why) => {
      throw new Error(`not planned: ${why}`);
    },
  });
  if (result.form === "select") return result.rows.map((row) => row.join(" ")).sort();
  if (result.form === "ask") throw new Error("no rows");
  return Array.from({ length: result.triples.length / 3 }, (_, i) => result.triples.subarray(3 * i, 3 * i + 3).join(" ")).sort();
}

interface Standing {
  readonly text: string;
  readonly rows: () => string[];
}

function stand(base: KnowledgeBase, text: string, purpose: "subscription" | "insertion"): Standing {
  const plan = planStanding(parseQuery(PREFIXES + text), { terms: base.terms, quads: base.engine.quads, purpose });
  if (plan.mode !== "incremental") throw new Error(plan.why);
  const pipeline = base.engine.pipelineOf(plan.plan);
  let instance = 0;
  base.transact((tx: Transaction) => {
    instance = tx.addInstance(pipeline, plan.plan.constants);
  });
  return {
    text,
    rows: () =>
      [...(pipeline.shape.output as Relation).rows(instance)]
        .flatMap(({ values, weight }) => Array.from({ length: plan.bag ? weight : 1 }, () => values.slice(1).join(" ")))
        .sort(),
  };
}

/** Everything that follows, written out in a knowledge base that does not reason. */
async function writtenOut(base: KnowledgeBase, stated: readonly Triple[], insertions: readonly string[]): Promise<KnowledgeBase> {
  const inserted = new Map<string, Triple>();
  for (;;) {
    const plain = new KnowledgeBase("none", base.terms);
    plain.add(naiveClosure(base.terms, [...stated, ...inserted.values()]));
    const before = inserted.size;
    for (const insertion of insertions)
      for (const line of await rows(plain, insertion)) inserted.set(line, line.split(" ").map(Number) as unknown as Triple);
    if (inserted.size === before) return plain;
  }
}

async function check(seed: number, withInsertions: boolean): Promise<void> {
  const random = seededRandom(seed);
  const base = new KnowledgeBase("owl");
  const { items, steps } = randomHistory(random, base, { axioms: 6, facts: 10, steps: 6, meta: 0 });
  const insertions = withInsertions ? INSERTIONS.filter(() => random.next() < 0.7) : [];
  for (const insertion of insertions) stand(base, insertion, "insertion");
  const standing = QUERIES.filter((_, i) => (i + seed) % 2 === 0).map((text) => stand(base, text, "subscription"));
  const stated = new Map<string, Triple>();
  let earlier: { readonly release: () => void; readonly tick: number; readonly rows: string[] } | undefined;
  for (const [index, step] of steps.entries()) {
    base.transact((tx) => {
      for (const triple of step.items.flatMap((item) => items[item])) {
        const key = triple.join();
        if (stated.delete(key)) tx.retract(...triple, 0);
        else {
          stated.set(key, triple);
          tx.assert(...triple, 0);
        }
      }
    });
    const plain = await writtenOut(base, [...stated.values()], insertions);
    const where = `seed ${seed}, step ${index}`;
    for (const text of QUERIES) expect(await rows(base, text), `${where}: ${text}`).toEqual(await rows(plain, text));
    for (const query of standing) expect(query.rows(), `${where}, standing: ${query.text}`).toEqual(await rows(plain, query.text));
    if (earlier) expect(await rows(base, QUERIES[0], earlier.tick), `${where}, earlier`).toEqual(earlier.rows);
    earlier?.release();
    const pin = base.engine.pin();
    earlier = { release: pin.release, tick: pin.tick, rows: await rows(base, QUERIES[0]) };
  }
}

describe("the law of equal terms", () => {
  it("queries, ad hoc, standing and as of an earlier tick", { timeout: 300_000 }, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) await check(seed, false);
  });

  it("with continuous insertions that feed reasoning", { timeout: 300_000 }, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) await check(seed, true);
  });

  it("an insertion with negation sees what equal terms have", async () => {
    const base = new KnowledgeBase();
    stand(base, WITH_NEGATION, "insertion");
    base.add("e:a e:p0 e:b .");
    expect(base.has("e:a e:lonely e:b .")).toBe(true);
    base.add("e:c e:p1 e:d . e:a owl:sameAs e:c .");
    expect(base.has("e:a e:lonely e:b .")).toBe(false);
    base.remove("e:a owl:sameAs e:c .");
    expect(base.has("e:a e:lonely e:b .")).toBe(true);
    base.add("e:b owl:sameAs e:f .");
    expect(base.has("e:a e:lonely e:f .")).toBe(true);
  });
});

/** Work and look-ups of the merge of n people under a subscription that is told n² rows, of a query for what none of them has, and of the split. */
async function workOfMerging(n: number): Promise<{ merge: number; ask: number; split: number }> {
  const base = new KnowledgeBase();
  base.add(Array.from({ length: n }, (_, i) => `e:i${i} e:page e:home ; e:p0 "${i}" ; e:p1 "${i}" ; e:p2 "${i}" .`).join("\n"));
  const standing = stand(base, "SELECT ?x ?y { ?x e:p0 ?y }", "subscription");
  const { quads, machine } = base.engine;
  const lookUps = [vi.spyOn(quads, "find"), vi.spyOn(quads, "rowsMatching")];
  const workOf = async (act: () => unknown): Promise<number> => {
    const before = machine.work;
    for (const spy of lookUps) spy.mockClear();
    await act();
    return machine.work - before + lookUps.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  };
  const merge = await workOf(() => base.add("e:page a owl:InverseFunctionalProperty ."));
  expect(standing.rows()).toHaveLength(n * n);
  const ask = await workOf(async () => {
    const asked = await executeQuery(base, `${PREFIXES} ASK { e:i0 ?p ?o FILTER(?o = "none") }`, {});
    expect(asked).toMatchObject({ form: "ask", boolean: false });
  });
  const split = await workOf(() => base.remove("e:page a owl:InverseFunctionalProperty ."));
  expect(standing.rows()).toHaveLength(n);
  return { merge, ask, split };
}

describe("the cost of equal terms", () => {
  it("grows with what is told, and a query's with the facts of those who are equal", async () => {
    const [small, large] = [await workOfMerging(50), await workOfMerging(200)];
    expect(large.merge / small.merge).toBeLessThan(1.5 * 16);
    expect(large.split / small.split).toBeLessThan(1.5 * 16);
    expect(large.ask / small.ask).toBeLessThan(1.5 * 4);
  });
});
