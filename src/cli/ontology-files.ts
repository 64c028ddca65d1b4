/** The ontology files given to `sens serve`, as documents named after them. */
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { quoteInput, SensError } from "../base/index.ts";
import type { NamedDocument } from "../client/index.ts";
import { contentTypeOf } from "./rdf-file.ts";

/** Throws SENS_CONFIG for a file that cannot be read, is not UTF-8, or whose name another one has too. */
export async function readOntologyFiles(paths: readonly string[]): Promise<NamedDocument[]> {
  const documents = new Map<string, NamedDocument>();
  for (const path of paths) {
    const name =
      basename(path, extname(path))
        .replace(/[^A-Za-z0-9_-]+/g, "-")
        .slice(0, 64) || "ontology";
    if (documents.has(name)) {
      throw new SensError(
        "SENS_CONFIG",
        `Two ontology files would be named ${quoteInput(name)}, and ${quoteInput(path)} is the second. Rename one.`,
      );
    }
    documents.set(name, { name, contentType: contentTypeOf(path, undefined), content: await readText(path) });
  }
  return [...documents.values()];
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SensError("SENS_CONFIG", `The ontology file ${quoteInput(path)} cannot be read: ${reason}`, { cause });
  }
}
