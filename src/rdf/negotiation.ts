/** Content negotiation (RFC 9110, 12.5.1): which of the offered media types an Accept header prefers. */

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

/**
 * The best of `offered` (lower case, in the server's order of preference), or `undefined` when none is accepted: 406.
 * No header, or an empty one, accepts everything. The most specific range decides the quality of a type; equal qualities
 * are settled by the order of `offered`. Parameters other than q are ignored; case is.
 */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === "") return offered[0];
  const ranges = parseAccept(accept);
  let best: string | undefined;
  let bestQuality = 0;
  for (const candidate of offered) {
    const quality = qualityOf(candidate, ranges);
    if (quality > bestQuality) {
      best = candidate;
      bestQuality = quality;
    }
  }
  return best;
}

function parseAccept(accept: string): Range[] {
  const ranges: Range[] = [];
  for (const part of splitOutsideQuotes(accept, ",")) {
    const [range, ...parameters] = splitOutsideQuotes(part, ";");
    const match = /^\s*([^\s/]+)\/([^\s/]+)\s*$/.exec(range.toLowerCase()) ?? (range.trim() === "*" ? ["", "*", "*"] : null);
    if (match === null) continue;
    let quality = 1;
    for (const parameter of parameters) {
      const q = /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter);
      if (q !== null) quality = Math.min(1, Number(q[1]) || 0);
    }
    ranges.push({ type: match[1], subtype: match[2], quality });
  }
  return ranges;
}

function qualityOf(mediaType: string, ranges: readonly Range[]): number {
  const [type, subtype] = mediaType.split("/");
  let specificity = -1;
  let quality = 0;
  for (const range of ranges) {
    const matches =
      (range.type === "*" && range.subtype === "*") || (range.type === type && (range.subtype === "*" || range.subtype === subtype));
    if (!matches) continue;
    const rank = range.type === "*" ? 0 : range.subtype === "*" ? 1 : 2;
    if (rank > specificity || (rank === specificity && range.quality > quality)) {
      specificity = rank;
      quality = range.quality;
    }
  }
  return quality;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && quoted) i++;
    else if (text[i] === '"') quoted = !quoted;
    else if (text[i] === separator && !quoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
