/** Programmer errors: a broken invariant ends the process's trust in itself; it is never an answer to a client. */
export class AssertionError extends Error {
  constructor(message: string) {
    super(`Assertion failed: ${message}`);
    this.name = "AssertionError";
  }
}

/** Throws when `condition` is false. Put the values that matter into the message. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new AssertionError(typeof message === "string" ? message : message());
}

/** For the default branch of an exhaustive switch. */
export function unreachable(value: never, what = "value"): never {
  throw new AssertionError(`unreachable ${what}: ${JSON.stringify(value)}`);
}
