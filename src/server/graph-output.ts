/** Result graphs, which the knowledge base gives as canonical N-Triples, in the format a client asked for. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { quoteInput, SensError } from "../base/index.ts";
import type { GraphText } from "../protocol/index.ts";
import {
  BlankNodeScope,
  negotiate,
  parseContentType,
  parseDocumentSync,
  RDF_FORMATS,
  rdfFormat,
  rowsAsQuads,
  TermDictionary,
  writeQuadsToString,
} from "../rdf/index.ts";

export const NTRIPLES = "application/n-triples";
const WRITABLE = RDF_FORMATS.filter((format) => format.canWrite).map((format) => format.mediaType);

/** What the Accept header wants; `preferred` when it does not care. Throws SENS_NOT_ACCEPTABLE. */
export function negotiateRdf(request: FastifyRequest, preferred: string): string {
  return chooseMediaType(request.headers.accept, [preferred, ...WRITABLE.filter((type) => type !== preferred)]);
}

/** A format named in a request. Throws SENS_NOT_ACCEPTABLE. */
export function writableFormat(format: string | undefined): string {
  if (format === undefined) return NTRIPLES;
  const { type } = parseContentType(format);
  if (WRITABLE.includes(type)) return type;
  throw new SensError("SENS_NOT_ACCEPTABLE", `The format ${quoteInput(format)} cannot be written. Available: ${WRITABLE.join(", ")}.`);
}

export async function sendGraph(reply: FastifyReply, graph: GraphText, mediaType: string): Promise<FastifyReply> {
  const body = await writeGraph(graph.ntriples, mediaType);
  const charset = mediaType.startsWith("text/") ? "; charset=utf-8" : "";
  return reply.header("content-type", `${mediaType}${charset}`).header("vary", "Accept").send(Buffer.from(body));
}

/** N-Triples are Turtle, TriG and N-Quads as they stand. */
export function isNTriplesCompatible(mediaType: string): boolean {
  return rdfFormat(mediaType)?.synchronous === true;
}

/** Canonical N-Triples lines in another format. Labels of blank nodes stay as they are. */
export async function writeGraph(ntriples: string, mediaType: string): Promise<string> {
  if (isNTriplesCompatible(mediaType)) return ntriples;
  const dictionary = new TermDictionary();
  const bytes = new TextEncoder().encode(ntriples);
  const { quads } = parseDocumentSync(bytes, { contentType: NTRIPLES, dictionary, blankNodes: BlankNodeScope.verbatim() });
  return writeQuadsToString(mediaType, rowsAsQuads(quads), { dictionary });
}

/** The most wanted of `offered` (RFC 9110, 12.5.1). Throws SENS_NOT_ACCEPTABLE, listing what there is. */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string {
  const chosen = negotiate(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new SensError("SENS_NOT_ACCEPTABLE", `Nothing in ${quoteInput(accept ?? "")} can be written. Available: ${offered.join(", ")}.`);
}
