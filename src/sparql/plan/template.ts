/**
 * CONSTRUCT templates: solutions to triples, all of them valid RDF.
 *
 * A triple with an unbound variable, a literal as subject, anything but an IRI as predicate, or an IRI that is not one is
 * left out. Blank nodes are skolemised by (query, label, solution): an unchanged solution is an unchanged node.
 */
import type { AnyRelation, Arg, Frame, Head, Literal, Slot } from "../../engine/index.ts";
import { isAbsoluteIri, TermKind, type TermTable } from "../../rdf/index.ts";
import type { Operation, Pattern } from "../parse/index.ts";
import { walkAlgebra } from "../parse/index.ts";
import { isHidden, isParameter } from "./canonical.ts";
import type { Context } from "./context.ts";
import { skolemLabel } from "./expressions-in-rules.ts";
import { NotPlanned, parameterSlot } from "./rule-builder.ts";

export type Triple = readonly [subject: number, predicate: number, object: number];

/** Heads `relation(…prefix, s, p, o, …suffix)` for the triples of a template; blank nodes become assignments pushed to `into`. */
export function templateHeads(
  context: Context,
  template: readonly Pattern[],
  pattern: Operation,
  output: { readonly relation: AnyRelation; readonly prefix: readonly Arg[]; readonly suffix: readonly Arg[] },
  leftOut: () => void,
  into: Literal[],
): Head[] {
  const { terms } = context.plan.settings;
  const solution = [...context.plan.analysis.of(pattern, new Set()).maybe].filter((name) => !isHidden(name));
  const nodes = new Map<string, Slot>();
  const slotOf = (term: Pattern["subject"]): Slot => {
    if (term.termType !== "BlankNode") return context.scope.slot(term.value);
    let slot = nodes.get(term.value);
    if (slot === undefined) {
      slot = context.rule.newSlot();
      nodes.set(term.value, slot);
      into.push(skolemBind(context, term.value, solution, slot));
    }
    return slot;
  };
  const computed = computedVariables(pattern);
  return template.map((triple) => {
    const positions = [triple.subject, triple.predicate, triple.object] as const;
    const [subject, predicate, object] = positions.map(slotOf) as [Slot, Slot, Slot];
    const checked = positions.some((term) => term.termType === "Variable" && computed.has(term.value));
    return {
      relation: output.relation,
      args: [...output.prefix, { slot: subject }, { slot: predicate }, { slot: object }, ...output.suffix],
      guard(frame: Frame): boolean {
        const valid = isTriple(terms, frame[subject] as number, frame[predicate] as number, frame[object] as number, checked);
        if (!valid) leftOut();
        return valid;
      },
    };
  });
}

function skolemBind(context: Context, label: string, solution: readonly string[], target: Slot): Literal {
  const { terms, identity } = context.plan.settings;
  if (identity === undefined) throw new NotPlanned("a template with blank nodes and no identity");
  const query = parameterSlot(identity);
  const slots = solution.map((name) => context.scope.slot(name));
  return {
    kind: "bind",
    reads: [query, ...slots],
    target,
    compute: (frame) =>
      terms.blank(
        skolemLabel(
          terms,
          frame[query] as number,
          `template ${label}`,
          slots.map((slot) => frame[slot] as number),
        ),
      ),
  };
}

/** Whether three ids make a triple; `computed` when a term may come from an expression and its IRI was never checked. */
export function isTriple(terms: TermTable, subject: number, predicate: number, object: number, computed: boolean): boolean {
  if (subject === 0 || predicate === 0 || object === 0) return false;
  if (terms.kind(subject) > TermKind.BLANK || terms.kind(predicate) !== TermKind.IRI) return false;
  return !computed || (isValidNode(terms, subject) && isValidNode(terms, predicate) && isValidNode(terms, object));
}

function isValidNode(terms: TermTable, id: number): boolean {
  return terms.kind(id) !== TermKind.IRI || isAbsoluteIri(terms.value(id));
}

/** Variables whose terms come from expressions. */
export function computedVariables(pattern: Operation): Set<string> {
  const names = new Set<string>();
  walkAlgebra(pattern, (node) => {
    if (node.type === "extend") names.add(node.variable.value);
    if (node.type === "group") for (const aggregate of node.aggregates) names.add(aggregate.variable.value);
  });
  return names;
}

/** Canonical names of the variables of a template. */
export function templateVariables(template: readonly Pattern[]): Set<string> {
  const names = new Set<string>();
  for (const { subject, predicate, object } of template) {
    for (const term of [subject, predicate, object]) if (term.termType === "Variable" && !isParameter(term.value)) names.add(term.value);
  }
  return names;
}

/** Instantiates a template from rows of solutions, outside of rules. */
export class TemplateInstances {
  readonly #terms: TermTable;
  readonly #template: readonly Pattern[];
  readonly #columns: ReadonlyMap<string, number>;
  readonly #constants: readonly number[];
  readonly #identity: number;
  readonly #computed: boolean;
  leftOut = 0;

  constructor(
    terms: TermTable,
    template: readonly Pattern[],
    names: readonly string[],
    constants: readonly number[],
    identity: number,
    computed: boolean,
  ) {
    this.#terms = terms;
    this.#template = template;
    this.#columns = new Map(names.map((name, index) => [name, index]));
    this.#constants = constants;
    this.#identity = identity;
    this.#computed = computed;
  }

  /** Triples of one solution; `copy` tells equal solutions apart where each makes nodes of its own. */
  of(row: readonly number[], copy = 0): Triple[] {
    const nodes = new Map<string, number>();
    const triples: Triple[] = [];
    for (const { subject, predicate, object } of this.#template) {
      const [s, p, o] = [subject, predicate, object].map((term) => this.#term(term, row, copy, nodes)) as [number, number, number];
      if (isTriple(this.#terms, s, p, o, this.#computed)) triples.push([s, p, o]);
      else this.leftOut++;
    }
    return triples;
  }

  #term(term: Pattern["subject"], row: readonly number[], copy: number, nodes: Map<string, number>): number {
    if (term.termType === "BlankNode") {
      let node = nodes.get(term.value);
      if (node === undefined) {
        const key = copy === 0 ? `template ${term.value}` : `template ${term.value} copy ${copy}`;
        node = this.#terms.blank(skolemLabel(this.#terms, this.#identity, key, row));
        nodes.set(term.value, node);
      }
      return node;
    }
    if (isParameter(term.value)) return this.#constants[Number(term.value.slice(1))] as number;
    const column = this.#columns.get(term.value);
    return column === undefined ? 0 : (row[column] as number);
  }
}
