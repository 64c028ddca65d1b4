import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../base/index.ts";
import { KnowledgeBase, type Triple } from "./knowledge-base.fixture.ts";
import { compileRules, type InstalledRules, RuleDocuments } from "./rule-documents.ts";

const PREFIX = "@prefix e: <http://example.org/> .\n";

class Rules {
  readonly base = new KnowledgeBase("none");
  readonly documents = new RuleDocuments(this.base.engine, this.base.terms);

  compile(text: string): ReturnType<typeof compileRules> {
    return compileRules(PREFIX + text, this.base.terms, { name: "doc.n3" });
  }

  install(text: string): InstalledRules {
    const compiled = this.compile(text);
    let installed: InstalledRules | undefined;
    this.base.transact((tx) => {
      installed = this.documents.install(tx, compiled);
    });
    return installed as unknown as InstalledRules;
  }

  remove(installed: InstalledRules): void {
    this.base.transact((tx) => this.documents.remove(tx, installed));
    this.documents.discard(installed);
  }
}

describe("a rule document", () => {
  it("derives from what is there, and takes all of it back", () => {
    const rules = new Rules();
    rules.base.add("e:a e:knows e:b .");
    const installed = rules.install("{ ?x e:knows ?y } => { ?y e:knownBy ?x ; a e:Known } .\n{ ?x a e:Person } <= { ?x a e:Known } .");
    expect(rules.base.derived()).toEqual(["b knownBy a", "b type Known", "b type Person"]);
    rules.base.add("e:b e:knows e:a .");
    expect(rules.base.derived()).toHaveLength(6);
    rules.remove(installed);
    expect(rules.base.derived()).toEqual([]);
    rules.base.add("e:c e:knows e:a .");
    expect(rules.base.derived()).toEqual([]);
  });

  it("is undone with its transaction", () => {
    const rules = new Rules();
    rules.base.add("e:a e:p e:b .");
    const compiled = rules.compile("{ ?x e:p ?y } => { ?y e:q ?x } .");
    const tx = rules.base.engine.begin();
    const installed = rules.documents.install(tx, compiled);
    for (const _ of tx.settle());
    expect(rules.base.has("e:b e:q e:a .")).toBe(true);
    tx.rollback();
    rules.documents.discard(installed);
    expect(rules.base.derived()).toEqual([]);
    rules.base.add("e:c e:p e:b .");
    expect(rules.base.derived()).toEqual([]);
  });

  it("matches lists and brackets in conditions, whatever their depth", () => {
    const rules = new Rules();
    rules.install("{ ?x e:has ( ?a ?b ) ; e:at [ e:in ?place ] } => { ?a e:before ?b ; e:at ?place } .");
    rules.base.add("e:x e:has (e:one e:two) ; e:at [ e:in e:here ] . e:y e:has (e:one e:two e:three) ; e:at [ e:in e:there ] .");
    expect(rules.base.derived()).toEqual(["one at here", "one before two"]);
  });

  it("derives no literal subjects and no predicates that are not IRIs", () => {
    const rules = new Rules();
    rules.install("{ ?x e:p ?y } => { ?y e:q ?x . ?x ?y e:z } .");
    rules.base.add("e:x e:p 'v' , [] , e:r .");
    expect(rules.base.derived().filter((line) => !line.startsWith("_:"))).toEqual(["r q x", "x r z"]);
  });

  it("feeds ontologies and is fed by them", () => {
    const base = new KnowledgeBase();
    const documents = new RuleDocuments(base.engine, base.terms);
    const compiled = compileRules(`${PREFIX}{ ?x e:fatherOf ?y } => { ?x e:parentOf ?y } .`, base.terms, { name: "doc.n3" });
    base.transact((tx) => void documents.install(tx, compiled));
    base.add("e:parentOf owl:inverseOf e:childOf . e:sired rdfs:subPropertyOf e:fatherOf . e:a e:sired e:b .");
    expect(base.has("e:b e:childOf e:a .")).toBe(true);
  });
});

