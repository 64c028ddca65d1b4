import { describe, expect, it } from "vitest";
import { seededRandom } from "../base/index.ts";
import { explain, type ProofTree } from "./explain.ts";
import { KnowledgeBase, shorten, type Triple } from "./knowledge-base.fixture.ts";
import { naiveClosure } from "./naive-owl.fixture.ts";
import { randomHistory } from "./random-ontology.fixture.ts";
import { compileRules, RuleDocuments } from "./rule-documents.ts";

function prove(base: KnowledgeBase, turtle: string, depthMax?: number): ProofTree | undefined {
  const [[s, p, o]] = base.parse(turtle);
  return explain(base.engine, [s, p, o, 0], { depthMax });
}

function text(base: KnowledgeBase, { statement, kind, rule, premises, cut }: ProofTree, indent = ""): string {
  const line = shorten(
    `${statement
      .slice(0, 3)
      .map((id) => base.terms.ntriples(id))
      .join(" ")} .`,
  );
  return [`${indent}${line} (${rule ?? kind}${cut ? ", cut" : ""})`, ...premises.map((premise) => text(base, premise, `${indent}  `))].join(
    "\n",
  );
}

/** Every step follows from its premises by the rules alone, no statement rests on itself, leaves are stated. */
function checkProof(base: KnowledgeBase, tree: ProofTree, above: ReadonlySet<string> = new Set()): void {
  const key = tree.statement.join();
  expect(above.has(key), `${key} rests on itself`).toBe(false);
  expect(base.engine.isVisible(...tree.statement)).toBe(true);
  if (tree.kind === "derived" && !tree.cut) {
    const premises = tree.premises.map(({ statement: [s, p, o] }): Triple => [s, p, o]);
    const follows = naiveClosure(base.terms, premises).some((triple) => triple.join() === tree.statement.slice(0, 3).join());
    expect(follows, text(base, tree)).toBe(true);
  } else if (tree.kind === "asserted") expect(base.engine.quads.isAsserted(...tree.statement)).toBe(true);
  const below = new Set(above).add(key);
  for (const premise of tree.premises) checkProof(base, premise, below);
}

describe("explain", () => {
  it("names the axioms a statement follows from", () => {
    const base = new KnowledgeBase();
    base.add(
      "e:hasParent rdfs:subPropertyOf e:hasAncestor . e:hasAncestor a owl:TransitiveProperty . e:a e:hasParent e:b . e:b e:hasParent e:c .",
    );
    expect(text(base, prove(base, "e:a e:hasAncestor e:c .") as ProofTree)).toBe(
      [
        "e:a e:hasAncestor e:c (transitive)",
        "  e:a e:hasAncestor e:b (subPropertyOf)",
        "    e:a e:hasParent e:b (asserted)",
        "    e:hasParent subPropertyOf e:hasAncestor (asserted)",
        "  e:b e:hasAncestor e:c (subPropertyOf)",
        "    e:b e:hasParent e:c (asserted)",
        "    e:hasParent subPropertyOf e:hasAncestor (asserted)",
        "  e:hasAncestor type TransitiveProperty (asserted)",
      ]
        .join("\n")
        .replaceAll("e:", ""),
    );
  });

  it("marks ontology statements and where it was cut", () => {
    const base = new KnowledgeBase("rdfs");
    const axioms = base.parse("e:A rdfs:subClassOf e:B . e:B rdfs:subClassOf e:C .");
    base.transact((tx) => {
      for (const [s, p, o] of axioms) tx.supply(s, p, o);
    });
    base.add("e:x a e:A .");
    expect(prove(base, "e:x a e:C .", 1)).toMatchObject({
      rule: "subClassOf",
      premises: [{ kind: "derived", cut: true }, { kind: "ontology" }],
    });
    expect(prove(base, "e:x a e:C .", 0)).toMatchObject({ kind: "derived", cut: true, premises: [] });
    expect(prove(base, "e:x a e:D .")).toBeUndefined();
  });

  it("names a rule by document and line, and shows list cells behind chains", () => {
    const base = new KnowledgeBase();
    const documents = new RuleDocuments(base.engine, base.terms);
    const compiled = compileRules("@prefix e: <http://example.org/> .\n{ ?x e:p ?y } => { ?y e:q ?x } .", base.terms, { name: "mine.n3" });
    base.transact((tx) => void documents.install(tx, compiled));
    base.add("e:r owl:propertyChainAxiom (e:q e:s e:t) . e:a e:p e:b . e:a e:s e:c . e:c e:t e:d .");
    expect(prove(base, "e:b e:q e:a .")).toMatchObject({ rule: "mine.n3, line 2", premises: [{ kind: "asserted", premises: [] }] });
    const proof = prove(base, "e:b e:r e:d .") as ProofTree;
    expect(proof.rule).toBe("propertyChainAxiom (longer)");
    expect(proof.premises.filter(({ kind }) => kind === "asserted")).toHaveLength(2 + 1 + 6);
  });

  it("gives checked proofs of everything that follows, in random knowledge bases with history", () => {
    const seeds = process.env.SENS_FULL === "1" ? 400 : 25;
    for (let seed = 1; seed <= seeds; seed++) {
      const base = new KnowledgeBase("owl");
      const { items, steps } = randomHistory(seededRandom(seed), base, { axioms: 8, facts: 8, steps: 4, meta: 0 });
      for (const step of steps) {
        const flipped = step.items.flatMap((item) => items[item]);
        base.transact((tx) => {
          for (const [s, p, o] of flipped) if (!tx.retract(s, p, o, 0)) tx.assert(s, p, o, 0);
        });
      }
      base.engine.reader().match(0, 0, 0, 0, (s, p, o) => {
        checkProof(base, explain(base.engine, [s, p, o, 0], { depthMax: 4 }) as ProofTree);
        return true;
      });
    }
  });
});
