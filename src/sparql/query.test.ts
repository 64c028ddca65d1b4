import { describe, expect, it } from "vitest";
import { Knowledge } from "../../test/conformance/sparql-query-knowledge.ts";

describe("ad-hoc queries", () => {
  it("DISTINCT over one pattern keeps its constants", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :al a :Person . :rep a :Doc ; :author :al }");
    for (const distinct of ["", "DISTINCT "]) expect(await knowledge.rows(`SELECT ${distinct}?p { ?p a :Person }`)).toEqual([":al"]);
  });

  it("an optional part that matches nowhere leaves its column empty", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :x 1 . :b :x 1 }");
    expect(await knowledge.rows("SELECT ?s ?o { ?s :x 1 OPTIONAL { ?s :none ?o } } ORDER BY ?s")).toEqual([":a -", ":b -"]);
    expect(await knowledge.triples("CONSTRUCT { ?s :is :there ; :o ?o } { ?s :x 1 OPTIONAL { ?s :none ?o } }")).toEqual([
      ":a :is :there",
      ":b :is :there",
    ]);
  });

  it("MINUS without shared variables removes nothing, and its variables stay inside", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :x 1 ; :y 2 . :b :x 1 ; :z 2 }");
    const result = await knowledge.query("SELECT * { ?s :x ?o MINUS { ?a :x ?b } }");
    expect(result).toMatchObject({ variables: ["o", "s"] });
    expect(await knowledge.rows("SELECT ?s { ?s :x ?o MINUS { ?a :x ?b } } ORDER BY ?s")).toEqual([":a", ":b"]);
    expect(await knowledge.rows("SELECT ?s { ?s :x 1 MINUS { ?s :y ?p } MINUS { ?p :none ?s } }")).toEqual([":b"]);
  });

  it("orders by value, and kinds as SPARQL says", async () => {
    const knowledge = new Knowledge().update(
      'INSERT DATA { :a :v 10 . :b :v 2 . :c :v 1 . :d :v 11 . :e :v "x" . :f :v :iri . :g :v [] . :h :other 1 }',
    );
    const rows = await knowledge.rows("SELECT ?s { ?s ?p ?x OPTIONAL { ?s :v ?v } } ORDER BY ?v");
    expect(rows).toEqual([":h", ":g", ":f", ":c", ":b", ":a", ":d", ":e"]);
    expect(await knowledge.rows("SELECT ?v { ?s :v ?v FILTER(isNumeric(?v)) } ORDER BY DESC(?v) LIMIT 1")).toEqual(['"11"^^integer']);
  });

  it("lets the next key decide between equal values", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :k 1.0 ; :n 2 . :b :k 1 ; :n 1 . :c :k 1.00 ; :n 3 }");
    expect(await knowledge.rows("SELECT ?s { ?s :k ?k ; :n ?n } ORDER BY ?k ?n")).toEqual([":b", ":a", ":c"]);
    expect(await knowledge.rows("SELECT ?s { ?s :k ?k ; :n ?n } ORDER BY ?k DESC(?n) LIMIT 2 OFFSET 1")).toEqual([":a", ":b"]);
  });

  it("a subselect's LIMIT and ORDER BY are its own", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :v 2 . :b :v 1 . :c :v 3 }");
    expect(await knowledge.rows("SELECT ?s { { SELECT ?s { ?s :v ?v } ORDER BY ?v LIMIT 2 } } ORDER BY ?s")).toEqual([":a", ":b"]);
    expect(await knowledge.rows("SELECT ?s { { SELECT ?v ?s { ?s :v ?v } ORDER BY DESC(?v) LIMIT 2 } } ORDER BY ?s LIMIT 1")).toEqual([
      ":a",
    ]);
    expect(await knowledge.triples("CONSTRUCT { ?s :low true } { { SELECT ?s { ?s :v ?v } ORDER BY ?v LIMIT 1 } }")).toEqual([
      ':b :low "true"^^boolean',
    ]);
    expect(await knowledge.rows("SELECT (COUNT(*) AS ?n) { { SELECT ?s { ?s :v ?v } ORDER BY ?v LIMIT 2 } }")).toEqual(['"2"^^integer']);
  });

  it("computes with numbers as SPARQL does", async () => {
    const rows = await new Knowledge().rows("SELECT (10/4 AS ?a) (0.1+0.2 AS ?b) (1/0 AS ?c) (1 + 0.5e0 AS ?d) {}");
    expect(rows).toEqual(['"2.5"^^decimal "0.3"^^decimal - "1.5E0"^^double']);
  });

  it("sees each change at once, and works again after a failure", async () => {
    const knowledge = new Knowledge();
    const text = "SELECT (COUNT(*) AS ?n) { ?s :p ?o }";
    for (let i = 0; i < 200; i++) {
      knowledge.update(`INSERT DATA { :s${i} :p ${i} }`);
      expect(await knowledge.rows(text)).toEqual([`"${i + 1}"^^integer`]);
    }
    await expect(knowledge.query("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", { rowsMax: 10 })).rejects.toMatchObject({
      code: "SENS_TOO_MANY_ROWS",
    });
    expect(await knowledge.rows(text)).toEqual(['"200"^^integer']);
  });

  it("reads a pinned tick while changes go on", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 1 }");
    const pin = knowledge.engine.pin();
    knowledge.update("DELETE DATA { :a :p 1 } ; INSERT DATA { :b :p 2 ; :p 3 }");
    expect(await knowledge.rows("SELECT ?s ?o { ?s :p ?o }", { at: pin.tick })).toEqual([':a "1"^^integer']);
    expect(await knowledge.rows("SELECT ?s ?o { ?s :p+ ?o }", { at: pin.tick })).toEqual([':a "1"^^integer']);
    pin.release();
    expect(await knowledge.rows("SELECT ?s ?o { ?s :p ?o } ORDER BY ?o")).toEqual([':b "2"^^integer', ':b "3"^^integer']);
  });

  it("stops at the deadline, in joins and in paths", async () => {
    const knowledge = new Knowledge().update(
      `INSERT DATA { ${Array.from({ length: 400 }, (_, i) => `:n${i} :p :n${(i * 7 + 1) % 400} , :n${(i * 3 + 2) % 400} .`).join(" ")} }`,
    );
    for (const pattern of ["?a ?b ?c . ?d ?e ?f . ?g ?h ?i", "?a (:p|!:q)* ?b . ?c (:p/:p)* ?d . ?e :p* ?f"]) {
      await expect(knowledge.query(`SELECT (COUNT(*) AS ?n) { ${pattern} }`, { timeoutMs: 30 })).rejects.toMatchObject({
        code: "SENS_QUERY_TIMEOUT",
      });
    }
  });

  it("bounds the size of a result, not its rows alone", async () => {
    const knowledge = new Knowledge().update(`INSERT DATA { :a :p "${"x".repeat(1000)}" . :b :q 1 , 2 , 3 , 4 , 5 }`);
    await expect(knowledge.query("SELECT ?v { :a :p ?v . :b :q ?n }", { bytesMax: 4500 })).rejects.toMatchObject({
      code: "SENS_RESULT_TOO_LARGE",
    });
    expect(await knowledge.rows("SELECT ?n { :a :p ?v . :b :q ?n }", { bytesMax: 4500 })).toHaveLength(5);
  });

  it("ASK stops at the first solution", async () => {
    const knowledge = new Knowledge().update(`INSERT DATA { ${Array.from({ length: 300 }, (_, i) => `:n${i} :p ${i} .`).join(" ")} }`);
    expect(await knowledge.query("ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", { timeoutMs: 1000 })).toMatchObject({
      boolean: true,
    });
  });

  it("leaves out triples that are not RDF, and counts them", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 1 }");
    const result = await knowledge.query(
      'CONSTRUCT { ?s :ok ?o . ?o :no ?s . ?s ?nothing ?o . ?s :i ?i } { ?s :p ?o BIND(IRI("x:a> <x:b") AS ?i) }',
    );
    expect(result).toMatchObject({ leftOut: 3 });
    expect(await knowledge.triples("CONSTRUCT { ?s :ok ?o . ?o :no ?s } { ?s :p ?o }")).toEqual([':a :ok "1"^^integer']);
  });

  it("FROM names stored graphs, each triple once; what is not stored is empty", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 0 GRAPH :g { :a :p 1 , 2 } GRAPH :h { :a :p 2 , 3 } }");
    expect(await knowledge.rows("SELECT ?o FROM :g FROM :h { :a :p ?o } ORDER BY ?o")).toEqual([
      '"1"^^integer',
      '"2"^^integer',
      '"3"^^integer',
    ]);
    expect(await knowledge.rows("SELECT ?o FROM <file:///etc/passwd> { ?s ?p ?o }")).toEqual([]);
    expect(await knowledge.rows("SELECT ?o FROM NAMED :g { GRAPH ?g { :a :p ?o } } ORDER BY ?o", {})).toEqual([
      '"1"^^integer',
      '"2"^^integer',
    ]);
    expect(await knowledge.rows("SELECT ?o { :a :p ?o }", { defaultGraphs: ["http://e/h"] })).toHaveLength(2);
  });

  it("DESCRIBE follows blank nodes", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p [ :q [ :r 1 ] ] . :b :p 2 }");
    expect(await knowledge.triples("DESCRIBE :a")).toHaveLength(3);
    expect(await knowledge.triples("DESCRIBE ?x { ?x :p 2 }")).toEqual([':b :p "2"^^integer']);
  });

  it("refuses SERVICE before anything is called", async () => {
    const knowledge = new Knowledge();
    for (const silent of ["", "SILENT "]) {
      await expect(knowledge.query(`SELECT * { SERVICE ${silent}<http://127.0.0.1:1/> { ?s ?p ?o } }`)).rejects.toMatchObject({
        code: "SENS_SERVICE_DISABLED",
      });
      await expect(
        knowledge.query(`SELECT * { BIND(<http://127.0.0.1:1/> AS ?u) SERVICE ${silent}?u { ?s ?p ?o } }`),
      ).rejects.toMatchObject({ code: "SENS_SERVICE_DISABLED" });
    }
  });

  it("gives what the engine does not plan to the other evaluator, and says so", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 1 . :b :p 2 ; :q 1 }");
    const told: string[] = [];
    const result = await knowledge.query("SELECT ?s { { SELECT DISTINCT ?s { ?s :p ?v } ORDER BY ?v LIMIT 1 } ?s :q ?w }", {
      onFallback: (why) => told.push(why),
    });
    expect(result.evaluator).toBe("comunica");
    expect(told).toEqual([result.why]);
  });
});