describe("what is refused", () => {
  const REFUSED: readonly (readonly [what: string, text: string, code: string, line: number])[] = [
    [
      "a variable that only the conclusion has",
      "{ ?x e:p ?y } => { ?x e:q ?y } .\n{ ?a e:knows ?b } => { ?a e:likes ?c } .",
      "SENS_RULE_UNSAFE",
      3,
    ],
    [
      "a built-in",
      "{ ?x e:p ?y .\n ?y <http://www.w3.org/2000/10/swap/math#greaterThan> 3 } => { ?x e:q ?y } .",
      "SENS_RULE_UNSUPPORTED",
      3,
    ],
    ["a formula inside a rule", "{ ?x e:says { ?y e:p ?z } } => { ?y e:p ?x } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a rule inside a conclusion", "{ ?x e:p ?y } => { { ?x e:q ?z } => { ?z e:r ?y } } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a new node in a conclusion", "{ ?x e:p ?y } => { ?x e:q [ e:r ?y ] } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a list in a conclusion", "{ ?x e:p ?y } => { ?x e:q ( ?y ) } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a blank node label", "\n{ ?x e:p [ e:q _:c ] . _:c e:r ?y } => { ?x e:s ?y } .", "SENS_RULE_UNSUPPORTED", 3],
    ["a fact", "{ ?x e:p ?y } => { ?y e:p ?x } .\ne:a e:p e:b .", "SENS_RULE_UNSUPPORTED", 3],
    ["a rule without conditions", "{} => { e:a e:p e:b } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a constraint", "{ ?x e:p ?y } => false .", "SENS_RULE_UNSUPPORTED", 2],
    ["a rule without conclusion", "{ ?x e:p ?y } => {} .", "SENS_RULE_UNSUPPORTED", 2],
    ["a quantifier", "@forAll e:x . { e:x e:p ?y } => { ?y e:p e:x } .", "SENS_RULE_UNSUPPORTED", 2],
    ["a literal subject in a conclusion", "{ ?x e:p ?y } => { 1 e:p ?x } .", "SENS_RULE_UNSUPPORTED", 2],
    ["text that is not N3", "{ ?x e:p ?y } => { ?x e:q", "SENS_SYNTAX", 2],
    ["an unknown prefix", "{ ?x e:p ?y }\n=> { ?x f:q ?y } .", "SENS_SYNTAX", 3],
    ["a relative IRI", "{ ?x <p> ?y } => { ?x e:q ?y } .", "SENS_RELATIVE_IRI", 2],
  ];
  it.each(REFUSED)("%s", (_what, text, code, line) => {
    expect(() => new Rules().compile(text)).toThrow(expect.objectContaining({ code, position: expect.objectContaining({ line }) }));
  });

  it("says of a built-in what does it instead", () => {
    const rule = "{ ?x e:p ?y . ?y <http://www.w3.org/2000/10/swap/math#greaterThan> 3 } => { ?x e:q ?y } .";
    expect(() => new Rules().compile(rule)).toThrow(
      /math#greaterThan> is not supported\..*continuous insertion \(CONSTRUCT\).*FILTER.*BIND\./,
    );
  });

  it("says which rule and which variable", () => {
    expect(() => new Rules().compile("{ ?a e:knows ?b } => { ?a e:likes ?c } .")).toThrow(
      "doc.n3, rule on line 2: the variable ?c is concluded (line 2) but no condition binds it. Add a condition with ?c. Nothing of the document was installed.",
    );
  });

  it("accepts the same text as its own words: implies spelled out, comments, nothing at all", () => {
    const rules = new Rules();
    expect(
      rules.compile("@prefix log: <http://www.w3.org/2000/10/swap/log#> . { ?x e:p ?y } log:implies { ?y e:p ?x } .").rules,
    ).toHaveLength(1);
    expect(rules.compile("# later").rules).toEqual([]);
  });
});

describe("recursive rules with constants and repeated variables", () => {
  const REACH =
    "{ ?x e:edge ?y } => { ?x e:reach ?y } . { ?x e:reach ?y . ?y e:edge ?z } => { ?x e:reach ?z } . { e:a e:reach ?y } => { ?y a e:FromA } . { ?x e:reach ?x } => { ?x a e:OnLoop } .";
  const EDGES = "e:a e:edge e:b . e:b e:edge e:c . e:c e:edge e:d . e:c e:edge e:a . e:e e:edge e:e .";

  it("reach exactly what is reachable", () => {
    const rules = new Rules();
    rules.install(REACH);
    rules.base.add(EDGES);
    const derived = rules.base.derived();
    expect(derived.filter((line) => line.endsWith("FromA"))).toEqual(["a type FromA", "b type FromA", "c type FromA", "d type FromA"]);
    expect(derived.filter((line) => line.endsWith("OnLoop"))).toEqual(["a type OnLoop", "b type OnLoop", "c type OnLoop", "e type OnLoop"]);
  });

  it("agree with a naive evaluation: random programs, facts in batches and one by one, added and removed", () => {
    const programs = process.env.SENS_FULL === "1" ? 1000 : 200;
    for (let seed = 1; seed <= programs; seed++) checkProgram(seed);
  });
});

