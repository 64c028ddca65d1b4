/**
 * A body in any supported RDF syntax to staged quads, all or nothing:
 *   content type -> fatal UTF-8 on the whole body -> pre-scan (depth, sizes) -> parser -> every term validated -> rows
 * Terms of a refused document may stay in the dictionary; that is harmless, ids are not visible.
 */
import { quoteInput, SensError, systemRandom } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import { checkUtf8, parseContentType } from "./body-encoding.ts";
import { iriFault } from "./iri.ts";
import { type ScanOptions, scanNQuads, scanNQuadsInSlices } from "./nquads-scanner.ts";
import { PARSE_LIMITS, type ParseLimits } from "./parse-limits.ts";
import { RDF_FORMATS, rdfFormat } from "./rdf-format.ts";
import { type ParsedDocument, StagedQuads } from "./staged-quads.ts";
import type { BulkTermTable } from "./term-dictionary.ts";
import { NO_TERM, type TermId } from "./term-table.ts";
import { positionInBytes } from "./text-position.ts";
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
  /** From how many bytes on the document is large; fewer in tests. */
  readonly largeBytes?: number;
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

/** From this size on a document is scanned in slices or parsed in another thread: some 10 ms of work. */
const LARGE_BYTES = 256 * 1024;
const LINES = new Set(["application/n-triples", "application/n-quads"]);

/** Parses every format of RDF_FORMATS, large documents without holding up this thread; beyond `parseDocumentSync`'s errors: SENS_REMOTE_CONTEXT, SENS_DATA_LOSS, SENS_EXTERNAL_ENTITY, SENS_ENTITY_LIMIT, SENS_CANCELLED. */
export async function parseDocument(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  checkSignal(options.signal);
  const type = parseContentType(options.contentType).type;
  const format = rdfFormat(type);
  if (format === undefined) throw unsupported(type);
  const common = prepare(options);
  if (bytes.length < (options.largeBytes ?? LARGE_BYTES)) return parseDocumentHere(bytes, options);
  if (LINES.has(type)) return scanInSlices(bytes, { ...common, namedGraphs: type === "application/n-quads" }, options.signal);
  // Loaded when first needed, and never in a browser.
  const { parseApart } = await import("./document-workers.ts");
  const labelPrefix = `apart-${systemRandom.id(8)}-`;
  const { contentType, baseIri, limits, contexts, unmapped, signal } = options;
  const { nquads, addressed } = await parseApart({ bytes, contentType, baseIri, limits, contexts, unmapped, labelPrefix }, signal);
  for (const label of addressed) if (common.blankNodes.address(label) === undefined) throw unknownNode(bytes, label);
  return scanInSlices(nquads, { ...common, namedGraphs: true }, signal);
}

/** As `parseDocument`, in this thread whatever the size. */
export async function parseDocumentHere(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
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

async function scanInSlices(bytes: Uint8Array, options: ScanOptions, signal: AbortSignal | undefined): Promise<ParsedDocument> {
  const staged = new StagedQuads();
  await scanNQuadsInSlices(checkUtf8(bytes), options, staged, async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    checkSignal(signal);
  });
  return { quads: staged.rows(), count: staged.count, freshBlankNodes: options.blankNodes.freshCount };
}

function unknownNode(bytes: Uint8Array, label: string): SensError {
  const written = `<_:${label}>`;
  const position = positionInBytes(bytes, Math.max(0, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(written)));
  const where = `Line ${position.line}, column ${position.column}`;
  return new SensError("SENS_IRI", `${where}: ${quoteInput(written)} addresses no stored blank node.`, { position });
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
