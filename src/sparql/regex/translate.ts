/**
 * XPath regular expressions -> RE2 syntax, which runs in time linear in the text.
 *
 * A recursive-descent reader of the grammar of XML Schema 1.1 part 2, appendix G, with the additions of XPath Functions and
 * Operators 3.1, section 5.6.1. Character classes are computed here as sets, because RE2 has no subtraction; everything that
 * has no meaning in linear time (back-references) or in XPath (look-around, \b) is refused with its place.
 */
import { LIMITS, quoteInput, SensError } from "../../base/index.ts";
import { type CodePointSet, categorySet, closeOverCase, complement, formatSet, setOf, subtract, union } from "./code-point-set.ts";
import { unicodeBlock } from "./unicode-blocks.ts";

export interface Translation {
  readonly source: string;
  readonly groups: number;
}

const SPACE = setOf([0x9, 0xa, 0xd, 0xd, 0x20, 0x20]);
/** NameStartChar and NameChar of XML 1.0, fifth edition. */
const NAME_START = setOf([
  0x3a, 0x3a, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d, 0x37f, 0x1fff, 0x200c, 0x200d, 0x2070,
  0x218f, 0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900, 0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0xeffff,
]);
const NAME = union(NAME_START, setOf([0x2d, 0x2e, 0x30, 0x39, 0xb7, 0xb7, 0x300, 0x36f, 0x203f, 0x2040]));
/** Letters after a backslash that stand for themselves or a control character. */
const CONTROL: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Flags that the reader honours; `i`, `s`, `m` also go to RE2. */
export interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  readonly multiLine: boolean;
  readonly freeSpacing: boolean;
  readonly literal: boolean;
}

/** Throws SENS_REGEX_UNSUPPORTED. */
export function translatePattern(pattern: string, flags: PatternFlags): Translation {
  const prefix = `${flags.ignoreCase ? "i" : ""}${flags.multiLine ? "m" : ""}`;
  const head = prefix === "" ? "" : `(?${prefix})`;
  if (flags.literal) return { source: head + Array.from(pattern, quoteCharacter).join(""), groups: 0 };
  const reader = new PatternReader(pattern, flags);
  const source = reader.read();
  return { source: head + source, groups: reader.groups };
}

export function unsupportedPattern(pattern: string, what: string): SensError {
  return new SensError("SENS_REGEX_UNSUPPORTED", `The regular expression ${quoteInput(pattern)} ${what}`);
}

class PatternReader {
  groups = 0;
  readonly #pattern: string;
  readonly #flags: PatternFlags;
  #index = 0;
  #depth = 0;

  constructor(pattern: string, flags: PatternFlags) {
    this.#pattern = pattern;
    this.#flags = flags;
  }

  read(): string {
    const source = this.#alternatives();
    if (this.#index < this.#pattern.length) throw this.#fault("has a ) without (. Escape it as \\).");
    return source;
  }

  #alternatives(): string {
    let source = "";
    for (;;) {
      const next = this.#peek();
      if (next === "" || next === ")") return source;
      if (next === "|") {
        this.#index++;
        source += "|";
      } else source += this.#piece();
    }
  }

