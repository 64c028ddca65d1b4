import { describe, expect, it } from "vitest";
import { Knowledge } from "../../test/conformance/sparql-query-knowledge.ts";

const ALL = "SELECT ?g ?s ?o { { ?s :p ?o } UNION { GRAPH ?g { ?s :p ?o } } } ORDER BY ?g ?s ?o";

describe("updates", () => {
  it("replacing a value by itself changes nothing", async () => {
    const knowledge = new Knowledge().update('INSERT DATA { :a :name "Bo" . :b :name "Cy" }');
    const told = knowledge.subscribe("CONSTRUCT { ?s :called ?n } { ?s :name ?n }");
    const before = told.result();
    knowledge.update('DELETE { :a :name ?n } INSERT { :a :name "Bo" } WHERE { :a :name ?n }');
    expect(await knowledge.rows("SELECT ?s ?n { ?s :name ?n } ORDER BY ?s")).toEqual([':a "Bo"', ':b "Cy"']);
    expect(told.result()).toEqual(before);
  });

  it("each operation sees what the earlier ones did", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 1 } ; INSERT { ?s :p 2 } WHERE { ?s :p 1 } ; DELETE WHERE { ?s :p 1 }");
    expect(await knowledge.rows(ALL)).toEqual(['- :a "2"^^integer']);
  });

  it("blank nodes of a template are new for each solution", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 1 . :b :p 2 } ; INSERT { ?s :node _:n . _:n :of ?s } WHERE { ?s :p ?o }");
    expect(await knowledge.rows("SELECT ?s { ?s :node ?n . ?n :of ?s } ORDER BY ?s")).toEqual([":a", ":b"]);
    expect(await knowledge.rows("SELECT DISTINCT ?n { ?s :node ?n }")).toHaveLength(2);
  });

  it("<_:label> addresses a stored node", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p [] }");
    const [label] = await knowledge.rows("SELECT ?n { :a :p ?n }");
    knowledge.update(`INSERT DATA { <${label}> :q 1 }`);
    expect(await knowledge.rows("SELECT ?s { ?s :p ?n . ?n :q 1 }")).toEqual([":a"]);
    knowledge.update(`DELETE DATA { :a :p <${label}> }`);
    expect(await knowledge.rows(ALL)).toEqual([]);
  });

  it("WITH sets the default graph of pattern and template; other graphs stay visible", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { :a :p 0 GRAPH :g { :a :p 1 } GRAPH :h { :a :q 9 } }");
    knowledge.update("WITH :g DELETE { ?s :p ?o } INSERT { ?s :p ?v } WHERE { ?s :p ?o GRAPH :h { ?s :q ?v } }");
    expect(await knowledge.rows(ALL)).toEqual(['- :a "0"^^integer', ':g :a "9"^^integer']);
    knowledge.update("WITH :none INSERT { :n :p 5 } WHERE { OPTIONAL { :x :y :z } }");
    expect(await knowledge.rows(ALL)).toContain(':none :n "5"^^integer');
  });

  it("ADD, COPY and MOVE carry assertions between graphs", async () => {
    const start = "INSERT DATA { :a :p 0 GRAPH :g { :a :p 1 } GRAPH :h { :b :p 2 } } ; ";
    expect(await new Knowledge().update(`${start} ADD :g TO :h`).rows(ALL)).toEqual([
      '- :a "0"^^integer',
      ':g :a "1"^^integer',
      ':h :a "1"^^integer',
      ':h :b "2"^^integer',
    ]);
    expect(await new Knowledge().update(`${start} COPY DEFAULT TO :h`).rows(ALL)).toEqual([
      '- :a "0"^^integer',
      ':g :a "1"^^integer',
      ':h :a "0"^^integer',
    ]);
    expect(await new Knowledge().update(`${start} MOVE :g TO DEFAULT`).rows(ALL)).toEqual(['- :a "1"^^integer', ':h :b "2"^^integer']);
    expect(await new Knowledge().update(`${start} MOVE :g TO :g`).rows(ALL)).toHaveLength(3);
  });

  it("CLEAR and DROP empty what they name", async () => {
    const start = "INSERT DATA { :a :p 0 GRAPH :g { :a :p 1 } GRAPH :h { :b :p 2 } } ; ";
    expect(await new Knowledge().update(`${start} CLEAR DEFAULT`).rows(ALL)).toHaveLength(2);
    expect(await new Knowledge().update(`${start} DROP NAMED`).rows(ALL)).toHaveLength(1);
    expect(await new Knowledge().update(`${start} DROP GRAPH :g`).rows(ALL)).toHaveLength(2);
    expect(await new Knowledge().update(`${start} CLEAR ALL`).rows(ALL)).toEqual([]);
  });

  it("fails as a whole, or is silent when asked", async () => {
    const knowledge = new Knowledge().update("INSERT DATA { GRAPH :g { :a :p 1 } }");
    expect(() => knowledge.update("INSERT DATA { :x :p 1 } ; CREATE GRAPH :g")).toThrow(
      expect.objectContaining({ code: "SENS_GRAPH_EXISTS" }),
    );
    expect(() => knowledge.update("INSERT DATA { :x :p 1 } ; COPY :none TO :g")).toThrow(
      expect.objectContaining({ code: "SENS_GRAPH_MISSING" }),
    );
    expect(await knowledge.rows(ALL)).toEqual([':g :a "1"^^integer']);
    knowledge.update("CREATE SILENT GRAPH :g ; COPY SILENT :none TO :g");
    expect(await knowledge.rows(ALL)).toEqual([':g :a "1"^^integer']);
  });

  it("LOAD and SERVICE are refused, SILENT or not", () => {
    const knowledge = new Knowledge();
    for (const silent of ["", "SILENT "]) {
      expect(() => knowledge.update(`LOAD ${silent}<file:///etc/passwd>`)).toThrow(expect.objectContaining({ code: "SENS_LOAD_DISABLED" }));
      expect(() => knowledge.update(`INSERT { ?s ?p ?o } WHERE { SERVICE ${silent}<http://127.0.0.1:1/> { ?s ?p ?o } }`)).toThrow(
        expect.objectContaining({ code: "SENS_SERVICE_DISABLED" }),
      );
    }
  });
});
