/** Cases of area reason. README.md beside this file lists all cases. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { ask, graph, open, PREFIXES, publish, retract, rows, subscribed, turn, update } from "./knowledge.fixture.ts";

const EVERYTHING = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
const A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const owl = () => open({ reasoning: "owl" });

describe("what goes when a reason goes", () => {
  it("P38: with a fact goes everything that followed from it alone, and subscribers are told", async () => {
    const { session } = await owl();
    await publish(session, "e:partOf owl:inverseOf e:hasPart . e:hasPart rdfs:domain e:Whole . e:Whole rdfs:subClassOf e:Object .");
    await publish(session, "e:bell e:partOf e:bike .");
    const told = await subscribed(session, "CONSTRUCT { ?s ?p ?o } WHERE { VALUES ?s { e:bike } ?s ?p ?o }");
    const consequences = [`e:bike ${A} e:Object`, `e:bike ${A} e:Whole`, "e:bike e:hasPart e:bell"];
    expect(await graph(session, "CONSTRUCT { e:bike ?p ?o } WHERE { e:bike ?p ?o }")).toEqual(expect.arrayContaining(consequences));
    await retract(session, "e:bell e:partOf e:bike .");
    expect(await ask(session, "e:bike ?p ?o")).toBe(false);
    expect(told.added).toEqual([]);
    expect(told.removed).toEqual(expect.arrayContaining(consequences));
    expect(told.notifications).toHaveLength(1);
  });

  const steps: Readonly<Record<string, string>> = { stated: "e:x a e:B .", premise: "e:x a e:A ." };
  const orders = [
    ["stated", "premise"],
    ["premise", "stated"],
  ];
  it.each(orders.flatMap((added) => orders.map((removed) => [added, removed])))(
    "P40: stated and derivable, added as %s and retracted as %s: one appearance and one disappearance",
    async (added, removed) => {
      const { session } = await owl();
      await publish(session, "e:A rdfs:subClassOf e:B .");
      const told = await subscribed(session, "CONSTRUCT { e:x a e:B } WHERE { e:x a e:B }");
      for (const step of added) await publish(session, steps[step]);
      await retract(session, steps[removed[0]]);
      expect(await ask(session, "e:x a e:B")).toBe(true);
      await retract(session, steps[removed[1]]);
      expect(await ask(session, "e:x a e:B")).toBe(false);
      expect(told.deltas).toEqual([
        { added: [`e:x ${A} e:B`], removed: [] },
        { added: [], removed: [`e:x ${A} e:B`] },
      ]);
    },
  );

  it("P41: of two reasons one may go; with both it is gone, also in one transaction", async () => {
    const data = `e:Car rdfs:subClassOf e:Vehicle . e:Cab rdfs:subClassOf e:Vehicle . e:x a e:Car, e:Cab .
      e:to a owl:TransitiveProperty . e:p e:to e:m1, e:m2 . e:m1 e:to e:q . e:m2 e:to e:q .`;
    const facts = [`e:p e:to e:q`, `e:x ${A} e:Vehicle`];
    const query = "CONSTRUCT { ?s ?p ?o } WHERE { VALUES (?s ?p ?o) { (e:x rdf:type e:Vehicle) (e:p e:to e:q) } ?s ?p ?o }";
    const both = query.replaceAll("rdf:type", A);
    const one = await owl();
    await publish(one.session, data);
    const told = await subscribed(one.session, both);
    await retract(one.session, "e:x a e:Car . e:m1 e:to e:q .");
    expect(await graph(one.session, both)).toEqual(facts);
    await retract(one.session, "e:x a e:Cab . e:p e:to e:m2 .");
    expect(await graph(one.session, both)).toEqual([]);
    expect(told.deltas).toEqual([{ added: [], removed: facts }]);
    const two = await owl();
    await publish(two.session, data);
    const toldOnce = await subscribed(two.session, both);
    await retract(two.session, "e:x a e:Car, e:Cab . e:m1 e:to e:q . e:m2 e:to e:q .");
    expect(toldOnce.deltas).toEqual([{ added: [], removed: facts }]);
  });
});

describe("what is told", () => {
  it("P44: no statement has a literal as subject, and an export can be read again", async () => {
    const { session } = await owl();
    const told = await subscribed(session, EVERYTHING);
    await publish(
      session,
      `e:born a owl:DatatypeProperty ; rdfs:range xsd:date ; rdfs:subPropertyOf e:about . e:about owl:inverseOf e:of .
       e:kim e:born "2021-03-04"^^xsd:date . e:kim owl:sameAs "kim" .`,
    );
    expect(await ask(session, "e:kim e:about ?d")).toBe(true);
    const exported = (await session.query({ query: EVERYTHING })).graph?.ntriples ?? "";
    for (const text of [exported, ...told.notifications.map(({ added }) => added)])
      expect(text.split("\n").filter((line) => line.startsWith('"'))).toEqual([]);
    expect(await ask(session, "?s ?p ?o FILTER(isLiteral(?s))")).toBe(false);
    const again = await owl();
    await again.session.publish({ data: exported });
    expect(await graph(again.session, EVERYTHING)).toEqual(await graph(session, EVERYTHING));
  });

  it("P53: who watches everything about a thing is told knowledge, not noise", async () => {
    const { session } = await owl();
    const about = await subscribed(session, "CONSTRUCT { e:x ?p ?o } WHERE { e:x ?p ?o }");
    const to = await subscribed(session, "CONSTRUCT { ?s ?p e:x } WHERE { ?s ?p e:x }");
    await publish(session, "e:x e:p e:y .");
    expect(about.deltas).toEqual([{ added: ["e:x e:p e:y"], removed: [] }]);
    expect(to.notifications).toEqual([]);
    await publish(session, "e:p rdfs:domain e:D .");
    expect(about.added.slice(1)).toEqual([`e:x ${A} e:D`]);
  });
});

describe("many consequences", () => {
  const FULL = process.env.SENS_FULL === "1";
  const PEOPLE = FULL ? 40 : 12;
  const FACTS = 20;
  const sharedPage = Array.from(
    { length: PEOPLE },
    (_, i) => `e:p${i} e:page e:home ${Array.from({ length: FACTS }, (_, j) => `; e:f${j} "${i}-${j}"`).join(" ")} .`,
  ).join("\n");

  it(`P46: ${PEOPLE} people of one page are merged, explained, split off, and not merged without the axiom`, async () => {
    const { service, session } = await owl();
    await publish(session, "e:page a owl:InverseFunctionalProperty .");
    await publish(session, sharedPage);
    expect(await rows(session, "SELECT (COUNT(*) AS ?n) { e:p3 e:f7 ?v }")).toEqual([[String(PEOPLE)]]);
    // Every fact of everyone, the page, who is whom, and the axiom: no more (docs/decisions/0006-same-as.md).
    expect(service.figures().quads).toBeLessThanOrEqual(PEOPLE * (PEOPLE * FACTS + PEOPLE + 1) + 1);
    const proof = await session.explain("<http://example.org/p3> <http://www.w3.org/2002/07/owl#sameAs> <http://example.org/p8> .");
    expect(JSON.stringify(proof)).toContain("InverseFunctionalProperty");
    await retract(session, "e:p3 e:page e:home .");
    expect(await rows(session, "SELECT ?v { e:p3 e:f7 ?v }")).toEqual([["3-7"]]);
    expect(await rows(session, "SELECT (COUNT(*) AS ?n) { e:p8 e:f7 ?v }")).toEqual([[String(PEOPLE - 1)]]);
    await retract(session, "e:page a owl:InverseFunctionalProperty .");
    expect(await rows(session, "SELECT ?v { e:p8 e:f7 ?v }")).toEqual([["8-7"]]);
    expect(await ask(session, "e:p8 owl:sameAs e:p9")).toBe(false);
  });

  it("P47: a chain that leads into itself and a symmetric transitive property end, and others are answered meanwhile", async () => {
    const SIZE = FULL ? 300 : 120;
    const { session } = await owl();
    await publish(
      session,
      `e:involves owl:propertyChainAxiom ( e:involves e:hasPart ) . e:hasPart a owl:TransitiveProperty .
       e:overlaps a owl:SymmetricProperty, owl:TransitiveProperty .`,
    );
    const node = (i: number): string => `e:n${i} e:hasPart e:n${i + 1} ; e:involves e:n${i} ; e:overlaps e:n${(i * 7) % SIZE} .`;
    const loading = publish(session, Array.from({ length: SIZE }, (_, i) => node(i)).join("\n"));
    let loaded = false;
    let answeredMeanwhile = 0;
    void loading.then(() => {
      loaded = true;
    });
    while (!loaded) {
      expect(await ask(session, "e:hasPart a owl:TransitiveProperty")).toBe(true);
      if (!loaded) answeredMeanwhile++;
      await turn();
    }
    await loading;
    // The transaction rests after every slice of work: one or two answers would only show that it had not begun.
    expect(answeredMeanwhile).toBeGreaterThan(3);
    const pairs = (p: string) => rows(session, `SELECT (COUNT(*) AS ?n) { ?s ${p} ?o FILTER(STRSTARTS(STR(?s), "http://example.org/n")) }`);
    expect(await pairs("e:hasPart")).toEqual([[String((SIZE * (SIZE + 1)) / 2)]]);
    expect(await pairs("e:involves")).toEqual([[String((SIZE * (SIZE + 3)) / 2)]]);
    await retract(session, "e:n60 e:hasPart e:n61 .");
    expect(await ask(session, "e:n0 e:involves e:n60")).toBe(true);
    expect(await ask(session, "e:n0 e:involves e:n61")).toBe(false);
  });

  it("P49: a property chain is followed in its order, with three steps too, and survives export and import", async () => {
    const data = `e:holds owl:propertyChainAxiom ( e:hasShelf e:holds ) . e:roomA e:hasShelf e:shelfA . e:shelfA e:holds e:jar .
      e:reaches owl:propertyChainAxiom ( e:a e:b e:c ) . e:1 e:a e:2 . e:2 e:b e:3 . e:3 e:c e:4 . e:5 e:c e:6 . e:6 e:b e:7 . e:7 e:a e:8 .`;
    const first = await owl();
    await publish(first.session, data);
    const exported = (await first.session.query({ query: EVERYTHING })).graph?.ntriples ?? "";
    const second = await owl();
    await second.session.publish({ data: exported });
    for (const { session } of [first, second]) {
      expect(await graph(session, "CONSTRUCT { ?s e:holds ?o } WHERE { ?s e:holds ?o }")).toEqual([
        "e:roomA e:holds e:jar",
        "e:shelfA e:holds e:jar",
      ]);
      expect(await graph(session, "CONSTRUCT { ?s e:reaches ?o } WHERE { ?s e:reaches ?o }")).toEqual(["e:1 e:reaches e:4"]);
    }
  });
});

describe("rules", () => {
  const rule = (text: string): { readonly name: string; readonly contentType: string; readonly content: string } => ({
    name: "r",
    contentType: "text/n3",
    content: PREFIXES + text,
  });

  it("P50: a variable of the head that no condition binds is refused by name, with the whole document", async () => {
    const { session } = await open();
    const document = rule("{ ?a e:knows ?b } => { ?a e:met ?b } .\n{ ?a e:knows ?b } => { ?a e:likes ?c } .");
    await expect(session.putRule(document)).rejects.toMatchObject({ status: 422, message: expect.stringMatching(/r.*\?c/s) });
    expect(session.rules()).toEqual([]);
    await publish(session, "e:1 e:knows e:2 .");
    expect(await ask(session, "?a e:met ?b")).toBe(false);
    const negated = "CONSTRUCT { ?a e:lone ?c } WHERE { ?a e:knows ?b FILTER NOT EXISTS { ?c e:knows ?a } }";
    await expect(session.registerInsertion({ query: PREFIXES + negated })).rejects.toMatchObject({
      message: expect.stringContaining("?c"),
    });
  });

  it("P52: recursive rules with constants and repeated variables miss nothing", async () => {
    const { session } = await open();
    await session.putRule(
      rule(`{ ?x e:edge ?y } => { ?x e:reach ?y } . { ?x e:reach ?y . ?y e:edge ?z } => { ?x e:reach ?z } .
        { e:a e:reach ?y } => { ?y a e:FromA } . { ?x e:reach ?x } => { ?x a e:Self } .`),
    );
    await publish(session, "e:a e:edge e:b . e:b e:edge e:c . e:c e:edge e:d . e:c e:edge e:a . e:f e:edge e:f .");
    expect(await rows(session, "SELECT ?y { ?y a e:FromA } ORDER BY ?y")).toEqual([["e:a"], ["e:b"], ["e:c"], ["e:d"]]);
    expect(await rows(session, "SELECT ?y { ?y a e:Self } ORDER BY ?y")).toEqual([["e:a"], ["e:b"], ["e:c"], ["e:f"]]);
    await update(session, "DELETE DATA { e:c e:edge e:a }");
    expect(await rows(session, "SELECT ?y { ?y a e:Self }")).toEqual([["e:f"]]);
  });

  const PROGRAMS = process.env.SENS_FULL === "1" ? 200 : 40;
  it(`P52: ${PROGRAMS} random programs give what a naive evaluation gives, fact by fact and at once`, async () => {
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const { rules, facts } = randomProgram(seed);
      const expected = naive(rules, facts).sort();
      const n3 = rules.map(({ head, body }) => `{ ${body.map(n3Atom).join(" . ")} } => { ${n3Atom(head)} } .`).join("\n");
      const [stepwise, atOnce] = [await open(), await open()];
      await stepwise.session.putRule(rule(n3));
      for (const fact of facts) await publish(stepwise.session, `${n3Atom(fact)} .`);
      await publish(atOnce.session, `${facts.map(n3Atom).join(" . ")} .`);
      await atOnce.session.putRule(rule(n3));
      for (const { session, service } of [stepwise, atOnce]) {
        expect(await graph(session, EVERYTHING), `seed ${seed}: ${n3}`).toEqual(expected);
        await service.close();
      }
    }
  });
});

/** s, p, o; a term that begins with `?` is a variable. */
type Atom = readonly [string, string, string];
interface Rule {
  readonly head: Atom;
  readonly body: readonly Atom[];
}

