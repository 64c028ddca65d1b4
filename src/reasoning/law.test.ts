/**
 * The law: after any history of axioms and facts, added and removed in any order, the knowledge base shows what a new one
 * with the same assertions shows, and both show what the naive evaluator derives.
 */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../base/index.ts";
import type { OntologyLanguage } from "./install.ts";
import { KnowledgeBase, type Triple } from "./knowledge-base.fixture.ts";
import { naiveClosure } from "./naive-owl.fixture.ts";
import { type History, type Recipe, randomHistory } from "./random-ontology.fixture.ts";

const RUNS = process.env.SENS_FULL === "1" ? 800 : 150;
const FIRST_SEED = Number(process.env.SENS_SEED ?? 1);

/** Replays a history; answers what was wrong first, or undefined. */
function replay(history: History, base: KnowledgeBase): string | undefined {
  const stated = new Set<string>();
  const asTriples = (): Triple[] => [...stated].map((key) => key.split(" ").map(Number) as unknown as Triple);
  for (const [i, step] of history.steps.entries()) {
    const flipped = [
      ...step.items.flatMap((item) => flip(history.items[item], stated)),
      ...step.triples.flatMap(([item, triple]) => flip([history.items[item][triple]], stated)),
    ];
    const tx = base.transact((change) => {
      for (const {
        triple: [s, p, o],
        on,
      } of flipped) {
        if (on) change.assert(s, p, o, 0);
        else change.retract(s, p, o, 0);
      }
    });
    const maintained = base.lines();
    const expected = naiveClosure(base.terms, asTriples(), base.reasoning.language as "rdfs" | "owl")
      .map((triple) => `${triple.map((id) => base.terms.ntriples(id)).join(" ")} .`)
      .sort();
    const missing = expected.filter((line) => !maintained.includes(line));
    const wrong = maintained.filter((line) => !expected.includes(line));
    if (missing.length + wrong.length > 0)
      return `step ${i} (${[...tx.quadChanges()].length} changes): missing ${missing.join(" ")} wrong ${wrong.join(" ")}\n${describeHistory(history, base)}`;
  }
  return undefined;
}

function flip(item: readonly Triple[], stated: Set<string>): { readonly triple: Triple; readonly on: boolean }[] {
  return item.map((triple) => {
    const key = triple.join(" ");
    const on = !stated.has(key);
    if (on) stated.add(key);
    else stated.delete(key);
    return { triple, on };
  });
}

/** Leaves out steps, and items of steps, as long as it stays wrong. */
function shrink(history: History, fails: (smaller: History) => boolean): History {
  let smallest = history;
  for (let again = true; again; ) {
    again = false;
    for (let i = smallest.steps.length - 1; i >= 0; i--) {
      const without = { ...smallest, steps: smallest.steps.filter((_, k) => k !== i) };
      if (fails(without)) {
        smallest = without;
        again = true;
        continue;
      }
      for (const item of smallest.steps[i].items) {
        const steps = smallest.steps.map((step, k) => (k === i ? { ...step, items: step.items.filter((other) => other !== item) } : step));
        if (fails({ ...smallest, steps })) {
          smallest = { ...smallest, steps };
          again = true;
        }
      }
    }
  }
  return smallest;
}

function describeHistory(history: History, base: KnowledgeBase): string {
  const text = (triple: Triple): string => triple.map((id) => base.terms.value(id).replace(/^.*[/#]/, "")).join(" ");
  return history.steps
    .map(
      (step, i) =>
        `  ${i}: ${[...step.items.map((item) => history.items[item].map(text).join(" . ")), ...step.triples.map(([item, triple]) => text(history.items[item][triple]))].join(" | ")}`,
    )
    .join("\n");
}

function check(language: OntologyLanguage, recipe: Recipe, runs: number): void {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + runs; seed++) {
    const base = new KnowledgeBase(language);
    const history = randomHistory(seededRandom(seed), base, recipe);
    if (replay(history, base) === undefined) continue;
    const again = (smaller: History): string | undefined => replay(smaller, new KnowledgeBase(language, base.terms));
    const smallest = shrink(history, (smaller) => again(smaller) !== undefined);
    expect.fail(`seed ${seed}: ${again(smallest)}`);
  }
}

describe("the law of reasoning", () => {
  it("rdfs: what is maintained is what follows", () => check("rdfs", { axioms: 8, facts: 8, steps: 8, meta: 0.05 }, RUNS));
  it("owl, few axioms", () => check("owl", { axioms: 5, facts: 8, steps: 8, meta: 0 }, RUNS));
  it("owl, many axioms", () => check("owl", { axioms: 12, facts: 12, steps: 8, meta: 0 }, RUNS));
  it("owl, axioms about the language itself", () => check("owl", { axioms: 8, facts: 8, steps: 6, meta: 0.1 }, RUNS));
});
