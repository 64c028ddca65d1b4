/**
 * Public test suites of the RDF syntaxes, one test per entry: the W3C's Turtle, TriG, N-Triples, N-Quads, RDF/XML and
 * JSON-LD toRdf, and Oxigraph's and Serd's. Read from ../shared/data, never copied; absent data is said, not hidden.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  areIsomorphic,
  BlankNodeScope,
  type dataFactory,
  decodeQuads,
  parseDocument,
  parseDocumentSync,
  ServerLabels,
  TermDictionary,
} from "../../src/rdf/index.ts";
import { skipReason } from "../skip-list.ts";
import { skippedWithout } from "./absent-input.ts";

const DATA = join(import.meta.dirname, "../../../shared/data");
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ttl: "text/turtle",
  trig: "application/trig",
  nt: "application/n-triples",
  nq: "application/n-quads",
  rdf: "application/rdf+xml",
  jsonld: "application/ld+json",
};
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const SERD_BASE = "http://drobilla.net/sw/serd/test/";
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

interface Entry {
  readonly key: string;
  readonly input: string;
  readonly base: string;
  /** Path of the expected quads; `undefined` when only acceptance or refusal is tested. */
  readonly expected: string | undefined;
  readonly negative: boolean;
}

const SETS: readonly (readonly [set: string, manifest: string])[] = [
  ["w3c-rdf-tests", "rdf/rdf11/rdf-turtle/manifest.ttl"],
  ["w3c-rdf-tests", "rdf/rdf11/rdf-trig/manifest.ttl"],
  ["w3c-rdf-tests", "rdf/rdf11/rdf-n-triples/manifest.ttl"],
  ["w3c-rdf-tests", "rdf/rdf11/rdf-n-quads/manifest.ttl"],
  ["w3c-rdf-tests", "rdf/rdf11/rdf-xml/manifest.ttl"],
  ["w3c-json-ld", "tests/toRdf-manifest.jsonld"],
  ["oxigraph-tests", "testsuite/oxigraph-tests/parser/manifest.ttl"],
  ["oxigraph-tests", "testsuite/oxigraph-tests/parser-error/manifest.ttl"],
  ["oxigraph-tests", "testsuite/serd-tests/good/manifest.ttl"],
  ["oxigraph-tests", "testsuite/serd-tests/bad/manifest.ttl"],
  ["oxigraph-tests", "testsuite/serd-tests/eof/manifest.ttl"],
];

if (!existsSync(join(DATA, "tests.tsv"))) {
  skippedWithout("../shared/data/tests.tsv", "RDF suites");
} else {
  const listed = listedTests();
  for (const [set, manifest] of SETS) {
    describe(`${set} ${manifest}`, () => {
      for (const entry of readManifest(set, manifest, listed)) {
        const reason = skipReason(entry.key);
        it(entry.key, (ctx) => (reason === undefined ? check(entry) : ctx.skip(reason)));
      }
    });
  }
}

/** `set manifest test` of everything that has its files here. */
function listedTests(): Set<string> {
  const lines = readFileSync(join(DATA, "tests.tsv"), "utf8").split("\n").slice(1);
  return new Set(lines.map((line) => line.split("\t").slice(0, 3).join(" ")));
}

function readManifest(set: string, manifest: string, listed: ReadonlySet<string>): Entry[] {
  const all = manifest.endsWith(".jsonld") ? jsonManifest(set, manifest) : turtleManifest(set, manifest);
  return all.filter((entry) => listed.has(`${set} ${manifest} ${entry.key.split(" ").at(-1)}`));
}

function turtleManifest(set: string, manifest: string): Entry[] {
  const path = join(DATA, set, manifest);
  const dictionary = new TermDictionary();
  const base = `http://suite.invalid/${manifest}`;
  const parsed = parseDocumentSync(readFileSync(path), {
    contentType: "text/turtle",
    baseIri: base,
    dictionary,
    blankNodes: BlankNodeScope.verbatim(),
  });
  const objects = new Map<string, string>();
  for (const quad of decodeQuads(parsed.quads, dictionary)) objects.set(`${quad.subject.value} ${quad.predicate.value}`, quad.object.value);
  const assumed =
    objects.get(`${base} ${MF}assumedTestBase`) ??
    (manifest.includes("serd-tests") ? `${SERD_BASE}${manifest.split("/").at(-2)}/` : undefined);
  const entries: Entry[] = [];
  for (const [key, action] of objects) {
    const [subject, predicate] = key.split(" ");
    if (predicate !== `${MF}action`) continue;
    const type = objects.get(`${subject} ${RDF_TYPE}`) ?? "";
    const result = objects.get(`${subject} ${MF}result`);
    const folder = base.slice(0, base.lastIndexOf("/") + 1);
    const local = (iri: string) => join(path, "..", decodeURIComponent(iri.slice(folder.length)));
    const name = subject.slice(subject.lastIndexOf("#") + 1);
    entries.push({
      key: `${manifest.split("/").at(-2)} ${name}`,
      input: local(action),
      base: assumed === undefined ? action : assumed + action.slice(folder.length),
      expected: result === undefined ? undefined : local(result),
      negative: /Negative/.test(type),
    });
  }
  return entries;
}

