/**
 * What can be said about the variables of a pattern before any data is seen.
 *
 *     certain(P)  bound in every solution of P
 *     maybe(P)    bound in some solution, certain ones included
 *     fragile(P)  bound in some solutions only, and read by an operator inside P that would decide otherwise if somebody
 *                 outside P had bound them (a filter, BIND, EXISTS, OPTIONAL, MINUS)
 *     foreign(P)  read inside P where nothing binds them: unbound, unless an enclosing EXISTS gives them
 *
 * SPARQL evaluates groups on their own and joins afterwards; the engine joins everything in one frame. Both agree as long
 * as no fragile variable is shared; those are renamed apart and joined back (translate.ts).
 * Variables that an EXISTS hands to its pattern (`given`) count as certain everywhere in it.
 */
import type { Expression, Operation, Pattern } from "../parse/index.ts";
import { isParameter } from "./canonical.ts";

export interface VariableFacts {
  readonly certain: ReadonlySet<string>;
  readonly maybe: ReadonlySet<string>;
  readonly fragile: ReadonlySet<string>;
  readonly foreign: ReadonlySet<string>;
}

const EMPTY: ReadonlySet<string> = new Set();
const NOTHING: VariableFacts = { certain: EMPTY, maybe: EMPTY, fragile: EMPTY, foreign: EMPTY };

/** Facts of all parts of one query, each worked out once. */
export class VariableAnalysis {
  readonly #facts = new WeakMap<object, VariableFacts>();

  of(operation: Operation, given: ReadonlySet<string>): VariableFacts {
    let facts = this.#facts.get(operation);
    if (!facts) {
      facts = this.#analyse(operation, given);
      this.#facts.set(operation, facts);
    }
    return facts;
  }

  /** Variables an expression reads, those its EXISTS patterns share with the outside included. */
  reads(expression: Expression, into: Set<string> = new Set()): Set<string> {
    switch (expression.subType) {
      case "term":
        addVariable(expression.term, into);
        break;
      case "operator":
      case "named":
        for (const argument of expression.args) this.reads(argument, into);
        break;
      case "aggregate":
        this.reads(expression.expression, into);
        break;
      case "existence": {
        const facts = new VariableAnalysis().of(expression.input, EMPTY);
        for (const name of facts.maybe) into.add(name);
        for (const name of facts.foreign) into.add(name);
        break;
      }
      default:
    }
    return into;
  }

  /**
   * Splits what an EXISTS pattern can see of its surroundings: `given` variables are used as they are, `copied` ones may
   * be unbound outside and bound inside and are joined in by a copy.
   */
  existsSharing(pattern: Operation, outside: VariableFacts, given: ReadonlySet<string>): { given: Set<string>; copied: Set<string> } {
    const inside = new VariableAnalysis().of(pattern, EMPTY);
    const shared = { given: new Set<string>(), copied: new Set<string>() };
    for (const name of union(inside.maybe, inside.foreign)) {
      if (given.has(name) || outside.certain.has(name)) shared.given.add(name);
      else if (outside.maybe.has(name)) (inside.maybe.has(name) ? shared.copied : shared.given).add(name);
    }
    return shared;
  }

