/**
 * Expected failures. One root error with a stable code; the table below is the single list of codes, from which
 * `docs/errors.md` and the problem+json answers are generated. Programmer errors are `assert` (see assert.ts).
 */

/** code -> HTTP status, whether a retry of the same request can succeed, and the title of the problem. */
export const ERROR_CODES = {
  // bodies
  SENS_SYNTAX: { status: 400, retryable: false, title: "The document or query is not well-formed" },
  SENS_ENCODING: { status: 400, retryable: false, title: "The body is not valid UTF-8" },
  SENS_IRI: { status: 400, retryable: false, title: "Not a valid IRI" },
  SENS_RELATIVE_IRI: { status: 400, retryable: false, title: "Relative IRI without a base" },
  SENS_IRI_TOO_LONG: { status: 400, retryable: false, title: "IRI longer than the limit" },
  SENS_LITERAL_TOO_LONG: { status: 400, retryable: false, title: "Literal longer than the limit" },
  SENS_TOO_DEEP: { status: 400, retryable: false, title: "Nested deeper than the limit" },
  SENS_TOO_MANY_PREFIXES: { status: 400, retryable: false, title: "More prefixes than the limit" },
  SENS_EXTERNAL_ENTITY: { status: 400, retryable: false, title: "External XML entities are refused" },
  SENS_ENTITY_LIMIT: { status: 400, retryable: false, title: "XML entities expand beyond the limit" },
  SENS_REMOTE_CONTEXT: { status: 400, retryable: false, title: "Remote JSON-LD contexts are refused" },
  SENS_DATA_LOSS: { status: 400, retryable: false, title: "Part of the document would be lost" },
  SENS_UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, title: "Content type not supported" },
  SENS_NOT_ACCEPTABLE: { status: 406, retryable: false, title: "No acceptable representation" },
  SENS_TOO_LARGE: { status: 413, retryable: false, title: "The body is larger than the limit" },
  SENS_BLANK_NODE_RETRACT: { status: 400, retryable: false, title: "A document cannot retract its own blank nodes" },
  // queries and rules
  SENS_QUERY_FORM: { status: 400, retryable: false, title: "This operation does not take that form of query" },
  SENS_QUERY_UNSAFE: { status: 400, retryable: false, title: "A variable is used but never bound" },
  SENS_QUERY_UNSUPPORTED: { status: 422, retryable: false, title: "The query cannot be kept up to date" },
  SENS_SERVICE_DISABLED: { status: 400, retryable: false, title: "Federation is switched off" },
  SENS_LOAD_DISABLED: { status: 403, retryable: false, title: "LOAD is switched off" },
  SENS_NON_DETERMINISTIC: { status: 400, retryable: false, title: "NOW and RAND cannot be part of a standing query" },
  SENS_UNKNOWN_FUNCTION: { status: 400, retryable: false, title: "Unknown function" },
  SENS_REGEX_UNSUPPORTED: { status: 400, retryable: false, title: "Regular expression not supported in linear time" },
  SENS_LIMIT: { status: 400, retryable: false, title: "A number in the request is out of range" },
  SENS_RULE_UNSUPPORTED: { status: 422, retryable: false, title: "The rule needs more than the engine runs" },
  SENS_RULE_UNSAFE: { status: 422, retryable: false, title: "A rule uses a variable that its premises do not bind" },
  SENS_NOT_STRATIFIED: { status: 422, retryable: false, title: "A cycle through negation or aggregation" },
  SENS_NON_TERMINATING: { status: 422, retryable: false, title: "Derivation stopped at a limit" },
  SENS_DERIVATION_LIMIT: { status: 422, retryable: false, title: "The change takes more than the limit" },
  SENS_MEMORY_LIMIT: { status: 507, retryable: false, title: "More memory than the limit" },
  SENS_QUERY_TIMEOUT: { status: 408, retryable: true, title: "The query ran out of time" },
  SENS_TOO_MANY_ROWS: { status: 413, retryable: false, title: "The result has more rows than the limit" },
  SENS_RESULT_TOO_LARGE: { status: 413, retryable: false, title: "The result is larger than the limit" },
  // requests
  SENS_BAD_REQUEST: { status: 400, retryable: false, title: "The request is not understood" },
  SENS_UNKNOWN_OP: { status: 400, retryable: false, title: "Unknown operation" },
  SENS_NOT_FOUND: { status: 404, retryable: false, title: "Not found" },
  SENS_METHOD_NOT_ALLOWED: { status: 405, retryable: false, title: "Method not allowed" },
  SENS_UNAUTHORIZED: { status: 401, retryable: false, title: "No valid token" },
  SENS_FORBIDDEN: { status: 403, retryable: false, title: "Not permitted" },
  SENS_FOREIGN_ORIGIN: { status: 403, retryable: false, title: "Origin or Host not allowed" },
  SENS_SUBSCRIPTION_CONFLICT: { status: 409, retryable: false, title: "The name belongs to another query" },
  SENS_INSERTION_CONFLICT: { status: 409, retryable: false, title: "The name belongs to another insertion" },
  SENS_CURSOR_INVALID: { status: 400, retryable: false, title: "Not a cursor" },
  SENS_CURSOR_EXPIRED: { status: 410, retryable: false, title: "The cursor is older than what is kept" },
  SENS_CURSOR_FOREIGN: { status: 409, retryable: false, title: "The cursor is of another epoch" },
  SENS_CURSOR_FUTURE: { status: 409, retryable: false, title: "The cursor is in the future" },
  SENS_CLAIM_EXPIRED: { status: 409, retryable: false, title: "The claim is over" },
  SENS_GRAPH_REQUIRED: { status: 400, retryable: false, title: "Name the graph to remove from" },
  SENS_GRAPH_EXISTS: { status: 409, retryable: false, title: "The graph to create exists" },
  SENS_GRAPH_MISSING: { status: 404, retryable: false, title: "The graph to read from does not exist" },
  SENS_IDEMPOTENCY_CONFLICT: { status: 422, retryable: false, title: "The idempotency key was used for another request" },
  SENS_INCONSISTENT: { status: 422, retryable: false, title: "The change would make the knowledge base inconsistent" },
  // load and operation
  SENS_BUSY: { status: 429, retryable: true, title: "Too much is waiting" },
  SENS_SLOW_CONSUMER: { status: 503, retryable: true, title: "The consumer is too slow; resume by cursor" },
  SENS_SHUTTING_DOWN: { status: 503, retryable: true, title: "The server is stopping" },
  SENS_NOT_READY: { status: 503, retryable: true, title: "The server is not ready" },
  SENS_STORAGE_FULL: { status: 507, retryable: true, title: "The disk is full" },
  SENS_OUTCOME_UNKNOWN: { status: 503, retryable: true, title: "The outcome is unknown; retry with the same idempotency key" },
  SENS_DATA_DAMAGED: { status: 500, retryable: false, title: "The database file is damaged" },
  SENS_DATA_LOCKED: { status: 503, retryable: false, title: "Another server uses the database file" },
  SENS_CANCELLED: { status: 499, retryable: false, title: "Cancelled by the client" },
  SENS_CONFIG: { status: 500, retryable: false, title: "The configuration is not usable" },
  SENS_INTERNAL: { status: 500, retryable: false, title: "Internal error" },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Where in a text an error was found; line and column count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** `application/problem+json` (RFC 9457) with our stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly line?: number;
  readonly column?: number;
  readonly [extra: string]: unknown;
}

export interface SensErrorOptions {
  readonly cause?: unknown;
  readonly position?: TextPosition;
  /** Further members of the problem object, JSON values only. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The one root of expected failures. `message` says what happened, with which value, and what to do. */
export class SensError extends Error {
  readonly code: ErrorCode;
  readonly position: TextPosition | undefined;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SensErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SensError";
    this.code = code;
    this.position = options.position;
    this.extra = options.extra ?? {};
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  toProblem(): Problem {
    const entry = ERROR_CODES[this.code];
    return {
      ...this.extra,
      type: `urn:sens:error:${this.code}`,
      title: entry.title,
      status: entry.status,
      detail: this.message,
      code: this.code,
      retryable: entry.retryable,
      ...(this.position ?? {}),
    };
  }
}

/** Quotes at most 80 characters of input for a message, with control characters escaped. */
export function quoteInput(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028-\u202e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
