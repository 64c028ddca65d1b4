/**
 * The SDK, for Node 22 and later and for browsers: `connect(url)` and what it answers. Only Web APIs are used.
 * docs/sdk.md tells how to use it.
 */
export { type ErrorCode, SensError } from "../base/index.ts";
export type { ChangeAnswer, Cursor, InsertionStatus, NamedDocument, Proof, SubscriptionStatus } from "../protocol/index.ts";
export { formatProof } from "../protocol/index.ts";
export type { TransferProgress } from "./call.ts";
export type { Change, ChangesOptions } from "./changes-feed.ts";
export type { ClaimsOptions, ListedClaim } from "./claims.ts";
export { connect, type SensClient } from "./client.ts";
export type {
  CallerOptions,
  ConnectOptions,
  PublishOptions,
  PublishProgress,
  QueryOptions,
  RegisterInsertionOptions,
  UpdateOptions,
} from "./client-options.ts";
export type { ConnectionStatus, TokenSource } from "./connection.ts";
export type { DocumentSource } from "./document.ts";
export { parseNQuads, writeNQuad, writeNQuads, writeTerm } from "./ntriples.ts";
export type { Bindings, QueryResult } from "./results.ts";
export type { Notification, SubscribeOptions, Subscription } from "./subscription.ts";
export type { Taken } from "./taken.ts";
export { blankNode, defaultGraph, literal, namedNode, namespace, quad, valueLiteral, variable } from "./terms.ts";
export type { NothingAsserted, Received, Removed, RemoveOptions, TakeOptions, WaitOptions } from "./waits.ts";
