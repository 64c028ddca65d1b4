/**
 * Shapes of queries: constants out, variables renamed by order of appearance.
 *
 *     query = shape(c1 … ck)         key = text of the shape
 *
 * Constants of triple patterns, paths, templates, GRAPH and FROM, and those compared in filters, become variables named
 * `$i`, which no user can write; everything else (VALUES, function arguments) stays part of the shape. Patterns of a
 * basic graph pattern are put into an order that does not depend on constants or names where the structure decides it.
 * Two queries with equal keys differ in constants and names only. Cost O(size of the query · rounds).
 */
import type * as RDF from "@rdfjs/types";
import type { TermId, TermTable } from "../../rdf/index.ts";
import type { Expression, Operation, Pattern, PropertyPath } from "../parse/index.ts";

export interface CanonicalQuery {
  /** The algebra over canonical names; `$i` stands for constant i. */
  readonly operation: Operation;
  readonly constants: readonly TermId[];
  readonly key: string;
  /** Canonical name of a variable of the query; `undefined` when the query does not mention it. */
  nameOf(variable: string): string | undefined;
}

const COMPARISONS: ReadonlySet<string> = new Set(["=", "!=", "<", ">", "<=", ">=", "sameterm", "in", "notin"]);

/** True for the name of a constant taken out of the query. */
export function isParameter(name: string): boolean {
  return name.charCodeAt(0) === 0x24;
}

/** Number of the constant behind a parameter's name. */
export function parameterIndex(name: string): number {
  return Number(name.slice(1));
}

/** True for variables that stand for blank nodes of patterns: they are no part of a solution. */
export function isHidden(name: string): boolean {
  return name.charCodeAt(0) === 0x68;
}

export function canonicalQuery(operation: Operation, terms: TermTable, salt = ""): CanonicalQuery {
  const naming = new Naming(terms);
  const canonical = naming.map(operation) as Operation;
  return {
    operation: canonical,
    constants: naming.constants,
    key: `${salt}${JSON.stringify(canonical)}`,
    nameOf: (variable) => naming.known(variable),
  };
}

class Naming {
  readonly constants: TermId[] = [];
  readonly #terms: TermTable;
  readonly #parameters = new Map<TermId, RDF.Variable>();
  readonly #variables = new Map<string, RDF.Variable>();
  readonly #templateNodes = new Map<string, RDF.BlankNode>();

  constructor(terms: TermTable) {
    this.#terms = terms;
  }

  known(variable: string): string | undefined {
    return this.#variables.get(variable)?.value;
  }

