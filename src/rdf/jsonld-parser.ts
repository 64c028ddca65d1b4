/**
 * JSON-LD 1.1: the JSON pre-scan and the context check, then jsonld-streaming-parser in one piece. Its documents lose
 * keys and invalid IRIs silently by default; here that is refused (SENS_DATA_LOSS) unless the caller says `ignore`.
 */
import { JsonLdParser } from "jsonld-streaming-parser";
import { quoteInput, SensError } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import { checkContexts, remoteContext } from "./jsonld-context-check.ts";
import { exactNumber } from "./json-number.ts";
import { prescanJson } from "./json-prescan.ts";
import type { ParseLimits } from "./parse-limits.ts";
import type { ParsedDocument } from "./staged-quads.ts";
import { StagingFactory } from "./staging-factory.ts";
import { stageStream } from "./staging-stream.ts";
import type { TermId, TermTable } from "./term-table.ts";

export interface JsonLdOptions {
  readonly baseIri: string | undefined;
  readonly dictionary: TermTable;
  readonly blankNodes: BlankNodeScope;
  readonly graph: TermId;
  readonly limits: ParseLimits;
  readonly signal: AbortSignal | undefined;
  readonly contexts: ReadonlyMap<string, unknown> | undefined;
  readonly unmapped: "refuse" | "ignore";
}

type LibraryOptions = NonNullable<ConstructorParameters<typeof JsonLdParser>[0]>;

/** Throws SENS_SYNTAX, SENS_DATA_LOSS, SENS_REMOTE_CONTEXT, SENS_RELATIVE_IRI, SENS_IRI and the limits. */
export async function parseJsonLd(text: string, options: JsonLdOptions): Promise<ParsedDocument> {
  const { text: prepared, mark } = prescanJson(text, options.limits);
  const contexts = options.contexts ?? new Map<string, unknown>();
  const hasContext = prepared.includes("@context") || prepared.includes("\\u");
  if (hasContext) checkContexts(JSON.parse(prepared), contexts);
  const factory = new StagingFactory({
    dictionary: options.dictionary,
    blankNodes: options.blankNodes,
    graph: options.graph,
    namedGraphs: true,
    limits: options.limits,
    deferred: true,
    position: () => undefined,
    literalHook: mark === undefined ? undefined : (value, datatype) => unmark(value, datatype, mark),
  });
  const libraryOptions = {
    dataFactory: factory,
    baseIRI: options.baseIri,
    strictValues: options.unmapped === "refuse",
    validateValueIndexes: true,
    rdfstar: false,
    documentLoader: {
      load: async (iri: string) => {
        const context = contexts.get(iri);
        if (context === undefined) throw remoteContext(iri);
        return context;
      },
    },
  };
  try {
    await stageStream(new JsonLdParser(libraryOptions as unknown as LibraryOptions), prepared, factory, options.signal);
  } catch (error) {
    throw asCodedError(error, options);
  }
  const count = factory.staged.count;
  return { quads: factory.staged.rows(), count, freshBlankNodes: options.blankNodes.freshCount, ignored: 0, prefixes: new Map() };
}

/** A marked number in a literal, or within a JSON literal, gets its digits back. */
function unmark(value: string, datatype: string, mark: string): { value: string; datatype: string } | undefined {
  if (!value.includes(mark)) return undefined;
  if (value.startsWith(mark)) return exactNumber(value.slice(mark.length), datatype);
  return { value: value.replace(new RegExp(`"${mark}([^"]*)"`, "g"), "$1"), datatype };
}

function asCodedError(error: unknown, options: JsonLdOptions): unknown {
  if (error instanceof SensError) return error;
  if (!(error instanceof Error)) return error;
  const detail = quoteInput(error.message).slice(1, -1).replace(/\\"/g, '"');
  const iri = /^Invalid (?:resource|term|predicate) IRI: ([\s\S]*)$/.exec(error.message)?.[1];
  if (iri !== undefined) return iriError(iri, error, options);
  if (/^Invalid (?:key|predicate)|^Unknown|not an? absolute|Found invalid|could not be|dropped|strict/i.test(error.message) && options.unmapped === "refuse") {
    return new SensError("SENS_DATA_LOSS", `Part of the document means nothing: ${detail}. Map the key in @context, or remove it.`, { cause: error });
  }
  return new SensError("SENS_SYNTAX", `The document is not valid JSON-LD: ${detail}. Correct it.`, { cause: error });
}

function iriError(iri: string, cause: Error, options: JsonLdOptions): SensError {
  const shown = quoteInput(iri);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: IRIs may not have them
  if (/[\u0000-\u0020<>"{}|^`\\]/.test(iri)) {
    return new SensError("SENS_IRI", `${shown} is not an IRI: it has a character that must be percent-encoded.`, { cause });
  }
  if (options.baseIri === undefined && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(iri)) {
    return new SensError("SENS_RELATIVE_IRI", `${shown} is a relative IRI, or a key that no context maps. Map it, write it in full, or declare @base.`, { cause });
  }
  return new SensError("SENS_IRI", `${shown} is not an IRI.`, { cause });
}
