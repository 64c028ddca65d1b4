/** Turtle and TriG: the pre-scan, then N3.js with the exact format set, its quads staged as they come. */
import n3 from "n3";
import { AssertionError, quoteInput, SensError, type TextPosition } from "../base/index.ts";
import type { BlankNodeScope } from "./blank-node-scope.ts";
import type { ParseLimits } from "./parse-limits.ts";
import type { ParsedDocument } from "./staged-quads.ts";
import { StagingFactory } from "./staging-factory.ts";
import type { TermId, TermTable } from "./term-table.ts";
import { prescanTurtle } from "./turtle-prescan.ts";

export interface TurtleOptions {
  readonly format: "text/turtle" | "application/trig";
  readonly baseIri: string | undefined;
  readonly dictionary: TermTable;
  readonly blankNodes: BlankNodeScope;
  readonly graph: TermId;
  readonly limits: ParseLimits;
}

/** What N3.js tells about a token: line from 1, columns from 0. */
interface Token {
  readonly line: number;
  readonly start?: number;
  readonly end?: number;
  readonly endLine?: number;
}

/** Parses the whole text in one call. Throws coded errors with line and, where known, column. */
export function parseTurtle(text: string, options: TurtleOptions): ParsedDocument {
  const prepared = prescanTurtle(text, options.limits, options.blankNodes);
  const lexer = new n3.Lexer({ lineMode: false, n3: false }) as n3.Lexer & { previousToken?: Token };
  const factory = new StagingFactory({
    dictionary: options.dictionary,
    blankNodes: options.blankNodes,
    graph: options.graph,
    namedGraphs: options.format === "application/trig",
    limits: options.limits,
    position: () => tokenEnd(lexer.previousToken),
  });
  const parserOptions = {
    format: options.format,
    baseIRI: options.baseIri,
    // Labels as they are written: scoping is ours.
    blankNodePrefix: "_:",
    factory,
    lexer,
  };
  const parser = new n3.Parser(parserOptions as unknown as n3.ParserOptions);
  try {
    // Without callbacks N3.js parses at once and collects what the factory's `quad` answers: nothing.
    parser.parse(prepared);
  } catch (error) {
    throw asSyntaxError(error, lexer.previousToken);
  }
  const rows = factory.staged.rows();
  return { quads: rows, count: factory.staged.count, freshBlankNodes: options.blankNodes.freshCount };
}

function tokenEnd(token: Token | undefined): TextPosition | undefined {
  if (token === undefined) return undefined;
  return { line: token.endLine ?? token.line, column: (token.end ?? 0) + 1 };
}

interface ParserContext {
  readonly line: number;
  readonly token?: Token;
  readonly previousToken?: Token;
}

/** N3.js errors carry the line and the tokens around it. */
function asSyntaxError(error: unknown, lastToken: Token | undefined): unknown {
  if (error instanceof SensError || error instanceof AssertionError || !(error instanceof Error)) return error;
  const context = (error as Error & { context?: ParserContext }).context;
  if (context === undefined) {
    // The library stumbled over what it had just refused (`@prefix p: <a&b:c> .`): the document is at fault, not we.
    const position = tokenEnd(lastToken) ?? { line: 1, column: 1 };
    const message = `Line ${position.line}, column ${position.column}: the statement is not well-formed. Correct the document there.`;
    return new SensError("SENS_SYNTAX", message, { cause: error, position });
  }
  const line = context.line;
  const previous = context.previousToken;
  const column =
    context.token?.start !== undefined
      ? context.token.start + 1
      : previous?.line === line && previous.end !== undefined
        ? previous.end + 1
        : 1;
  const message = error.message.replace(/ on line \d+\.$/, "");
  const code = /^Invalid IRI/.test(message) ? "SENS_IRI" : "SENS_SYNTAX";
  const text = `Line ${line}, column ${column}: ${quoteMessage(message)}. Correct the document there.`;
  return new SensError(code, text, { cause: error, position: { line, column } });
}

/** The library's words, with control characters escaped and at most 80 characters. */
function quoteMessage(message: string): string {
  return quoteInput(message).slice(1, -1).replace(/\\"/g, '"');
}
