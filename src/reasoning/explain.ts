/**
 * Why a statement holds: one proof, from asserted and ontology statements up.
 *
 *     proof(row) = the first derivation of `row` whose premises all rank below it, and a proof of each premise
 *
 * Ranks fall along every step (engine/fixpoint.ts), so a proof is never circular and always ends in stated rows. Rows of
 * relations between statements (told axioms, list cells, chain suffixes) are replaced by the statements they follow from,
 * so that each step reads: this statement, by this rule, from these statements.
 * State: none. Cost: one backward evaluation per statement and intermediate row of the proof; bounded by LIMITS.
 */
import { assert, LIMITS } from "../base/index.ts";
import { type Arg, ASSERTED, type Engine, type Literal, QuadRelation, type Relation, SUPPLIED } from "../engine/index.ts";
import type { InstalledRule } from "./rule-writer.ts";

/** One statement of a proof. Ids of the engine's terms; g = 0 is the default graph as queries see it. */
export interface ProofTree {
  readonly statement: Statement;
  /** Asserted by a client, part of an ontology document, or following by a rule. */
  readonly kind: "asserted" | "ontology" | "derived";
  /** Which rule derived it: a word of the ontology language, or document and line, or a continuous insertion. */
  readonly rule?: string;
  readonly premises: readonly ProofTree[];
  /** The proof goes on deeper than was asked for. */
  readonly cut?: true;
}

export interface ExplainOptions {
  /** Steps from the statement down; at most LIMITS.proofDepthMax. */
  readonly depthMax?: number;
  /** Words for rules that others own (continuous insertions), by the engine's name of the rule. */
  readonly ruleLabel?: (name: string) => string;
}

type Statement = readonly [s: number, p: number, o: number, g: number];

/** A statement, and the rank its own proof must stay below. */
interface Premise {
  readonly statement: Statement;
  readonly bound: number;
}

/** One step of a proof. */
interface Premises {
  readonly rule: string;
  readonly premises: readonly Premise[];
}

interface HeadRef {
  readonly rule: InstalledRule;
  readonly head: number;
}

interface Derivation {
  readonly premises: Premise[];
  readonly rows: { readonly relation: Relation; readonly values: readonly number[] }[];
}

/** The proof of a visible statement, or undefined when it does not hold. Only between transactions. */
export function explain(
  engine: Engine,
  statement: Statement,
  { depthMax = LIMITS.proofDepthMax, ruleLabel = (name) => name }: ExplainOptions = {},
): ProofTree | undefined {
  if (!engine.isVisible(...statement)) return undefined;
  const explainer = new Explainer(engine, ruleLabel);
  return explainer.tree({ statement, bound: UNBOUNDED }, Math.max(0, Math.min(depthMax, LIMITS.proofDepthMax)));
}

class Explainer {
  readonly #engine: Engine;
  readonly #label: (name: string) => string;
  readonly #heads = new Map<Relation, HeadRef[]>();
  #statements = 0;

  constructor(engine: Engine, label: (name: string) => string) {
    this.#engine = engine;
    this.#label = label;
    for (const rule of engine.fixpoint.rules) {
      for (let head = 0; head < rule.heads.length; head++) {
        const { relation } = rule.heads[head];
        if (relation instanceof QuadRelation) continue;
        const refs = this.#heads.get(relation);
        if (refs) refs.push({ rule, head });
        else this.#heads.set(relation, [{ rule, head }]);
      }
    }
  }

