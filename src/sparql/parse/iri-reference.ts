/** IRI references: validity and resolution. Source: RFC 3987 section 2.2, RFC 3986 section 5.2. */

/** Characters that never stand in an IRI, in the sense of SPARQL's IRIREF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const FORBIDDEN = /[\u0000-\u0020<>"{}|^`\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

interface Parts {
  readonly scheme: string;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

function isIriReference(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/** The absolute IRI that `reference` means, or `undefined` when it is none or there is no base for a relative one. */
export function resolveIri(reference: string, baseIri: string | undefined): string | undefined {
  if (!isIriReference(reference)) return undefined;
  return resolveReference(reference, baseIri);
}

/** As `resolveIri`, for text whose characters a grammar has checked. */
export function resolveReference(reference: string, baseIri: string | undefined): string | undefined {
  if (SCHEME.test(reference)) return reference;
  if (baseIri === undefined) return undefined;
  const base = split(baseIri);
  const part = split(reference);
  if (part.authority !== undefined) return join({ ...part, scheme: base.scheme, path: removeDots(part.path) });
  if (part.path === "") return join({ ...base, query: part.query || base.query, fragment: part.fragment });
  const path = part.path.startsWith("/") ? part.path : merge(base, part.path);
  return join({ ...base, path: removeDots(path), query: part.query, fragment: part.fragment });
}

function split(text: string): Parts {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
  if (!match) return { scheme: "", authority: undefined, path: text, query: "", fragment: "" };
  return { scheme: match[1] ?? "", authority: match[2], path: match[3], query: match[4] ?? "", fragment: match[5] ?? "" };
}

function join(parts: Parts): string {
  return `${parts.scheme}${parts.authority === undefined ? "" : `//${parts.authority}`}${parts.path}${parts.query}${parts.fragment}`;
}

function merge(base: Parts, path: string): string {
  if (base.authority !== undefined && base.path === "") return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf("/") + 1) + path;
}

function removeDots(path: string): string {
  if (!path.includes(".")) return path;
  const out: string[] = [];
  const segments = path.split("/");
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === "..") {
      if (out.length > 1 || (out.length === 1 && out[0] !== "")) out.pop();
      if (last) out.push("");
    } else if (segment === ".") {
      if (last) out.push("");
    } else out.push(segment);
  });
  return out.join("/");
}
