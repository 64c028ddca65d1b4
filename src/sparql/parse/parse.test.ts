import { describe, expect, it } from "vitest";
import { forbidOutgoing, isStoredBlank, type ParsedQuery, parseQuery, parseUpdate, walkAlgebra } from "./index.ts";

const failure = (run: () => unknown): { code: string; message: string; position?: { line: number; column: number } } => {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("did not throw");
};

describe("parseQuery", () => {
  it.each([
    ["", "SENS_SYNTAX", 1, 1],
    ["# nothing", "SENS_SYNTAX", 1, 1],
    ["SELECT * {} SELECT * {}", "SENS_SYNTAX", 1, 13],
    ["SELECT *\n{ ?s ?p @ }", "SENS_SYNTAX", 2, 9],
    ["SELECT *\n{ ?s e:p ?o }", "SENS_SYNTAX", 2, 6],
    ["SELECT * { ?s <p> ?o }", "SENS_SYNTAX", 1, 15],
    ["SELECT * { ?s ?p", "SENS_SYNTAX", 1, 17],
    ["SELECT * { <_:a> ?p ?o . <_:b> ?q @ }", "SENS_SYNTAX", 1, 35],
  ])("%j is %s at line %i, column %i", (text, code, line, column) => {
    expect(failure(() => parseQuery(text))).toMatchObject({ code, position: { line, column } });
  });

  it.each([
    ["CLEAR ALL", "SENS_QUERY_FORM"],
    ["SELECT (1 AS ?s) { ?s ?p ?o }", "SENS_SYNTAX"],
    ["SELECT (1 AS ?x) (2 AS ?x) { ?s ?p ?o }", "SENS_SYNTAX"],
    ["SELECT * {} LIMIT 100000000000000000000", "SENS_LIMIT"],
    ["SELECT (<http://jena.hpl.hp.com/ARQ/function#js>(1) AS ?x) {}", "SENS_UNKNOWN_FUNCTION"],
    [`SELECT * ${"{".repeat(800)}`, "SENS_TOO_DEEP"],
    [`SELECT * { FILTER(${"(".repeat(800)}1) }`, "SENS_TOO_DEEP"],
    [`SELECT * { FILTER(${"1+".repeat(30_000)}1) }`, "SENS_TOO_DEEP"],
    [`SELECT * { ?s ?p "${"x".repeat(300_000)}" }`, "SENS_TOO_LARGE"],
  ])("%.70s is %s", (text, code) => {
    expect(failure(() => parseQuery(text)).code).toBe(code);
  });

  it("does not take brackets of strings, IRIs and comments for nesting", () => {
    const brackets = "({[".repeat(60);
    const text = `SELECT * { ?s <http://e/((((> "${brackets}", '''${brackets}''' # ${brackets}\n FILTER(1 < 2 && 3 > 2) }`;
    expect(parseQuery(text.replaceAll("((((", "("))).toMatchObject({ form: "select" });
  });

  it("tells the form of a query", () => {
    for (const [text, form] of [
      ["SELECT * {}", "select"],
      ["ASK {}", "ask"],
      ["CONSTRUCT {} {}", "construct"],
      ["DESCRIBE <http://e/a>", "describe"],
    ]) {
      expect(parseQuery(text).form).toBe(form);
    }
    expect(failure(() => parseUpdate("ASK {}")).code).toBe("SENS_QUERY_FORM");
  });

  it("makes blank nodes of patterns variables, those of templates fresh, and <_:label> constants", () => {
    const { algebra } = parseQuery("PREFIX e: <http://e/> CONSTRUCT { _:new e:p <_:kept> } { <_:kept> e:p _:any }");
    const found: string[] = [];
    walkAlgebra(algebra, (node) => {
      if (node.type !== "pattern") return;
      for (const term of [node.subject, node.object]) found.push(`${term.termType}${isStoredBlank(term) ? "!" : ""}`);
    });
    expect(found.sort()).toEqual(["BlankNode", "BlankNode!", "BlankNode!", "Variable"]);
  });

  it("resolves relative IRIs and remembers the base for IRI()", () => {
    const parsed = parseQuery("BASE <http://a/b/c> PREFIX e: <../x#> SELECT * { ?s e:p <?q> }");
    expect(parsed.baseIri).toBe("http://a/b/c");
    expect(JSON.stringify(parsed.algebra)).toContain("http://a/x#p");
    expect(JSON.stringify(parsed.algebra)).toContain("http://a/b/c?q");
  });
});

describe("forbidOutgoing", () => {
  it("refuses SERVICE anywhere, silent or not, and LOAD", () => {
    const refuse = (parsed: ParsedQuery | ReturnType<typeof parseUpdate>): string => failure(() => forbidOutgoing(parsed)).code;
    expect(refuse(parseQuery("SELECT * { FILTER EXISTS { SERVICE SILENT ?x { ?s ?p ?o } } }"))).toBe("SENS_SERVICE_DISABLED");
    expect(refuse(parseUpdate("DELETE { ?s ?p ?o } WHERE { SERVICE <http://x> { ?s ?p ?o } }"))).toBe("SENS_SERVICE_DISABLED");
    expect(refuse(parseUpdate("CREATE GRAPH <http://g>; LOAD SILENT <file:///etc/passwd>"))).toBe("SENS_LOAD_DISABLED");
    expect(() => forbidOutgoing(parseQuery("SELECT * FROM <http://g> { ?s ?p ?o }"))).not.toThrow();
  });
});
