/** SENS_SYNTAX with line, column and the offending text. */
import { quoteInput, SensError } from "../../base/index.ts";
import { positionAt } from "./prescan.ts";

/** What the parser reports for the first token it cannot use. */
export interface Recognition {
  readonly message: string;
  readonly token: { readonly image: string; readonly startOffset: number };
}

/** Carries a parser's complaint and its place to the one that maps it. */
export class RecognitionError extends Error {
  readonly #token: Recognition["token"];
  constructor(recognition: Recognition) {
    super(shortMessage(recognition));
    this.name = "RecognitionError";
    this.#token = recognition.token;
  }
  /** Offset of the token; the end of the text when the text ended too early. */
  offset(textLength: number): number {
    return Number.isFinite(this.#token.startOffset) ? this.#token.startOffset : textLength;
  }
}

export function syntaxError(text: string, offset: number, message: string, cause?: unknown): SensError {
  const position = positionAt(text, offset);
  return new SensError(
    "SENS_SYNTAX",
    `${message} At line ${position.line}, column ${position.column}: ${quoteInput(lineAt(text, offset))}`,
    { position, cause },
  );
}

/** Parsers list every alternative they would have taken; the first words are enough. */
function shortMessage(recognition: Recognition): string {
  const found = recognition.token.image === "" ? "the end of the text" : quoteInput(recognition.token.image);
  if (/^Redundant input/.test(recognition.message)) return `Unexpected ${found} after the end of the query. Send one query at a time.`;
  const expected = /^Expecting token of type --> (\S+) <--/.exec(recognition.message);
  return expected ? `Unexpected ${found}; expected ${expected[1]}.` : `Unexpected ${found}.`;
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", Math.max(offset - 1, 0)) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(Math.min(start, offset), end < 0 ? text.length : end);
  const column = offset - start;
  return line.length > 76 && column > 38 ? line.slice(column - 38) : line;
}
