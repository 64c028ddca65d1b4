import { describe, expect, it } from "vitest";
import { Knowledge } from "../../test/conformance/sparql-query-knowledge.ts";

describe("standing queries", () => {
  it("a triple with several supports is there until the last is gone", () => {
    const knowledge = new Knowledge();
    const seen = knowledge.subscribe("CONSTRUCT { ?s a :Seen } { ?s :x ?y }");
    for (const value of [1, 2, 3]) {
      knowledge.update(`INSERT DATA { :a :x ${value} }`);
      expect(seen.result()).toHaveLength(1);
    }
    for (const value of [1, 2]) knowledge.update(`DELETE DATA { :a :x ${value} }`);
    expect(seen.result()).toHaveLength(1);
    knowledge.update("DELETE DATA { :a :x 3 }");
    expect(seen.result()).toEqual([]);
  });

  it("blank nodes of a template are the same for the same solution, and told apart by solution", () => {
    const knowledge = new Knowledge();
    const result = knowledge.subscribe("CONSTRUCT { _:n :of ?s ; :val ?v } { ?s :x ?v }");
    knowledge.update("INSERT DATA { :b :x 2 }");
    const first = result.result();
    expect(first).toHaveLength(2);
    knowledge.update("INSERT DATA { :a :x 1 }");
    expect(result.result()).toHaveLength(4);
    expect(result.result()).toEqual(expect.arrayContaining(first));
    expect(new Set(result.result().map((triple) => triple.split(" ")[0])).size).toBe(2);
    const other = new Knowledge();
    const again = other.subscribe("CONSTRUCT { _:other :of ?subject ; :val ?value } { ?subject :x ?value }");
    other.update("INSERT DATA { :b :x 2 }");
    expect(again.result()).toEqual(first);
  });

  it("the bare row of an OPTIONAL makes way for the richer one and comes back", () => {
    const knowledge = new Knowledge();
    const rows = knowledge.subscribe("SELECT ?n ?en { ?t a :Thing ; :name ?n OPTIONAL { ?t :event ?ev . ?ev :name ?en } }");
    const triples = knowledge.subscribe(
      "CONSTRUCT { ?t :shows ?n . ?t :hasEv ?en } { ?t a :Thing ; :name ?n OPTIONAL { ?t :event ?ev . ?ev :name ?en } }",
    );
    knowledge.update('INSERT DATA { :t a :Thing ; :name "lamp" }');
    expect(rows.result()).toEqual(['"lamp" -']);
    expect(triples.result()).toEqual([':t :shows "lamp"']);
    knowledge.update('INSERT DATA { :t :event :ev1 . :ev1 :name "on" }');
    expect(rows.result()).toEqual(['"lamp" "on"']);
    expect(triples.result()).toEqual([':t :hasEv "on"', ':t :shows "lamp"']);
    knowledge.update('DELETE DATA { :t :event :ev1 . :ev1 :name "on" }');
    expect(rows.result()).toEqual(['"lamp" -']);
  });

  it("MINUS is kept up to date, and removes nothing without shared variables", () => {
    const knowledge = new Knowledge();
    const apart = knowledge.subscribe("SELECT * { ?s :x ?o MINUS { ?a :x ?b } }");
    const shared = knowledge.subscribe("SELECT ?s { ?s :x ?o MINUS { ?s :y ?b } MINUS { ?b :z ?s } }");
    knowledge.update("INSERT DATA { :a :x 1 . :b :x 1 . :c :x 1 ; :y 1 . :q :z :b }");
    expect(apart.result()).toHaveLength(3);
    expect(shared.result()).toEqual([":a"]);
    knowledge.update("DELETE DATA { :c :y 1 . :q :z :b }");
    expect(shared.result()).toEqual([":a", ":b", ":c"]);
  });

  it("queries that differ in constants and names share a shape", () => {
    const knowledge = new Knowledge();
    const key = (text: string) => {
      const plan = knowledge.plan(text);
      return plan.mode === "incremental" ? plan.plan.key : plan.why;
    };
    const one = key("CONSTRUCT { ?s :seen ?o } { ?s :p ?o . ?o a :C FILTER(?o != :x) }");
    expect(key("CONSTRUCT { ?a :told ?b } { ?a :q ?b . ?b a :D FILTER(?b != :y) }")).toBe(one);
    expect(key("CONSTRUCT { ?a :told ?b } { ?b a :D . ?a :q ?b FILTER(?b != :y) }")).toBe(one);
    expect(key("CONSTRUCT { ?a :told ?b } { ?a :q ?b . ?a a :D FILTER(?b != :y) }")).not.toBe(one);
    knowledge.update("INSERT DATA { :s :p :o . :o a :C . :s :q :u . :u a :D }");
    const [first, second] = [
      knowledge.subscribe("CONSTRUCT { ?s :seen ?o } { ?s :p ?o . ?o a :C FILTER(?o != :x) }"),
      knowledge.subscribe("CONSTRUCT { ?a :told ?b } { ?a :q ?b . ?b a :D FILTER(?b != :y) }"),
    ];
    expect(first.relation).toBe(second.relation);
    expect([first.result(), second.result()]).toEqual([[":s :seen :o"], [":s :told :u"]]);
  });

  it("the lowest by ORDER BY and LIMIT is kept, for waits that take it", () => {
    const knowledge = new Knowledge();
    const lowest = knowledge.subscribe("CONSTRUCT { ?j :at ?v } { ?j :prio ?v } ORDER BY ?v LIMIT 1", "solutions");
    knowledge.update("INSERT DATA { :a :prio 10 . :b :prio 2 . :c :prio 11 }");
    expect(lowest.result()).toEqual([':b "2"^^integer']);
    const [row] = [...lowest.relation.rows(lowest.instance)];
    expect(lowest.plan.instantiate?.(row.values.slice(1)).map((triple) => knowledge.text(triple))).toEqual([':b :at "2"^^integer']);
    knowledge.update("DELETE DATA { :b :prio 2 }");
    expect(lowest.result()).toEqual([':a "10"^^integer']);
    knowledge.update("INSERT DATA { :d :prio 1 }");
    expect(lowest.result()).toEqual([':d "1"^^integer']);
  });

  it("LIMIT and OFFSET without ORDER BY take terms in order", () => {
    const knowledge = new Knowledge();
    const two = knowledge.subscribe("SELECT ?s { ?s :p ?o } OFFSET 1 LIMIT 2");
    knowledge.update("INSERT DATA { :d :p 1 . :a :p 1 . :c :p 1 . :b :p 1 }");
    expect(two.result()).toEqual([":b", ":c"]);
    knowledge.update("DELETE DATA { :a :p 1 }");
    expect(two.result()).toEqual([":c", ":d"]);
  });

  it("aggregates follow changes, and a count without groups is there from the start", () => {
    const knowledge = new Knowledge();
    const all = knowledge.subscribe("SELECT (COUNT(*) AS ?n) { ?s :v ?v }");
    const byKind = knowledge.subscribe("SELECT ?k (SUM(?v) AS ?t) { ?s :kind ?k ; :v ?v } GROUP BY ?k HAVING(COUNT(*) > 1)");
    expect(all.result()).toEqual(['"0"^^integer']);
    knowledge.update("INSERT DATA { :a :kind :x ; :v 1 . :b :kind :x ; :v 2 . :c :kind :y ; :v 5 }");
    expect(all.result()).toEqual(['"3"^^integer']);
    expect(byKind.result()).toEqual([':x "3"^^integer']);
    knowledge.update("DELETE DATA { :a :v 1 }");
    expect(byKind.result()).toEqual([]);
  });

  it("an insertion derives knowledge that other queries see, and that goes with its support", async () => {
    const knowledge = new Knowledge();
    const plan = knowledge.plan("CONSTRUCT { ?a :grandparent ?c } { ?a :parent/:parent ?c }", "insertion");
    if (plan.mode !== "incremental") throw new Error(plan.why);
    const transaction = knowledge.engine.begin();
    transaction.addInstance(knowledge.engine.pipelineOf(plan.plan), plan.plan.constants);
    for (const _ of transaction.settle());
    transaction.commit();
    knowledge.update("INSERT DATA { :a :parent :b . :b :parent :c }");
    expect(await knowledge.rows("SELECT ?s ?o { ?s :grandparent ?o }")).toEqual([":a :c"]);
    knowledge.update("DELETE DATA { :b :parent :c }");
    expect(await knowledge.rows("SELECT ?s ?o { ?s :grandparent ?o }")).toEqual([]);
  });

  it("paths of any length are re-evaluated, and say what they read", () => {
    const knowledge = new Knowledge();
    const plan = knowledge.plan("CONSTRUCT { ?a :reaches ?b } { ?a :p+ ?b }");
    expect(plan).toMatchObject({ mode: "re-evaluated", why: expect.stringContaining("paths") });
    expect(plan.dependsOn).toEqual(new Set([knowledge.terms.iri("http://e/p")]));
    expect(knowledge.plan("CONSTRUCT { ?a :reaches ?b } { ?a :p* ?b }").dependsOn).toBe("*");
  });

  it.each([
    ["NOW", "CONSTRUCT { ?s :p ?n } { ?s :q ?o BIND(NOW() AS ?n) }", "SENS_NON_DETERMINISTIC"],
    ["RAND", "SELECT ?s { ?s :q ?o FILTER(RAND() < 0.5) }", "SENS_NON_DETERMINISTIC"],
    ["ASK", "ASK { ?s ?p ?o }", "SENS_QUERY_FORM"],
    ["DESCRIBE", "DESCRIBE :a", "SENS_QUERY_FORM"],
    ["an update", "INSERT DATA { :a :b :c }", "SENS_QUERY_FORM"],
    ["SERVICE", "CONSTRUCT { ?s ?p ?o } { SERVICE SILENT <http://127.0.0.1:1/> { ?s ?p ?o } }", "SENS_SERVICE_DISABLED"],
    ["a syntax error", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ", "SENS_SYNTAX"],
    ["a template variable that nothing binds", "CONSTRUCT { ?s :p ?missing } { ?s :q ?o }", "SENS_QUERY_UNSAFE"],
    ["a megabyte of filter", `CONSTRUCT { ?s :p ?o } { ?s :p ?o FILTER(?o IN (${"1,".repeat(500_000)}1)) }`, "SENS_TOO_LARGE"],
  ])("%s is refused with a reason, before anything is registered", (_name, text, code) => {
    const knowledge = new Knowledge();
    expect(() => knowledge.plan(text)).toThrow(expect.objectContaining({ code }));
    expect([...knowledge.engine.pipelines]).toEqual([]);
  });
});
