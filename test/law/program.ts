/** Random programs: axiom-like rules, standing queries of every kind the engine knows, and histories. */
import type { Random } from "../../src/base/index.ts";
import type {
  Accumulator,
  Arg,
  Body,
  Literal,
  PipelinePlan,
  QuadRelation,
  Relation,
  RelationFactory,
  RuleShape,
} from "../../src/engine/index.ts";

/** Small domains, so that everything collides: rdf:type is 1, predicates 1-5, nodes 6-11, graphs 12-13, a predicate for results 14. */
export const TYPE = 1;
const PREDICATES = [1, 2, 3, 4, 5];
const UNREAD = 14;
const NODES = [6, 7, 8, 9, 10, 11];
const GRAPHS = [12, 13];

export interface Dice {
  below(n: number): number;
  chance(p: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function dice(random: Random): Dice {
  const below = (n: number): number => Math.floor(random.next() * n);
  return { below, chance: (p) => random.next() < p, pick: (items) => items[below(items.length)] };
}

const value = (v: number): Arg => ({ value: v });
const slot = (s: number): Arg => ({ slot: s });

interface Scope {
  readonly quads: QuadRelation;
  /** Slots already used for variables. */
  readonly variables: number[];
  next: number;
  /** Constants taken out, by parameter slot. */
  readonly parameters: { slot: number; constant: number }[] | undefined;
  readonly graphs: boolean;
}

function variable(d: Dice, scope: Scope): number {
  if (scope.variables.length > 0 && d.chance(0.6)) return d.pick(scope.variables);
  const fresh = scope.next++;
  scope.variables.push(fresh);
  return fresh;
}

function constant(d: Dice, scope: Scope, v: number): Arg {
  if (!scope.parameters || d.chance(0.3)) return value(v);
  const s = scope.next++;
  scope.parameters.push({ slot: s, constant: v });
  return slot(s);
}

function atom(d: Dice, scope: Scope): Literal {
  const s = d.chance(0.85) ? slot(variable(d, scope)) : constant(d, scope, d.pick(NODES));
  const p = d.chance(0.93) ? constant(d, scope, d.pick(PREDICATES)) : slot(variable(d, scope));
  const o = d.chance(0.7) ? slot(variable(d, scope)) : constant(d, scope, d.pick(NODES));
  let g: Arg = value(0);
  if (scope.graphs && d.chance(0.15)) g = d.chance(0.5) ? slot(variable(d, scope)) : constant(d, scope, d.pick(GRAPHS));
  return { kind: "atom", relation: scope.quads, args: [s, p, o, g] };
}

function atoms(d: Dice, scope: Scope, most: number): Literal[] {
  return Array.from({ length: 1 + d.below(most) }, () => atom(d, scope));
}

function plainFilter(d: Dice, slots: readonly number[]): Literal {
  const a = d.pick(slots);
  const b = d.pick(slots);
  if (d.chance(0.5)) return { kind: "filter", reads: [a, b], test: (frame) => frame[a] !== frame[b] };
  const bound = d.pick(NODES);
  return { kind: "filter", reads: [a], test: (frame) => frame[a] < bound };
}

/** A sub-body that shares variables with the outer body; its own variables are its own. */
function subBody(d: Dice, scope: Scope, depth: number): Body {
  const outer = [...scope.variables];
  const inner: Scope = { ...scope, variables: [...outer], next: scope.next };
  const literals = atoms(d, inner, 2);
  if (depth > 0 && d.chance(0.3)) literals.push(exists(d, inner, depth - 1));
  if (d.chance(0.3)) literals.push(plainFilter(d, inner.variables));
  scope.next = inner.next;
  return { literals };
}

function exists(d: Dice, scope: Scope, depth: number): Literal {
  const bodies = [subBody(d, scope, depth)];
  const reads: number[] = [];
  if (d.chance(0.15)) {
    bodies.push(subBody(d, scope, 0));
    return { kind: "filter", reads, exists: bodies, test: (_, check) => check(0) !== check(1) };
  }
  const negated = d.chance(0.7);
  return { kind: "filter", reads, exists: bodies, test: (_, check) => check(0) !== negated };
}

/** OPTIONAL over one or two atoms, as the planner writes it. */
function optional(d: Dice, scope: Scope): Literal {
  const outer = new Set(scope.variables);
  const inner: Scope = { ...scope, variables: [...scope.variables], next: scope.next };
  const literals = atoms(d, inner, 2);
  if (outer.size > 0 && d.chance(0.3)) literals.push(plainFilter(d, [...outer]));
  const rename = new Map<number, number>();
  let { next } = inner;
  const parameterSlots = new Set((scope.parameters ?? []).map((parameter) => parameter.slot));
  const renamed = (s: number): number => {
    if (outer.has(s) || parameterSlots.has(s)) return s;
    const known = rename.get(s);
    if (known !== undefined) return known;
    rename.set(s, next);
    return next++;
  };
  const copy = literals.map(
    (literal): Literal =>
      literal.kind === "atom" ? { ...literal, args: literal.args.map((arg) => ("slot" in arg ? slot(renamed(arg.slot)) : arg)) } : literal,
  );
  scope.next = next;
  return {
    kind: "union",
    branches: [{ literals }, { literals: [{ kind: "filter", reads: [], exists: [{ literals: copy }], test: (_, check) => !check(0) }] }],
  };
}

function union(d: Dice, scope: Scope): Literal {
  const branches: Body[] = [];
  for (let i = 0; i < 2; i++) {
    const inner: Scope = { ...scope, variables: [...scope.variables], next: scope.next };
    branches.push({ literals: atoms(d, inner, 2) });
    scope.next = inner.next;
  }
  return { kind: "union", branches };
}

/** Monotone recursive rules with constants, like axioms compile to; some are transitive closures over base edges. */
export function randomRules(d: Dice, quads: QuadRelation): RuleShape[] {
  const rules: RuleShape[] = [];
  for (let i = d.below(5); i > 0; i--) {
    const key = `rule ${i}`;
    if (d.chance(0.25)) {
      const p = value(d.pick([2, 3, 4, 5]));
      rules.push({
        key: `${key} transitive`,
        slotCount: 3,
        parameters: [],
        body: {
          literals: [
            { kind: "atom", relation: quads, args: [slot(0), p, slot(1), value(0)], reading: "base" },
            { kind: "atom", relation: quads, args: [slot(1), p, slot(2), value(0)] },
          ],
        },
        heads: [{ relation: quads, args: [slot(0), p, slot(2), value(0)], transitive: true }],
      });
      continue;
    }
    if (d.chance(0.2)) {
      rules.push(...ladder(key, quads));
      continue;
    }
    const scope: Scope = { quads, variables: [], next: 0, parameters: undefined, graphs: false };
    const literals = atoms(d, scope, 3);
    if (d.chance(0.2)) literals.push(plainFilter(d, scope.variables.length > 0 ? scope.variables : [0]));
    rules.push({ key, slotCount: scope.next + 1, parameters: [], body: { literals }, heads: [quadHead(d, quads, literals)] });
  }
  return rules;
}

/** A long way from predicate 2 to predicate 5: what is derived early may depend on the absence of what is derived late. */
function ladder(key: string, quads: QuadRelation): RuleShape[] {
  return [2, 3, 4].map((p) => ({
    key: `${key} step ${p}`,
    slotCount: 2,
    parameters: [],
    body: { literals: [{ kind: "atom", relation: quads, args: [slot(0), value(p), slot(1), value(0)] }] },
    heads: [{ relation: quads, args: [slot(0), value(p + 1), slot(1), value(0)] }],
  }));
}

/** Axioms as data: rules that join a relation whose values decide which quads concern them. */
export function axiomRules(quads: QuadRelation, axioms: Relation): RuleShape[] {
  const axiom: Literal = { kind: "atom", relation: axioms, args: [slot(0), slot(1)] };
  return [
    {
      key: "predicate axiom",
      slotCount: 4,
      parameters: [],
      body: { literals: [axiom, { kind: "atom", relation: quads, args: [slot(2), slot(0), slot(3), value(0)] }] },
      heads: [{ relation: quads, args: [slot(2), slot(1), slot(3), value(0)] }],
    },
    {
      key: "class axiom",
      slotCount: 3,
      parameters: [],
      body: { literals: [axiom, { kind: "atom", relation: quads, args: [slot(2), value(TYPE), slot(0), value(0)] }] },
      heads: [{ relation: quads, args: [slot(2), value(TYPE), slot(1), value(0)] }],
    },
  ];
}

export function randomAxiom(d: Dice): readonly [number, number] {
  return d.chance(0.5) ? [d.pick(PREDICATES), d.pick(PREDICATES)] : [d.pick(NODES), d.pick(NODES)];
}

function quadHead(
  d: Dice,
  quads: QuadRelation,
  literals: readonly Literal[],
  predicates: readonly number[] = PREDICATES,
): RuleShape["heads"][number] {
  const slots = boundSlots(literals);
  const node = (): Arg => (slots.length > 0 && d.chance(0.9) ? slot(d.pick(slots)) : value(d.pick(NODES)));
  const args = [node(), value(d.pick(predicates)), node(), value(0)];
  return { relation: quads, args, guard: (frame) => args.slice(0, 3).every((arg) => "value" in arg || frame[arg.slot] !== 0) };
}

function boundSlots(literals: readonly Literal[]): number[] {
  const slots = new Set<number>();
  for (const literal of literals) if (literal.kind === "atom") for (const arg of literal.args) if ("slot" in arg) slots.add(arg.slot);
  return [...slots];
}

/** COUNT with removal, MAX without. */
function counter(): Accumulator {
  let total = 0;
  return {
    removable: true,
    add: (v, weight) => {
      total += v === 0 ? 0 : weight;
    },
    result: () => 100 + total,
  };
}

function largest(): Accumulator {
  let most = 0;
  return {
    removable: false,
    add: (v) => {
      if (v > most) most = v;
    },
    result: () => most,
  };
}

/** A standing query; with `deriving` its result is quads. */
export function randomPlan(d: Dice, quads: QuadRelation, key: string, deriving: boolean): PipelinePlan {
  const parameters: { slot: number; constant: number }[] = [];
  const scope: Scope = { quads, variables: [], next: 0, parameters, graphs: true };
  const literals = atoms(d, scope, 3);
  // A body whose certain variables are none has nothing to correlate with.
  if (scope.variables.length === 0) scope.variables.push(scope.next++);
  const certain = boundSlots(literals).filter((s) => !parameters.some((parameter) => parameter.slot === s));
  const kind = d.below(8);
  if (kind === 0 || kind === 1 || (deriving && d.chance(0.5))) literals.push(exists(d, scope, 1));
  if (kind === 2) literals.push(optional(d, { ...scope, variables: certain }));
  if (kind === 3) literals.push(union(d, { ...scope, variables: certain }));
  // Before the filters: a filter may read what only the rows bind, and then applies to them.
  if (kind === 4) {
    const rows: Literal = { kind: "values", slots: [d.pick(scope.variables)], rows: [[d.pick(NODES)], [d.pick(NODES)], [d.pick(NODES)]] };
    const firstFilter = literals.findIndex((literal) => literal.kind === "filter");
    literals.splice(firstFilter < 0 ? literals.length : firstFilter, 0, rows);
  }
  // Slots used inside copies of the scope above.
  const used = maxSlot({ literals }) + 1;
  if (certain.length > 0 && d.chance(0.3)) literals.push(plainFilter(d, certain));
  const instance = used;
  const slotCount = used + 2;
  const steps = d.below(4);
  const shapeParameters = parameters.map((parameter) => parameter.slot);
  const constants = parameters.map((parameter) => parameter.constant);
  const columns = [d, d].map(() => (certain.length > 0 ? slot(d.pick(certain)) : value(d.pick(NODES))));
  // Half of the deriving queries derive what no rule reads: they may negate whatever they like.
  const head = quadHead(d, quads, literals.slice(0, 1), d.chance(0.5) ? [UNREAD] : PREDICATES);
  const p = d.pick(PREDICATES);
  const offset = d.below(2);
  const limit = 1 + d.below(3);
  const everyInstance = d.chance(0.3);
  const build = (relations: RelationFactory): ReturnType<PipelinePlan["build"]> => {
    if (steps !== 1 && steps !== 2) {
      if (deriving)
        return {
          key,
          constants: constants.length,
          output: quads,
          steps: [{ kind: "rule", shape: { key, slotCount, parameters: shapeParameters, instance, body: { literals }, heads: [head] } }],
        };
      const output = relations(`${key} out`, 3);
      return {
        key,
        constants: constants.length,
        output,
        steps: [
          {
            kind: "rule",
            shape: {
              key,
              slotCount,
              parameters: shapeParameters,
              instance,
              body: { literals },
              heads: [{ relation: output, args: [slot(instance), ...columns] }],
            },
          },
        ],
      };
    }
    const rows = relations(`${key} rows`, 3);
    const first = {
      kind: "rule" as const,
      shape: {
        key,
        slotCount,
        parameters: shapeParameters,
        instance,
        body: { literals },
        heads: [{ relation: rows, args: [slot(instance), ...columns] }],
      },
    };
    const middle = steps === 1 ? relations(`${key} groups`, everyInstance ? 2 : 3) : relations(`${key} slice`, 3);
    const second =
      steps === 1
        ? {
            kind: "aggregate" as const,
            shape: {
              source: rows,
              target: middle,
              keys: everyInstance ? 1 : 2,
              aggregates: [d.chance(0.5) ? counter : largest],
              everyInstance,
            },
          }
        : {
            kind: "slice" as const,
            shape: {
              source: rows,
              target: middle,
              offset,
              limit,
              compare: (a: readonly number[], b: readonly number[]) => a[1] - b[1] || a[2] - b[2],
            },
          };
    if (!deriving) return { key, constants: constants.length, output: middle, steps: [first, second] };
    const k = constants.length;
    const args = Array.from({ length: middle.arity }, (_, i) => slot(i));
    const final: RuleShape = {
      key: `${key} final`,
      slotCount: k + middle.arity + 1,
      parameters: Array.from({ length: k }, (_, i) => middle.arity + i),
      instance: 0,
      body: { literals: [{ kind: "atom", relation: middle, args }] },
      heads: [
        {
          relation: quads,
          args: [slot(1), value(p), slot(middle.arity - 1), value(0)],
          guard: (frame) => frame[1] !== 0 && frame[middle.arity - 1] !== 0,
        },
      ],
    };
    return { key, constants: k, output: quads, steps: [first, second, { kind: "rule", shape: final }] };
  };
  // Aggregate choice must not depend on how often the shape is built.
  let choice: "counter" | "largest" | undefined;
  return {
    key,
    constants,
    build: (relations) => {
      const shape = build(relations);
      for (const step of shape.steps) {
        if (step.kind !== "aggregate") continue;
        choice ??= step.shape.aggregates[0] === counter ? "counter" : "largest";
        (step.shape as { aggregates: unknown }).aggregates = [choice === "counter" ? counter : largest];
      }
      return shape;
    },
  };
}

function maxSlot(body: Body): number {
  let most = 0;
  for (const literal of body.literals) {
    if (literal.kind === "atom") for (const arg of literal.args) if ("slot" in arg) most = Math.max(most, arg.slot);
    if (literal.kind === "values") most = Math.max(most, ...literal.slots);
    if (literal.kind === "filter") for (const sub of literal.exists ?? []) most = Math.max(most, maxSlot(sub));
    if (literal.kind === "filter") most = Math.max(most, ...literal.reads);
    if (literal.kind === "union") for (const branch of literal.branches) most = Math.max(most, maxSlot(branch));
  }
  return most;
}

export function randomQuad(d: Dice): readonly [number, number, number, number] {
  return [d.pick(NODES), d.pick(PREDICATES), d.pick(NODES), d.chance(0.15) ? d.pick(GRAPHS) : 0];
}
