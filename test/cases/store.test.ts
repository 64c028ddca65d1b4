/** Cases of area store: updates and queries. README.md beside this file lists all cases. */
import { describe, expect, it } from "vitest";
import { RawSocket } from "../surfaces/served.ts";
import { all, ask, E, graph, lines, listen, open, PREFIXES, publish, rows, subscribed, update, XSD } from "./knowledge.fixture.ts";

describe("updates", () => {
  it("P22: replacing a value by the same value changes nothing, and nobody is told", async () => {
    const { session, service } = await open({ reasoning: "owl" });
    await publish(session, 'e:a e:name "Kim" . e:b e:name "Lou" . e:name rdfs:domain e:Named .');
    const told = await subscribed(session, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }");
    const cursor = service.cursor();
    const answer = await update(session, 'DELETE { e:a e:name ?n } INSERT { e:a e:name "Kim" } WHERE { e:a e:name ?n }');
    expect(answer).toMatchObject({ added: 0, removed: 0, derivedAdded: 0, derivedRemoved: 0, cursor });
    expect(await graph(session, all("e:name").replace(PREFIXES, ""))).toEqual(['e:a e:name "Kim"', 'e:b e:name "Lou"']);
    expect(told.notifications).toEqual([]);
    await update(session, 'DELETE { e:a e:name ?n } INSERT { e:a e:name "Max" } WHERE { e:a e:name ?n }');
    expect(told.deltas).toEqual([{ added: ['e:a e:name "Max"'], removed: ['e:a e:name "Kim"'] }]);
  });

  it("P34: anonymous parts are removed by pattern, by the label given out, and by remove; their text is refused with advice", async () => {
    const order = "e:order e:line [ e:item e:i1 ; e:qty 2 ] , [ e:item e:i2 ; e:qty 1 ] .";
    const pattern = "?o e:line ?l . ?l e:item ?i ; e:qty ?q";
    const ways: Record<string, (session: Awaited<ReturnType<typeof open>>["session"]) => Promise<unknown>> = {
      pattern: (session) => update(session, `DELETE WHERE { ${pattern} }`),
      label: async (session) => {
        const found = (await session.query({ query: "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }" })).graph?.ntriples ?? "";
        return session.retract({ data: found.replaceAll(/_:(\S+)/g, "<_:$1>") });
      },
      remove: (session) => session.remove({ query: `${PREFIXES}CONSTRUCT { ${pattern} } WHERE { ${pattern} }` }),
    };
    for (const [way, run] of Object.entries(ways)) {
      const { session, service } = await open();
      await publish(session, order);
      const told = await subscribed(session, "CONSTRUCT { ?s e:item ?o } WHERE { ?s e:item ?o }");
      await run(session);
      expect(service.figures().quads, way).toBe(0);
      expect(told.deltas, way).toEqual([
        { added: [], removed: [expect.stringContaining("e:item e:i1"), expect.stringContaining("e:item e:i2")] },
      ]);
    }
    const { session, service } = await open();
    await publish(session, order);
    const refused = session.retract({ data: `${PREFIXES}${order}`, contentType: "text/turtle" });
    await expect(refused).rejects.toMatchObject({ code: "SENS_BLANK_NODE_RETRACT", message: expect.stringContaining("<_:") });
    await expect(update(session, "DELETE DATA { _:l e:item e:i1 }")).rejects.toMatchObject({ status: 400 });
    expect(service.figures().quads).toBe(6);
  });

  it("P37: values of any datatype are found by their term and deleted by a variable, and keep their datatype", async () => {
    const values = [
      '"7"^^xsd:int',
      '"7"^^xsd:byte',
      '"7.5"^^xsd:float',
      '"2031"^^xsd:gYear',
      '"1"^^xsd:boolean',
      '"2031-01-01T00:00:00Z"^^xsd:dateTimeStamp',
      '"q"^^e:code',
    ];
    const { session, service } = await open();
    await publish(session, `e:a e:v ${values.join(" , ")} .`);
    const shown = await graph(session, "CONSTRUCT { ?s e:v ?o } WHERE { ?s e:v ?o }");
    expect(
      shown.map((line) =>
        line
          .replace("e:a e:v ", "")
          .replace(`<${XSD}`, "xsd:")
          .replace(/(xsd:\w+)>/, "$1"),
      ),
    ).toEqual([...values].sort());
    for (const value of values) {
      expect(await ask(session, `e:a e:v ${value}`), value).toBe(true);
      expect(await update(session, `DELETE { ?s e:v ?v } WHERE { ?s e:v ?v FILTER(sameTerm(?v, ${value})) }`)).toMatchObject({
        removed: 1,
      });
      expect(await ask(session, `e:a e:v ${value}`), value).toBe(false);
    }
    expect(service.figures().quads).toBe(0);
  });
});

