/** Every failure as one of ours, and as `application/problem+json`. Nothing of a foreign error's text leaves the server. */
import { type ErrorCode, type Logger, SensError } from "../base/index.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** Errors of the HTTP framework and of Node that a client can cause. */
const FOREIGN_CODES: { readonly [code: string]: readonly [ErrorCode, string] } = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["SENS_TOO_LARGE", "The body is larger than the server takes. Split it."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["SENS_UNSUPPORTED_MEDIA_TYPE", "The Content-Type is missing or not a media type."],
  FST_ERR_CTP_EMPTY_TYPE: ["SENS_UNSUPPORTED_MEDIA_TYPE", "The Content-Type is missing."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["SENS_BAD_REQUEST", "The body is shorter or longer than its Content-Length."],
  ECONNRESET: ["SENS_CANCELLED", "The client went away before its request was whole."],
  FST_ERR_BAD_URL: ["SENS_BAD_REQUEST", "The address is not well-formed: check its percent signs."],
  FST_ERR_MAX_PARAM_LENGTH: ["SENS_NOT_FOUND", "Nothing is served at this address."],
};

/** The error as a SensError. Programmer errors are logged whole and answered as SENS_INTERNAL with no detail. */
export function toSensError(error: unknown, logger: Logger): SensError {
  if (error instanceof SensError) return error;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const known = Object.hasOwn(FOREIGN_CODES, code) ? FOREIGN_CODES[code] : undefined;
  if (known) return new SensError(known[0], known[1], { cause: error });
  if (code.startsWith("FST_ERR_CTP")) return new SensError("SENS_BAD_REQUEST", "The body could not be read.", { cause: error });
  logger.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, "internal error");
  return new SensError("SENS_INTERNAL", "Something went wrong inside the server; its log says what. Please report it.", { cause: error });
}

/** Headers that go with a problem. */
export function problemHeaders(error: SensError): Record<string, string> {
  const headers: Record<string, string> = { "content-type": PROBLEM_TYPE, "cache-control": "no-store" };
  if (error.status === 401) headers["www-authenticate"] = 'Bearer realm="sens"';
  if (error.status === 429 || error.status === 503) headers["retry-after"] = "1";
  return headers;
}

const REASONS: { readonly [status: number]: string } = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** A whole HTTP answer for sockets that have no response object: refused upgrades and unreadable requests. */
export function rawProblemResponse(error: SensError, status: number = error.status): string {
  const body = JSON.stringify({ ...error.toProblem(), status });
  const headers = { ...problemHeaders(error), "content-length": String(Buffer.byteLength(body)), connection: "close" };
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASONS[status] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`;
}
