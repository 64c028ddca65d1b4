/**
 * Quads of ids as text in any RDF syntax, in pieces of about 64 KiB. Output is always valid RDF: a term that no syntax
 * can carry is an error, never written. N-Triples and N-Quads are canonical: single spaces, ` .`, newline.
 */
import { SensError } from "../base/index.ts";
import { nquadsLine } from "./nquads-line.ts";
import { rdfFormat } from "./rdf-format.ts";
import { NO_TERM, type TermTable } from "./term-table.ts";
import { writeTurtle } from "./turtle-writer.ts";
import { PIECE_CHARS, type QuadIds, type QuadSource, type WriteOptions } from "./write-options.ts";

/**
 * Writes `quads` in the format of a media type. Formats without named graphs take quads of the default graph only.
 * Throws SENS_NOT_ACCEPTABLE for an unknown format, a named graph or a predicate that the format cannot express, and
 * SENS_IRI for a term that is no valid RDF. RDF/XML collects everything first: what cannot be written is known at once.
 */
export async function* writeQuads(mediaType: string, quads: QuadSource, options: WriteOptions): AsyncGenerator<string, void, undefined> {
  const format = rdfFormat(mediaType);
  if (format === undefined || !format.canWrite) {
    throw new SensError("SENS_NOT_ACCEPTABLE", `RDF cannot be written as ${JSON.stringify(mediaType)}. Ask for text/turtle, say.`);
  }
  const checked = format.supportsGraphs ? quads : withoutGraphs(quads, format.name);
  switch (mediaType) {
    case "application/n-triples":
    case "application/n-quads":
      yield* writeLines(checked, options.dictionary);
      return;
    case "text/turtle":
    case "application/trig":
      yield* writeTurtle(checked, options);
      return;
    case "application/ld+json":
      yield* (await import("./jsonld-writer.ts")).writeJsonLd(checked, options);
      return;
    default:
      yield* (await import("./rdfxml-writer.ts")).writeRdfXml(checked, options);
  }
}

/** The whole text at once; for small results. */
export async function writeQuadsToString(mediaType: string, quads: QuadSource, options: WriteOptions): Promise<string> {
  let text = "";
  for await (const piece of writeQuads(mediaType, quads, options)) text += piece;
  return text;
}

/** Canonical N-Quads lines (N-Triples when there are no graphs) at once, without awaiting. */
export function writeNQuads(quads: Iterable<QuadIds>, dictionary: TermTable): string {
  let text = "";
  for (const quad of quads) text += nquadsLine(dictionary, quad[0], quad[1], quad[2], quad[3] ?? NO_TERM);
  return text;
}

/** Rows of a `ParsedDocument` or another `rows x 4` array as quads. */
export function* rowsAsQuads(rows: Int32Array): Generator<QuadIds, void, undefined> {
  for (let at = 0; at < rows.length; at += 4) yield [rows[at], rows[at + 1], rows[at + 2], rows[at + 3]];
}

async function* writeLines(quads: QuadSource, dictionary: TermTable): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for await (const quad of quads) {
    piece += nquadsLine(dictionary, quad[0], quad[1], quad[2], quad[3] ?? NO_TERM);
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = "";
    }
  }
  if (piece !== "") yield piece;
}

async function* withoutGraphs(quads: QuadSource, name: string): AsyncGenerator<QuadIds, void, undefined> {
  for await (const quad of quads) {
    if (quad[3])
      throw new SensError("SENS_NOT_ACCEPTABLE", `${name} has no named graphs. Ask for application/trig or application/n-quads.`);
    yield quad;
  }
}
