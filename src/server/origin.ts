/**
 * Who may talk to this server from a browser. A page of another site reaches a loopback server with the visitor's
 * network position (DNS rebinding, cross-site WebSocket hijacking); so on loopback the Host header must be a loopback
 * name or a listed one, and an Origin, where there is one, must be this server's own or a listed one.
 */
import { quoteInput, SensError } from "../base/index.ts";

export interface OriginPolicy {
  /** The server listens on loopback only: Host is checked. */
  readonly loopback: boolean;
  /** Further host names, without port. When given, Host is checked everywhere. */
  readonly allowedHosts: readonly string[];
  /** Further origins, like `https://example.org`. */
  readonly allowedOrigins: readonly string[];
}

/** Throws SENS_FOREIGN_ORIGIN. */
export function checkOrigin(policy: OriginPolicy, host: string | undefined, origin: string | undefined): void {
  if (host !== undefined && !hostAllowed(policy, host)) {
    throw new SensError(
      "SENS_FOREIGN_ORIGIN",
      `The Host ${quoteInput(host)} is not one this server answers to. List it with --allowed-host.`,
    );
  }
  if (origin !== undefined && !originAllowed(policy, host, origin)) {
    throw new SensError("SENS_FOREIGN_ORIGIN", `The origin ${quoteInput(origin)} is not allowed here. List it with --allowed-origin.`);
  }
}

/** Whether the origin is a listed foreign one, which gets CORS headers. */
export function corsOrigin(policy: OriginPolicy, origin: string | undefined): string | undefined {
  return origin !== undefined && policy.allowedOrigins.includes(origin) ? origin : undefined;
}

export function isLoopbackHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return bare === "localhost" || bare === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

function hostAllowed(policy: OriginPolicy, host: string): boolean {
  if (!policy.loopback && policy.allowedHosts.length === 0) return true;
  const hostname = hostnameOf(host);
  if (hostname === undefined) return false;
  return (policy.loopback && isLoopbackHost(hostname)) || policy.allowedHosts.some((allowed) => allowed.toLowerCase() === hostname);
}

function originAllowed(policy: OriginPolicy, host: string | undefined, origin: string): boolean {
  if (policy.allowedOrigins.includes(origin)) return true;
  try {
    return host !== undefined && new URL(origin).host === new URL(`${new URL(origin).protocol}//${host}`).host;
  } catch (cause) {
    if (cause instanceof TypeError) return false; // not an address, `null` among them
    throw cause;
  }
}

/** The name in a Host header, in lower case; `undefined` for what is none, user names and paths among it. */
function hostnameOf(host: string): string | undefined {
  const address = `http://${host}`;
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(address) ? new URL(address).hostname : undefined;
}