interface JsonLdEntry {
  readonly "@id": string;
  readonly "@type": readonly string[];
  readonly input: string;
  readonly expect?: string;
  readonly option?: Readonly<Record<string, unknown>>;
}

function jsonManifest(set: string, manifest: string): Entry[] {
  const path = join(DATA, set, manifest);
  const document = JSON.parse(readFileSync(path, "utf8")) as { baseIri: string; sequence: JsonLdEntry[] };
  const entries: Entry[] = [];
  for (const test of document.sequence) {
    const option = test.option ?? {};
    // What our entry point does not offer: other processing modes, generalized RDF, expansion contexts.
    if (
      option.processingMode === "json-ld-1.0" ||
      option.specVersion === "json-ld-1.0" ||
      option.produceGeneralizedRdf ||
      option.expandContext
    )
      continue;
    entries.push({
      key: `toRdf ${test["@id"].slice(1)}`,
      input: join(path, "..", test.input),
      base: (option.base as string | undefined) ?? document.baseIri + test.input,
      expected: test.expect === undefined ? undefined : join(path, "..", test.expect),
      negative: test["@type"].includes("jld:NegativeEvaluationTest"),
    });
  }
  return entries;
}

async function check(entry: Entry): Promise<void> {
  if (entry.negative) {
    await expect(parseFile(entry.input, entry.base)).rejects.toThrow();
    return;
  }
  const actual = await parseFile(entry.input, entry.base);
  if (entry.expected === undefined) return;
  const expected = await parseFile(entry.expected, entry.base);
  if (!areIsomorphic(actual, expected)) {
    // Equal texts would say "equal": show both sides.
    expect(actual.map(show).sort()).toEqual(expected.map(show).sort());
    expect.unreachable("not isomorphic");
  }
}

/** The W3C's algorithm drops what means nothing, so JSON-LD is read with `unmapped: "ignore"` here. */
async function parseFile(path: string, baseIri: string) {
  const dictionary = new TermDictionary();
  const labels = new ServerLabels("suite", () => false);
  const contentType = MEDIA_TYPES[path.slice(path.lastIndexOf(".") + 1)];
  const contexts = contentType === "application/ld+json" ? contextsBeside(path, baseIri) : undefined;
  const options = { contentType, baseIri, dictionary, blankNodes: new BlankNodeScope(labels), contexts, unmapped: "ignore" } as const;
  const parsed = await parseDocument(readFileSync(path), options);
  return [...decodeQuads(parsed.quads, dictionary)];
}

/** Contexts that lie beside a document (or in a folder named like its test) and that it names by relative IRI. */
function contextsBeside(path: string, baseIri: string): Map<string, unknown> {
  const contexts = new Map<string, unknown>();
  const stem = basename(path).split("-")[0];
  for (const folder of [dirname(path), join(dirname(path), stem)]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      if (!/context.*\.jsonld$/.test(name)) continue;
      const relative = folder === dirname(path) ? name : `${stem}/${name}`;
      contexts.set(new URL(relative, baseIri).href, JSON.parse(readFileSync(join(folder, name), "utf8")));
    }
  }
  return contexts;
}

function show(quad: ReturnType<typeof dataFactory.quad>): string {
  const term = (value: { termType: string; value: string }) => (value.termType === "BlankNode" ? "_:" : JSON.stringify(value.value));
  const object =
    quad.object.termType === "Literal" ? `${term(quad.object)}@${quad.object.language}^^${quad.object.datatype.value}` : term(quad.object);
  return `${term(quad.subject)} ${term(quad.predicate)} ${object} ${term(quad.graph)}`;
}
