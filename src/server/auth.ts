/**
 * Bearer tokens. Only SHA-256 digests are kept; a shown token is compared with every digest in constant time, so neither
 * the duration nor the order of the list tells anything. Tokens never appear in messages, logs or addresses.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { SensError } from "../base/index.ts";
import { BEARER_SUBPROTOCOL_PREFIX } from "../protocol/index.ts";
import { ANYONE, type Principal, ROLES, type Role } from "./roles.ts";

/** A further check of tokens, for installations that keep them elsewhere; may be slow. */
export type TokenVerifier = (token: string) => Promise<Principal | undefined>;

interface Grant {
  readonly principal: Principal;
  readonly digest: Buffer;
}

/** Reads `name:role+role:token,…`. Throws SENS_CONFIG without repeating a token. */
export function parseTokens(text: string): readonly TokenGrant[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry.length > 0).map(parseTokenEntry);
}

export interface TokenGrant {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly token: string;
}

function parseTokenEntry(entry: string, index: number): TokenGrant {
  const [, name, roleList, token] = /^([^:]+):([^:]+):(.+)$/s.exec(entry) ?? [];
  const where = `entry ${index + 1} of SENS_TOKENS`;
  if (name === undefined || roleList === undefined || token === undefined) {
    throw new SensError("SENS_CONFIG", `${where} is not of the form name:role+role:token. Separate entries by commas.`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new SensError("SENS_CONFIG", `The token in ${where} has spaces or characters beyond ASCII. Use printable ASCII.`);
  }
  const roles = roleList.split("+").map((role) => {
    const known = ROLES.find((candidate) => candidate === role.trim());
    if (!known) throw new SensError("SENS_CONFIG", `${where} names an unknown role. Roles are ${ROLES.join(", ")}.`);
    return known;
  });
  return { name, roles, token };
}

export class Authenticator {
  readonly #grants: readonly Grant[];
  readonly #verify: TokenVerifier | undefined;

  constructor(tokens: readonly TokenGrant[], verify?: TokenVerifier) {
    this.#grants = tokens.map(({ name, roles, token }) => ({ principal: { name, roles: new Set(roles) }, digest: digestOf(token) }));
    const digests = new Set(this.#grants.map((grant) => grant.digest.toString("hex")));
    if (digests.size < this.#grants.length)
      throw new SensError("SENS_CONFIG", "Two entries of SENS_TOKENS have the same token. Give each its own.");
    this.#verify = verify;
  }

  /** Whether requests must show a token. */
  get required(): boolean {
    return this.#grants.length > 0 || this.#verify !== undefined;
  }

  /** Throws SENS_UNAUTHORIZED. */
  async authenticate(token: string | undefined): Promise<Principal> {
    if (!this.required) return ANYONE;
    if (token === undefined) {
      throw new SensError("SENS_UNAUTHORIZED", "This server needs a token. Send it as `Authorization: Bearer …`.");
    }
    const principal = this.#granted(token) ?? (await this.#verify?.(token));
    if (!principal) throw new SensError("SENS_UNAUTHORIZED", "The token is not valid (any more). Ask for a new one.");
    return principal;
  }

  #granted(token: string): Principal | undefined {
    const digest = digestOf(token);
    let found: Principal | undefined;
    for (const grant of this.#grants) if (timingSafeEqual(grant.digest, digest)) found = grant.principal;
    return found;
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The token of an Authorization header; `undefined` without one. Throws SENS_UNAUTHORIZED for another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new SensError("SENS_UNAUTHORIZED", "The Authorization header is not of the form `Bearer …`.");
  return token;
}

/** The token a browser offers as the subprotocol `bearer.<base64url>`. */
export function subprotocolToken(offered: readonly string[]): string | undefined {
  const entry = offered.find((protocol) => protocol.startsWith(BEARER_SUBPROTOCOL_PREFIX));
  return entry === undefined ? undefined : Buffer.from(entry.slice(BEARER_SUBPROTOCOL_PREFIX.length), "base64url").toString("utf8");
}

const TOKEN_PARAMETERS = ["token", "access_token", "bearer", "api_key", "apikey"];

/** Tokens in addresses end up in histories and logs; one that was sent so is refused. */
export function refuseTokenInUrl(url: string): void {
  const query = url.indexOf("?");
  if (query < 0) return;
  for (const pair of url.slice(query + 1).split("&")) {
    const [key] = pair.split("=", 1);
    if (TOKEN_PARAMETERS.includes(key.toLowerCase())) {
      throw new SensError(
        "SENS_UNAUTHORIZED",
        "Tokens in the address are refused: they end up in logs. Send it as `Authorization: Bearer …`.",
      );
    }
  }
}
