/** RDF documents and queries from files and standard input. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { quoteInput, SensError } from "../base/index.ts";
import type { Io } from "./io.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".ttl": "text/turtle",
  ".nt": "application/n-triples",
  ".nq": "application/n-quads",
  ".trig": "application/trig",
  ".n3": "text/n3",
  ".jsonld": "application/ld+json",
  ".json": "application/ld+json",
  ".rdf": "application/rdf+xml",
  ".owl": "application/rdf+xml",
  ".xml": "application/rdf+xml",
};

/** Turtle for standard input, because N-Triples are Turtle too; otherwise by the end of the name. Throws SENS_CONFIG. */
export function contentTypeOf(path: string, given: string | undefined): string {
  if (given !== undefined) return given.includes("/") ? given : (TYPES[`.${given.toLowerCase()}`] ?? unknownType(given));
  if (path === "-") return "text/turtle";
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined) {
    throw new SensError("SENS_CONFIG", `The name ${quoteInput(path)} does not say what the file is. Add --type, such as --type ttl.`);
  }
  return type;
}

function unknownType(given: string): never {
  const known = Object.keys(TYPES).map((type) => type.slice(1));
  throw new SensError("SENS_CONFIG", `--type ${quoteInput(given)} is not known. Give a media type, or one of ${known.join(", ")}.`);
}

export function openDocument(path: string, io: Io): AsyncIterable<Uint8Array> {
  return path === "-" ? io.stdin() : reading(path);
}

/** A query given as it is, as `@file`, or `-` for standard input. */
export async function queryText(argument: string, io: Io): Promise<string> {
  if (argument === "-") return new TextDecoder("utf-8", { fatal: true }).decode(await allBytes(io.stdin()));
  if (!argument.startsWith("@")) return argument;
  try {
    return await readFile(argument.slice(1), "utf8");
  } catch (cause) {
    throw unreadable(argument.slice(1), cause);
  }
}

async function* reading(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function allBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

function unreadable(path: string, cause: unknown): SensError {
  return new SensError("SENS_CONFIG", `Cannot read ${quoteInput(path)}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
