/**
 * REGEX and REPLACE. Patterns and flags written in the query are compiled with it, so that what linear time cannot do is
 * refused before anything runs; others are compiled when met, and what cannot be compiled is an error of the expression.
 */
import { SensError } from "../../base/index.ts";
import { type Expression, XSD } from "../parse/index.ts";
import { compilePattern, type XPathPattern } from "../regex/index.ts";
import type { EvaluationEnv, Frame } from "./compiled-expression.ts";
import { type Compilation, type Node, truthNode, valueNode } from "./nodes.ts";
import { checkTextLength, withText } from "./string-functions.ts";
import { isStringLike, type Value, ValueKind } from "./value.ts";

type CompileNode = (expression: Expression, compilation: Compilation) => Node;
type PatternSource = (frame: Frame, env: EvaluationEnv) => XPathPattern | undefined;

export function regexNode(args: readonly Expression[], compilation: Compilation, compileNode: CompileNode): Node {
  const text = compileNode(args[0], compilation);
  const pattern = patternSource(args[1], args[2], compilation, compileNode);
  return truthNode((frame, env) => {
    const value = text.value(frame, env);
    if (value === undefined || !isStringLike(value)) return -1;
    const compiled = pattern(frame, env);
    return compiled === undefined ? -1 : compiled.test(value.text) ? 1 : 0;
  });
}

export function replaceNode(args: readonly Expression[], compilation: Compilation, compileNode: CompileNode): Node {
  const text = compileNode(args[0], compilation);
  const pattern = patternSource(args[1], args[3], compilation, compileNode);
  const replacement = compileNode(args[2], compilation);
  return valueNode((frame, env) => {
    const value = text.value(frame, env);
    const by = plainText(replacement.value(frame, env));
    if (value === undefined || !isStringLike(value) || by === undefined) return undefined;
    const replaced = pattern(frame, env)?.replace(value.text, by, checkTextLength);
    return replaced === undefined ? undefined : withText(value, replaced);
  });
}

function patternSource(
  pattern: Expression,
  flags: Expression | undefined,
  compilation: Compilation,
  compileNode: CompileNode,
): PatternSource {
  const patternNode = compileNode(pattern, compilation);
  const flagsNode = flags && compileNode(flags, compilation);
  const writtenPattern = writtenText(pattern);
  const writtenFlags = flags ? writtenText(flags) : "";
  if (writtenPattern !== undefined && writtenFlags !== undefined) {
    const compiled = compilePattern(writtenPattern, writtenFlags);
    // a constant that travels in a slot may differ from the one written here
    if (patternNode.slot === undefined && flagsNode?.slot === undefined) return () => compiled;
  }
  return (frame, env) => {
    const text = plainText(patternNode.value(frame, env));
    const flagText = flagsNode ? plainText(flagsNode.value(frame, env)) : "";
    return text === undefined || flagText === undefined ? undefined : patternOrError(text, flagText);
  };
}

function patternOrError(text: string, flags: string): XPathPattern | undefined {
  try {
    return compilePattern(text, flags);
  } catch (error) {
    if (error instanceof SensError && error.code === "SENS_REGEX_UNSUPPORTED") return undefined;
    throw error;
  }
}

function writtenText(expression: Expression): string | undefined {
  if (expression.subType !== "term" || expression.term.termType !== "Literal") return undefined;
  return expression.term.datatype.value === `${XSD}string` ? expression.term.value : undefined;
}

function plainText(value: Value | undefined): string | undefined {
  return value?.kind === ValueKind.STRING ? value.text : undefined;
}
