/**
 * Which role each operation needs: the one table behind HTTP and WebSocket. `admin` may do everything; the other roles
 * do not include each other. `undefined`: any valid token. The table is complete by type: a new operation does not
 * compile without its line.
 */
import { SensError } from "../base/index.ts";
import type { Operation } from "../protocol/index.ts";

export const ROLES = ["read", "publish", "remove", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Operations of the WebSocket table, and what only HTTP has. */
export type ServedOperation = Operation | "graphs" | "getGraph" | "putGraph" | "deleteGraph" | "metrics";

export const OPERATION_ROLES: { readonly [O in ServedOperation]: Role | undefined } = {
  publish: "publish",
  retract: "publish",
  update: "publish",
  putGraph: "publish",
  deleteGraph: "publish",
  query: "read",
  subscribe: "read",
  attach: "read",
  detach: "read",
  unsubscribe: "read",
  subscriptions: "read",
  subscription: "read",
  result: "read",
  receive: "read",
  tryReceive: "read",
  claims: "read",
  claim: "read",
  insertions: "read",
  insertion: "read",
  getOntology: "read",
  ontologies: "read",
  getRule: "read",
  rules: "read",
  explain: "read",
  changes: "read",
  graphs: "read",
  getGraph: "read",
  metrics: "read",
  remove: "remove",
  tryRemove: "remove",
  confirm: "remove",
  release: "remove",
  extend: "remove",
  requeue: "remove",
  discard: "remove",
  registerInsertion: "admin",
  unregisterInsertion: "admin",
  putOntology: "admin",
  deleteOntology: "admin",
  putRule: "admin",
  deleteRule: "admin",
  cancel: undefined,
  ping: undefined,
};

/** Who asks. */
export interface Principal {
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
}

/** On loopback without tokens everyone is this one. */
export const ANYONE: Principal = { name: "anyone", roles: new Set(ROLES) };

/** Throws SENS_FORBIDDEN, naming the role that is missing. */
export function authorize(principal: Principal, operation: ServedOperation): void {
  const role = OPERATION_ROLES[operation];
  if (role === undefined || principal.roles.has(role) || principal.roles.has("admin")) return;
  const has = [...principal.roles].join(", ") || "none";
  throw new SensError("SENS_FORBIDDEN", `"${operation}" needs the role "${role}"; "${principal.name}" has: ${has}.`);
}
