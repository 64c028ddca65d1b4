/**
 * An N3 text to rules as it writes them: `{ body } => { head } .`, `{ head } <= { body } .`
 *
 * N3.js parses. A blank node label inside `[ ]` or `( )` becomes another node than the same label outside, there
 * (N3.js in N3 mode); a label in a rule is therefore refused, with the advice to write a variable. Everything that is
 * not a conjunctive rule is refused with its line: nothing of a document is silently left out.
 */
import type * as RDF from "@rdfjs/types";
import n3 from "n3";
import { quoteInput, SensError } from "../base/index.ts";
import { iriFault } from "../rdf/index.ts";

export interface N3Triple {
  readonly terms: readonly [RDF.Term, RDF.Term, RDF.Term];
  readonly line: number;
}

export interface N3Rule {
  /** Line of the rule's first bracket, from 1. */
  readonly line: number;
  readonly body: readonly N3Triple[];
  readonly head: readonly N3Triple[];
}

const SWAP = "http://www.w3.org/2000/10/swap/";
const IMPLIES = `${SWAP}log#implies`;
const QUANTIFIER = `${SWAP}reify#`;

interface Token {
  readonly type: string;
  readonly value?: string;
  readonly prefix?: string;
  readonly line: number;
}

interface Statement extends N3Triple {
  readonly graph: RDF.Term;
}

/** Parses; throws SENS_SYNTAX with the line, SENS_RULE_UNSUPPORTED for what is not a conjunctive rule. */
export function parseN3Rules(text: string, name: string, baseIri?: string): N3Rule[] {
  const { statements, formulaLines } = parse(text, name, baseIri);
  const formulas = new Map<string, Statement[]>();
  for (const statement of statements) {
    if (statement.graph.termType !== "BlankNode") continue;
    const list = formulas.get(statement.graph.value);
    if (list) list.push(statement);
    else formulas.set(statement.graph.value, [statement]);
  }
  const isFormula = (term: RDF.Term): boolean =>
    term.termType === "BlankNode" && (formulas.has(term.value) || formulaLines.has(term.value));
  const rules: N3Rule[] = [];
  for (const { terms, graph, line } of statements) {
    if (graph.termType !== "DefaultGraph") continue;
    const [body, predicate, head] = terms;
    if (predicate.value !== IMPLIES) throw factRefused(terms, line, name);
    if (!isFormula(body))
      throw unsupported(name, line, "a rule without conditions states facts. Publish them, or put them in an ontology document");
    if (!isFormula(head)) throw unsupported(name, line, `${quoteInput(head.value)} is concluded: rules conclude triples in braces`);
    const rule = { line: formulaLines.get(body.value) ?? line, body: formulas.get(body.value) ?? [], head: formulas.get(head.value) ?? [] };
    rules.push({ ...rule, line: Math.min(rule.line, formulaLines.get(head.value) ?? rule.line) });
    for (const statement of [...rule.body, ...rule.head]) checkStatement(statement, isFormula, name);
    if (rule.body.length === 0)
      throw unsupported(name, rule.line, "a rule without conditions states facts. Publish them, or put them in an ontology document");
    if (rule.head.length === 0) throw unsupported(name, rule.line, "the rule concludes nothing. Write what follows after =>");
  }
  return rules;
}

function factRefused(terms: readonly RDF.Term[], line: number, name: string): SensError {
  if (terms[1].value.startsWith(QUANTIFIER))
    return unsupported(name, line, "quantifiers are not supported. Variables written ?x hold within their rule");
  const text = terms.map((term) => term.value).join(" ");
  return unsupported(name, line, `${quoteInput(text)} is a fact, not a rule. Publish it, or put it in an ontology document`);
}

/** Built-ins, nested formulas and quantifiers are refused by what they are. */
function checkStatement({ terms, line }: Statement, isFormula: (term: RDF.Term) => boolean, name: string): void {
  const [subject, predicate, object] = terms;
  if (terms.some(isFormula))
    throw unsupported(
      name,
      line,
      `a formula in braces inside a rule (${quoteInput(predicate.value)}) is not supported. Write its triples as conditions of their own`,
    );
  if (predicate.termType === "NamedNode" && predicate.value.startsWith(SWAP))
    throw unsupported(
      name,
      line,
      `the built-in <${predicate.value}> is not supported. Conditions are triple patterns; a continuous insertion (CONSTRUCT) compares with FILTER and computes with BIND`,
    );
  if (predicate.termType === "Literal") throw unsupported(name, line, `the literal ${quoteInput(predicate.value)} cannot be a predicate`);
  for (const term of [subject, predicate, object]) {
    if (term.termType !== "NamedNode") continue;
    const fault = iriFault(term.value, { line, column: 1 });
    if (fault) throw fault;
  }
}

export function unsupported(name: string, line: number, what: string): SensError {
  return new SensError("SENS_RULE_UNSUPPORTED", `${name}, line ${line}: ${what}. Nothing of the document was installed.`, {
    position: { line, column: 1 },
    extra: { document: name },
  });
}

function parse(
  text: string,
  name: string,
  baseIri: string | undefined,
): { readonly statements: Statement[]; readonly formulaLines: Map<string, number> } {
  const statements: Statement[] = [];
  const formulaLines = new Map<string, number>();
  let current: Token = { type: "", line: 1 };
  const factory = {
    ...n3.DataFactory,
    blankNode(label?: string): RDF.BlankNode {
      const node = n3.DataFactory.blankNode(label);
      if (current.type === "{") formulaLines.set(node.value, current.line);
      return node;
    },
    quad(s: RDF.Term, p: RDF.Term, o: RDF.Term, g: RDF.Term = n3.DataFactory.defaultGraph()): RDF.Quad {
      if (g.termType !== "NamedNode") statements.push({ terms: [s, p, o], graph: g, line: current.line });
      else if (p.value.startsWith(QUANTIFIER))
        statements.push({ terms: [s, p, o], graph: n3.DataFactory.defaultGraph(), line: current.line });
      return n3.DataFactory.quad(n3.DataFactory.blankNode(), n3.DataFactory.namedNode(IMPLIES), n3.DataFactory.blankNode());
    },
  };
  try {
    const tokens = new n3.Lexer({ n3: true } as unknown as n3.LexerOptions).tokenize(text) as unknown as readonly Token[];
    for (const token of tokens) {
      if (token.type === "blank" && token.prefix === "_")
        throw unsupported(
          name,
          token.line,
          `the blank node label _:${token.value ?? ""} is not supported in rules. Write a variable (?x) in conditions`,
        );
    }
    // N3.js asks its lexer for an array and walks it with `every`: here it learns which token stands for what it makes.
    const lexer = {
      tokenize: () => ({
        every: (read: (token: Token) => unknown) =>
          tokens.every((token) => {
            current = token;
            return read(token);
          }),
      }),
    };
    const options = { format: "text/n3", baseIRI: baseIri, lexer, factory, explicitQuantifiers: true };
    new n3.Parser(options as unknown as n3.ParserOptions).parse(text);
  } catch (error) {
    throw asSyntaxError(error, name, current);
  }
  return { statements, formulaLines };
}

function asSyntaxError(error: unknown, name: string, current: Token): unknown {
  if (error instanceof SensError || !(error instanceof Error)) return error;
  const line = (error as Error & { context?: { readonly line: number } }).context?.line ?? current.line;
  const message = error.message.replace(/ on line \d+\.$/, "");
  return new SensError("SENS_SYNTAX", `${name}, line ${line}: ${message}. Correct the document there.`, {
    cause: error,
    position: { line, column: 1 },
  });
}
