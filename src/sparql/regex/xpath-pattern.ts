/**
 * Compiled patterns: fn:matches and fn:replace in time linear in the text, on RE2.
 * State: at most `regexCacheMax` compiled patterns, the least recently used goes first; failures are kept too.
 */
import { RE2JS } from "re2js";
import { LIMITS, SensError } from "../../base/index.ts";
import { type PatternFlags, translatePattern, unsupportedPattern } from "./translate.ts";

export interface XPathPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * Every match replaced; `undefined` is an error: the pattern matches the empty text, or the replacement has a stray `$` or
   * backslash. `checkLength` is called with the length as it grows and may throw.
   */
  replace(text: string, replacement: string, checkLength: (length: number) => void): string | undefined;
}

const cache = new Map<string, XPathPattern | SensError>();

/** Throws SENS_REGEX_UNSUPPORTED for what is no XPath regular expression, has unknown flags, or is beyond linear time. */
export function compilePattern(pattern: string, flags = ""): XPathPattern {
  const key = `${flags}/${pattern}`;
  let compiled = cache.get(key);
  if (compiled) cache.delete(key);
  else {
    compiled = tryCompile(pattern, flags);
    if (cache.size >= LIMITS.regexCacheMax) for (const oldest of cache.keys()) if (cache.delete(oldest)) break;
  }
  cache.set(key, compiled);
  if (compiled instanceof SensError) throw new SensError(compiled.code, compiled.message);
  return compiled;
}

function tryCompile(pattern: string, flags: string): XPathPattern | SensError {
  try {
    return new Re2Pattern(pattern, parseFlags(pattern, flags));
  } catch (error) {
    if (error instanceof SensError) return error;
    return unsupportedPattern(pattern, `is too large or not well-formed: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function parseFlags(pattern: string, flags: string): PatternFlags {
  if (!/^[ismxq]*$/.test(flags))
    throw unsupportedPattern(pattern, `has the flags ${JSON.stringify(flags.slice(0, 20))}; there are i, s, m, x and q.`);
  const literal = flags.includes("q");
  return {
    ignoreCase: flags.includes("i"),
    dotAll: flags.includes("s"),
    multiLine: flags.includes("m") && !literal,
    freeSpacing: flags.includes("x") && !literal,
    literal,
  };
}

class Re2Pattern implements XPathPattern {
  readonly #re2: RE2JS;
  readonly #groups: number;
  readonly #literal: boolean;
  #matchesEmpty: boolean | undefined;

  constructor(pattern: string, flags: PatternFlags) {
    if (pattern.length > LIMITS.regexCharactersMax)
      throw unsupportedPattern(pattern, `is longer than ${LIMITS.regexCharactersMax} characters.`);
    const { source, groups } = translatePattern(pattern, flags);
    this.#re2 = RE2JS.compile(source);
    this.#groups = groups;
    this.#literal = flags.literal;
  }

  test(text: string): boolean {
    return this.#re2.test(text);
  }

  replace(text: string, replacement: string, checkLength: (length: number) => void): string | undefined {
    this.#matchesEmpty ??= this.#re2.test("");
    const parts = this.#literal ? [replacement] : parseReplacement(replacement, this.#groups);
    if (this.#matchesEmpty || !parts) return undefined;
    const matcher = this.#re2.matcher(text);
    const out: string[] = [];
    let length = 0;
    let from = 0;
    const push = (piece: string): void => {
      length += piece.length;
      checkLength(length);
      out.push(piece);
    };
    while (matcher.find()) {
      push(text.slice(from, matcher.start()));
      for (const part of parts) push(typeof part === "string" ? part : part > this.#groups ? "" : (matcher.group(part) ?? ""));
      from = matcher.end();
    }
    push(text.slice(from));
    return out.join("");
  }
}

/** Texts and group numbers. `$12` is group 12 if there are that many, otherwise group 1 and a "2"; `$9` of fewer is empty. */
function parseReplacement(replacement: string, groups: number): (string | number)[] | undefined {
  const parts: (string | number)[] = [];
  for (let index = 0; index < replacement.length; index++) {
    const character = replacement[index];
    if (character === "\\") {
      const next = replacement[++index];
      if (next !== "\\" && next !== "$") return undefined;
      parts.push(next);
    } else if (character === "$") {
      let digits = /^\d*/.exec(replacement.slice(index + 1, index + 9))?.[0] ?? "";
      if (digits === "") return undefined;
      while (digits.length > 1 && Number(digits) > groups) digits = digits.slice(0, -1);
      parts.push(Number(digits));
      index += digits.length;
    } else parts.push(character);
  }
  return parts;
}
