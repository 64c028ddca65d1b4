/**
 * JSON from strangers. The depth is counted before the parser runs (parsers recurse), and an own `__proto__` or a
 * `constructor.prototype` key is refused, so that no later spread or assignment can reach a prototype.
 * Cost O(text) for the scan, O(values) for the walk; strings are not walked.
 */
import { LIMITS, quoteInput, SensError } from "../base/index.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Parses a JSON text. Throws SENS_TOO_DEEP or SENS_BAD_REQUEST. */
export function parseGuardedJson(text: string, depthMax: number = LIMITS.nestingDepthMax): JsonValue {
  checkDepth(text, depthMax);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new SensError("SENS_BAD_REQUEST", `The text is not JSON: ${quoteInput(text)}. Send one JSON object.`, { cause });
  }
  refuseDangerousKeys(value);
  return value;
}

/** A JSON object, and nothing else. Throws SENS_TOO_DEEP or SENS_BAD_REQUEST. */
export function parseJsonObject(text: string): { readonly [key: string]: JsonValue } {
  const value = parseGuardedJson(text);
  if (!isJsonObject(value)) {
    throw new SensError("SENS_BAD_REQUEST", `Expected a JSON object, not ${quoteInput(text)}.`);
  }
  return value;
}

export function isJsonObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const QUOTE = 34;
const BACKSLASH = 92;

function checkDepth(text: string, depthMax: number): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > depthMax) {
        throw new SensError("SENS_TOO_DEEP", `The JSON is nested deeper than ${depthMax} levels. Send it flatter.`);
      }
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
}

/** Index of the closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}

function refuseDangerousKeys(root: JsonValue): void {
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object") pending.push(item);
      continue;
    }
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || key === "constructor") {
        throw new SensError("SENS_BAD_REQUEST", `The JSON has the key "${key}", which no request uses. Leave it out.`);
      }
      const member = (value as { readonly [key: string]: JsonValue })[key];
      if (typeof member === "object") pending.push(member);
    }
  }
}
