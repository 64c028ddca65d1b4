/**
 * Documents on their way to the server. One document is one event, unless the caller asks for parts; each part has an
 * idempotency key of its own, so that one sent again has effect once.
 */
import { type Random, SensError } from "../base/index.ts";
import type { ChangeAnswer, OkFrame, Operation } from "../protocol/index.ts";
import type { TransferProgress } from "./call.ts";
import type { PublishOptions } from "./client-options.ts";
import type { Connection } from "./connection.ts";
import { type DocumentPart, type DocumentSource, documentParts } from "./document.ts";
import { withAdvice } from "./problem-error.ts";

export class Publishing {
  readonly #connection: Connection;
  readonly #random: Random;
  readonly #reportError: (error: Error) => void;

  constructor(connection: Connection, random: Random, reportError: (error: Error) => void) {
    this.#connection = connection;
    this.#random = random;
    this.#reportError = reportError;
  }

  /** Answers the sum of what the parts changed. */
  async send(op: "publish" | "retract", source: DocumentSource, options: PublishOptions): Promise<ChangeAnswer> {
    let total: ChangeAnswer | undefined;
    let doneQuads = 0;
    let index = 0;
    for await (const part of documentParts(source, options.split?.quads)) {
      const key = index === 0 ? (options.key ?? this.#random.id()) : `${options.key ?? this.#random.id()}-${index}`;
      const answer = await this.#sendPart(op, part, key, doneQuads, options);
      total = total ? sum(total, answer) : answer;
      doneQuads += part.quads ?? 0;
      index++;
    }
    return total ?? changeAnswer(await this.#connection.call(op, { data: "", key: options.key }, { signal: options.signal }));
  }

  async #sendPart(op: Operation, part: DocumentPart, key: string, doneQuads: number, options: PublishOptions): Promise<ChangeAnswer> {
    const { onProgress, graph, baseIri, signal } = options;
    const contentType = part.contentType ?? options.contentType;
    const report = (progress: TransferProgress, done: number): void => {
      try {
        onProgress?.({ ...progress, doneQuads: done });
      } catch (error) {
        this.#reportError(error as Error);
      }
    };
    let totalBytes = part.data.length;
    const sent = this.#connection.call(
      op,
      { data: part.data, contentType, graph, baseIri, key },
      {
        signal,
        onProgress:
          onProgress &&
          ((progress) => {
            totalBytes = progress.totalBytes;
            report(progress, doneQuads);
          }),
      },
    );
    const answer = await (contentType === undefined ? sent.catch(untyped) : sent);
    report({ sentBytes: totalBytes, totalBytes }, doneQuads + (part.quads ?? 0));
    return changeAnswer(answer);
  }

  /** An ontology or rule document under a name, always whole. */
  async putNamed(op: "putOntology" | "putRule", name: string, source: DocumentSource, options: PublishOptions): Promise<ChangeAnswer> {
    for await (const part of documentParts(source, undefined)) {
      const fields = { name, data: part.data, contentType: part.contentType ?? options.contentType };
      return changeAnswer(await this.#connection.call(op, fields, { signal: options.signal }));
    }
    throw new SensError("SENS_BAD_REQUEST", `The document ${name} has no content. Give text, bytes or quads.`);
  }
}

/** A document whose type was not said is likely another than the one it was read as. */
function untyped(error: unknown): never {
  throw withAdvice(
    error,
    "SENS_SYNTAX",
    'Text is read as N-Triples or N-Quads unless contentType says otherwise, such as { contentType: "text/turtle" }.',
  );
}

/** The answer of an operation that changes something, without the frame's own fields. */
export function changeAnswer(answer: OkFrame): ChangeAnswer {
  const { id: _id, ok: _ok, ...fields } = answer;
  return fields as unknown as ChangeAnswer;
}

function sum(a: ChangeAnswer, b: ChangeAnswer): ChangeAnswer {
  return {
    cursor: b.cursor,
    revision: b.revision,
    added: a.added + b.added,
    removed: a.removed + b.removed,
    derivedAdded: a.derivedAdded + b.derivedAdded,
    derivedRemoved: a.derivedRemoved + b.derivedRemoved,
  };
}
