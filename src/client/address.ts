/** Addresses of one server: whatever form the user gives, `/ws` for the socket and the base for HTTP. */

import { quoteInput, SensError } from "../base/index.ts";
import { BEARER_SUBPROTOCOL_PREFIX, SUBPROTOCOL } from "../protocol/index.ts";

export interface ServerAddress {
  /** `ws://host:port/ws` */
  readonly socket: string;
  /** `http://host:port`, without a slash at the end. */
  readonly http: string;
}

/** Takes `http:`, `https:`, `ws:` and `wss:` addresses, with or without a path. Throws SENS_CONFIG. */
export function readAddress(url: string | URL): ServerAddress {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new SensError("SENS_CONFIG", `${quoteInput(String(url))} is not an address. Give one such as http://127.0.0.1:7007.`, { cause });
  }
  if (!/^(https?|wss?):$/.test(parsed.protocol)) {
    throw new SensError("SENS_CONFIG", `The address ${quoteInput(parsed.href)} must start with http:, https:, ws: or wss:.`);
  }
  const tls = parsed.protocol === "https:" || parsed.protocol === "wss:";
  const path = parsed.pathname.replace(/\/+$/, "").replace(/\/ws$/, "");
  const rest = `://${parsed.host}${path}`;
  return { socket: `${tls ? "wss" : "ws"}${rest}/ws`, http: `${tls ? "https" : "http"}${rest}` };
}

/** The subprotocols of a connection; the token travels as one, because browsers cannot set headers on sockets. */
export function subprotocols(token: string | undefined): string[] {
  return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, BEARER_SUBPROTOCOL_PREFIX + base64url(token)];
}

function base64url(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
