/** RDF/XML: the XML pre-scan, then rdfxml-streaming-parser in one piece, with its quads validated and staged. */
import { RdfXmlParser } from "rdfxml-streaming-parser";
import { AssertionError, quoteInput, SensError, type TextPosition } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import type { ParseLimits } from "./parse-limits.ts";
import type { ParsedDocument } from "./staged-quads.ts";
import { StagingFactory } from "./staging-factory.ts";
import { stageStream } from "./staging-stream.ts";
import type { TermId, TermTable } from "./term-table.ts";
import { prescanXml } from "./xml-prescan.ts";

export interface RdfXmlOptions {
  readonly baseIri: string | undefined;
  readonly dictionary: TermTable;
  readonly blankNodes: BlankNodeScope;
  readonly graph: TermId;
  readonly limits: ParseLimits;
  readonly signal: AbortSignal | undefined;
}

type LibraryOptions = NonNullable<ConstructorParameters<typeof RdfXmlParser>[0]>;

/** Throws SENS_SYNTAX, SENS_IRI, SENS_RELATIVE_IRI, SENS_EXTERNAL_ENTITY, SENS_ENTITY_LIMIT, SENS_TOO_DEEP and the lengths. */
export async function parseRdfXml(text: string, options: RdfXmlOptions): Promise<ParsedDocument> {
  const prepared = prescanXml(text, options.limits);
  const factory = new StagingFactory({
    dictionary: options.dictionary,
    blankNodes: options.blankNodes,
    graph: options.graph,
    namedGraphs: false,
    limits: options.limits,
    deferred: true,
    position: () => undefined,
  });
  const libraryOptions = { dataFactory: factory, baseIRI: options.baseIri ?? "", trackPosition: true };
  try {
    await stageStream(new RdfXmlParser(libraryOptions as unknown as LibraryOptions), prepared, factory, options.signal);
  } catch (error) {
    throw asCodedError(error, options);
  }
  const count = factory.staged.count;
  return { quads: factory.staged.rows(), count, freshBlankNodes: options.blankNodes.freshCount };
}

function asCodedError(error: unknown, options: RdfXmlOptions): unknown {
  if (error instanceof SensError || error instanceof AssertionError || !(error instanceof Error)) return error;
  const position = errorPosition(error);
  const message = error.message.replace(/^(?:Line \d+ column \d+|\d+:\d+): /, "");
  const detail = quoteInput(message).slice(1, -1).replace(/\\"/g, '"').replace(" according to RDF Turtle", "").replace(/\.$/, "");
  const where = position === undefined ? "" : `Line ${position.line}, column ${position.column}: `;
  const details = { cause: error, ...(position === undefined ? {} : { position }) };
  if (
    /relative|without a valid scheme|Found invalid relative IRI|not contain.*scheme/i.test(error.message) &&
    options.baseIri === undefined
  ) {
    return new SensError("SENS_RELATIVE_IRI", `${where}${detail}. Write the IRI in full or declare xml:base.`, details);
  }
  if (/Invalid (?:IRI|URI)/i.test(error.message))
    return new SensError("SENS_IRI", `${where}${detail}. Percent-encode the character.`, details);
  return new SensError("SENS_SYNTAX", `${where}${detail}. Correct the document there.`, details);
}

/** The library's own errors have line and column; or begin with them; those of its XML reader with `line:column:`. */
function errorPosition(error: Error): TextPosition | undefined {
  const { line, column } = error as { line?: number; column?: number };
  if (line !== undefined && column !== undefined) return { line, column: column + 1 };
  const match = /^(?:Line )?(\d+)(?: column |:)(\d+): /.exec(error.message);
  return match === null ? undefined : { line: Number(match[1]), column: Number(match[2]) + 1 };
}
