/** `sens publish` and `sens retract`: RDF files as knowledge events. */
import { createInterface } from "node:readline/promises";
import { Readable } from "node:stream";
import type * as RDF from "@rdfjs/types";
import { SensError } from "../../base/index.ts";
import { type ChangeAnswer, type PublishOptions, parseNQuads, type SensClient } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, type Invocation, JSON_OPTION, usageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { ProgressBar } from "../progress-bar.ts";
import { contentTypeOf, openDocument } from "../rdf-file.ts";

const OPTIONS = {
  type: { type: "string", value: "TYPE", help: "ttl, nt, nq, trig, jsonld, rdf or a media type; default by file name, ttl for -" },
  graph: { type: "string", value: "IRI", help: "graph for the triples that name none" },
  base: { type: "string", value: "IRI", help: "against which relative IRIs are resolved" },
  key: { type: "string", value: "KEY", help: "idempotency key: the same key and document have effect once" },
  split: { type: "string", value: "N", help: "send nt and nq files as several events of N quads each" },
  ...JSON_OPTION,
  ...CONNECTION_OPTIONS,
} as const satisfies Command["options"];

export const publishCommand: Command = {
  name: "publish",
  summary: "state the triples of RDF documents",
  arguments: "FILE...",
  argumentsMin: 1,
  argumentsMax: 10_000,
  options: OPTIONS,
  details: "Each FILE is one event; - is standard input.",
  run: (invocation) => sendAll("publish", invocation),
};

export const retractCommand: Command = {
  name: "retract",
  summary: "withdraw the triples of RDF documents",
  arguments: "FILE...",
  argumentsMin: 1,
  argumentsMax: 10_000,
  options: OPTIONS,
  details: "Each FILE is one event; - is standard input.",
  run: (invocation) => sendAll("retract", invocation),
};

function sendAll(op: "publish" | "retract", invocation: Invocation): Promise<number> {
  if (invocation.text("key") !== undefined && invocation.args.length > 1) {
    throw usageError(invocation.command, "--key belongs to one document; give one FILE.");
  }
  return invocation.withClient(async (client) => {
    for (const path of invocation.args) {
      const answer = await send(op, path, client, invocation).catch((error: unknown) => {
        throw invocation.args.length > 1 ? naming(path, error) : error;
      });
      invocation.io.out(invocation.json ? `${JSON.stringify(answer)}\n` : changeLine(answer));
    }
    return EXIT.ok;
  });
}

/** Says which of several files was refused; those before it are done. */
function naming(path: string, error: unknown): unknown {
  if (!(error instanceof SensError)) return error;
  const { code, message, extra, position } = error;
  return new SensError(code, `${path}: ${message}`, { cause: error, extra, position });
}

async function send(op: "publish" | "retract", path: string, client: SensClient, invocation: Invocation): Promise<ChangeAnswer> {
  const { io } = invocation;
  const contentType = contentTypeOf(path, invocation.text("type"));
  const splitQuads = invocation.number("split", 1, 10_000_000);
  const bar = new ProgressBar(io, path);
  const options: PublishOptions = {
    graph: invocation.text("graph"),
    baseIri: invocation.text("base"),
    key: invocation.text("key"),
    signal: io.interrupted,
    onProgress: ({ sentBytes, totalBytes, doneQuads }) =>
      splitQuads === undefined ? bar.update(sentBytes, totalBytes, "B") : bar.update(doneQuads, 0, "quads"),
  };
  try {
    if (splitQuads === undefined) return await client[op](openDocument(path, io), { ...options, contentType });
    return await client[op](lineQuads(path, contentType, io), { ...options, split: { quads: splitQuads } });
  } finally {
    bar.done();
  }
}

/** The quads of a line-based file, read as they are needed. */
async function* lineQuads(path: string, contentType: string, io: Io): AsyncGenerator<RDF.Quad, void> {
  if (contentType !== "application/n-triples" && contentType !== "application/n-quads") {
    throw new SensError("SENS_CONFIG", `--split reads N-Triples and N-Quads only, not ${contentType}. Convert the file, or send it whole.`);
  }
  let number = 0;
  for await (const line of createInterface({ input: Readable.from(openDocument(path, io)), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    try {
      yield* parseNQuads(line);
    } catch (cause) {
      throw new SensError("SENS_SYNTAX", `${path}, line ${number}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}

export function changeLine(answer: ChangeAnswer, otherwise = "nothing changed"): string {
  const parts = [
    answer.added > 0 && `${answer.added} added`,
    answer.removed > 0 && `${answer.removed} removed`,
    answer.derivedAdded > 0 && `${answer.derivedAdded} more follow`,
    answer.derivedRemoved > 0 && `${answer.derivedRemoved} no longer follow`,
  ].filter((part) => part !== false);
  return `${parts.join(", ") || otherwise} (revision ${answer.revision})\n`;
}
