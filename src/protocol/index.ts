export { type JsonValue, parseJsonObject } from "./guarded-json.ts";
export {
  type AnswerFields,
  BEARER_SUBPROTOCOL_PREFIX,
  type ChangeFrame,
  checkFields,
  type EndFrame,
  INSERTION_FIELDS,
  type IncomingFrame,
  NAME_PATTERN,
  type NotificationFrame,
  type OkFrame,
  OPERATIONS,
  type Operation,
  type QueryResultFields,
  type RefusalFrame,
  type RequestFrame,
  type RequestOf,
  readRequestFrame,
  type ServerFrame,
  type SparqlJson,
  type SparqlJsonTerm,
  SUBPROTOCOL,
  SUBSCRIPTION_FIELDS,
  type WaitResultFields,
} from "./messages.ts";
export type * from "./operations.ts";
export { formatProof } from "./proof-text.ts";