describe("queries", () => {
  it("P23: DISTINCT over one pattern gives what the pattern matches, whatever is constant in it", async () => {
    const { session } = await open();
    await publish(session, "e:al a e:Person . e:rep a e:Doc ; e:author e:al . e:al e:knows e:al .");
    expect(await rows(session, "SELECT DISTINCT ?p WHERE { ?p a e:Person }")).toEqual([["e:al"]]);
    const positions = [
      ["?s", "e:al", "e:rep"],
      ["?p", "a", "e:author", "e:knows"],
      ["?o", "e:al", "e:Person"],
    ];
    for (const s of positions[0])
      for (const p of positions[1])
        for (const o of positions[2]) {
          const plain = (await rows(session, `SELECT * { ${s} ${p} ${o} }`)).map((row) => row.join(" "));
          const distinct = (await rows(session, `SELECT DISTINCT * { ${s} ${p} ${o} }`)).map((row) => row.join(" "));
          expect(distinct.sort(), `${s} ${p} ${o}`).toEqual([...new Set(plain)].sort());
        }
  });

  it("P25: an optional part that matches nowhere leaves an empty cell, and its template triples out", async () => {
    const { session } = await open();
    await publish(session, "e:a e:x 1 . e:b e:x 1 .");
    const where = "WHERE { ?s e:x 1 OPTIONAL { ?s e:none ?o } }";
    expect((await rows(session, `SELECT ?s ?o ${where}`)).sort()).toEqual([
      ["e:a", ""],
      ["e:b", ""],
    ]);
    const told = await subscribed(session, `CONSTRUCT { ?s e:is e:here ; e:has ?o } ${where}`, { initial: true });
    expect(await graph(session, `CONSTRUCT { ?s e:is e:here ; e:has ?o } ${where}`)).toEqual(["e:a e:is e:here", "e:b e:is e:here"]);
    await told.until(() => told.notifications.length === 1);
    expect(told.added).toEqual(["e:a e:is e:here", "e:b e:is e:here"]);
  });

  it("P26: MINUS without a shared variable removes nothing, and its variables stay its own, also when standing", async () => {
    const { session } = await open();
    await publish(session, "e:a e:x 1 . e:b e:x 2 ; e:off true . e:c e:x 3 ; e:old true .");
    const answer = await session.query({ query: `${PREFIXES}SELECT * WHERE { ?s e:x 1 MINUS { ?a e:x ?b } }` });
    expect([answer.variables, answer.rows.length]).toEqual([["s"], 1]);
    const twoParts = "WHERE { ?s e:x ?v MINUS { ?s e:off ?private } MINUS { ?s e:old ?private } }";
    expect(await rows(session, `SELECT ?s ${twoParts}`)).toEqual([["e:a"]]);
    const unshared = await subscribed(session, "CONSTRUCT { ?s e:kept ?o } WHERE { ?s e:x ?o MINUS { ?a e:y ?b } }");
    const shared = await subscribed(session, `CONSTRUCT { ?s e:left ?v } ${twoParts}`);
    await publish(session, "e:d e:x 4 ; e:y 4 .");
    await publish(session, "e:d e:off true .");
    await update(session, "DELETE DATA { e:d e:off true }");
    const four = `"4"^^<${XSD}integer>`;
    expect(unshared.deltas).toEqual([{ added: [`e:d e:kept ${four}`], removed: [] }]);
    const left = [`e:d e:left ${four}`];
    expect(shared.deltas).toEqual([
      { added: left, removed: [] },
      { added: [], removed: left },
      { added: left, removed: [] },
    ]);
  });

  it("P31: order is by value, across kinds of terms as SPARQL says, and remove takes the smallest", async () => {
    const { session } = await open();
    await publish(session, 'e:a e:v 1 . e:b e:v 2 . e:c e:v 11 . e:d e:v "10"^^xsd:byte .');
    expect(await rows(session, "SELECT ?v { ?s e:v ?v } ORDER BY ?v")).toEqual([["1"], ["2"], ["10"], ["11"]]);
    expect(await rows(session, "SELECT ?v { ?s e:v ?v } ORDER BY DESC(?v)")).toEqual([["11"], ["10"], ["2"], ["1"]]);
    await publish(session, 'e:m e:w "text", 5, [], e:i .');
    const mixed = await session.query({
      query: `${PREFIXES}SELECT ?v { { e:m e:w ?v } UNION { BIND(1 AS ?other) } } ORDER BY ?v`,
    });
    expect(mixed.rows.map(([term]) => term?.termType ?? "unbound")).toEqual(["unbound", "BlankNode", "NamedNode", "Literal", "Literal"]);
    const smallest = `${PREFIXES}CONSTRUCT { ?s e:v ?v } WHERE { ?s e:v ?v } ORDER BY ?v LIMIT 1`;
    const taken: string[] = [];
    for (let n = 0; n < 4; n++) taken.push(...lines((await session.remove({ query: smallest })).result?.ntriples));
    expect(taken.map((line) => line.split(" ")[0])).toEqual(["e:a", "e:b", "e:d", "e:c"]);
  });

  it("P32: numbers are computed as SPARQL says, alike in queries, subscriptions and insertions", async () => {
    const cells: Readonly<Record<string, string>> = {
      "10 / 4": "2.5 decimal",
      "0.1 + 0.2": "0.3 decimal",
      "1.5e0 + 1": "2.5 double",
      '"2.5"^^xsd:float * 2': "5 float",
      "7 - 9": "-2 integer",
    };
    const { session } = await open();
    const shown = ([value, type]: readonly string[]): string =>
      `${type.endsWith("double") || type.endsWith("float") ? Number(value) : value} ${type.replace(XSD, "")}`;
    for (const [expression, expected] of Object.entries(cells))
      expect(shown((await rows(session, `SELECT ?v (DATATYPE(?v) AS ?t) { BIND(${expression} AS ?v) }`))[0]), expression).toBe(expected);
    expect(await rows(session, "SELECT ?a ?b { BIND(1 / 0 AS ?a) BIND(2 AS ?b) }")).toEqual([["", "2"]]);
    await session.registerInsertion({ query: `${PREFIXES}CONSTRUCT { ?s e:half ?h } WHERE { ?s e:n ?n ; e:d ?d BIND(?n / ?d AS ?h) }` });
    const told = await subscribed(
      session,
      "CONSTRUCT { ?s e:told ?h ; e:again ?g } WHERE { ?s e:n ?n ; e:d ?d ; e:half ?g BIND(?n / ?d AS ?h) }",
    );
    await publish(session, "e:q e:n 10 ; e:d 4 . e:bad e:n 1 ; e:d 0 .");
    const value = `"2.5"^^<${XSD}decimal>`;
    expect(told.added).toEqual([`e:q e:again ${value}`, `e:q e:told ${value}`]);
    expect(await rows(session, "SELECT (SUM(?n) AS ?t) (AVG(?n) AS ?m) { VALUES ?n { 1 2.5 0.5 } }")).toEqual([
      [expect.stringMatching(/^4(\.0)?$/), expect.stringMatching(/^1\.33/)],
    ]);
  });

  it("P35: a query after an acknowledged publish shows it, a thousand times alternating", async () => {
    const { url } = await listen();
    const socket = await RawSocket.open(url);
    const query = `SELECT (COUNT(*) AS ?n) { ?s <${E}n> ?o }`;
    for (let n = 1; n <= 1000; n++) {
      expect(await socket.ask({ id: `p${n}`, op: "publish", data: `<${E}s> <${E}n> "${n}" .` })).toMatchObject({ ok: true });
      const { result } = await socket.ask({ id: `q${n}`, op: "query", query });
      expect(result).toMatchObject({ results: { bindings: [{ n: { value: String(n) } }] } });
    }
  });

  it("P35: a query that failed once works later", async () => {
    const { session } = await open({ limits: { queryRowsMax: 3 } });
    await publish(session, "e:s e:n 1, 2, 3, 4 .");
    const query = "SELECT ?o { ?s e:n ?o } ORDER BY ?o";
    await expect(rows(session, query)).rejects.toMatchObject({ code: "SENS_TOO_MANY_ROWS" });
    await update(session, "DELETE DATA { e:s e:n 4 }");
    expect(await rows(session, query)).toEqual([["1"], ["2"], ["3"]]);
  });
});
