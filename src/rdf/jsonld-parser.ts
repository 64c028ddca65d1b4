/**
 * JSON-LD 1.1: the JSON pre-scan and the context check, then jsonld-streaming-parser in one piece. Its documents lose
 * keys and invalid IRIs silently by default; here that is refused (SENS_DATA_LOSS) unless the caller says `ignore`.
 */
import { JsonLdParser } from "jsonld-streaming-parser";
import { AssertionError, quoteInput, SensError } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import { exactNumber } from "./json-number.ts";
import { prescanJson } from "./json-prescan.ts";
import { checkContexts, remoteContext } from "./jsonld-context-check.ts";
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
  if (hasContext) checkContexts(JSON.parse(prepared));
  const factory = new StagingFactory({
    dictionary: options.dictionary,
    blankNodes: options.blankNodes,
    graph: options.graph,
    namedGraphs: true,
    limits: options.limits,
    deferred: true,
    dropDirections: options.unmapped === "ignore",
    position: () => undefined,
    literalHook: mark === undefined ? undefined : (value, datatype) => unmark(value, datatype, mark),
  });
  let refusal: SensError | undefined;
  const libraryOptions = {
    dataFactory: factory,
    baseIRI: options.baseIri,
    strictValues: options.unmapped === "refuse",
    validateValueIndexes: true,
    rdfstar: false,
    // Otherwise properties that are blank nodes vanish; the factory refuses them.
    produceGeneralizedRdf: options.unmapped === "refuse",
    documentLoader: {
      load: async (iri: string) => {
        const context = contexts.get(iri);
        if (context === undefined) {
          // Kept, because the library wraps what its loader throws.
          refusal = remoteContext(iri);
          throw refusal;
        }
        return context;
      },
    },
  };
  try {
    await stageStream(new JsonLdParser(libraryOptions as unknown as LibraryOptions), prepared, factory, options.signal);
  } catch (error) {
    throw refusal ?? asCodedError(error);
  }
  const count = factory.staged.count;
  return { quads: factory.staged.rows(), count, freshBlankNodes: options.blankNodes.freshCount };
}

/** A marked number in a literal, or within a JSON literal, gets its digits back. */
function unmark(value: string, datatype: string, mark: string): { value: string; datatype: string } | undefined {
  if (!value.includes(mark)) return undefined;
  if (value.startsWith(mark)) return exactNumber(value.slice(mark.length), datatype);
  return { value: value.replace(new RegExp(`"${mark}([^"]*)"`, "g"), "$1"), datatype };
}

function asCodedError(error: unknown): unknown {
  if (error instanceof SensError || error instanceof AssertionError || !(error instanceof Error)) return error;
  const detail = quoteInput(error.message).slice(1, -1).replace(/\\"/g, '"');
  const invalid = /^Invalid (resource|term|predicate) IRI: ([\s\S]*)$/.exec(error.message);
  if (invalid !== null) return iriError(invalid[2], invalid[1], error);
  if (/^Unknown keyword/.test(error.message)) {
    return new SensError("SENS_DATA_LOSS", `Part of the document means nothing: ${detail}. Map the key in @context, or remove it.`, {
      cause: error,
    });
  }
  return new SensError("SENS_SYNTAX", `The document is not valid JSON-LD: ${detail}. Correct it.`, { cause: error });
}

function iriError(iri: string, place: string, cause: Error): SensError {
  const shown = quoteInput(iri);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: IRIs may not have them
  if (/[\u0000-\u0020<>"{}|^`\\]/.test(iri)) {
    return new SensError("SENS_IRI", `${shown} is not an IRI: it has a character that must be percent-encoded.`, { cause });
  }
  const relative = !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(iri);
  if (relative && place === "predicate") {
    return new SensError("SENS_DATA_LOSS", `The key ${shown} means nothing: no context maps it. Map it in @context, or remove it.`, {
      cause,
    });
  }
  if (relative) {
    return new SensError(
      "SENS_RELATIVE_IRI",
      `${shown} is a relative IRI or a term that no context maps. Map it, write it in full, or declare @base.`,
      { cause },
    );
  }
  return new SensError("SENS_IRI", `${shown} is not an IRI.`, { cause });
}
