/**
 * SPARQL text -> algebra.   scan (size, depth) -> parse -> translate -> our passes over the tree.
 *
 * The parser is built once: building costs ~100 ms. Errors are SensError with line, column and the text.
 * Our passes: `<_:label>` becomes a blank node constant; blank nodes of patterns become variables named `_:label`, which
 * nobody can write; limits of numbers and depth, names of functions, and scope of AS are checked.
 */
import { toAlgebra } from "@traqula/algebra-sparql-1-2";
import { Parser } from "@traqula/parser-sparql-1-2";
import { LIMITS, quoteInput, SensError } from "../../base/index.ts";
import type { Operation, ParsedQuery, ParsedUpdate, UpdateOperation } from "./algebra.ts";
import { normalizeAlgebra } from "./normalize.ts";
import { prescan, type ScannedText } from "./prescan.ts";
import { resolveIris, type SyntaxTree } from "./resolve-iris.ts";
import { type Recognition, RecognitionError, syntaxError } from "./syntax-error.ts";
import { translateWheres } from "./update-where.ts";

export interface ParseOptions {
  readonly baseIri?: string;
  /** Prefixes known without PREFIX. */
  readonly prefixes?: Readonly<Record<string, string>>;
}

let sharedParser: Parser | undefined;

/** Parses one query. Throws SENS_SYNTAX, SENS_QUERY_FORM (an update), SENS_TOO_DEEP, SENS_TOO_LARGE, SENS_LIMIT, SENS_UNKNOWN_FUNCTION. */
export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const { tree, algebra, baseIri } = parseText(text, options);
  if (tree.type === "update") {
    if (isEmptyUpdate(algebra)) throw syntaxError(text, 0, "The query is empty. Write SELECT, CONSTRUCT, ASK or DESCRIBE.");
    throw new SensError("SENS_QUERY_FORM", "This is an update where a query is expected. Send it to the update operation.");
  }
  return { form: tree.subType, algebra: algebra as Operation, baseIri };
}

/** Parses one update request. Throws as `parseQuery` does; SENS_QUERY_FORM for a query. */
export function parseUpdate(text: string, options: ParseOptions = {}): ParsedUpdate {
  const { tree, algebra, baseIri } = parseText(text, options);
  if (tree.type !== "update") {
    throw new SensError(
      "SENS_QUERY_FORM",
      `This is a ${tree.subType.toUpperCase()} query where an update is expected. Send it to the query operation.`,
    );
  }
  return { form: "update", updates: updatesOf(algebra), baseIri };
}

function parseText(
  text: string,
  options: ParseOptions,
): { tree: SyntaxTree; algebra: Operation | UpdateOperation; baseIri: string | undefined } {
  const scanned = prescan(text);
  try {
    sharedParser ??= createParser();
    const tree = sharedParser.parse(scanned.text, {
      baseIRI: options.baseIri,
      prefixes: Object.assign(Object.create(null) as Record<string, string>, options.prefixes),
    });
    const baseIri = resolveIris(tree as unknown as SyntaxTree, options.baseIri);
    const translate = (syntax: unknown, quads: boolean) =>
      toAlgebra(syntax as Parameters<typeof toAlgebra>[0], {
        quads,
        blankToVariable: false,
        baseIRI: baseIri,
        prefixes: { ...options.prefixes },
      }) as unknown as Operation | UpdateOperation;
    const algebra = translate(tree, tree.type === "update");
    if (tree.type === "update") translateWheres(tree as unknown as SyntaxTree, algebra, (query) => translate(query, false) as Operation);
    normalizeAlgebra(algebra);
    return { tree: tree as unknown as SyntaxTree, algebra, baseIri };
  } catch (error) {
    throw asSensError(text, scanned, error);
  }
}

/** The handler is an option of the parser's builder that its own types leave out; without it the place of an error is lost. */
function createParser(): Parser {
  const settings = {
    defaultContext: {},
    errorHandler(errors: readonly Recognition[]) {
      throw new RecognitionError(errors[0]);
    },
  };
  return new Parser(settings);
}

function asSensError(text: string, scanned: ScannedText, error: unknown): SensError {
  if (error instanceof SensError) return error;
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return new SensError(
      "SENS_TOO_DEEP",
      `The query chains more operators than the limit of ${LIMITS.expressionDepthMax}. Use IN or VALUES for long lists.`,
    );
  }
  if (!(error instanceof Error)) return new SensError("SENS_SYNTAX", `The query cannot be read: ${quoteInput(String(error))}.`);
  return syntaxErrorFrom(text, scanned, error);
}

function syntaxErrorFrom(text: string, scanned: ScannedText, error: Error): SensError {
  if (error instanceof RecognitionError)
    return syntaxError(text, scanned.originalOffset(error.offset(scanned.text.length)), error.message, error);
  const lexed = /^unexpected character: .* at offset: (\d+)/s.exec(error.message);
  if (lexed) {
    const offset = scanned.originalOffset(Number(lexed[1]));
    return syntaxError(text, offset, `Unexpected character ${quoteInput(String.fromCodePoint(text.codePointAt(offset) ?? 0x20))}.`, error);
  }
  return syntaxError(text, mentionedOffset(text, error.message), `${error.message.replace(/\.?$/, ".")}`, error);
}

/** Semantic errors of the parser carry no position; the word they name does. */
function mentionedOffset(text: string, message: string): number {
  const prefix = /^Unknown prefix: ?(.*)$/s.exec(message);
  const relative = /^Cannot resolve relative IRI (\S*) /.exec(message);
  const variable = /[Vv]ariable[^?$]*[?$']?\b(\w+)/.exec(message);
  const word = prefix ? `${prefix[1]}:` : relative ? `<${relative[1]}>` : variable ? `?${variable[1]}` : "";
  const at = word === "" ? -1 : text.indexOf(word);
  return Math.max(at, 0);
}

function updatesOf(algebra: Operation | UpdateOperation): readonly UpdateOperation[] {
  if ((algebra.type as string) === "compositeupdate") {
    return (algebra as unknown as { updates: UpdateOperation[] }).updates.filter((update) => update.type !== "nop");
  }
  return algebra.type === "nop" ? [] : [algebra as UpdateOperation];
}

function isEmptyUpdate(algebra: Operation | UpdateOperation): boolean {
  return updatesOf(algebra).length === 0;
}
