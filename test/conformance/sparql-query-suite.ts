/**
 * The W3C SPARQL suites as data: entries of a manifest, their files, and expected results. Read from ../shared/data.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type * as RDF from "@rdfjs/types";
import { Parser } from "n3";
import { Engine } from "../../src/engine/index.ts";
import { BlankNodeScope, dataFactory, decodeQuads, parseDocument, ServerLabels, TermDictionary } from "../../src/rdf/index.ts";

export const DATA = join(import.meta.dirname, "../../../shared/data");
const ROOT = join(DATA, "w3c-rdf-tests");
const BASE = "https://w3c.github.io/rdf-tests/";
const RDFNS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const UT = "http://www.w3.org/2009/sparql/tests/test-update#";
const RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";
const RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label";

export interface GraphFile {
  readonly graph: string;
  readonly file: string;
}

export interface SuiteEntry {
  readonly id: string;
  readonly type: string;
  /** Path of the query or update. */
  readonly action: string;
  readonly data: readonly string[];
  readonly graphData: readonly GraphFile[];
  /** Path of the expected result of a query. */
  readonly result: string | undefined;
  readonly resultData: readonly string[];
  readonly resultGraphs: readonly GraphFile[];
  readonly laxCardinality: boolean;
  readonly isEntailment: boolean;
}

export function suitePresent(): boolean {
  return existsSync(join(DATA, "tests.tsv"));
}

