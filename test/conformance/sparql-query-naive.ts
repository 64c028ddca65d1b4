/**
 * SPARQL's own definitions, written down as they stand (section 18): multisets of solutions, bottom-up, no indexes, no
 * rules. Slow, and independent of planner and engine; the oracle for random queries. Parser and expressions are shared.
 */
import type * as RDF from "@rdfjs/types";
import { dataFactory, type TermTable } from "../../src/rdf/index.ts";
import { compileExpression, createAggregate } from "../../src/sparql/expressions/index.ts";
import type { Expression, Operation, Pattern, PropertyPath } from "../../src/sparql/parse/index.ts";

type Solution = ReadonlyMap<string, number>;
export type NaiveQuad = readonly [number, number, number, number];

/** The case is too large to be evaluated by definition. */
export class TooLarge extends Error {}

const TRUE = {
  type: "expression",
  subType: "term",
  term: dataFactory.literal("true", dataFactory.namedNode("http://www.w3.org/2001/XMLSchema#boolean")),
};
const SOLUTIONS_MAX = 2_000;
const WORK_MAX = 30_000;

export class NaiveEvaluator {
  readonly #terms: TermTable;
  readonly #quads: readonly NaiveQuad[];
  #work = 0;

  constructor(terms: TermTable, quads: readonly NaiveQuad[]) {
    this.#terms = terms;
    this.#quads = [...new Map(quads.map((quad) => [quad.join(), quad])).values()];
  }

  /** Rows of the variables of a SELECT, in no order. */
  rows(algebra: Operation, variables: readonly string[]): number[][] {
    return this.#evaluate(algebra, 0).map((solution) => variables.map((name) => solution.get(name) ?? 0));
  }

  #evaluate(operation: Operation, graph: number): Solution[] {
    const solutions = this.#evaluateOperation(operation, graph);
    if (solutions.length > SOLUTIONS_MAX) throw new TooLarge();
    this.#work += 1 + solutions.length;
    if (this.#work > WORK_MAX) throw new TooLarge();
    return solutions;
  }

