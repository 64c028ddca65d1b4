import { describe, expect, it } from "vitest";
import { compilePattern } from "./index.ts";

const noLimit = (): void => undefined;

describe("XPath patterns", () => {
  it.each([
    ["a.c", "", "a\nc", false],
    ["a.c", "s", "a\nc", true],
    ["^b$", "", "a\nb\nc", false],
    ["^b$", "m", "a\nb\nc", true],
    ["a b\tc", "x", "abc", true],
    ["a[ ]b", "x", "a b", true],
    ["[^A]", "i", "a", false],
    ["[A-Z-[IO]]", "i", "i", false],
    ["[A-Z-[IO]]", "i", "b", true],
    ["^[\\w-[\\d]]+$", "", "abc", true],
    ["^[\\w-[\\d]]+$", "", "ab1", false],
    ["^\\i\\c*$", "", "_a-b.c", true],
    ["^\\i\\c*$", "", "1a", false],
    ["^\\p{IsGreek}+$", "", "αβγ", true],
    ["\\p{IsBasicLatin}", "", "é", false],
    ["^\\p{Lu}\\P{Lu}$", "", "Éa", true],
    ["^.$", "", "\u{1f600}", true],
    ["^[\u{1f600}-\u{1f64f}]$", "", "\u{1f603}", true],
    ["[^\\S]", "", "a b", true],
    ["(?:ab)+?c", "", "ababc", true],
    ["a{2,3}", "", "caab", true],
    ["[-a]", "", "-", true],
    ["[a-]", "", "-", true],
    ["\\$\\^\\-", "", "$^-", true],
    ["a+b", "q", "xa+b", true],
    ["A+B", "qi", "xa+b", true],
    ["", "", "", true],
  ])("%j with flags %j on %j: %s", (pattern, flags, text, expected) => {
    expect(compilePattern(pattern, flags).test(text)).toBe(expected);
  });

  it.each([
    ["(a)\\1", ""],
    ["a(?=b)", ""],
    ["\\bword", ""],
    ["a**", ""],
    ["*a", ""],
    ["a{3,2}", ""],
    ["(a", ""],
    ["a)", ""],
    ["[a", ""],
    ["[]", ""],
    ["[z-a]", ""],
    ["\\p{Nope}", ""],
    ["\\p{IsNope}", ""],
    ["a{1001}", ""],
    ["((a{1000}){1000}){1000}", ""],
    ["a".repeat(5000), ""],
    ["a", "g"],
    ["a\\", ""],
  ])("%.40j with flags %j is refused", (pattern, flags) => {
    for (let again = 0; again < 2; again++)
      expect(() => compilePattern(pattern, flags)).toThrow(expect.objectContaining({ code: "SENS_REGEX_UNSUPPORTED" }));
  });

  it.each([
    ["a(b)?", "", "abac", "[$1]", "[b][]c"],
    ["(a)(b)", "", "ab", "$2$1$0$9", "baab"],
    ["(a)", "", "a", "$12", "a2"],
    ["a", "", "a", "\\$1\\\\", "$1\\"],
    ["a", "q", "a", "$1\\", "$1\\"],
    ["a*", "", "b", "-", undefined],
    ["^", "", "b", "-", undefined],
    ["a", "", "a", "$x", undefined],
    ["a", "", "a", "\\n", undefined],
    ["\u{1f600}", "", "x\u{1f600}y", "-", "x-y"],
  ])("%j with flags %j on %j by %j gives %j", (pattern, flags, text, replacement, expected) => {
    expect(compilePattern(pattern, flags).replace(text, replacement, noLimit)).toBe(expected);
  });
});
