import { describe, expect, it } from "vitest";
import { SensError } from "../../base/index.ts";
import { Engine } from "../../engine/index.ts";
import { TermDictionary } from "../../rdf/index.ts";
import { parseQuery } from "../parse/index.ts";
import { evaluateQuery, executeQuery } from "./execute.ts";
import type { QueryResult, QuerySource } from "./query-result.ts";

const E = "http://example.org/";

function crowd(people: number): QuerySource & { readonly at: number } {
  const terms = new TermDictionary();
  const engine = new Engine({ typePredicate: terms.iri(`${E}type`) });
  const tx = engine.begin();
  for (let i = 0; i < people; i++) {
    tx.assert(terms.iri(`${E}p${i}`), terms.iri(`${E}age`), terms.typed(String(i % 90), "http://www.w3.org/2001/XMLSchema#integer"), 0);
    tx.assert(terms.iri(`${E}p${i}`), terms.iri(`${E}likes`), terms.iri(`${E}p${(i * 7) % people}`), 0);
    if (i % 3 === 0) tx.assert(terms.iri(`${E}p${i}`), terms.iri(`${E}name`), terms.string(`n${i}`), 0);
  }
  for (const _ of tx.settle());
  tx.commit();
  engine.machine.firstTryWork = 1_000;
  engine.machine.paceWork = 500;
  return { engine, terms, at: engine.tick };
}

const sorted = (result: QueryResult): string[] => ("rows" in result ? result.rows.map((row) => row.join()).sort() : []);

describe("long queries", () => {
  const source = crowd(1500);

  it.each([
    `SELECT ?a ?b { ?a <${E}age> ?x . ?b <${E}age> ?x }`,
    `SELECT ?a ?n { ?a <${E}age> ?x . ?b <${E}age> ?x OPTIONAL { ?b <${E}name> ?n } FILTER NOT EXISTS { ?a <${E}name> ?m } }`,
    `SELECT ?x (COUNT(*) AS ?n) { ?a <${E}age> ?x . ?b <${E}age> ?x . { ?a <${E}likes> ?b } UNION { ?b <${E}likes> ?c } } GROUP BY ?x`,
    `SELECT DISTINCT ?a ?y { VALUES ?x { 1 2 3 } ?a <${E}age> ?x . ?b <${E}age> ?z BIND(?x - ?z AS ?y) }`,
    `SELECT ?a ?b { ?a <${E}likes>+ ?b . ?b <${E}age> ?x FILTER(?x < 30) }`,
  ])("give with rests what they give in one go: %s", async (text) => {
    let turns = 0;
    const counting = (): void => {
      turns++;
      if (running) setImmediate(counting);
    };
    let running = true;
    setImmediate(counting);
    const paced = await executeQuery(source, text, { at: source.at, timeoutMs: 60_000 });
    running = false;
    expect(turns).toBeGreaterThan(1);
    expect(sorted(paced)).toEqual(sorted(evaluateQuery(source, parseQuery(text), { timeoutMs: 60_000 })));
    expect(sorted(paced).length).toBeGreaterThan(0);
  });

  it("read one state although transactions go on in their rests", async () => {
    const { engine, terms, at } = crowd(1500);
    const pin = engine.pin(at);
    const text = `SELECT ?a ?b { ?a <${E}age> ?x . ?b <${E}age> ?x }`;
    const expected = sorted(evaluateQuery({ engine, terms }, parseQuery(text), { at, timeoutMs: 60_000 }));
    let changes = 0;
    let running = true;
    const change = (): void => {
      if (!running) return;
      const tx = engine.begin();
      const age = terms.typed("5", "http://www.w3.org/2001/XMLSchema#integer");
      tx.assert(terms.iri(`${E}new${changes}`), terms.iri(`${E}age`), age, 0);
      tx.retract(
        terms.iri(`${E}p${changes}`),
        terms.iri(`${E}age`),
        terms.typed(String(changes % 90), "http://www.w3.org/2001/XMLSchema#integer"),
        0,
      );
      for (const _ of tx.settle());
      tx.commit();
      engine.seal(engine.tick);
      changes++;
      setImmediate(change);
    };
    setImmediate(change);
    const result = await executeQuery({ engine, terms }, text, { at, timeoutMs: 60_000 });
    running = false;
    pin.release();
    expect(changes).toBeGreaterThan(1);
    expect(sorted(result)).toEqual(expected);
  });

  it("end at their deadline, whatever their shape", async () => {
    const text = `SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }`;
    const failure = await executeQuery(source, text, { at: source.at, timeoutMs: 200 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SensError);
    expect((failure as SensError).code).toBe("SENS_QUERY_TIMEOUT");
  });
});