  #piece(): string {
    const atom = this.#atom();
    return atom + this.#quantifier();
  }

  #quantifier(): string {
    const next = this.#peek();
    let quantifier = "";
    if (next === "?" || next === "*" || next === "+") {
      this.#index++;
      quantifier = next;
    } else if (next === "{") quantifier = this.#counts();
    if (quantifier === "") return "";
    if (this.#peek() === "?") {
      this.#index++;
      quantifier += "?";
    }
    if (/^[?*+{]/.test(this.#peek())) throw this.#fault("repeats a repetition. Put it in a group.");
    return quantifier;
  }

  #counts(): string {
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#pattern.slice(this.#index, this.#index + 64));
    if (!match) throw this.#fault("has a { that starts no count. Escape it as \\{.");
    const [text, least, comma, most] = match;
    if (Number(least) > LIMITS.regexRepeatMax || Number(most ?? 0) > LIMITS.regexRepeatMax)
      throw this.#fault(`repeats more than ${LIMITS.regexRepeatMax} times. Use + or *.`);
    if (comma && most !== "" && Number(most) < Number(least)) throw this.#fault("has a count whose end is before its start.");
    this.#index += text.length;
    return text;
  }

  #atom(): string {
    const character = this.#peek();
    this.#index += character.length;
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#emit(this.#classBody());
      case ".":
        return this.#flags.dotAll ? "(?s:.)" : "[^\\n\\r]";
      case "\\":
        return this.#escapeOutside();
      case "^":
        return "^";
      case "$":
        return "$";
      case "?":
      case "*":
      case "+":
      case "{":
        throw this.#fault(`has a ${character} with nothing to repeat. Escape it as \\${character}.`);
      default:
        return quoteCharacter(character);
    }
  }

  #group(): string {
    if (++this.#depth > LIMITS.nestingDepthMax) throw this.#fault(`nests deeper than ${LIMITS.nestingDepthMax}.`);
    let open = "(";
    if (this.#peek() === "?") {
      if (!this.#pattern.startsWith("?:", this.#index)) throw this.#fault("uses (?…), of which XPath knows only (?:…).");
      this.#index += 2;
      open = "(?:";
    } else this.groups++;
    const body = this.#alternatives();
    if (this.#peek() !== ")") throw this.#fault("has a ( without ). Close it.");
    this.#index++;
    this.#depth--;
    return `${open}${body})`;
  }

  #escapeOutside(): string {
    const next = this.#pattern[this.#index] ?? "";
    if (/[0-9]/.test(next)) throw this.#fault("uses a back-reference, which cannot be matched in linear time. Rewrite it without.");
    const set = this.#classEscape();
    return typeof set === "string" ? quoteCharacter(set) : this.#emit(this.#fold(set));
  }

  /** After a backslash: one character, or a set. */
  #classEscape(): string | CodePointSet {
    const letter = String.fromCodePoint(this.#pattern.codePointAt(this.#index) ?? 0x5c);
    if (this.#index >= this.#pattern.length) throw this.#fault("ends with a backslash. Escape it as \\\\.");
    this.#index += letter.length;
    const control = CONTROL[letter];
    if (control !== undefined) return control;
    const named = this.#namedSet(letter);
    if (named) return named;
    if (/[A-Za-z0-9]/.test(letter) || (letter.codePointAt(0) as number) > 0x7e)
      throw this.#fault(`uses \\${letter}, which XPath does not know.`);
    return letter;
  }

  #namedSet(letter: string): CodePointSet | undefined {
    switch (letter) {
      case "s":
        return SPACE;
      case "S":
        return complement(SPACE);
      case "d":
        return categorySet("Nd");
      case "D":
        return complement(categorySet("Nd") ?? []);
      case "w":
        return complement(notWord());
      case "W":
        return notWord();
      case "i":
        return NAME_START;
      case "I":
        return complement(NAME_START);
      case "c":
        return NAME;
      case "C":
        return complement(NAME);
      case "p":
        return this.#property();
      case "P":
        return complement(this.#property());
      default:
        return undefined;
    }
  }

  #property(): CodePointSet {
    const match = /^\{([A-Za-z0-9-]{1,64})\}/.exec(this.#pattern.slice(this.#index, this.#index + 70));
    if (!match) throw this.#fault("has \\p without {…}.");
    this.#index += match[0].length;
    const block = match[1].startsWith("Is") ? unicodeBlock(match[1].slice(2)) : undefined;
    const set = block ? setOf(block) : categorySet(match[1]);
    if (!set) throw this.#fault(`names the unknown category or block ${match[1]}.`);
    return set;
  }

  /** After `[`; returns the set and consumes the closing bracket. */
  #classBody(): CodePointSet {
    if (++this.#depth > LIMITS.nestingDepthMax) throw this.#fault(`nests deeper than ${LIMITS.nestingDepthMax}.`);
    const negated = this.#pattern[this.#index] === "^";
    if (negated) this.#index++;
    const ranges: number[] = [];
    let taken: CodePointSet | undefined;
    for (let first = true; ; first = false) {
      const character = this.#pattern[this.#index];
      if (character === undefined) throw this.#fault("has a [ without ]. Close it, or escape it as \\[.");
      if (character === "]" && !first) break;
      if (character === "-" && this.#pattern[this.#index + 1] === "[" && !first) {
        this.#index += 2;
        taken = this.#classBody();
        if (this.#pattern[this.#index] !== "]") throw this.#fault("goes on after a class subtraction. End the class there.");
        break;
      }
      this.#classItem(ranges, first);
    }
    this.#index++;
    this.#depth--;
    const positive = this.#fold(setOf(ranges));
    const base = negated ? complement(positive) : positive;
    return taken ? subtract(base, taken) : base;
  }

  #classItem(ranges: number[], first: boolean): void {
    const start = this.#classCharacter(first);
    if (typeof start !== "number") {
      for (const bound of start) ranges.push(bound);
      return;
    }
    const dash = this.#pattern[this.#index] === "-" && this.#pattern[this.#index + 1] !== "]" && this.#pattern[this.#index + 1] !== "[";
    if (!dash) {
      ranges.push(start, start);
      return;
    }
    this.#index++;
    const end = this.#classCharacter(false);
    if (typeof end !== "number" || end < start) throw this.#fault("has a range whose end is no character after its start.");
    ranges.push(start, end);
  }

  #classCharacter(first: boolean): number | CodePointSet {
    const point = this.#pattern.codePointAt(this.#index);
    if (point === undefined) throw this.#fault("has a [ without ]. Close it, or escape it as \\[.");
    if (point === 0x5d && first) throw this.#fault("has an empty class []. Escape the bracket as \\].");
    if (point === 0x5b) throw this.#fault("has a [ inside a class. Escape it as \\[.");
    this.#index += point > 0xffff ? 2 : 1;
    if (point !== 0x5c) return point;
    const escaped = this.#classEscape();
    return typeof escaped === "string" ? (escaped.codePointAt(0) ?? 0) : escaped;
  }

  #fold(set: CodePointSet): CodePointSet {
    return this.#flags.ignoreCase ? closeOverCase(set) : set;
  }

  /** A set as a class; RE2 has no empty one, but the complement of everything. */
  #emit(set: CodePointSet): string {
    return set.length === 0 ? "[^\\x{0}-\\x{10ffff}]" : `[${formatSet(set)}]`;
  }

  /** The next character outside classes, "" at the end; skips white space with flag x. */
  #peek(): string {
    if (this.#flags.freeSpacing) while (/[\t\n\r ]/.test(this.#pattern[this.#index] ?? "")) this.#index++;
    const point = this.#pattern.codePointAt(this.#index);
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  #fault(what: string): SensError {
    return unsupportedPattern(this.#pattern, `${what} (Near character ${this.#index + 1}.)`);
  }
}

let notWordSet: CodePointSet | undefined;

/** `\W`: punctuation, separators and other. */
function notWord(): CodePointSet {
  notWordSet ??= union(union(categorySet("P") ?? [], categorySet("Z") ?? []), categorySet("C") ?? []);
  return notWordSet;
}

function quoteCharacter(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  return `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