  /** Copies a node with its parts replaced; plain data is copied as it is. */
  map(node: unknown): unknown {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((part) => this.map(part));
    const type = (node as { type?: string }).type;
    if (type === "pattern") return this.#pattern(node as Pattern);
    if ("termType" in node) return this.#name(node as RDF.Term);
    switch (type) {
      case "bgp":
        return { type, patterns: orderedPatterns((node as { patterns: Pattern[] }).patterns).map((pattern) => this.#pattern(pattern)) };
      case "path": {
        const path = node as Extract<Operation, { type: "path" }>;
        return {
          type,
          subject: this.#argument(path.subject),
          predicate: this.#path(path.predicate),
          object: this.#argument(path.object),
          graph: this.#argument(path.graph),
        };
      }
      case "values": {
        const { variables, bindings } = node as Extract<Operation, { type: "values" }>;
        const names = variables.map((variable) => ({ from: variable.value, to: this.#variable(variable.value) }));
        const rows = bindings.map((row) =>
          Object.fromEntries(names.filter(({ from }) => row[from]).map(({ from, to }) => [to.value, row[from]])),
        );
        return { type, variables: names.map(({ to }) => to), bindings: rows };
      }
      case "graph": {
        const graph = node as Extract<Operation, { type: "graph" }>;
        return { type, input: this.map(graph.input), name: this.#argument(graph.name) };
      }
      case "from": {
        const from = node as Extract<Operation, { type: "from" }>;
        const list = (graphs: readonly RDF.Term[] | undefined) => graphs?.map((graph) => this.#argument(graph));
        return { type, input: this.map(from.input), default: list(from.default), named: list(from.named) };
      }
      case "construct": {
        const construct = node as Extract<Operation, { type: "construct" }>;
        return { type, input: this.map(construct.input), template: construct.template.map((pattern) => this.#pattern(pattern, true)) };
      }
      case "expression":
        return this.#expression(node as Expression);
      default: {
        const copy: Record<string, unknown> = {};
        const inputFirst = Object.entries(node).sort(([a], [b]) => Number(b === "input") - Number(a === "input"));
        for (const [name, value] of inputFirst) if (name !== "metadata" && value !== undefined) copy[name] = this.map(value);
        return copy;
      }
    }
  }

  #expression(node: Expression): unknown {
    if (node.subType === "wildcard") return { type: node.type, subType: node.subType };
    if (node.subType === "named") return { ...node, metadata: undefined, args: node.args.map((argument) => this.#expression(argument)) };
    if (node.subType === "operator") {
      const compared = COMPARISONS.has(node.operator);
      const args = node.args.map((argument) =>
        compared && argument.subType === "term" && argument.term.termType !== "Variable"
          ? { type: argument.type, subType: argument.subType, term: this.#argument(argument.term) }
          : this.#expression(argument),
      );
      return { type: node.type, subType: node.subType, operator: node.operator, args };
    }
    const copy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(node)) if (name !== "metadata" && value !== undefined) copy[name] = this.map(value);
    return copy;
  }

  #pattern(pattern: Pattern, template = false): Pattern {
    const map = (term: RDF.Term) =>
      template && term.termType === "BlankNode" && !("stored" in term) ? this.#templateNode(term.value) : this.#argument(term);
    return {
      type: "pattern",
      subject: map(pattern.subject),
      predicate: map(pattern.predicate),
      object: map(pattern.object),
      graph: map(pattern.graph),
    };
  }

  #path(path: PropertyPath): PropertyPath {
    switch (path.type) {
      case "link":
        return { type: "link", iri: this.#argument(path.iri) as RDF.NamedNode };
      case "nps":
        return { type: "nps", iris: path.iris.map((iri) => this.#argument(iri) as RDF.NamedNode) };
      case "seq":
      case "alt":
        return { type: path.type, input: path.input.map((part) => this.#path(part)) };
      default:
        return { type: path.type, path: this.#path(path.path) };
    }
  }

  /** A term where constants are taken out. */
  #argument(term: RDF.Term): RDF.Term {
    if (term.termType === "Variable" || term.termType === "DefaultGraph") return this.#name(term);
    const id = this.#terms.encode(term);
    let parameter = this.#parameters.get(id);
    if (!parameter) {
      parameter = canonicalVariable(`$${this.constants.length}`);
      this.constants.push(id);
      this.#parameters.set(id, parameter);
    }
    return parameter;
  }

  #name(term: RDF.Term): RDF.Term {
    return term.termType === "Variable" ? this.#variable(term.value) : term;
  }

  #variable(name: string): RDF.Variable {
    let variable = this.#variables.get(name);
    if (!variable) {
      variable = canonicalVariable(`${name.startsWith("_:") ? "h" : "v"}${this.#variables.size}`);
      this.#variables.set(name, variable);
    }
    return variable;
  }

  #templateNode(label: string): RDF.BlankNode {
    let node = this.#templateNodes.get(label);
    if (!node) {
      const value = `${this.#templateNodes.size}`;
      node = { termType: "BlankNode", value, equals: (other) => other?.termType === "BlankNode" && other.value === value };
      this.#templateNodes.set(label, node);
    }
    return node;
  }
}

function canonicalVariable(value: string): RDF.Variable {
  return { termType: "Variable", value, equals: (other) => other?.termType === "Variable" && other.value === value };
}

/**
 * Patterns by structure: each variable is coloured by where it occurs, three times over; equal structures keep their
 * order, so that in doubt two orders give two shapes and never a wrong one.
 */
function orderedPatterns(patterns: readonly Pattern[]): readonly Pattern[] {
  if (patterns.length < 2) return patterns;
  const positions = ["subject", "predicate", "object", "graph"] as const;
  let colours = new Map<string, string>();
  const textOf = (pattern: Pattern): string =>
    positions
      .map((position) => (pattern[position].termType === "Variable" ? `?${colours.get(pattern[position].value) ?? ""}` : "c"))
      .join(" ");
  for (let round = 0; round < 3; round++) {
    const seen = new Map<string, string[]>();
    for (const pattern of patterns) {
      const text = textOf(pattern);
      for (const position of positions) {
        const term = pattern[position];
        if (term.termType !== "Variable") continue;
        const list = seen.get(term.value) ?? [];
        list.push(`${position}(${text})`);
        seen.set(term.value, list);
      }
    }
    const texts = [...new Set([...seen.values()].map((list) => list.sort().join("|")))].sort();
    colours = new Map([...seen].map(([name, list]) => [name, String(texts.indexOf(list.join("|")))]));
  }
  return patterns
    .map((pattern) => ({ pattern, text: textOf(pattern) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ pattern }) => pattern);
}