type Pattern = readonly [string, string, string];
interface Program {
  readonly rules: readonly { readonly body: readonly Pattern[]; readonly head: readonly Pattern[] }[];
  readonly facts: readonly Pattern[];
}

function randomProgram(random: Random): Program {
  const below = (n: number): number => Math.floor(random.next() * n);
  const name = (): string => `e:n${below(4)}`;
  const predicate = (): string => `e:p${below(3)}`;
  const variables = ["?x", "?y", "?z"];
  const end = (): string => (random.next() < 0.2 ? name() : variables[below(3)]);
  const rule = (): Program["rules"][number] => {
    const body = Array.from(
      { length: 1 + below(3) },
      (): Pattern => [end(), random.next() < 0.08 ? variables[below(3)] : predicate(), end()],
    );
    const bound = [...new Set(body.flat().filter((part) => part.startsWith("?")))];
    const part = (): string => (bound.length > 0 && random.next() < 0.85 ? bound[below(bound.length)] : name());
    return { body, head: Array.from({ length: 1 + below(2) }, (): Pattern => [part(), predicate(), part()]) };
  };
  return {
    rules: Array.from({ length: 1 + below(4) }, rule),
    facts: Array.from({ length: 12 }, (): Pattern => [name(), predicate(), name()]),
  };
}

function naive(program: Program, facts: Iterable<string>): Set<string> {
  const known = new Set(facts);
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const { body, head } of program.rules) {
      let solutions: Map<string, string>[] = [new Map()];
      for (const pattern of body)
        solutions = solutions.flatMap((solution) => [...known].flatMap((fact) => match(pattern, fact.split(" "), solution) ?? []));
      for (const solution of solutions) for (const pattern of head) known.add(pattern.map((part) => solution.get(part) ?? part).join(" "));
    }
  }
  return known;
}

function match(pattern: Pattern, fact: readonly string[], solution: Map<string, string>): Map<string, string>[] | undefined {
  const extended = new Map(solution);
  for (let i = 0; i < 3; i++) {
    const value = pattern[i].startsWith("?") ? (extended.get(pattern[i]) ?? fact[i]) : pattern[i];
    if (value !== fact[i]) return undefined;
    if (pattern[i].startsWith("?")) extended.set(pattern[i], value);
  }
  return [extended];
}

function checkProgram(seed: number): void {
  const random = seededRandom(seed);
  const program = randomProgram(random);
  const text = program.rules
    .map(({ body, head }) => `{ ${body.map((p) => p.join(" ")).join(" . ")} } => { ${head.map((p) => p.join(" ")).join(" . ")} } .`)
    .join("\n");
  const rules = new Rules();
  const triple = (fact: string): Triple => rules.base.parse(`${fact} .`)[0];
  const stated = new Set<string>();
  let installed: InstalledRules | undefined;
  for (let step = 0; step < 8; step++) {
    if (step === 2 || random.next() < 0.1) {
      if (installed) rules.remove(installed);
      installed = installed ? undefined : rules.install(text);
    }
    const batch = Array.from({ length: random.next() < 0.5 ? 1 : 6 }, () =>
      program.facts[Math.floor(random.next() * program.facts.length)].join(" "),
    );
    rules.base.transact((tx) => {
      for (const fact of new Set(batch)) {
        const [s, p, o] = triple(fact);
        if (stated.delete(fact)) tx.retract(s, p, o, 0);
        else {
          stated.add(fact);
          tx.assert(s, p, o, 0);
        }
      }
    });
    const expected = [...(installed ? naive(program, stated) : stated)].map((fact) => triple(fact).join()).sort();
    const got: string[] = [];
    rules.base.engine.quads.match(0, 0, 0, 0, rules.base.engine.tick, (s, p, o) => {
      got.push([s, p, o].join());
      return true;
    });
    expect(got.sort(), `seed ${seed}, step ${step}:\n${text}`).toEqual(expected);
  }
}
