/**
 * Delete one patient, who has parents and children, and one fact (a single statement of a link), inferences up to date
 * after each. At the end the closure is compared with what the remaining statements imply.
 */
import type { Contender } from "../contenders/contender.ts";
import { Documents, TRIPLES_PER_PATIENT } from "../workload/documents.ts";
import { type Person, people } from "../workload/people.ts";
import { iri } from "../workload/vocabulary.ts";
import { Budget, median, quantile, stopwatch } from "./clock.ts";
import { checkClosure } from "./load.ts";
import type { CaseSettings, Outcome } from "./outcome.ts";

const PATIENTS_MAX = 200;
const FACTS_MAX = 200;

export async function measureDelete(make: () => Promise<Contender>, settings: CaseSettings): Promise<Outcome> {
  const patients = people(Math.round(settings.triples / TRIPLES_PER_PATIENT));
  const documents = new Documents(patients);
  const contender = await make();
  for (let i = 0; i < documents.count; i++) await contender.load(documents.at(i));
  await contender.loaded?.();
  const budget = new Budget(settings.budgetSeconds);
  const remaining = new Map(patients.map((person) => [person.name, person]));
  const cpuUs: number[] = [];
  const wallUs: number[] = [];
  let stated = documents.count * TRIPLES_PER_PATIENT;
  for (const index of chosen(patients, PATIENTS_MAX, 0)) {
    if (budget.isSpent) break;
    const document = Buffer.from(documents.at(index));
    const watch = stopwatch();
    await contender.withdraw(document);
    const spent = watch();
    cpuUs.push(spent.cpuUs);
    wallUs.push(spent.wallUs);
    remaining.delete(patients[index].name);
    stated -= TRIPLES_PER_PATIENT;
  }
  const factUs: number[] = [];
  for (const index of chosen(patients, FACTS_MAX, 1)) {
    if (budget.isSpent) break;
    const person = patients[index];
    const link = person.links[0];
    if (!link || !remaining.has(person.name)) continue;
    const line = Buffer.from(`${iri(person.name)} ${iri(link.predicate)} ${iri(link.other)} .\n`);
    const watch = stopwatch();
    await contender.withdraw(line);
    factUs.push(watch().cpuUs);
    remaining.set(person.name, { ...person, links: person.links.slice(1) });
    stated--;
  }
  const result = cpuUs.length === 0 ? "none in the budget" : await checkClosure(contender, remaining.values(), stated);
  await contender.close();
  return {
    result,
    figures: {
      deleted: cpuUs.length,
      patientUs: cpuUs.reduce((sum, us) => sum + us, 0) / cpuUs.length,
      p50Us: median(wallUs),
      maxUs: quantile(wallUs, 1),
      factUs: factUs.reduce((sum, us) => sum + us, 0) / factUs.length,
    },
  };
}

/** Patients with parents and children, at most one of a family; families of the given parity. */
function chosen(patients: readonly Person[], max: number, parity: number): number[] {
  const families = new Set<number>();
  const found: number[] = [];
  for (const [index, { parents, children, family }] of patients.entries()) {
    if (parents.length === 0 || children.length === 0 || family % 2 !== parity || families.has(family)) continue;
    families.add(family);
    found.push(index);
  }
  const step = Math.max(1, Math.floor(found.length / max));
  return found.filter((_, i) => i % step === 0).slice(0, max);
}