function n3Atom(atom: Atom): string {
  return atom.map((term) => (term.startsWith("?") ? term : `e:${term}`)).join(" ");
}

function randomProgram(seed: number): { readonly rules: Rule[]; readonly facts: Atom[] } {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)];
  const predicates = ["p", "q", "r"];
  const nodes = ["a", "b", "c", "d"];
  const term = (variables: readonly string[]): string => (random.next() < 0.2 ? pick(nodes) : pick(variables));
  const atom = (variables: readonly string[]): Atom => [term(variables), pick(predicates), term(variables)];
  const rules = Array.from({ length: 4 }, (): Rule => {
    const body = Array.from({ length: 1 + Math.floor(random.next() * 2) }, () => atom(["?x", "?y", "?z"]));
    const bound = body.flat().filter((term) => term.startsWith("?"));
    return { body, head: atom(bound.length > 0 ? bound : nodes) };
  });
  const facts = new Map<string, Atom>();
  while (facts.size < 6) {
    const fact: Atom = [pick(nodes), pick(predicates), pick(nodes)];
    facts.set(fact.join(), fact);
  }
  return { rules, facts: [...facts.values()] };
}

/** Applies every rule to every combination of facts until nothing is new. */
function naive(rules: readonly Rule[], facts: readonly Atom[]): string[] {
  const known = new Map(facts.map((fact) => [fact.join(), fact]));
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const { head, body } of rules) {
      let bindings: Map<string, string>[] = [new Map()];
      for (const atom of body) bindings = bindings.flatMap((binding) => [...known.values()].flatMap((fact) => match(atom, fact, binding)));
      for (const binding of bindings) {
        const derived = head.map((term) => binding.get(term) ?? term) as [string, string, string];
        known.set(derived.join(), derived);
      }
    }
  }
  return [...known.values()].map(n3Atom);
}

function match(atom: Atom, fact: Atom, binding: ReadonlyMap<string, string>): Map<string, string>[] {
  const extended = new Map(binding);
  for (const [i, term] of atom.entries()) {
    const value = term.startsWith("?") ? (extended.get(term) ?? fact[i]) : term;
    if (value !== fact[i]) return [];
    if (term.startsWith("?")) extended.set(term, value);
  }
  return [extended];
}
