/** Load with reasoning: patients one by one, each brought up to date before the next; then the closure is compared. */
import type { Contender } from "../contenders/contender.ts";
import { closureOf, Fingerprint } from "../workload/closure.ts";
import { Documents, TRIPLES_PER_PATIENT } from "../workload/documents.ts";
import { people } from "../workload/people.ts";
import { Budget, stopwatch } from "./clock.ts";
import type { CaseSettings, Outcome } from "./outcome.ts";

export async function measureLoad(make: () => Promise<Contender>, settings: CaseSettings): Promise<Outcome> {
  const patients = people(Math.round(settings.triples / TRIPLES_PER_PATIENT));
  const documents = new Documents(patients);
  const contender = await make();
  const tenth = Math.max(1, Math.floor(documents.count / 10));
  const budget = new Budget(settings.budgetSeconds);
  const total = stopwatch();
  let lastTenth = stopwatch();
  let done = 0;
  for (; done < documents.count && !budget.isSpent; done++) {
    if (done === documents.count - tenth) lastTenth = stopwatch();
    await contender.load(documents.at(done));
  }
  await contender.loaded?.();
  const spent = total();
  const lastSpent = lastTenth();
  const peak = process.resourceUsage().maxRSS / 1024;
  const statedTriples = done * TRIPLES_PER_PATIENT;
  const common = {
    cpuS: spent.cpuUs / 1e6,
    wallS: spent.wallUs / 1e6,
    triplesPerCpuS: statedTriples / (spent.cpuUs / 1e6),
    peakRssMb: peak,
  };
  if (done < documents.count) {
    await contender.close();
    return { result: `${done} of ${documents.count} patients in ${settings.budgetSeconds} s`, figures: common };
  }
  const result = await checkClosure(contender, patients, statedTriples);
  const memory = contender.memory();
  await contender.close();
  return { result, figures: { ...common, lastPatientUs: lastSpent.cpuUs / tenth, ...memory } };
}

/** `ok` when the contender knows exactly what follows from these patients' documents. */
export async function checkClosure(contender: Contender, patients: Parameters<typeof closureOf>[0], stated: number): Promise<string> {
  const expected = closureOf(patients);
  const facts = new Fingerprint();
  await contender.closure(facts);
  if (!facts.equals(expected.facts)) return `WRONG: ${facts}; expected ${expected.facts}`;
  const count = await contender.factCount();
  if (count !== undefined && count !== stated + expected.derived) return `WRONG: ${count} facts, expected ${stated + expected.derived}`;
  return "ok";
}
