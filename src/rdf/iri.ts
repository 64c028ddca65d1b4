/**
 * IRIs as the RDF grammars accept them: `scheme:` followed by anything but U+0000..U+0020 and `<>"{}|^` + "`" + `\`
 * (IRIREF of Turtle, N-Triples and SPARQL). RFC 3987's finer rules are not checked, as in all RDF syntaxes.
 */
import { LIMITS, quoteInput, SensError, type TextPosition } from "../base/index.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar excludes them
const ABSOLUTE_IRI = /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar excludes them
const FORBIDDEN = /[\u0000-\u0020<>"{}|^`\\]/;
const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** True for an IRI that may stand in any RDF syntax without a base. */
export function isAbsoluteIri(value: string): boolean {
  return ABSOLUTE_IRI.test(value) && !LONE_SURROGATE.test(value);
}

/** Why `value` cannot be stored: SENS_IRI, SENS_RELATIVE_IRI or SENS_IRI_TOO_LONG; `undefined` when it can. */
export function iriFault(value: string, position?: TextPosition, bytesMax: number = LIMITS.iriBytesMax): SensError | undefined {
  const options = position === undefined ? {} : { position };
  const where = position === undefined ? "" : `Line ${position.line}, column ${position.column}: `;
  if (value.length > bytesMax || (value.length * 3 > bytesMax && new TextEncoder().encode(value).length > bytesMax)) {
    return new SensError(
      "SENS_IRI_TOO_LONG",
      `${where}The IRI ${quoteInput(value)} is longer than ${bytesMax} bytes. Shorten it.`,
      options,
    );
  }
  if (FORBIDDEN.test(value) || LONE_SURROGATE.test(value)) {
    return new SensError(
      "SENS_IRI",
      `${where}${quoteInput(value)} is not an IRI: it has a character that must be percent-encoded.`,
      options,
    );
  }
  if (!SCHEME.test(value)) {
    return new SensError(
      "SENS_RELATIVE_IRI",
      `${where}${quoteInput(value)} is a relative IRI and there is no base. Write it in full or declare a base.`,
      options,
    );
  }
  return undefined;
}
