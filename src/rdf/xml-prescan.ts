/**
 * A look at XML text before the RDF/XML parser: element depth is bounded, external and parameter entities and external
 * DTDs are refused, and internal entities (ontology editors write them) are expanded here, with a count, so that the
 * parser sees none. The DOCTYPE is replaced by its line breaks: lines keep their numbers.
 * Knows comments, CDATA sections, processing instructions and attribute values. One pass; expansion nests at most
 * `xmlEntityNestingMax` deep.
 */
import { type ErrorCode, quoteInput, SensError } from "../base/index.ts";
import type { ParseLimits } from "./parse-limits.ts";
import { positionInText } from "./text-position.ts";

const PREDEFINED = new Set(["lt", "gt", "amp", "quot", "apos"]);
const NAME = "[A-Za-z_:\\u00C0-\\uFFFD][\\w:.\\-\\u00B7-\\uFFFD]*";
const REFERENCE = new RegExp(`&(${NAME});`, "g");
const REFERENCE_HERE = new RegExp(REFERENCE.source, "y");
const DECLARATION = new RegExp(`<!ENTITY\\s+(%\\s+)?(${NAME})\\s+(?:(SYSTEM|PUBLIC)\\b|"([^"]*)"|'([^']*)')`, "y");
const DOCTYPE_HEAD = new RegExp(`<!DOCTYPE\\s+${NAME}\\s*(SYSTEM|PUBLIC)?`, "y");

/** Answers the text for the parser. Throws SENS_TOO_DEEP, SENS_ENTITY_LIMIT, SENS_EXTERNAL_ENTITY, SENS_SYNTAX. */
export function prescanXml(text: string, limits: ParseLimits): string {
  return new XmlPrescan(text, limits).run();
}

function indexOrEnd(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found;
}

class XmlPrescan {
  readonly #text: string;
  readonly #limits: ParseLimits;
  readonly #entities = new Map<string, string>();
  readonly #pieces: string[] = [];
  #copied = 0;
  #ampersand = -1;
  #at = 0;
  #depth = 0;
  #expandedBytes = 0;
  #seenElement = false;

