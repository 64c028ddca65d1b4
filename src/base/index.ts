export { AssertionError, assert, unreachable } from "./assert.ts";
export type {
  ChangeLog,
  ChangeRecord,
  ClaimRecord,
  DocumentRecord,
  IdempotencyRecord,
  InsertionRecord,
  LoggedTransaction,
  RecoveredState,
  RegistrationChange,
  Snapshot,
  SubscriptionRecord,
  VerifyReport,
} from "./change-log.ts";
export { type Clock, ManualClock, systemClock } from "./clock.ts";
export { ERROR_CODES, type ErrorCode, type Problem, quoteInput, SensError, type SensErrorOptions, type TextPosition } from "./errors.ts";
export { LIMITS, type Limits } from "./limits.ts";
export { type Logger, silentLogger } from "./logger.ts";
export { type PackedError, packError, unpackError } from "./packed-error.ts";
export { type Random, seededRandom, systemRandom } from "./random.ts";
