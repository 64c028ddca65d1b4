/** What can be published, as the text that travels: documents as they are, quads as N-Quads. */
import type * as RDF from "@rdfjs/types";
import { LIMITS, quoteInput, SensError } from "../base/index.ts";
import { writeRequestQuad } from "./ntriples.ts";
import { isStoredBlankNode } from "./terms.ts";

/** An RDF document as text or bytes, or quads of any RDF/JS library; also in pieces that arrive over time. */
export type DocumentSource =
  | string
  | Uint8Array
  | Iterable<RDF.Quad>
  | AsyncIterable<RDF.Quad>
  | AsyncIterable<string>
  | AsyncIterable<Uint8Array>;

export interface DocumentPart {
  readonly data: string;
  /** Absent for a document, whose type only its sender knows. */
  readonly contentType?: string;
  readonly quads?: number;
}

const N_QUADS = "application/n-quads";

/**
 * The parts to send: one, or with `splitQuads` as many as that makes. Each is a knowledge event of its own.
 * Throws SENS_TOO_LARGE, SENS_ENCODING, and SENS_BAD_REQUEST when a split would tear blank nodes apart.
 */
export async function* documentParts(source: DocumentSource, splitQuads: number | undefined): AsyncGenerator<DocumentPart, void> {
  if (splitQuads !== undefined && !(splitQuads >= 1)) {
    throw new SensError("SENS_BAD_REQUEST", `split.quads must be 1 or more, not ${splitQuads}.`);
  }
  if (typeof source === "string" || source instanceof Uint8Array) {
    if (splitQuads !== undefined) throw unsplittable();
    yield { data: typeof source === "string" ? source : decode([source]) };
    return;
  }
  if (!isIterable(source)) throw unpublishable(source);
  const collected = new PartWriter(splitQuads);
  for await (const item of source) {
    if (typeof item === "string" || item instanceof Uint8Array) collected.chunk(item);
    else if (!isQuad(item)) throw unpublishable(item);
    else {
      const full = collected.quad(item);
      if (full) yield full;
    }
  }
  const last = collected.last();
  if (last) yield last;
}

class PartWriter {
  readonly #splitQuads: number | undefined;
  readonly #bytes: Uint8Array[] = [];
  #text = "";
  #length = 0;
  #quads = 0;
  #isText = false;
  #parts = 0;

  constructor(splitQuads: number | undefined) {
    this.#splitQuads = splitQuads;
  }

  chunk(chunk: string | Uint8Array): void {
    if (this.#splitQuads !== undefined) throw unsplittable();
    if (this.#quads > 0)
      throw new SensError("SENS_BAD_REQUEST", "The pieces of a document are all text, all bytes, or all quads; these are mixed.");
    this.#isText = true;
    this.#bytes.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
    this.#grow(chunk.length);
  }

  quad(quad: RDF.Quad): DocumentPart | undefined {
    if (this.#isText)
      throw new SensError("SENS_BAD_REQUEST", "The pieces of a document are all text, all bytes, or all quads; these are mixed.");
    if (this.#splitQuads !== undefined) refuseNewBlankNodes(quad);
    const line = writeRequestQuad(quad);
    this.#grow(line.length);
    this.#text += line;
    this.#quads++;
    return this.#quads === this.#splitQuads ? this.#take() : undefined;
  }

  last(): DocumentPart | undefined {
    if (this.#isText) return { data: decode(this.#bytes) };
    return this.#quads > 0 || this.#parts === 0 ? this.#take() : undefined;
  }

  #take(): DocumentPart {
    const part = { data: this.#text, contentType: N_QUADS, quads: this.#quads };
    this.#text = "";
    this.#length = 0;
    this.#quads = 0;
    this.#parts++;
    return part;
  }

  /** Stops collecting what could not be sent anyway. */
  #grow(by: number): void {
    this.#length += by;
    if (this.#length <= LIMITS.bodyBytesMax) return;
    throw new SensError(
      "SENS_TOO_LARGE",
      `The document is larger than ${LIMITS.bodyBytesMax} bytes. Publish quads with { split: { quads: 100000 } }; each part is an event of its own.`,
    );
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    let text = "";
    for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (cause) {
    throw new SensError("SENS_ENCODING", "The document is not valid UTF-8. Send it in UTF-8.", { cause });
  }
}

function refuseNewBlankNodes(quad: RDF.Quad): void {
  const torn = [quad.subject, quad.object, quad.graph].find((term) => term.termType === "BlankNode" && !isStoredBlankNode(term));
  if (!torn) return;
  const why = "a label means one node within one event only, and a split makes several events";
  throw new SensError("SENS_BAD_REQUEST", `The quads hold the blank node _:${torn.value}; ${why}. Give the node an IRI, or do not split.`);
}

/** Callers without types give anything. */
function isIterable(source: unknown): boolean {
  return typeof source === "object" && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source);
}

function isQuad(item: unknown): item is RDF.Quad {
  if (typeof item !== "object" || item === null) return false;
  const { subject, predicate, object, graph } = item as Partial<RDF.Quad>;
  return [subject, predicate, object, graph].every((term) => typeof term?.termType === "string");
}

function typeName(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  const made = value as { readonly constructor?: { readonly name?: string } };
  return made.constructor?.name ?? typeof value;
}

function unpublishable(value: unknown): SensError {
  const what = isQuad(value) ? "A quad by itself" : `A value of type ${quoteInput(typeName(value))}`;
  return new SensError(
    "SENS_BAD_REQUEST",
    `${what} cannot be published. Give a document as text or Uint8Array, or quads in an array or another iterable.`,
  );
}

function unsplittable(): SensError {
  return new SensError("SENS_BAD_REQUEST", "Only quads can be split; a document is one event. Parse it, and publish its quads.");
}