  #analyse(operation: Operation, given: ReadonlySet<string>): VariableFacts {
    switch (operation.type) {
      case "bgp": {
        const names = new Set<string>();
        for (const pattern of operation.patterns) addPattern(pattern, names);
        return { certain: names, maybe: names, fragile: EMPTY, foreign: EMPTY };
      }
      case "path": {
        const names = new Set<string>();
        for (const term of [operation.subject, operation.object, operation.graph]) addVariable(term, names);
        return { certain: names, maybe: names, fragile: EMPTY, foreign: EMPTY };
      }
      case "values": {
        const names = operation.variables.map((variable) => variable.value);
        const certain = names.filter((name) => operation.bindings.every((row) => row[name] !== undefined));
        return { certain: new Set(certain), maybe: new Set(names), fragile: EMPTY, foreign: EMPTY };
      }
      case "join":
        return this.#join(
          operation.input.map((input) => this.of(input, given)),
          given,
        );
      case "union":
        return this.#union(
          operation.input.map((input) => this.of(input, given)),
          given,
        );
      case "leftjoin":
        return this.#leftJoin(operation, given);
      case "minus": {
        const [left, right] = operation.input.map((input) => this.of(input, given)) as [VariableFacts, VariableFacts];
        const shared = [...left.maybe].filter((name) => right.maybe.has(name));
        return {
          ...left,
          fragile: union(left.fragile, uncertain(shared, left.certain, given)),
          foreign: union(left.foreign, right.foreign),
        };
      }
      case "filter":
        return this.#read(this.of(operation.input, given), operation.expression, given);
      case "extend": {
        const facts = this.#read(this.of(operation.input, given), operation.expression, given);
        const name = operation.variable.value;
        const certain = cannotFail(operation.expression, facts.certain, given) ? new Set([...facts.certain, name]) : facts.certain;
        return { ...facts, certain, maybe: new Set([...facts.maybe, name]) };
      }
      case "graph": {
        const facts = this.of(operation.input, given);
        if (operation.name.termType !== "Variable" || isParameter(operation.name.value)) return facts;
        const name = operation.name.value;
        const fragile = new Set(facts.fragile);
        fragile.delete(name);
        return { ...facts, certain: new Set([...facts.certain, name]), maybe: new Set([...facts.maybe, name]), fragile };
      }
      case "project":
        return restricted(this.of(operation.input, EMPTY), new Set(operation.variables.map((variable) => variable.value)));
      case "group": {
        const input = this.of(operation.input, EMPTY);
        const keys = operation.variables.map((variable) => variable.value);
        const counts = operation.aggregates
          .filter((aggregate) => aggregate.aggregator === "count")
          .map((aggregate) => aggregate.variable.value);
        const all = operation.aggregates.map((aggregate) => aggregate.variable.value);
        return {
          certain: new Set([...keys.filter((key) => input.certain.has(key)), ...counts]),
          maybe: new Set([...keys.filter((key) => input.maybe.has(key)), ...all]),
          fragile: EMPTY,
          foreign: EMPTY,
        };
      }
      case "distinct":
      case "slice":
        // These become relations of their own: whatever happens inside is settled before anything is joined.
        return { ...this.of(operation.input, EMPTY), fragile: EMPTY, foreign: EMPTY };
      case "reduced":
      case "orderby":
      case "from":
      case "construct":
      case "ask":
      case "describe":
      case "service":
        return this.of(operation.input, given);
      case "nop":
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #join(parts: readonly VariableFacts[], given: ReadonlySet<string>): VariableFacts {
    const certain = union(...parts.map((part) => part.certain));
    const maybe = union(...parts.map((part) => part.maybe));
    const fragile = new Set<string>();
    for (const [index, part] of parts.entries()) {
      for (const name of part.fragile) {
        const elsewhere = parts.some((other, at) => at !== index && other.maybe.has(name));
        if (!elsewhere && !given.has(name)) fragile.add(name);
      }
    }
    return { certain, maybe, fragile, foreign: union(...parts.map((part) => part.foreign)) };
  }

  #union(parts: readonly VariableFacts[], given: ReadonlySet<string>): VariableFacts {
    const certain = new Set<string>();
    for (const name of parts[0]?.certain ?? EMPTY) if (parts.every((part) => part.certain.has(name))) certain.add(name);
    const fragile = new Set([...union(...parts.map((part) => part.fragile))].filter((name) => !given.has(name)));
    return { certain, maybe: union(...parts.map((part) => part.maybe)), fragile, foreign: union(...parts.map((part) => part.foreign)) };
  }

  #leftJoin(operation: Extract<Operation, { type: "leftjoin" }>, given: ReadonlySet<string>): VariableFacts {
    const [left, right] = operation.input.map((input) => this.of(input, given)) as [VariableFacts, VariableFacts];
    const both = this.#join([left, right], given);
    const filtered = operation.expression ? this.#read(both, operation.expression, given) : both;
    const shared = [...left.maybe].filter((name) => right.maybe.has(name));
    return {
      certain: left.certain,
      maybe: both.maybe,
      fragile: union(filtered.fragile, uncertain(shared, left.certain, given)),
      foreign: filtered.foreign,
    };
  }

  #read(facts: VariableFacts, expression: Expression, given: ReadonlySet<string>): VariableFacts {
    const reads = this.reads(expression);
    const known = [...reads].filter((name) => facts.maybe.has(name));
    const unknown = [...reads].filter((name) => !facts.maybe.has(name));
    return { ...facts, fragile: union(facts.fragile, uncertain(known, facts.certain, given)), foreign: union(facts.foreign, unknown) };
  }
}

/** An expression that gives a term whatever the data: then BIND's variable is certain. */
function cannotFail(expression: Expression, certain: ReadonlySet<string>, given: ReadonlySet<string>): boolean {
  if (expression.subType !== "term") return false;
  const { term } = expression;
  return term.termType !== "Variable" || isParameter(term.value) || certain.has(term.value) || given.has(term.value);
}

function restricted(facts: VariableFacts, names: ReadonlySet<string>): VariableFacts {
  const keep = (set: ReadonlySet<string>) => new Set([...set].filter((name) => names.has(name)));
  return { certain: keep(facts.certain), maybe: keep(facts.maybe), fragile: keep(facts.fragile), foreign: EMPTY };
}

function uncertain(names: readonly string[], certain: ReadonlySet<string>, given: ReadonlySet<string>): string[] {
  return names.filter((name) => !certain.has(name) && !given.has(name));
}

function union(...sets: readonly Iterable<string>[]): Set<string> {
  const all = new Set<string>();
  for (const set of sets) for (const name of set) all.add(name);
  return all;
}

function addPattern(pattern: Pattern, into: Set<string>): void {
  for (const term of [pattern.subject, pattern.predicate, pattern.object, pattern.graph]) addVariable(term, into);
}

function addVariable(term: { readonly termType: string; readonly value: string }, into: Set<string>): void {
  if (term.termType === "Variable" && !isParameter(term.value)) into.add(term.value);
}
