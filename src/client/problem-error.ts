/** Turns what came over the wire into a SensError, and back-fills codes this version of the client does not know. */
import { ERROR_CODES, type ErrorCode, SensError } from "../base/index.ts";

export function errorFromProblem(problem: unknown): SensError {
  const fields: Record<string, unknown> = typeof problem === "object" && problem !== null ? { ...problem } : {};
  const { type: _type, title, status, detail, code, retryable: _retryable, line, column, ...extra } = fields;
  const known = typeof code === "string" && code in ERROR_CODES;
  const message = typeof detail === "string" ? detail : typeof title === "string" ? title : "The server refused and gave no reason.";
  return new SensError(known ? (code as ErrorCode) : codeOfStatus(status), known ? message : `${String(code ?? "")} ${message}`.trim(), {
    ...(typeof line === "number" && typeof column === "number" ? { position: { line, column } } : {}),
    extra: known ? extra : { ...extra, serverCode: code },
  });
}

function codeOfStatus(status: unknown): ErrorCode {
  switch (status) {
    case 401:
      return "SENS_UNAUTHORIZED";
    case 403:
      return "SENS_FORBIDDEN";
    case 404:
      return "SENS_NOT_FOUND";
    default:
      return typeof status === "number" && status < 500 ? "SENS_BAD_REQUEST" : "SENS_INTERNAL";
  }
}

/** The same refusal with a sentence more, if it is one of this code; any other error unchanged. */
export function withAdvice(error: unknown, code: ErrorCode, advice: string): unknown {
  if (!(error instanceof SensError) || error.code !== code) return error;
  const { position, extra, cause } = error;
  return new SensError(code, `${error.message} ${advice}`, { ...(position && { position }), extra, cause });
}

/** The reason of an aborted signal as a SensError; a caller's own Error is passed on unchanged. */
export function abortError(signal: AbortSignal, what: string): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name !== "AbortError") return reason;
  return new SensError("SENS_CANCELLED", `${what} was cancelled by its AbortSignal.`, { cause: reason });
}
