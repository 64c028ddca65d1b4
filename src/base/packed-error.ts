/** Errors on their way from one thread to another. */
import { AssertionError } from "./assert.ts";
import { type ErrorCode, SensError, type TextPosition } from "./errors.ts";

export interface PackedError {
  readonly code: ErrorCode | undefined;
  readonly assertion: boolean;
  readonly message: string;
  readonly stack: string | undefined;
  readonly position: TextPosition | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
}

export function packError(error: unknown): PackedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const coded = error instanceof SensError ? error : undefined;
  return {
    code: coded?.code,
    assertion: error instanceof AssertionError,
    message,
    stack,
    position: coded?.position,
    extra: coded?.extra ?? {},
  };
}

export function unpackError({ code, assertion, message, stack, position, extra }: PackedError): Error {
  if (code) return new SensError(code, message, { cause: stack, position, extra });
  if (assertion) return new AssertionError(message.replace(/^Assertion failed: /, ""));
  return new Error(message, { cause: stack });
}
