/**
 * A body in any supported RDF syntax to staged quads, all or nothing:
 *   content type -> fatal UTF-8 on the whole body -> pre-scan (depth, sizes) -> parser -> every term validated -> rows
 * Terms of a refused document may stay in the dictionary; that is harmless, ids are not visible.
 */
import { SensError } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import { checkUtf8, parseContentType } from "./body-encoding.ts";
import { iriFault } from "./iri.ts";
import { scanNQuads } from "./nquads-scanner.ts";
import { PARSE_LIMITS, type ParseLimits } from "./parse-limits.ts";
import { RDF_FORMATS, rdfFormat } from "./rdf-format.ts";
import { type ParsedDocument, StagedQuads } from "./staged-quads.ts";
import type { BulkTermTable } from "./term-dictionary.ts";
import { NO_TERM, type TermId } from "./term-table.ts";
import { parseTurtle } from "./turtle-parser.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface ParseOptions {
  /** The Content-Type header; parameters and upper case are fine. */
  readonly contentType: string;
  /** Relative IRIs are resolved against it; without it they are refused. */
  readonly baseIri?: string;
  readonly dictionary: BulkTermTable;
  readonly blankNodes: BlankNodeScope;
  /** Where quads without a graph go; default: the default graph. */
  readonly graph?: TermId;
  readonly limits?: Partial<ParseLimits>;
  /** Checked between the steps of asynchronous parsing. */
  readonly signal?: AbortSignal;
  /** JSON-LD contexts that may be used by IRI, as parsed JSON. Everything else is SENS_REMOTE_CONTEXT. */
  readonly contexts?: ReadonlyMap<string, unknown>;
  /** JSON-LD keys and values that mean nothing: `refuse` (default, SENS_DATA_LOSS) or `ignore`, as the W3C algorithm does. */
  readonly unmapped?: "refuse" | "ignore";
}

/**
 * Parses N-Triples, N-Quads, Turtle or TriG in one call. Throws SensError (SENS_UNSUPPORTED_MEDIA_TYPE, SENS_ENCODING,
 * SENS_SYNTAX with line and column, SENS_IRI, SENS_RELATIVE_IRI, limits).
 */
export function parseDocumentSync(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const type = parseContentType(options.contentType).type;
  const format = rdfFormat(type);
  if (format === undefined || !format.synchronous) throw unsupported(type);
  const common = prepare(options);
  if (type === "text/turtle" || type === "application/trig") {
    return parseTurtle(decodeUtf8(checkUtf8(bytes)), { ...common, format: type });
  }
  const staged = new StagedQuads();
  scanNQuads(checkUtf8(bytes), { ...common, namedGraphs: type === "application/n-quads" }, staged);
  return {
    quads: staged.rows(),
    count: staged.count,
    freshBlankNodes: common.blankNodes.freshCount,
  };
}

/** Parses every format of RDF_FORMATS; beyond `parseDocumentSync`'s errors: SENS_REMOTE_CONTEXT, SENS_DATA_LOSS, SENS_EXTERNAL_ENTITY, SENS_ENTITY_LIMIT, SENS_CANCELLED. */
export async function parseDocument(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  checkSignal(options.signal);
  const type = parseContentType(options.contentType).type;
  const format = rdfFormat(type);
  if (format === undefined) throw unsupported(type);
  if (format.synchronous) return parseDocumentSync(bytes, options);
  const common = { ...prepare(options), signal: options.signal, contexts: options.contexts, unmapped: options.unmapped ?? "refuse" };
  const text = decodeUtf8(checkUtf8(bytes));
  // Loaded when first needed: these libraries are large and many processes never see their formats.
  const parsed =
    type === "application/ld+json"
      ? await (await import("./jsonld-parser.ts")).parseJsonLd(text, common)
      : await (await import("./rdfxml-parser.ts")).parseRdfXml(text, common);
  checkSignal(options.signal);
  return parsed;
}

function prepare(options: ParseOptions) {
  const limits: ParseLimits = { ...PARSE_LIMITS, ...options.limits };
  if (options.baseIri !== undefined) {
    const fault = iriFault(options.baseIri, undefined, limits.iriBytesMax);
    if (fault !== undefined) throw fault;
  }
  return {
    baseIri: options.baseIri,
    dictionary: options.dictionary,
    blankNodes: options.blankNodes,
    graph: options.graph ?? NO_TERM,
    limits,
  };
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new SensError("SENS_CANCELLED", "Parsing was cancelled.", { cause: signal.reason });
}

function unsupported(type: string): SensError {
  const known = RDF_FORMATS.map((format) => format.mediaType).join(", ");
  return new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `RDF cannot be read from ${JSON.stringify(type)}. Send one of ${known}.`);
}
