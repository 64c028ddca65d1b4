/**
 * One WebSocket of one attempt, as three callbacks. Web APIs say nothing about why an upgrade failed, so a failed attempt
 * asks over HTTP whether the token was the reason.
 */
import { SensError } from "../base/index.ts";
import type { ServerAddress } from "./address.ts";
import { errorFromProblem } from "./problem-error.ts";

export interface SocketEvents {
  open(): void;
  frame(text: string): void;
  /** Once, after `open` or instead of it. */
  closed(reason: { readonly code: number; readonly reason: string }): void;
}

export interface Socket {
  send(text: string): void;
  /** Bytes handed to `send` that have not left yet. */
  bufferedBytes(): number;
  /** No event comes after this. */
  close(code?: number, reason?: string): void;
}

export type OpenSocket = (url: string, protocols: readonly string[], events: SocketEvents) => Socket;

/** The WebSocket of the browser, or of Node 22 and later. Throws SENS_CONFIG where there is none. */
export const openWebSocket: OpenSocket = (url, protocols, events) => {
  if (typeof WebSocket === "undefined") {
    throw new SensError("SENS_CONFIG", "There is no WebSocket here. The SDK needs Node 22 or newer, or a browser.");
  }
  const socket = new WebSocket(url, [...protocols]);
  let over = false;
  socket.addEventListener("open", () => {
    if (!over) events.open();
  });
  socket.addEventListener("message", (event: MessageEvent) => {
    if (!over && typeof event.data === "string") events.frame(event.data);
  });
  // An error event carries nothing and is followed by close, which is where it is handled.
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("close", (event) => {
    if (over) return;
    over = true;
    events.closed({ code: event.code, reason: event.reason });
  });
  return {
    send: (text) => socket.send(text),
    bufferedBytes: () => socket.bufferedAmount,
    close(code = 1000, reason = "") {
      over = true;
      socket.close(code, reason);
    },
  };
};

/** Asks over HTTP why no socket could be opened; `undefined` when HTTP knows no reason either. */
export async function diagnose(address: ServerAddress, token: string | undefined): Promise<SensError | undefined> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  let answer: Response;
  try {
    answer = await fetch(`${address.http}/subscriptions`, { headers, signal: AbortSignal.timeout(DIAGNOSE_MS) });
  } catch (cause) {
    return new SensError("SENS_NOT_READY", `No server answers at ${address.http}. Start one with: sens serve (in a clone: npm start)`, {
      cause,
    });
  }
  const text = await answer.text().catch((cause: unknown) => String(cause));
  if (answer.status !== 401 && answer.status !== 403) return undefined;
  try {
    const error = errorFromProblem(JSON.parse(text));
    // A token that may not list subscriptions is a valid one all the same.
    return error.code === "SENS_FORBIDDEN" ? undefined : error;
  } catch (cause) {
    return answer.status === 401 ? new SensError("SENS_UNAUTHORIZED", "The server answered 401 without saying why.", { cause }) : undefined;
  }
}

const DIAGNOSE_MS = 5_000;
