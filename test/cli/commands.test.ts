/** The client commands against a server, as scripts use them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/index.ts";
import { startServer } from "../../src/server/index.ts";
import { type Given, type Ran, sens } from "./terminal.ts";

let server: { readonly url: string; close(): Promise<void> };
let folder: string;

beforeAll(async () => {
  server = await startServer({ host: "127.0.0.1", port: 0, data: ":memory:", reasoning: "owl", ontologies: [] });
  folder = mkdtempSync(join(tmpdir(), "sens-cli-"));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const at = (argv: readonly string[], given: Given = {}): Promise<Ran> => sens(argv, { ...given, env: { SENS_URL: server.url } });
const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe("sens help", () => {
  it("lists the commands, and shows each of them", async () => {
    const overview = await sens(["help"]);
    expect(overview.code).toBe(0);
    const names = [...overview.out.matchAll(/^ {2}(\w+) {2,}/gm)]
      .map(([, name]) => name as string)
      .filter((name) => name !== "help" && name !== "version");
    expect(names).toEqual(
      "serve publish retract query update subscribe subscription receive remove claim insertion ontology rule explain verify demo".split(
        " ",
      ),
    );
    for (const name of names) {
      expect((await sens(["help", name])).out).toContain(`Usage: sens ${name}`);
      expect((await sens([name, "--help"])).out).toBe((await sens(["help", name])).out);
    }
  });

  it("says its version, as package.json states it", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    for (const argv of [["version"], ["--version"]]) expect(await sens(argv)).toEqual({ code: 0, out: `sens ${version}\n`, err: "" });
  });

  it.each([
    [[], "Usage"],
    [["fly"], "no command"],
    [["query"], "Needs QUERY"],
    [["query", "a", "b"], "quote queries"],
    [["query", "ASK {}", "--timeout", "soon"], "--timeout must be a whole number"],
    [["query", "ASK {}", "--colour"], "query: There is no option --colour. An argument that begins with - is written after --. See:"],
    [["query", "ASK {}", "--timeout"], "argument missing. See: sens help query"],
    [["query", "ASK {}", "--timeout", "-1"], "query: Option '--timeout' argument is ambiguous. Did"],
    [["publish", "notes.txt"], "--type"],
    [["publish", "absent.ttl"], "Cannot read"],
    [["insertion", "fly"], "add QUERY"],
    [["serve", "--port", "99999"], "--port"],
    [["serve", "--reasoning", "magic"], "--reasoning must be none or rdfs or owl"],
  ])("%j is a usage error that says what to do", async (argv, message) => {
    const { code, err, out } = await at(argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("names the variable when the environment is wrong", async () => {
    const { code, err } = await sens(["serve"], { env: { SENS_PORT: "many" } });
    expect(code).toBe(2);
    expect(err).toContain("SENS_PORT");
  });

  it("says with code 5 that no server answers", async () => {
    const { code, err } = await sens(["query", "ASK {}", "--url", "http://127.0.0.1:1"]);
    expect(code).toBe(5);
    expect(err).toContain("sens serve");
    expect(err).toContain("npm start");
  });
});

describe("publish, query, update, retract", () => {
  it("publish files by their names, and standard input as Turtle", async () => {
    const turtle = file("one.ttl", "@prefix : <urn:a:> . :s1 :p :o , :o2 .");
    const triples = file("two.nt", "<urn:a:s2> <urn:a:p> <urn:a:o> .\n");
    const published = await at(["publish", turtle, triples]);
    expect(published).toMatchObject({ code: 0, err: "" });
    expect(published.out).toMatch(/^2 added \(revision \d+\)\n1 added \(revision \d+\)\n$/);
    const piped = await at(["publish", "-", "--json"], { stdin: "<urn:a:s3> <urn:a:p> 1 ." });
    expect(JSON.parse(piped.out)).toMatchObject({ added: 1, removed: 0 });
    expect((await at(["query", "ASK { <urn:a:s3> <urn:a:p> 1 }"])).out).toBe("true\n");
  });

  it("query prints tables, graphs and SPARQL JSON results", async () => {
    await at(["update", 'INSERT DATA { <urn:q:s> <urn:q:p> "tab\\there"@EN , 7 }']);
    const table = await at(["query", "SELECT ?v { <urn:q:s> <urn:q:p> ?v } ORDER BY DESC(isNumeric(?v))"]);
    expect(table.out).toBe('?v\n"7"^^<http://www.w3.org/2001/XMLSchema#integer>\n"tab\\there"@en\n');
    const json = await at(["query", "--json", "SELECT ?v { <urn:q:s> <urn:q:p> ?v FILTER isNumeric(?v) }"]);
    expect(JSON.parse(json.out)).toEqual({
      head: { vars: ["v"] },
      results: { bindings: [{ v: { type: "literal", value: "7", datatype: "http://www.w3.org/2001/XMLSchema#integer" } }] },
    });
    const graph = await at([
      "query",
      `@${file("q.rq", "CONSTRUCT { <urn:q:s> <urn:q:n> ?v } WHERE { <urn:q:s> <urn:q:p> ?v FILTER isNumeric(?v) }")}`,
    ]);
    expect(graph.out).toBe('<urn:q:s> <urn:q:n> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n');
  });

  it("large line-based files go in parts of the size asked for", async () => {
    const many = file("many.nt", Array.from({ length: 25 }, (_, i) => `<urn:m:s${i}> <urn:m:p> "x" .`).join("\n"));
    const drawn = await at(["publish", many, "--split", "10", "--json"], { errIsTerminal: true });
    expect(JSON.parse(drawn.out)).toMatchObject({ added: 25 });
    const retracted = await at(["retract", many]);
    expect(retracted.out).toMatch(/^25 removed/);
    const broken = await at(["publish", file("broken.nt", "<urn:m:s> <urn:m:p> <urn:m:o> .\nnonsense\n"), "--split", "10"]);
    expect(broken.code).toBe(1);
    expect(broken.err).toContain("line 2");
  });

  it("of several files the one that is refused is named; those before it are done", async () => {
    const [good, bad] = [file("good.ttl", "<urn:several:s> <urn:several:p> 1 ."), file("bad.ttl", "<urn:several:s> <urn:several:p>")];
    const { code, out, err } = await at(["publish", good, bad, good]);
    expect([code, out]).toEqual([1, expect.stringMatching(/^1 added/)]);
    expect(err).toContain(`${bad}: Line `);
  });

  it("refusals have exit code 1, and a problem object with --json", async () => {
    const { code, err } = await at(["query", "SELEKT", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({ code: "SENS_SYNTAX", status: 400 });
  });
});

describe("subscribe, receive, remove", () => {
  it("subscribe prints what is added and removed, with cursors", async () => {
    let ready: () => void = () => undefined;
    const initial = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const query = "CONSTRUCT WHERE { ?s <urn:sub:p> ?o }";
    await at(["update", "INSERT DATA { <urn:sub:s> <urn:sub:p> 1 }"]);
    const listening = at(["subscribe", query, "--initial", "--removals", "--count", "2"], { onOut: () => ready() });
    await initial;
    await at(["update", "DELETE DATA { <urn:sub:s> <urn:sub:p> 1 } ; INSERT DATA { <urn:sub:s> <urn:sub:p> 2 }"]);
    const { code, out } = await listening;
    const integer = "^^<http://www.w3.org/2001/XMLSchema#integer>";
    expect(code).toBe(0);
    expect(out.replace(/# \S+/g, "# C")).toBe(
      `+ <urn:sub:s> <urn:sub:p> "1"${integer} .\n# C the current result\n` +
        `+ <urn:sub:s> <urn:sub:p> "2"${integer} .\n- <urn:sub:s> <urn:sub:p> "1"${integer} .\n# C\n`,
    );
  });

  it("subscriptions and insertions are listed, and ended by name", async () => {
    const query = "CONSTRUCT WHERE { ?s <urn:named:p> ?o }";
    const subscribed = await at(["subscribe", query, "--name", "mine", "--timeout", "50"]);
    const cursor = /^subscribed \w+, incremental, from (\S+)\n$/.exec(subscribed.err)?.[1];
    await at(["update", "INSERT DATA { <urn:named:s> <urn:named:p> 1 }"]);
    const resumed = await at(["subscribe", query, "--name", "mine", "--from", cursor as string, "--count", "1"]);
    expect(resumed.out).toContain("+ <urn:named:s> <urn:named:p>");
    expect((await at(["subscription", "list"])).out).toMatch(/\tmine\tincremental\t0 attached\t\S+\tCONSTRUCT WHERE/);
    expect(await at(["subscription", "delete", "mine"])).toMatchObject({ code: 0, out: "", err: "" });
    expect(await at(["subscription", "delete", "mine"])).toMatchObject({ code: 1 });
    await at(["insertion", "add", "CONSTRUCT { ?o <urn:named:q> ?s } WHERE { ?s <urn:named:p> ?o }", "--name", "turned"]);
    expect(await at(["insertion", "delete", "turned"])).toMatchObject({ code: 0, err: "" });
    expect((await at(["insertion", "list"])).out).toBe("");
  });

  it("subscribe ends with 4 when time is up before the count, and with 0 when interrupted", async () => {
    const quiet = "CONSTRUCT WHERE { ?s <urn:quiet> ?o }";
    expect((await at(["subscribe", quiet, "--count", "1", "--timeout", "100"])).code).toBe(4);
    const interrupt = new AbortController();
    const listening = at(["subscribe", quiet, "--initial"], { interrupted: interrupt.signal, onOut: () => interrupt.abort() });
    expect((await listening).code).toBe(0);
  });

  it("receive answers what is there, and 4 when there is nothing", async () => {
    await at(["update", "INSERT DATA { <urn:r:s> <urn:r:p> <urn:r:o> }"]);
    expect(await at(["receive", "CONSTRUCT WHERE { ?s <urn:r:p> ?o }"])).toMatchObject({
      code: 0,
      out: "<urn:r:s> <urn:r:p> <urn:r:o> .\n",
    });
    expect(await at(["receive", "CONSTRUCT WHERE { ?s <urn:r:none> ?o }", "--try"])).toMatchObject({ code: 4, out: "" });
    expect(await at(["receive", "CONSTRUCT WHERE { ?s <urn:r:none> ?o }", "--timeout", "50"])).toMatchObject({ code: 4, out: "" });
  });

  it("remove takes, and with --exec gives back unless the command succeeds", async () => {
    const query = "CONSTRUCT WHERE { ?s <urn:x:p> ?o }";
    await at(["update", "INSERT DATA { <urn:x:s> <urn:x:p> <urn:x:o> }"]);
    expect(await at(["remove", query, "--exec", "grep -q nothing-like-this"])).toMatchObject({ code: 1 });
    expect(await at(["remove", query, "--exec", "grep -q urn:x:s"])).toMatchObject({ code: 0 });
    expect(await at(["remove", query, "--try"])).toMatchObject({ code: 4 });
    await at(["update", "INSERT DATA { <urn:x:s> <urn:x:p> <urn:x:o2> }"]);
    const taken = await at(["remove", query, "--json"]);
    expect(JSON.parse(taken.out)).toMatchObject({ deliveries: 1, result: "<urn:x:s> <urn:x:p> <urn:x:o2> .\n" });
  });

  it("what failed too often is listed, put back and dropped", async () => {
    const query = "CONSTRUCT WHERE { ?s <urn:dl:p> ?o }";
    const fail = async (): Promise<string> => {
      for (let n = 0; n < LIMITS.deliveriesMax; n++) await at(["remove", query, "--exec", "false"]);
      const { out } = await at(["claim", "list", "--state", "dead"]);
      expect(out).toMatch(/^\S+\tdead\t10 deliveries\t<urn:dl:s> <urn:dl:p> <urn:dl:o> \.\n$/);
      return out.split("\t")[0];
    };
    await at(["update", "INSERT DATA { <urn:dl:s> <urn:dl:p> <urn:dl:o> }"]);
    expect(await at(["claim", "requeue", await fail()])).toMatchObject({ code: 0, out: "added 1\n" });
    const letter = await fail();
    const [listed] = (await at(["claim", "list", "--json"])).out.split("\n");
    expect(JSON.parse(listed)).toMatchObject({
      claim: letter,
      state: "dead",
      deliveries: 10,
      quads: "<urn:dl:s> <urn:dl:p> <urn:dl:o> .\n",
    });
    expect(await at(["claim", "discard", letter])).toMatchObject({ code: 0, out: "", err: "" });
    expect(await at(["claim", "list"])).toMatchObject({ code: 0, out: "" });
    expect(await at(["claim", "discard", letter])).toMatchObject({ code: 1 });
    expect((await at(["claim", "list", "--state", "lost"])).code).toBe(2);
  });
});

describe("insertions, ontologies, rules, explain", () => {
  it("an insertion is added, listed, explained, and deleted with what it concluded", async () => {
    const added = await at([
      "insertion",
      "add",
      "CONSTRUCT { ?b <urn:i:childOf> ?a } WHERE { ?a <urn:i:parentOf> ?b }",
      "--name",
      "children",
    ]);
    expect(added.code).toBe(0);
    const id = added.out.trim();
    await at(["update", "INSERT DATA { <urn:i:Tim> <urn:i:parentOf> <urn:i:Randy> }"]);
    const why = await at(["explain", "<urn:i:Randy> <urn:i:childOf> <urn:i:Tim> ."]);
    expect(why).toMatchObject({ code: 0 });
    expect(why.out).toContain("[derived by ");
    expect((await at(["insertion", "list"])).out).toContain(`${id}\twhile\tCONSTRUCT`);
    expect((await at(["insertion", "delete", id])).code).toBe(0);
    expect(await at(["explain", "<urn:i:Randy> <urn:i:childOf> <urn:i:Tim> ."])).toMatchObject({ code: 4 });
    const short = await at(["explain", ":x :y :z ."]);
    expect(short).toMatchObject({ code: 1, err: expect.stringContaining("one line of N-Triples with full IRIs") });
  });

  it("an ontology is put, listed, shown as it was, used, and deleted", async () => {
    const content = "<urn:o:sub> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:o:super> .\n";
    expect((await at(["ontology", "put", "small", file("small.ttl", content)])).code).toBe(0);
    await at(["update", "INSERT DATA { <urn:o:a> <urn:o:sub> <urn:o:b> }"]);
    expect((await at(["query", "ASK { <urn:o:a> <urn:o:super> <urn:o:b> }"])).out).toBe("true\n");
    expect((await at(["ontology", "list"])).out).toContain("small\n");
    expect((await at(["ontology", "get", "small"])).out).toBe(content);
    expect((await at(["ontology", "delete", "small"])).code).toBe(0);
    expect((await at(["query", "ASK { <urn:o:a> <urn:o:super> <urn:o:b> }"])).out).toBe("false\n");
    expect((await at(["ontology", "get", "small"])).code).toBe(1);
  });

  it("a rule document is put, listed and deleted", async () => {
    const rule = "{ ?a <urn:n:p> ?b } => { ?b <urn:n:q> ?a } .\n";
    expect((await at(["rule", "put", "turn", file("turn.n3", rule)])).code).toBe(0);
    expect((await at(["rule", "list"])).out).toBe("turn\n");
    expect((await at(["rule", "get", "turn"])).out).toBe(rule);
    expect((await at(["rule", "delete", "turn"])).code).toBe(0);
    expect((await at(["rule", "list"])).out).toBe("");
  });
});