  tree({ statement, bound }: Premise, depth: number): ProofTree {
    const { quads } = this.#engine;
    this.#statements++;
    const [s, p, o, g] = statement;
    const found = quads.find(s, p, o, g);
    const row = found >= 0 && quads.isAlive(found) && quads.rows.rank(found) < bound ? found : -1;
    if (row >= 0 && quads.rows.flags(row) & (ASSERTED | IN_NAMED_GRAPH)) return { statement, kind: "asserted", premises: [] };
    if (row >= 0 && quads.rows.flags(row) & SUPPLIED) return { statement, kind: "ontology", premises: [] };
    if (depth === 0 || this.#statements >= LIMITS.proofStatementsMax) return { statement, kind: "derived", premises: [], cut: true };
    const step =
      row >= 0
        ? this.#step(this.#engine.fixpoint.rules.backward.headsOf(p, o), statement, quads.rows.rank(row))
        : this.#equalStep(statement, bound);
    assert(step !== undefined, "a derived statement has a derivation from premises of lower rank");
    return {
      statement,
      kind: "derived",
      rule: this.#label(step.rule),
      premises: step.premises.map((premise) => this.tree(premise, depth - 1)),
    };
  }

  /** What holds because it holds of equal terms; or why two terms are equal. */
  #equalStep([s, p, o, g]: Statement, bound: number): Premises | undefined {
    const { quads, equality } = this.#engine;
    if (!equality) return undefined;
    if (p === equality.sameAs) {
      const links = equality.linksBetween(s, o, bound);
      const rows = links?.map((row) => ({ relation: equality.links, values: equality.links.values(row) }));
      if (rows) return { rule: "sameAs", premises: this.#below({ premises: [], rows }) };
    }
    const row = equality.statements.rowFor(s, p, o, bound);
    if (row < 0) return undefined;
    const own = [quads.rows.subject(row), quads.rows.object(row)] as const;
    const premises: Premise[] = [{ statement: [own[0], p, own[1], g], bound: quads.rows.rank(row) + 1 }];
    if (own[0] !== s) premises.push({ statement: [s, equality.sameAs, own[0], 0], bound });
    if (own[1] !== o) premises.push({ statement: [o, equality.sameAs, own[1], 0], bound });
    return { rule: "sameAs", premises };
  }

  /** The first derivation by one of these rules, intermediate rows replaced by the statements under them. */
  #step(refs: Iterable<HeadRef>, values: readonly number[], rank: number): Premises | undefined {
    for (const { rule, head } of refs) {
      const found = this.#derivation(rule, head, values, rank);
      if (found) return { rule: rule.name, premises: this.#below(found) };
    }
    return undefined;
  }

  /** The statements of a derivation, and those under its rows of other relations. */
  #below({ premises, rows }: Derivation): Premise[] {
    const all = new Map<string, Premise>();
    const open = [...rows];
    const seen = new Set<string>();
    const add = (premise: Premise): void => {
      const key = premise.statement.join();
      const known = all.get(key);
      if (!known || known.bound > premise.bound) all.set(key, premise);
    };
    premises.forEach(add);
    for (let next = open.pop(); next; next = open.pop()) {
      const key = `${next.relation.id}:${next.values.join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const below = this.#rowStep(next.relation, next.values);
      below?.premises.forEach(add);
      open.push(...(below?.rows ?? []));
    }
    return [...all.values()];
  }

  #rowStep(relation: Relation, values: readonly number[]): Derivation | undefined {
    const row = relation.find(values);
    const { equality } = this.#engine;
    if (equality && relation === equality.tree) {
      const links = equality.linksBetween(values[0], values[1], relation.rank[row]) ?? [];
      return { premises: [], rows: links.map((link) => ({ relation: equality.links, values: equality.links.values(link) })) };
    }
    for (const { rule, head } of this.#heads.get(relation) ?? []) {
      const found = this.#derivation(rule, head, values, relation.rank[row]);
      if (found) return found;
    }
    // Parameters, documents in force, aggregated results: nothing under them is a statement.
    return undefined;
  }

  #derivation(rule: InstalledRule, head: number, values: readonly number[], rank: number): Derivation | undefined {
    const { fixpoint, machine } = this.#engine;
    const found: Derivation[] = [];
    this.#engine.evaluation({}, rule.slotCount, () => {
      fixpoint.rules.backward.solve(rule, head, values, rank, () => {
        const derivation: Derivation = { premises: [], rows: [] };
        this.#collect(rule.literals, derivation, rank);
        found.push(derivation);
        machine.stopped = true;
      });
    });
    return found[0];
  }

  /** The rows that the atoms of the present solution stand for. */
  #collect(literals: readonly Literal[], into: Derivation, rank: number): void {
    const { machine, equality } = this.#engine;
    const value = (arg: Arg): number => ("slot" in arg ? machine.frame[arg.slot] : arg.value);
    for (const literal of literals) {
      if (literal.kind === "union") for (const branch of literal.branches) this.#collect(branch.literals, into, rank);
      if (literal.kind === "same" && equality) {
        const [left, right] = [value(literal.left), value(literal.right)];
        if (left !== right) into.premises.push({ statement: [left, equality.sameAs, right, 0], bound: rank });
      }
      if (literal.kind !== "atom") continue;
      const values = literal.args.map(value);
      if (literal.relation instanceof QuadRelation) {
        const [s, p, o, g] = values;
        if (s !== 0 && p !== 0 && o !== 0 && this.#holdsBelow(s, p, o, g, rank))
          into.premises.push({ statement: [s, p, o, g], bound: rank });
      } else {
        const row = literal.relation.find(values);
        if (row >= 0 && literal.relation.weight[row] > 0) into.rows.push({ relation: literal.relation, values });
      }
    }
  }

  #holdsBelow(s: number, p: number, o: number, g: number, rank: number): boolean {
    const { quads, equality } = this.#engine;
    const row = quads.find(s, p, o, g);
    if (row >= 0 && quads.isAlive(row) && quads.rows.rank(row) < rank) return true;
    return g === 0 && equality?.active === true && equality.statements.rowFor(s, p, o, rank) >= 0;
  }
}

/** No bound on ranks: above all of them. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** Union mode: a statement that a client asserted in some graph. */
const IN_NAMED_GRAPH = 16;