  #evaluateOperation(operation: Operation, graph: number): Solution[] {
    switch (operation.type) {
      case "bgp": {
        let solutions: Solution[] = [new Map()];
        for (const pattern of operation.patterns) solutions = join(solutions, this.#match(pattern, graph));
        return solutions;
      }
      case "path":
        return this.#path(operation, graph);
      case "join":
        return operation.input.map((input) => this.#evaluate(input, graph)).reduce(join, [new Map()]);
      case "union":
        return operation.input.flatMap((input) => this.#evaluate(input, graph));
      case "leftjoin": {
        const [left, right] = operation.input.map((input) => this.#evaluate(input, graph));
        return left.flatMap((solution) => {
          const found = join([solution], right).filter(
            (joined) => !operation.expression || this.#holds(operation.expression, joined, graph),
          );
          return found.length > 0 ? found : [solution];
        });
      }
      case "minus": {
        const [left, right] = operation.input.map((input) => this.#evaluate(input, graph));
        return left.filter(
          (solution) => !right.some((other) => compatible(solution, other) && [...solution.keys()].some((name) => other.has(name))),
        );
      }
      case "filter":
        return this.#evaluate(operation.input, graph).filter((solution) => this.#holds(operation.expression, solution, graph));
      case "extend":
        return this.#evaluate(operation.input, graph).map((solution) => {
          const value = this.#value(operation.expression, solution, graph);
          return value === 0 ? solution : new Map([...solution, [operation.variable.value, value]]);
        });
      case "values":
        return operation.bindings.map((row) => new Map(Object.entries(row).map(([name, term]) => [name, this.#terms.encode(term)])));
      case "graph": {
        const { name, input } = operation;
        if (name.termType !== "Variable") {
          const id = this.#terms.encode(name);
          return this.#quads.some((quad) => quad[3] === id) ? this.#evaluate(input, id) : [];
        }
        const graphs = new Set(this.#quads.map((quad) => quad[3]).filter((id) => id !== 0));
        return [...graphs].flatMap((id) => join(this.#evaluate(input, id), [new Map([[name.value, id]])]));
      }
      case "project": {
        const names = new Set(operation.variables.map((variable) => variable.value));
        return this.#evaluate(operation.input, graph).map((solution) => new Map([...solution].filter(([name]) => names.has(name))));
      }
      case "distinct":
        return [...new Map(this.#evaluate(operation.input, graph).map((solution) => [textOf(solution), solution])).values()];
      case "group":
        return this.#group(operation, graph);
      case "orderby":
      case "reduced":
        return this.#evaluate(operation.input, graph);
      default:
        throw new Error(`the naive evaluator does not know ${operation.type}`);
    }
  }

  #match(pattern: Pattern, graph: number): Solution[] {
    return this.#triples(graph).flatMap((triple) => {
      const solution = new Map<string, number>();
      const fits = [pattern.subject, pattern.predicate, pattern.object].every((term, index) =>
        this.#bind(term, triple[index] as number, solution),
      );
      return fits ? [solution] : [];
    });
  }

  #triples(graph: number): NaiveQuad[] {
    return this.#quads.filter((quad) => quad[3] === graph);
  }

  #bind(term: RDF.Term, id: number, solution: Map<string, number>): boolean {
    if (term.termType !== "Variable") return this.#terms.encode(term) === id;
    const bound = solution.get(term.value);
    if (bound !== undefined) return bound === id;
    solution.set(term.value, id);
    return true;
  }

  #path(operation: Extract<Operation, { type: "path" }>, graph: number): Solution[] {
    const ends = [operation.subject, operation.object].flatMap((term) => (term.termType === "Variable" ? [] : [this.#terms.encode(term)]));
    return this.#pairs(operation.predicate, graph, ends).flatMap(([from, to]) => {
      const solution = new Map<string, number>();
      return this.#bind(operation.subject, from, solution) && this.#bind(operation.object, to, solution) ? [solution] : [];
    });
  }

  /** Pairs of a path with their multiplicities; `ends` are nodes that count even when they occur nowhere. */
  #pairs(path: PropertyPath, graph: number, ends: readonly number[]): [number, number][] {
    switch (path.type) {
      case "link":
        return this.#triples(graph)
          .filter(([, p]) => p === this.#terms.encode(path.iri))
          .map(([s, , o]) => [s, o]);
      case "nps":
        return this.#triples(graph)
          .filter(([, p]) => !path.iris.some((iri) => this.#terms.encode(iri) === p))
          .map(([s, , o]) => [s, o]);
      case "inv":
        return this.#pairs(path.path, graph, ends).map(([from, to]) => [to, from]);
      case "alt":
        return path.input.flatMap((part) => this.#pairs(part, graph, ends));
      case "seq": {
        const [first, ...rest] = path.input.map((part) => this.#pairs(part, graph, ends));
        return rest.reduce(
          (left, right) =>
            left.flatMap(([from, via]) => right.filter(([start]) => start === via).map(([, to]): [number, number] => [from, to])),
          first,
        );
      }
      default: {
        const step = distinctPairs(this.#pairs(path.path, graph, ends));
        const nodes = new Set([...this.#triples(graph).flatMap(([s, , o]) => [s, o]), ...ends]);
        const identity = [...nodes].map((node): [number, number] => [node, node]);
        if (path.type === "ZeroOrOnePath") return distinctPairs([...identity, ...step]);
        let closed = step;
        for (;;) {
          const next = distinctPairs([
            ...closed,
            ...closed.flatMap(([from, via]) => step.filter(([start]) => start === via).map(([, to]): [number, number] => [from, to])),
          ]);
          if (next.length === closed.length) break;
          closed = next;
        }
        return path.type === "OneOrMorePath" ? closed : distinctPairs([...identity, ...closed]);
      }
    }
  }

  #group(operation: Extract<Operation, { type: "group" }>, graph: number): Solution[] {
    const groups = new Map<string, Solution[]>();
    const names = operation.variables.map((variable) => variable.value);
    if (names.length === 0) groups.set("", []);
    for (const solution of this.#evaluate(operation.input, graph)) {
      const key = names.map((name) => solution.get(name) ?? 0).join();
      const members = groups.get(key) ?? [];
      members.push(solution);
      groups.set(key, members);
    }
    return [...groups.values()].map((members) => {
      const result = new Map<string, number>();
      for (const name of names) {
        const value = members[0]?.get(name);
        if (value !== undefined) result.set(name, value);
      }
      for (const aggregate of operation.aggregates) {
        const state = createAggregate(aggregate.aggregator, aggregate.distinct, aggregate.separator, this.#terms);
        for (const member of members) {
          const { expression } = aggregate;
          state.add(
            expression.subType === "wildcard"
              ? this.#terms.string(aggregate.distinct ? textOf(member) : "")
              : this.#value(expression, member, graph),
            1,
          );
        }
        const value = state.result();
        if (value !== 0) result.set(aggregate.variable.value, value);
      }
      return result;
    });
  }

  #holds(expression: Expression, solution: Solution, graph: number): boolean {
    const { compiled, frame, env } = this.#compile(expression, solution, graph);
    return compiled.test(frame, env) === 1;
  }

  #value(expression: Expression, solution: Solution, graph: number): number {
    const { compiled, frame, env } = this.#compile(expression, solution, graph);
    return compiled.evaluate(frame, env);
  }

  #compile(expression: Expression, solution: Solution, graph: number) {
    const names = [...solution.keys()];
    const patterns: Operation[] = [];
    const compiled = compileExpression(expression, {
      terms: this.#terms,
      slotOf: (name) => (names.includes(name) ? names.indexOf(name) : undefined),
      exists: (pattern) => patterns.push(pattern) - 1,
    });
    const env = {
      exists: (index: number) => this.#exists(patterns[index], solution, graph),
      nowMs: 0,
      random: () => 0,
      fresh: (_kind: string, key: string) => `fresh-${key.replace(/\W/g, "-")}`,
    };
    return { compiled, frame: Int32Array.from(solution.values()), env };
  }

  /** Section 18.6: the pattern with the solution's values in place of its variables has a solution. */
  #exists(pattern: Operation, solution: Solution, graph: number): boolean {
    const substituted = this.#substitute(pattern, solution) as Operation;
    return join([solution], this.#evaluate(substituted, graph)).length > 0;
  }

  #substitute(node: unknown, solution: Solution): unknown {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((part) => this.#substitute(part, solution));
    if ((node as { type?: string }).type === "pattern") {
      const pattern = node as Pattern;
      const term = (value: RDF.Term) => this.#substitute(value, solution) as RDF.Term;
      return {
        type: "pattern",
        subject: term(pattern.subject),
        predicate: term(pattern.predicate),
        object: term(pattern.object),
        graph: pattern.graph,
      };
    }
    const call = node as { operator?: string; args?: { term?: RDF.Term }[] };
    if (call.operator === "bound" && solution.has(call.args?.[0]?.term?.value ?? "")) return TRUE;
    if ("termType" in node) {
      const id = (node as RDF.Term).termType === "Variable" ? solution.get((node as RDF.Term).value) : undefined;
      return id === undefined ? node : this.#terms.decode(id);
    }
    const kept = new Set(["variable", "variables", "bindings"]);
    return Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, kept.has(name) ? value : this.#substitute(value, solution)]),
    );
  }
}

function join(left: readonly Solution[], right: readonly Solution[]): Solution[] {
  if (left.length * right.length > SOLUTIONS_MAX * 50) throw new TooLarge();
  return left.flatMap((a) => right.filter((b) => compatible(a, b)).map((b) => new Map([...a, ...b])));
}

function compatible(a: Solution, b: Solution): boolean {
  for (const [name, value] of a) if (b.has(name) && b.get(name) !== value) return false;
  return true;
}

function textOf(solution: Solution): string {
  return [...solution]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((entry) => entry.join("="))
    .join();
}

function distinctPairs(pairs: [number, number][]): [number, number][] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}
