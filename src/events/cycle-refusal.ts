/** The refusal of a cycle through negation, in the words of clients: who derives what from what, all the way around. */
import { SensError } from "../base/index.ts";
import type { CycleStep } from "../engine/index.ts";
import type { TermTable } from "../rdf/index.ts";

/** `nameOf` says what clients call a rule. The problem's `cycle` has the whole way, its `rules` those that must wait. */
export function cycleRefusal(error: SensError, terms: TermTable, nameOf: (rule: string) => string): SensError {
  const path = error.extra.path as readonly CycleStep[];
  const rules = path.flatMap(({ name, producer }) => (producer && name !== undefined ? [nameOf(name)] : []));
  const cycle = path.map((step) => textOf(step, terms, nameOf));
  const circle = rules.length === 1 ? `${rules[0]} depends on itself` : `${rules.join(" and ")} depend on each other`;
  return new SensError(
    "SENS_NOT_STRATIFIED",
    `With this change ${circle} through negation or aggregation, so there is no order to evaluate in: ${[...cycle, cycle[0]].join(" -> ")}. Break the cycle.`,
    { cause: error, extra: { cycle, rules } },
  );
}

function textOf(step: CycleStep, terms: TermTable, nameOf: (rule: string) => string): string {
  if (step.class !== undefined) return `a ${terms.ntriples(step.class)}`;
  if (step.predicate !== undefined) return terms.ntriples(step.predicate);
  return nameOf(step.name ?? "");
}
