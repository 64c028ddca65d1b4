/**
 * Whether two sets of quads are the same up to the names of blank nodes; for tests and comparisons of documents.
 * Colours of blank nodes are refined from the quads they stand in until nothing changes; where nodes still look alike,
 * one is tried against each candidate with the same colour (backtracking). Exponential only for adversarial graphs, so
 * the number of tries is bounded.
 */
import type * as RDF from "@rdfjs/types";
import { assert } from "../base/index.ts";

/** Tries before the comparison gives up with an assertion; ordinary documents need none. */
const TRIES_MAX = 100_000;

type Colours = ReadonlyMap<string, string>;
type Row = readonly [string, string, string, string];

/** Compares as sets: repeated quads count once, order does not matter. Language tags compare without case. */
export function areIsomorphic(a: Iterable<RDF.BaseQuad>, b: Iterable<RDF.BaseQuad>): boolean {
  const rowsA = distinctRows(a);
  const rowsB = distinctRows(b);
  if (rowsA.length !== rowsB.length) return false;
  return match(rowsA, rowsB, startColours(rowsA), startColours(rowsB), { tries: 0 });
}

function distinctRows(quads: Iterable<RDF.BaseQuad>): Row[] {
  const rows = new Map<string, Row>();
  for (const quad of quads) {
    const row: Row = [termKey(quad.subject), termKey(quad.predicate), termKey(quad.object), termKey(quad.graph)];
    rows.set(row.join("\u0000"), row);
  }
  return [...rows.values()];
}

function termKey(term: RDF.Term): string {
  switch (term.termType) {
    case "BlankNode":
      return `_:${term.value}`;
    case "Literal":
      return `"${JSON.stringify(term.value)}@${term.language.toLowerCase()}^${term.datatype.value}`;
    case "DefaultGraph":
      return "";
    default:
      return `<${term.value}>`;
  }
}

function isBlank(key: string): boolean {
  return key.startsWith("_:");
}

function startColours(rows: readonly Row[]): Map<string, string> {
  const colours = new Map<string, string>();
  for (const row of rows) for (const key of row) if (isBlank(key)) colours.set(key, "");
  return colours;
}

function match(a: readonly Row[], b: readonly Row[], startA: Colours, startB: Colours, state: { tries: number }): boolean {
  const coloursA = refine(a, startA);
  const coloursB = refine(b, startB);
  const groupsA = groups(coloursA);
  const groupsB = groups(coloursB);
  if (groupsA.size !== groupsB.size) return false;
  let undecided: string | undefined;
  for (const [colour, nodes] of groupsA) {
    const others = groupsB.get(colour);
    if (others?.length !== nodes.length) return false;
    if (nodes.length > 1 && (undecided === undefined || nodes.length < (groupsA.get(undecided) as string[]).length)) undecided = colour;
  }
  if (undecided === undefined) return sameRows(a, b, coloursA, coloursB);
  const node = (groupsA.get(undecided) as string[])[0];
  for (const candidate of groupsB.get(undecided) as string[]) {
    assert(++state.tries <= TRIES_MAX, "these graphs are too symmetric to compare");
    const mark = `chosen ${state.tries}`;
    if (match(a, b, new Map(coloursA).set(node, mark), new Map(coloursB).set(candidate, mark), state)) return true;
  }
  return false;
}

/** New colour of a node = digest of its old colour and of the coloured quads around it, until no group splits further. */
function refine(rows: readonly Row[], start: Colours): Map<string, string> {
  let colours = new Map(start);
  let groupCount = new Set(colours.values()).size;
  for (;;) {
    const signatures = new Map<string, string[]>();
    for (const key of colours.keys()) signatures.set(key, []);
    for (const row of rows) {
      for (let position = 0; position < 4; position++) {
        if (!isBlank(row[position])) continue;
        const seen = row.map((key) => (key === row[position] ? "@self" : isBlank(key) ? `_${colours.get(key)}` : key));
        signatures.get(row[position])?.push(`${position} ${seen.join(" ")}`);
      }
    }
    const next = new Map<string, string>();
    for (const [key, lines] of signatures) next.set(key, digest(`${colours.get(key)}\n${lines.sort().join("\n")}`));
    const nextCount = new Set(next.values()).size;
    colours = next;
    if (nextCount === groupCount) return colours;
    groupCount = nextCount;
  }
}

/** Two 32-bit FNV-1a hashes as one word: equal colours are checked against the rows in the end, so a clash costs time only. */
function digest(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1234567;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5bd1e995) + i;
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

function groups(colours: Colours): Map<string, string[]> {
  const byColour = new Map<string, string[]>();
  for (const [key, colour] of colours) {
    const group = byColour.get(colour);
    if (group === undefined) byColour.set(colour, [key]);
    else group.push(key);
  }
  return byColour;
}

function sameRows(a: readonly Row[], b: readonly Row[], coloursA: Colours, coloursB: Colours): boolean {
  const line = (row: Row, colours: Colours) => row.map((key) => (isBlank(key) ? `_${colours.get(key)}` : key)).join("\u0000");
  const lines = new Set(b.map((row) => line(row, coloursB)));
  return a.every((row) => lines.has(line(row, coloursA)));
}
