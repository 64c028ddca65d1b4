/**
 * Functions on strings, by code points. Arguments are compatible when the second has no language or that of the first.
 * Results never exceed the limit of one literal. Source: SPARQL 1.1, section 17.4.3.
 */
import { createHash } from "node:crypto";
import { LIMITS, SensError } from "../../base/index.ts";
import { toNumber } from "./comparison.ts";
import type { StrictFunction } from "./strict-function.ts";
import {
  booleanValue,
  integerValue,
  isNumeric,
  isStringLike,
  type LanguageValue,
  languageValue,
  stringValue,
  type TextValue,
  type Value,
  ValueKind,
} from "./value.ts";

type StringLike = TextValue | LanguageValue;

export const STRING_FUNCTIONS: Readonly<Record<string, StrictFunction>> = {
  strlen: ([text]) => (isStringLike(text) ? integerValue(codePointCount(text.text)) : undefined),
  substr: ([text, from, length]) => substring(text, from, length),
  ucase: ([text]) => (isStringLike(text) ? withText(text, text.text.toUpperCase()) : undefined),
  lcase: ([text]) => (isStringLike(text) ? withText(text, text.text.toLowerCase()) : undefined),
  strstarts: compatible((a, b) => booleanValue(a.text.startsWith(b.text))),
  strends: compatible((a, b) => booleanValue(a.text.endsWith(b.text))),
  contains: compatible((a, b) => booleanValue(a.text.includes(b.text))),
  strbefore: compatible((a, b) => {
    const at = a.text.indexOf(b.text);
    return at < 0 ? stringValue("") : withText(a, a.text.slice(0, at));
  }),
  strafter: compatible((a, b) => {
    const at = a.text.indexOf(b.text);
    return at < 0 ? stringValue("") : withText(a, a.text.slice(at + b.text.length));
  }),
  concat: (args) => concatenate(args),
  encode_for_uri: ([text]) => (isStringLike(text) ? bounded(stringValue(encodeForUri(text.text))) : undefined),
  md5: hash("md5"),
  sha1: hash("sha1"),
  sha256: hash("sha256"),
  sha384: hash("sha384"),
  sha512: hash("sha512"),
};

/** Throws SENS_RESULT_TOO_LARGE when a text is longer than a literal may be. */
export function bounded<T extends StringLike>(value: T): T {
  checkTextLength(value.text.length);
  return value;
}

export function checkTextLength(length: number): void {
  if (length <= LIMITS.literalBytesMax) return;
  throw new SensError(
    "SENS_RESULT_TOO_LARGE",
    `An expression would build a text of ${length} characters; a literal has at most ${LIMITS.literalBytesMax} bytes. Shorten its parts.`,
  );
}

/** The same language, another text. */
export function withText(source: StringLike, text: string): StringLike {
  return bounded(source.kind === ValueKind.LANGUAGE ? languageValue(text, source.language) : stringValue(text));
}

function compatible(call: (a: StringLike, b: StringLike) => Value): StrictFunction {
  return ([a, b]) => {
    if (!isStringLike(a) || !isStringLike(b)) return undefined;
    if (b.kind === ValueKind.LANGUAGE && !(a.kind === ValueKind.LANGUAGE && a.language === b.language)) return undefined;
    return call(a, b);
  };
}

function concatenate(args: readonly Value[]): Value | undefined {
  let length = 0;
  for (const arg of args) {
    if (!isStringLike(arg)) return undefined;
    length += arg.text.length;
  }
  checkTextLength(length);
  const texts = args as readonly StringLike[];
  const text = texts.map((arg) => arg.text).join("");
  const [first] = texts;
  const sameLanguage =
    first?.kind === ValueKind.LANGUAGE && texts.every((arg) => arg.kind === ValueKind.LANGUAGE && arg.language === first.language);
  return sameLanguage ? languageValue(text, first.language) : stringValue(text);
}

/** fn:substring: positions from 1, both ends rounded, NaN selects nothing. */
function substring(text: Value, from: Value, length: Value | undefined): Value | undefined {
  if (!isStringLike(text) || !isNumeric(from) || (length && !isNumeric(length))) return undefined;
  const start = Math.round(toNumber(from));
  const end = length && isNumeric(length) ? start + Math.round(toNumber(length)) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(start) || Number.isNaN(end)) return withText(text, "");
  // only a text with surrogates needs to be taken apart
  if (!/[\ud800-\udfff]/.test(text.text)) return withText(text, text.text.slice(Math.max(start, 1) - 1, Math.max(end, 1) - 1));
  const points = Array.from(text.text);
  return withText(text, points.slice(Math.max(start, 1) - 1, Math.max(end, 1) - 1).join(""));
}

export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      index++;
    }
  }
  return count;
}

function encodeForUri(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hash(algorithm: string): StrictFunction {
  return ([text]) =>
    text.kind === ValueKind.STRING ? stringValue(createHash(algorithm).update(text.text, "utf8").digest("hex")) : undefined;
}
