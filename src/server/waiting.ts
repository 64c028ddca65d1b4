/** Waits over HTTP: the client's disconnect and the server's stop both take the wait away. */
import type { FastifyReply } from "fastify";
import { SensError } from "../base/index.ts";
import type { ServerContext } from "./context.ts";

export const CLIENT_GONE = Symbol("client gone");

/**
 * Runs an operation that may wait. Answers CLIENT_GONE when nobody is left to be answered; what was answered all the
 * same is handed to `undo`. Throws SENS_SHUTTING_DOWN when the server stops first.
 */
export async function untilGone<T>(
  context: ServerContext,
  reply: FastifyReply,
  run: (signal: AbortSignal) => Promise<T>,
  undo?: (answer: T) => Promise<void>,
): Promise<T | typeof CLIENT_GONE> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  reply.raw.once("close", onClose);
  try {
    const answer = await run(AbortSignal.any([gone.signal, context.stopping]));
    if (!gone.signal.aborted) return answer;
    await undo?.(answer);
    return CLIENT_GONE;
  } catch (error) {
    if (gone.signal.aborted) return CLIENT_GONE;
    throw stoppedInstead(context, error);
  } finally {
    reply.raw.off("close", onClose);
  }
}

/** A cancellation caused by the stop of the server is told as that. */
export function stoppedInstead(context: ServerContext, error: unknown): unknown {
  const cancelled =
    (error instanceof SensError && error.code === "SENS_CANCELLED") || (error instanceof Error && error.name === "AbortError");
  return cancelled && context.stopping.aborted
    ? new SensError("SENS_SHUTTING_DOWN", "The server is stopping; nothing was taken. Try again in a moment.", { cause: error })
    : error;
}
