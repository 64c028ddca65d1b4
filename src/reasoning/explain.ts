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
import { ASSERTED, type Engine, type Literal, QuadRelation, type Relation, SUPPLIED } from "../engine/index.ts";
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

/** One step of a proof. */
interface Premises {
  readonly rule: string;
  readonly statements: readonly Statement[];
}

interface HeadRef {
  readonly rule: InstalledRule;
  readonly head: number;
}

interface Derivation {
  readonly statements: Statement[];
  readonly rows: { readonly relation: Relation; readonly values: readonly number[] }[];
}

/** The proof of a visible statement, or undefined when it does not hold. Only between transactions. */
export function explain(
  engine: Engine,
  statement: Statement,
  { depthMax = LIMITS.proofDepthMax, ruleLabel = (name) => name }: ExplainOptions = {},
): ProofTree | undefined {
  if (!engine.quads.isVisible(...statement)) return undefined;
  const explainer = new Explainer(engine, ruleLabel);
  return explainer.tree(statement, Math.max(0, Math.min(depthMax, LIMITS.proofDepthMax)));
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

  tree(statement: Statement, depth: number): ProofTree {
    const { quads } = this.#engine;
    this.#statements++;
    const row = quads.find(...statement);
    assert(row >= 0, "a premise of a proof is visible");
    if (quads.flags[row] & (ASSERTED | IN_NAMED_GRAPH)) return { statement, kind: "asserted", premises: [] };
    if (quads.flags[row] & SUPPLIED) return { statement, kind: "ontology", premises: [] };
    if (depth === 0 || this.#statements >= LIMITS.proofStatementsMax) return { statement, kind: "derived", premises: [], cut: true };
    const step = this.#quadStep(statement, quads.rank[row]);
    assert(step !== undefined, "a derived statement has a derivation from premises of lower rank");
    return {
      statement,
      kind: "derived",
      rule: this.#label(step.rule),
      premises: step.statements.map((premise) => this.tree(premise, depth - 1)),
    };
  }

  #quadStep(statement: Statement, rank: number): Premises | undefined {
    const [, p, o] = statement;
    return this.#step(this.#engine.fixpoint.headsOf(p, o), statement, rank);
  }

  /** The first derivation by one of these rules, intermediate rows replaced by the statements under them. */
  #step(refs: Iterable<HeadRef>, values: readonly number[], rank: number): Premises | undefined {
    for (const { rule, head } of refs) {
      const found = this.#derivation(rule, head, values, rank);
      if (!found) continue;
      const statements = new Map<string, Statement>();
      const rows = [...found.rows];
      const seen = new Set<string>();
      for (const statement of found.statements) statements.set(statement.join(), statement);
      for (let next = rows.pop(); next; next = rows.pop()) {
        const key = `${next.relation.id}:${next.values.join()}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const below = this.#rowStep(next.relation, next.values);
        for (const statement of below?.statements ?? []) statements.set(statement.join(), statement);
        rows.push(...(below?.rows ?? []));
      }
      return { rule: rule.name, statements: [...statements.values()] };
    }
    return undefined;
  }

  #rowStep(relation: Relation, values: readonly number[]): Derivation | undefined {
    const row = relation.find(values);
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
      fixpoint.backward(rule, head, values, rank, () => {
        const derivation: Derivation = { statements: [], rows: [] };
        this.#collect(rule.literals, derivation, rank);
        found.push(derivation);
        machine.stopped = true;
      });
    });
    return found[0];
  }

  /** The rows that the atoms of the present solution stand for. */
  #collect(literals: readonly Literal[], into: Derivation, rank: number): void {
    const { machine, quads } = this.#engine;
    for (const literal of literals) {
      if (literal.kind === "union") for (const branch of literal.branches) this.#collect(branch.literals, into, rank);
      if (literal.kind !== "atom") continue;
      const values = literal.args.map((arg) => ("slot" in arg ? machine.frame[arg.slot] : arg.value));
      if (literal.relation instanceof QuadRelation) {
        const [s, p, o, g] = values;
        const row = s === 0 || p === 0 || o === 0 ? -1 : quads.find(s, p, o, g);
        if (row >= 0 && quads.rank[row] < rank && quads.isVisible(s, p, o, g)) into.statements.push([s, p, o, g]);
      } else {
        const row = literal.relation.find(values);
        if (row >= 0 && literal.relation.weight[row] > 0) into.rows.push({ relation: literal.relation, values });
      }
    }
  }
}

/** Union mode: a statement that a client asserted in some graph. */
const IN_NAMED_GRAPH = 16;