/** Manifests of SPARQL 1.0 and 1.1 with the names of the entries that have all their files. */
export function listedManifests(): Map<string, Set<string>> {
  const manifests = new Map<string, Set<string>>();
  for (const line of readFileSync(join(DATA, "tests.tsv"), "utf8").split("\n").slice(1)) {
    const [set, manifest, test] = line.split("\t");
    if (set !== "w3c-rdf-tests" || !/^sparql\/sparql1[01]\//.test(manifest ?? "")) continue;
    const names = manifests.get(manifest as string) ?? new Set();
    names.add(test as string);
    manifests.set(manifest as string, names);
  }
  return manifests;
}

export async function manifestEntries(manifest: string, names: ReadonlySet<string>): Promise<SuiteEntry[]> {
  const graph = new Graph(await parseFile(join(ROOT, manifest), BASE + manifest, new TermDictionary()));
  const entries: SuiteEntry[] = [];
  for (const subject of graph.subjectsOf(`${MF}action`)) {
    const name = subject.value.replace(/^.*[#/]/, "");
    if (!names.has(name)) continue;
    const type = graph.one(subject, `${RDFNS}type`)?.value.replace(/^.*#/, "") ?? "";
    const action = graph.one(subject, `${MF}action`) as RDF.Term;
    const result = graph.one(subject, `${MF}result`);
    const query = graph.one(action, `${QT}query`) ?? graph.one(action, `${UT}request`) ?? action;
    const files = (node: RDF.Term | undefined, property: string) =>
      node ? graph.all(node, property).map((term) => pathOf(term.value)) : [];
    entries.push({
      id: `${manifest.replace("sparql/", "").replace("/manifest.ttl", "")} ${name}`,
      type,
      action: pathOf(query.value),
      data: [...files(action, `${QT}data`), ...files(action, `${UT}data`)],
      graphData: graphsOf(graph, action),
      result: result?.termType === "NamedNode" ? pathOf(result.value) : undefined,
      resultData: files(result, `${UT}data`),
      resultGraphs: result ? graphsOf(graph, result) : [],
      laxCardinality: graph.one(subject, `${MF}resultCardinality`) !== undefined,
      isEntailment:
        graph.one(action, "http://www.w3.org/ns/sparql-service-description#entailmentRegime") !== undefined ||
        manifest.includes("entailment"),
    });
  }
  return entries;
}

function graphsOf(graph: Graph, action: RDF.Term): GraphFile[] {
  const plain = graph.all(action, `${QT}graphData`).map((term) => ({ graph: term.value, file: pathOf(term.value) }));
  const named = graph.all(action, `${UT}graphData`).map((node) => ({
    graph: graph.one(node, RDFS_LABEL)?.value ?? "",
    file: pathOf(graph.one(node, `${UT}graph`)?.value ?? ""),
  }));
  return [...plain, ...named];
}

export function pathOf(iri: string): string {
  return join(ROOT, iri.replace(BASE, ""));
}

export function iriOf(path: string): string {
  return BASE + path.slice(ROOT.length + 1);
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ttl: "text/turtle",
  n3: "text/turtle",
  nt: "application/n-triples",
  trig: "application/trig",
  rdf: "application/rdf+xml",
  nq: "application/n-quads",
};

async function parseFile(path: string, baseIri: string, dictionary: TermDictionary): Promise<RDF.Quad[]> {
  const { quads } = await parseRows(path, baseIri, dictionary);
  return [...decodeQuads(quads, dictionary)] as RDF.Quad[];
}

let lives = 0;
async function parseRows(path: string, baseIri: string, dictionary: TermDictionary): Promise<{ quads: Int32Array }> {
  const contentType = MEDIA_TYPES[basename(path).replace(/^.*\./, "")] ?? "text/turtle";
  const blankNodes = new BlankNodeScope(new ServerLabels(`test${(lives++).toString(36)}`, () => false));
  return parseDocument(readFileSync(path), { contentType, baseIri, dictionary, blankNodes });
}

/** A knowledge base of the files of an entry, and the quads in it as rows of four ids. */
export interface LoadedStore {
  readonly terms: TermDictionary;
  readonly engine: Engine;
  readonly rows: readonly (readonly [number, number, number, number])[];
}

export function emptyStore(): LoadedStore & { rows: [number, number, number, number][] } {
  const terms = new TermDictionary();
  return { terms, engine: new Engine({ typePredicate: terms.iri(`${RDFNS}type`) }), rows: [] };
}

/** Reads the files; `insert` puts them into the engine at once. */
export async function loadStore(data: readonly string[], graphData: readonly GraphFile[], insert = true): Promise<LoadedStore> {
  const store = emptyStore();
  for (const { graph, file } of [...data.map((file) => ({ graph: "", file })), ...graphData]) {
    const { quads } = await parseRows(file, iriOf(file), store.terms);
    const inGraph = graph === "" ? 0 : store.terms.iri(graph);
    for (let i = 0; i < quads.length; i += 4) store.rows.push([quads[i], quads[i + 1], quads[i + 2], quads[i + 3] || inGraph]);
  }
  if (insert) change(store, store.rows, []);
  return store;
}

/** One transaction. */
export function change(store: LoadedStore, inserts: readonly (readonly number[])[], deletes: readonly (readonly number[])[]): void {
  const transaction = store.engine.begin();
  for (const [s, p, o, g] of deletes) transaction.retract(s, p, o, g);
  for (const [s, p, o, g] of inserts) transaction.assert(s, p, o, g);
  for (const _ of transaction.settle());
  transaction.commit();
  store.engine.seal(store.engine.tick);
}

export type ExpectedResult =
  | { readonly kind: "boolean"; readonly value: boolean }
  | {
      readonly kind: "rows";
      readonly variables: readonly string[];
      readonly rows: readonly ReadonlyMap<string, RDF.Term>[];
      readonly ordered: boolean;
    }
  | { readonly kind: "graph"; readonly quads: readonly RDF.Quad[] };

export async function readResult(path: string): Promise<ExpectedResult> {
  const extension = path.replace(/^.*\./, "");
  const text = readFileSync(path, "utf8");
  if (extension === "srx") return readXml(text);
  if (extension === "srj") return readJson(text);
  if (extension === "tsv") return readTsv(text);
  const quads = await parseFile(path, iriOf(path), new TermDictionary());
  const graph = new Graph(quads);
  const [set] = graph.subjectsOf(`${RDFNS}type`).filter((subject) => graph.one(subject, `${RDFNS}type`)?.value === `${RS}ResultSet`);
  if (!set) return { kind: "graph", quads };
  const answer = graph.one(set, `${RS}boolean`);
  if (answer) return { kind: "boolean", value: answer.value === "true" };
  const solutions = graph.all(set, `${RS}solution`);
  const index = (node: RDF.Term) => Number(graph.one(node, `${RS}index`)?.value ?? 0);
  const ordered = solutions.some((node) => graph.one(node, `${RS}index`) !== undefined);
  const rows = solutions
    .sort((a, b) => index(a) - index(b))
    .map(
      (node) =>
        new Map(
          graph
            .all(node, `${RS}binding`)
            .map((binding) => [graph.one(binding, `${RS}variable`)?.value ?? "", graph.one(binding, `${RS}value`) as RDF.Term]),
        ),
    );
  return { kind: "rows", variables: graph.all(set, `${RS}resultVariable`).map((term) => term.value), rows, ordered };
}

function readXml(text: string): ExpectedResult {
  const answer = /<boolean>\s*(true|false)\s*<\/boolean>/.exec(text);
  if (answer) return { kind: "boolean", value: answer[1] === "true" };
  const unescaped = (value: string) =>
    value
      .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&quot;/g, '"')
      .replace(/&apos;/g, "'")
      .replace(/&amp;/g, "&");
  const variables = [...text.matchAll(/<variable\s+name=["']([^"']*)["']/g)].map(([, name]) => name as string);
  const rows = [...text.matchAll(/<result(?:\s[^>]*)?>(.*?)<\/result>|<result\s*\/>/gs)].map(([, body = ""]) => {
    const row = new Map<string, RDF.Term>();
    for (const [, name, content] of body.matchAll(/<binding\s+name=["']([^"']*)["']\s*>(.*?)<\/binding>/gs))
      row.set(name as string, readXmlTerm(content as string, unescaped));
    return row;
  });
  return { kind: "rows", variables, rows, ordered: false };
}

function readXmlTerm(content: string, unescaped: (value: string) => string): RDF.Term {
  const uri = /<uri>(.*?)<\/uri>/s.exec(content);
  if (uri) return dataFactory.namedNode(unescaped(uri[1] as string));
  const blank = /<bnode>(.*?)<\/bnode>/s.exec(content);
  if (blank) return dataFactory.blankNode(blank[1]);
  const literal = /<literal([^>]*?)(?:\/>|>(.*?)<\/literal>)/s.exec(content);
  const attributes = literal?.[1] ?? "";
  const value = unescaped(literal?.[2] ?? "");
  const datatype = /datatype=["']([^"']*)["']/.exec(attributes);
  if (datatype) return dataFactory.literal(value, dataFactory.namedNode(unescaped(datatype[1] as string)));
  const language = /xml:lang=["']([^"']*)["']/.exec(attributes);
  return language ? dataFactory.literal(value, (language[1] as string).toLowerCase()) : dataFactory.literal(value);
}

/** Terms are written as in Turtle, so a Turtle parser reads them. */
function readTsv(text: string): ExpectedResult {
  const [head = "", ...lines] = text.replace(/\r/g, "").replace(/\n$/, "").split("\n");
  const variables = head.split("\t").map((name) => name.slice(1));
  const rows = lines.map((line) => {
    const row = new Map<string, RDF.Term>();
    for (const [column, written] of line.split("\t").entries()) {
      if (written === "") continue;
      const [quad] = new Parser({ blankNodePrefix: "" }).parse(`<x:s> <x:p> ${written} .`);
      row.set(variables[column], quad.object as RDF.Term);
    }
    return row;
  });
  return { kind: "rows", variables, rows, ordered: false };
}

interface JsonTerm {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
  readonly "xml:lang"?: string;
}

function readJson(text: string): ExpectedResult {
  const json = JSON.parse(text) as { boolean?: boolean; head: { vars?: string[] }; results?: { bindings: Record<string, JsonTerm>[] } };
  if (json.boolean !== undefined) return { kind: "boolean", value: json.boolean };
  const termOf = (term: JsonTerm): RDF.Term => {
    if (term.type === "uri") return dataFactory.namedNode(term.value);
    if (term.type === "bnode") return dataFactory.blankNode(term.value);
    if (term["xml:lang"]) return dataFactory.literal(term.value, term["xml:lang"].toLowerCase());
    return term.datatype ? dataFactory.literal(term.value, dataFactory.namedNode(term.datatype)) : dataFactory.literal(term.value);
  };
  const rows = (json.results?.bindings ?? []).map((row) => new Map(Object.entries(row).map(([name, term]) => [name, termOf(term)])));
  return { kind: "rows", variables: json.head.vars ?? [], rows, ordered: false };
}

/** Look-ups in a list of quads. */
class Graph {
  readonly #quads: readonly RDF.Quad[];
  constructor(quads: readonly RDF.Quad[]) {
    this.#quads = quads;
  }
  subjectsOf(predicate: string): RDF.Term[] {
    const found = new Map<string, RDF.Term>();
    for (const quad of this.#quads) if (quad.predicate.value === predicate) found.set(quad.subject.value, quad.subject);
    return [...found.values()];
  }
  all(subject: RDF.Term, predicate: string): RDF.Term[] {
    return this.#quads.filter((quad) => quad.predicate.value === predicate && quad.subject.equals(subject)).map((quad) => quad.object);
  }
  one(subject: RDF.Term, predicate: string): RDF.Term | undefined {
    return this.all(subject, predicate)[0];
  }
}
