/**
 * A MINUS B = { a ∈ A | no b ∈ B agrees with a on every variable bound in both, at least one being bound in both }
 *
 * Variables certain on both sides are shared by slot, and then "at least one" holds; the others are renamed apart in B
 * and compared by a filter. Nothing shared: nothing removed.
 */
import type { Literal, Slot } from "../../engine/index.ts";
import type { Operation } from "../parse/index.ts";
import { type Context, noMatch } from "./context.ts";

export function pushMinus(context: Context, operation: Extract<Operation, { type: "minus" }>, into: Literal[]): void {
  const [left, right] = operation.input;
  const leftFacts = context.plan.analysis.of(left, context.given);
  const rightFacts = context.plan.analysis.of(right, context.given);
  context.translate(left, context, into);
  const graphVariable = operation.graphScopeVar?.value;
  const shared = [...leftFacts.maybe].filter((name) => rightFacts.maybe.has(name));
  const domain = shared.filter((name) => name !== graphVariable);
  if (domain.length === 0) return;
  const certain = (name: string) => context.given.has(name) || (leftFacts.certain.has(name) && rightFacts.certain.has(name));
  const inner: Context = { ...context, scope: context.scope.apart([...context.given, ...shared.filter(certain)]) };
  const literals: Literal[] = [];
  context.translate(right, inner, literals);
  const compared = shared
    .filter((name) => !certain(name))
    .map((name) => ({ name, outer: context.scope.slot(name), inner: inner.scope.slot(name) }));
  if (compared.length > 0) literals.push(agreement(compared, domain.some(certain), graphVariable));
  into.push(noMatch(literals));
}

function agreement(
  compared: readonly { readonly name: string; readonly outer: Slot; readonly inner: Slot }[],
  someBound: boolean,
  graphVariable: string | undefined,
): Literal {
  return {
    kind: "filter",
    reads: compared.flatMap(({ outer, inner }) => [outer, inner]),
    test(frame) {
      let bound = someBound;
      for (const { name, outer, inner } of compared) {
        const a = frame[outer] as number;
        const b = frame[inner] as number;
        if (a === 0 || b === 0) continue;
        if (a !== b) return false;
        if (name !== graphVariable) bound = true;
      }
      return bound;
    },
  };
}
