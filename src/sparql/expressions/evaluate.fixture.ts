/** For tests: evaluates the text of one expression over bindings given as N-Triples terms. */
import { TermDictionary, type TermId } from "../../rdf/index.ts";
import type { Operation } from "../parse/index.ts";
import { parseQuery } from "../parse/index.ts";
import { compileExpression } from "./compile.ts";
import type { CompiledExpression, EvaluationEnv } from "./compiled-expression.ts";

export const PREFIXES = { xsd: "http://www.w3.org/2001/XMLSchema#", e: "http://e/", rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#" };

export const TEST_ENV: EvaluationEnv = {
  exists: () => false,
  nowMs: Date.UTC(2020, 1, 29, 12, 30, 15, 250),
  random: () => 0.5,
  fresh: (kind, key) => `${kind}-${key.replace(/\W/g, "-")}`,
};

export class ExpressionBench {
  readonly terms = new TermDictionary();

  compile(text: string, variables: readonly string[] = [], baseIri?: string): CompiledExpression {
    const { algebra } = parseQuery(`SELECT ?result { BIND((${text}) AS ?result) }`, { prefixes: PREFIXES, baseIri });
    const extend = (algebra as { input: Operation }).input as Operation & { type: "extend" };
    return compileExpression(extend.expression, {
      terms: this.terms,
      baseIri,
      slotOf: (name) => (variables.includes(name) ? variables.indexOf(name) : undefined),
      exists: () => 0,
    });
  }

  /** The id of a term written as in a query. */
  term(text: string): TermId {
    return text === "" ? 0 : this.compile(text).evaluate(new Int32Array(0), TEST_ENV);
  }

  /** The result as N-Triples, "" for an error; `bindings` are terms written as in a query, "" for unbound. */
  evaluate(text: string, bindings: Readonly<Record<string, string>> = {}, baseIri?: string): string {
    const names = Object.keys(bindings);
    const frame = Int32Array.from(Object.values(bindings), (binding) => this.term(binding));
    const id = this.compile(text, names, baseIri).evaluate(frame, TEST_ENV);
    return id === 0 ? "" : this.terms.ntriples(id);
  }

  test(text: string, bindings: Readonly<Record<string, string>> = {}): number {
    const frame = Int32Array.from(Object.values(bindings), (binding) => this.term(binding));
    return this.compile(text, Object.keys(bindings)).test(frame, TEST_ENV);
  }
}
