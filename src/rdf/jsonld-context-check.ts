/** JSON-LD contexts: circles are found before the parser, and nothing is ever fetched or read from files. */
import { quoteInput, SensError } from "../base/index.ts";

/** Throws SENS_SYNTAX when terms are defined by one another. `document` is parsed JSON; its depth is bounded already. */
export function checkContexts(document: unknown): void {
  const open: unknown[] = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) {
      for (const member of value) if (isObject(member)) open.push(member);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (key === "@context") checkContext(member);
        if (isObject(member)) open.push(member);
      }
    }
  }
}

function checkContext(context: unknown): void {
  for (const entry of Array.isArray(context) ? context : [context]) if (isObject(entry)) checkCycles(entry);
}

/** The refusal of a context that is not on the allow-list. */
export function remoteContext(iri: string): SensError {
  return new SensError(
    "SENS_REMOTE_CONTEXT",
    `The context ${quoteInput(iri)} is not fetched. Put the context into the document, or send N-Quads or Turtle.`,
  );
}

/** Each term points to the prefix its definition starts with; a circle has no meaning. */
function checkCycles(context: Record<string, unknown>): void {
  const done = new Set<string>();
  for (const term of Object.keys(context)) {
    const path = new Set<string>();
    let at: string | undefined = term;
    while (at !== undefined && !done.has(at)) {
      if (path.has(at)) {
        throw new SensError(
          "SENS_SYNTAX",
          `The terms ${quoteInput([...path].join(", "))} of the context are defined by one another. Give one of them a full IRI.`,
        );
      }
      path.add(at);
      at = definingTerm(context, at);
    }
    for (const seen of path) done.add(seen);
  }
}

function definingTerm(context: Record<string, unknown>, term: string): string | undefined {
  const definition = context[term];
  const id = isObject(definition) ? definition["@id"] : definition;
  if (typeof id !== "string" || term.startsWith("@") || id === term) return undefined;
  const colon = id.indexOf(":");
  if (colon < 0 ? id.startsWith("@") : id.startsWith("//", colon + 1)) return undefined;
  const prefix = colon < 0 ? id : id.slice(0, colon);
  return prefix !== "_" && Object.hasOwn(context, prefix) && prefix !== term ? prefix : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