  constructor(text: string, limits: ParseLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  run(): string {
    const text = this.#text;
    for (;;) {
      const open = text.indexOf("<", this.#at);
      const end = open < 0 ? text.length : open;
      this.#expand(this.#at, end, false);
      if (open < 0) break;
      this.#at = open;
      this.#markup();
    }
    if (this.#depth > 0) this.#fail("SENS_SYNTAX", text.length, "An element is not closed");
    if (!this.#seenElement) this.#fail("SENS_SYNTAX", 0, "Expected an XML document");
    if (this.#pieces.length === 0) return text;
    this.#pieces.push(text.slice(this.#copied));
    return this.#pieces.join("");
  }

  #markup(): void {
    const text = this.#text;
    if (text.startsWith("<!--", this.#at)) this.#skipTo("-->", this.#at + 4, "The comment is not closed");
    else if (text.startsWith("<![CDATA[", this.#at)) this.#skipTo("]]>", this.#at + 9, "The CDATA section is not closed");
    else if (text.startsWith("<?", this.#at)) this.#instruction();
    else if (text.startsWith("<!DOCTYPE", this.#at)) this.#doctype();
    else if (text.startsWith("</", this.#at)) {
      this.#depth--;
      this.#skipTo(">", this.#at + 2, "The end tag is not closed");
    } else if (text.startsWith("<!", this.#at)) this.#fail("SENS_SYNTAX", this.#at, "A declaration may only stand in the DOCTYPE");
    else this.#startTag();
  }

  /** Comments, instructions and the like: `from` is past what opened them. */
  #skipTo(close: string, from: number, message: string): void {
    const found = this.#text.indexOf(close, from);
    if (found < 0) this.#fail("SENS_SYNTAX", this.#at, message);
    this.#at = found + close.length;
  }

  #instruction(): void {
    const start = this.#at;
    this.#skipTo("?>", start + 2, "The processing instruction is not closed");
    const encoding = /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)["']/.exec(this.#text.slice(start, Math.min(this.#at, start + 1024)))?.[1];
    if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) {
      this.#fail("SENS_ENCODING", start, `The XML declaration says ${quoteInput(encoding)}; send UTF-8`);
    }
  }

  #startTag(): void {
    const text = this.#text;
    const start = this.#at;
    this.#seenElement = true;
    if (++this.#depth > this.#limits.nestingDepthMax) {
      this.#fail("SENS_TOO_DEEP", start, `Elements are nested deeper than ${this.#limits.nestingDepthMax}; use rdf:resource references`);
    }
    let at = start + 1;
    for (;;) {
      const code = text[at];
      if (code === undefined) this.#fail("SENS_SYNTAX", start, "The start tag is not closed");
      if (code === ">") break;
      if (code === '"' || code === "'") {
        const close = text.indexOf(code, at + 1);
        if (close < 0) this.#fail("SENS_SYNTAX", at, "The attribute value is not closed");
        this.#expand(at + 1, close, true);
        at = close;
      }
      at++;
    }
    if (text[at - 1] === "/") this.#depth--;
    this.#at = at + 1;
  }

  #doctype(): void {
    const text = this.#text;
    const start = this.#at;
    if (this.#seenElement) this.#fail("SENS_SYNTAX", start, "The DOCTYPE must stand before the first element");
    DOCTYPE_HEAD.lastIndex = start;
    const head = DOCTYPE_HEAD.exec(text);
    if (head === null) this.#fail("SENS_SYNTAX", start, "The DOCTYPE has no name");
    if (head[1] !== undefined) this.#fail("SENS_EXTERNAL_ENTITY", start, "The document names an external DTD; remove it");
    let at = start + head[0].length;
    while (/\s/.test(text[at] ?? "")) at++;
    if (text[at] === "[") {
      at = this.#internalSubset(at + 1);
      while (/\s/.test(text[at] ?? "")) at++;
    }
    if (text[at] !== ">") this.#fail("SENS_SYNTAX", at, "The DOCTYPE is not closed");
    this.#pieces.push(text.slice(this.#copied, start), text.slice(start, at + 1).replace(/[^\n\r]/g, ""));
    this.#copied = at + 1;
    this.#at = at + 1;
  }

  /** Answers the place after `]`. */
  #internalSubset(at: number): number {
    const text = this.#text;
    for (;;) {
      while (/\s/.test(text[at] ?? "")) at++;
      if (text[at] === "]") return at + 1;
      if (at >= text.length) this.#fail("SENS_SYNTAX", at, "The DOCTYPE is not closed");
      if (text[at] === "%") this.#fail("SENS_EXTERNAL_ENTITY", at, "Parameter entities are refused; write the declarations out");
      if (text.startsWith("<!--", at)) at = this.#after("-->", at + 4, at);
      else if (text.startsWith("<?", at)) at = this.#after("?>", at + 2, at);
      else if (text.startsWith("<!ENTITY", at)) at = this.#entity(at);
      else if (/<!(?:ELEMENT|ATTLIST|NOTATION)\b/y.test(text.slice(at, at + 12))) at = this.#otherDeclaration(at);
      else this.#fail("SENS_SYNTAX", at, "Unknown declaration in the DOCTYPE");
    }
  }

  #after(close: string, from: number, start: number): number {
    const found = this.#text.indexOf(close, from);
    if (found < 0) this.#fail("SENS_SYNTAX", start, "The DOCTYPE is not closed");
    return found + close.length;
  }

  #entity(start: number): number {
    DECLARATION.lastIndex = start;
    const match = DECLARATION.exec(this.#text);
    if (match === null) this.#fail("SENS_SYNTAX", start, "The entity declaration is not well-formed");
    if (match[1] !== undefined || match[3] !== undefined) {
      this.#fail("SENS_EXTERNAL_ENTITY", start, "External and parameter entities are refused; write the text out");
    }
    const name = match[2];
    // As XML says, the first declaration holds.
    if (!this.#entities.has(name) && !PREDEFINED.has(name)) {
      if (this.#entities.size >= this.#limits.xmlEntitiesMax) {
        this.#fail("SENS_ENTITY_LIMIT", start, `More than ${this.#limits.xmlEntitiesMax} entities; write the text out`);
      }
      const value = match[4] ?? match[5] ?? "";
      if (/%[A-Za-z_:][\w:.-]*;/.test(value))
        this.#fail("SENS_EXTERNAL_ENTITY", start, "Parameter entities are refused; write the text out");
      this.#entities.set(name, value);
    }
    let at = start + match[0].length;
    while (/\s/.test(this.#text[at] ?? "")) at++;
    if (this.#text[at] !== ">") this.#fail("SENS_SYNTAX", at, "The entity declaration is not closed");
    return at + 1;
  }

  #otherDeclaration(start: number): number {
    const match = /<![A-Z]+(?:[^"'>]|"[^"]*"|'[^']*')*>/y;
    match.lastIndex = start;
    const found = match.exec(this.#text);
    if (found === null) this.#fail("SENS_SYNTAX", start, "The declaration is not closed");
    return start + found[0].length;
  }

  /** Replaces references to declared entities in text or attribute values between `start` and `end`. */
  #expand(start: number, end: number, attribute: boolean): void {
    const text = this.#text;
    // The next ampersand is looked for once, not again from each tag: that would be quadratic.
    if (this.#ampersand < start) this.#ampersand = indexOrEnd(text, "&", start);
    let at = this.#ampersand;
    while (at < end) {
      REFERENCE_HERE.lastIndex = at;
      const match = REFERENCE_HERE.exec(text);
      if (match !== null && !PREDEFINED.has(match[1])) {
        this.#pieces.push(text.slice(this.#copied, at), this.#replacement(match[1], attribute, at, 1));
        this.#copied = at + match[0].length;
      }
      // Character references and stray ampersands are the parser's matter.
      at = indexOrEnd(text, "&", at + 1);
      this.#ampersand = at;
    }
  }

  #replacement(name: string, attribute: boolean, at: number, nesting: number): string {
    const value = this.#entities.get(name);
    if (value === undefined) this.#fail("SENS_SYNTAX", at, `The entity ${quoteInput(name)} is not declared`);
    if (nesting > this.#limits.xmlEntityNestingMax) {
      this.#fail("SENS_ENTITY_LIMIT", at, `Entities are nested deeper than ${this.#limits.xmlEntityNestingMax}; write the text out`);
    }
    this.#expandedBytes += new TextEncoder().encode(value).length;
    if (this.#expandedBytes > this.#limits.xmlEntityExpansionBytesMax) {
      this.#fail(
        "SENS_ENTITY_LIMIT",
        at,
        `Entities expand to more than ${this.#limits.xmlEntityExpansionBytesMax} bytes; write the text out`,
      );
    }
    const expanded = value.replace(REFERENCE, (whole, inner: string) =>
      PREDEFINED.has(inner) ? whole : this.#replacement(inner, attribute, at, nesting + 1),
    );
    if (expanded.includes("<")) this.#fail("SENS_ENTITY_LIMIT", at, `The entity ${quoteInput(name)} holds markup; write it out`);
    return attribute ? expanded.replace(/"/g, "&quot;").replace(/'/g, "&apos;") : expanded;
  }

  #fail(code: ErrorCode, at: number, message: string): never {
    const position = positionInText(this.#text, at);
    const excerpt = this.#text.slice(at, at + 40).split(/[\r\n]/, 1)[0];
    const found = at >= this.#text.length ? "the end of the document" : excerpt === "" ? "the end of the line" : quoteInput(excerpt);
    throw new SensError(code, `Line ${position.line}, column ${position.column}: ${message}, at ${found}.`, { position });
  }
}
