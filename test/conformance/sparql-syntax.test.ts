/**
 * The W3C syntax tests of SPARQL 1.0, 1.1 and 1.2, one test per manifest entry. Those of 1.2 about triple terms are reported
 * as they are: the parser knows them, the store does not.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Parser } from "n3";
import { describe, expect, it } from "vitest";
import { parseQuery, parseUpdate } from "../../src/sparql/index.ts";
import { skippedWithout } from "./absent-input.ts";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** Well-formed, but call functions that nobody provides: we say so when the query arrives, not with an error in every row. */
const UNKNOWN_FUNCTIONS: ReadonlySet<string> = new Set([
  "sparql10/syntax-sparql2/syntax-function-03",
  "sparql10/syntax-sparql2/syntax-function-04",
  "sparql11/syntax-query/test_4",
]);

interface SyntaxTest {
  readonly id: string;
  readonly file: string;
  readonly positive: boolean;
  readonly update: boolean;
}

describe("W3C SPARQL syntax", () => {
  if (!existsSync(join(DATA, "tests.tsv"))) {
    skippedWithout("../shared/data/tests.tsv", "syntax suites");
    return;
  }
  for (const test of syntaxTests()) {
    it(`${test.positive ? "accepts" : "refuses"} ${test.id}`, () => check(test));
  }
});

function check(test: SyntaxTest): void {
  const text = readFileSync(test.file, "utf8");
  const parse = (): unknown => (test.update ? parseUpdate : parseQuery)(text, { baseIri: "http://example.org/base/" });
  if (UNKNOWN_FUNCTIONS.has(test.id)) expect(parse).toThrow(expect.objectContaining({ code: "SENS_UNKNOWN_FUNCTION" }));
  else if (test.positive) expect(parse).not.toThrow();
  else expect(parse).toThrow(expect.objectContaining({ code: "SENS_SYNTAX" }));
}

function syntaxTests(): SyntaxTest[] {
  const listed = new Map<string, Set<string>>();
  for (const line of readFileSync(join(DATA, "tests.tsv"), "utf8").split("\n")) {
    const [set, manifest, name, files] = line.split("\t");
    if (set !== "w3c-rdf-tests" || !/^sparql\/.*\.ttl$/.test(manifest ?? "")) continue;
    if (!listed.has(manifest)) listed.set(manifest, new Set());
    listed.get(manifest)?.add(name);
    for (const file of files.split(" ")) listed.get(manifest)?.add(file.split("/").at(-1) ?? "");
  }
  return [...listed].flatMap(([manifest, names]) => entriesOf(manifest, names));
}

function entriesOf(manifest: string, names: ReadonlySet<string>): SyntaxTest[] {
  const path = join(DATA, "w3c-rdf-tests", manifest);
  const base = `file://${path}`;
  const quads = new Parser({ baseIRI: base }).parse(readFileSync(path, "utf8"));
  const tests: SyntaxTest[] = [];
  for (const quad of quads) {
    const kind = /#(Positive|Negative)(Update)?Syntax(?:Test)?(?:11)?$/.exec(quad.object.value);
    if (quad.predicate.value !== TYPE || !kind) continue;
    const action = quads.find((other) => other.subject.equals(quad.subject) && other.predicate.value === `${MF}action`);
    if (!action) continue;
    const file = fileURLToPath(action.object.value);
    const name = quad.subject.value.split("#").at(-1) ?? "";
    if (!existsSync(file) || !(names.has(name) || names.has(file.split("/").at(-1) ?? ""))) continue;
    tests.push({
      id: `${dirname(manifest).replace(/^sparql\//, "")}/${name}`,
      file,
      positive: kind[1] === "Positive",
      update: kind[2] !== undefined || file.endsWith(".ru"),
    });
  }
  return tests;
}
