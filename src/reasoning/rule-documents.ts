/**
 * User rules: documents of conjunctive N3 rules, installed and removed as deltas.
 *
 *     head  <-  enabled(document), body
 *
 * Every rule starts with one row of a relation that says which documents are in force. Putting that row in derives
 * everything the document concludes from what is there; taking it out takes all of it back; undoing the transaction
 * undoes both. Compiled rules whose document is out of force do nothing and are discarded when that is durable.
 * Safe rules only: each variable of the head occurs in the body, so a rule makes no new terms and always ends.
 */
import type * as RDF from "@rdfjs/types";
import { LIMITS, SensError } from "../base/index.ts";
import type { Engine, Relation, Transaction } from "../engine/index.ts";
import type { TermTable } from "../rdf/index.ts";
import { type N3Rule, type N3Triple, parseN3Rules, unsupported } from "./n3-document.ts";
import { type Argument, type Atom, type InstalledRule, RuleWriter, row } from "./rule-writer.ts";

/** Rules that passed every check, ready to install. */
export interface CompiledRules {
  readonly name: string;
  readonly rules: readonly CompiledN3Rule[];
}

export interface CompiledN3Rule {
  /** What limits and explanations call it: document and line. */
  readonly label: string;
  readonly line: number;
  readonly body: readonly Pattern[];
  readonly head: readonly Pattern[];
}

type Pattern = readonly [s: Argument, p: Argument, o: Argument];

export interface CompileOptions {
  /** The document's name, for messages. */
  readonly name: string;
  readonly baseIri?: string;
}

/**
 * Checks a `text/n3` document of rules, all or nothing.
 * Throws SENS_SYNTAX, SENS_RULE_UNSUPPORTED, SENS_RULE_UNSAFE (each with line), SENS_IRI, SENS_RELATIVE_IRI, SENS_LIMIT.
 */
export function compileRules(text: string, terms: TermTable, { name, baseIri }: CompileOptions): CompiledRules {
  const parsed = parseN3Rules(text, name, baseIri);
  if (parsed.length > LIMITS.rulesPerDocumentMax)
    throw new SensError("SENS_LIMIT", `${name} has ${parsed.length} rules, more than ${LIMITS.rulesPerDocumentMax}. Split the document.`);
  return { name, rules: parsed.map((rule) => compileRule(rule, terms, name)) };
}

function compileRule(rule: N3Rule, terms: TermTable, name: string): CompiledN3Rule {
  const patterns = rule.body.length + rule.head.length;
  if (patterns > LIMITS.ruleTriplesMax)
    throw new SensError(
      "SENS_LIMIT",
      `${name}, line ${rule.line}: the rule has ${patterns} triples, more than ${LIMITS.ruleTriplesMax}. Split it.`,
      { position: { line: rule.line, column: 1 } },
    );
  const bound = new Set<string>();
  for (const { terms: parts } of rule.body) for (const term of parts) if (term.termType === "Variable") bound.add(term.value);
  for (const triple of rule.head) checkConclusion(triple, bound, rule, name);
  const pattern = ({ terms: [s, p, o] }: N3Triple): Pattern => [argument(s, terms), argument(p, terms), argument(o, terms)];
  return { label: `${name}, line ${rule.line}`, line: rule.line, body: rule.body.map(pattern), head: rule.head.map(pattern) };
}

function checkConclusion(
  { terms: [subject, predicate, object], line }: N3Triple,
  bound: ReadonlySet<string>,
  rule: N3Rule,
  name: string,
): void {
  for (const term of [subject, predicate, object]) {
    if (term.termType === "BlankNode")
      throw unsupported(
        name,
        line,
        "a conclusion with a blank node, list or bracket would make new nodes. Use an IRI, or a variable of the conditions",
      );
    if (term.termType !== "Variable" || bound.has(term.value)) continue;
    throw new SensError(
      "SENS_RULE_UNSAFE",
      `${name}, rule on line ${rule.line}: the variable ?${term.value} is concluded (line ${line}) but no condition binds it. Add a condition with ?${term.value}. Nothing of the document was installed.`,
      { position: { line, column: 1 }, extra: { document: name, rule: rule.line, variable: term.value } },
    );
  }
  if (subject.termType === "Literal")
    throw unsupported(name, line, `the literal ${JSON.stringify(subject.value)} cannot be the subject of a conclusion`);
}

/** Blank nodes of brackets and lists in conditions stand for anything, like variables nobody else can name. */
function argument(term: RDF.Term, terms: TermTable): Argument {
  if (term.termType === "Variable") return `?${term.value}`;
  if (term.termType === "BlankNode") return `?_:${term.value}`;
  return terms.encode(term);
}

/** A document in an engine. */
export interface InstalledRules {
  readonly name: string;
  readonly document: number;
  readonly rules: readonly InstalledRule[];
}

/** The rule documents of one engine. */
export class RuleDocuments {
  readonly #engine: Engine;
  readonly #writer: RuleWriter;
  readonly #enabled: Relation;
  #next = 1;

  constructor(engine: Engine, terms: TermTable) {
    this.#engine = engine;
    this.#writer = new RuleWriter(engine, terms);
    this.#enabled = engine.relation("rule_document", 1, { dispatching: true });
  }

  /** Puts a document in force within the transaction; `settle` derives. If the transaction is rolled back: `discard`. */
  install(tx: Transaction, { name, rules }: CompiledRules): InstalledRules {
    const document = this.#next++;
    const installed = rules.map(({ label, body, head }) => {
      const atom = ([s, p, o]: Pattern): Atom => this.#writer.quad(s, p, o);
      return this.#engine.addRule(this.#writer.shape(label, [row(this.#enabled, document), ...body.map(atom)], head.map(atom)));
    });
    tx.change(this.#enabled, [document], 1);
    return { name, document, rules: installed };
  }

  /** Takes a document out of force within the transaction. `discard` it when that is durable. */
  remove(tx: Transaction, installed: InstalledRules): void {
    tx.change(this.#enabled, [installed.document], -1);
  }

  /** Frees the compiled rules of a document that is out of force for good; outside transactions. */
  discard(installed: InstalledRules): void {
    for (const rule of installed.rules) this.#engine.removeRule(rule);
  }
}
