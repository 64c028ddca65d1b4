/**
 * The frames of the WebSocket protocol `sens.v1` (docs/websocket.md). One table of operations and their fields is both
 * the check of incoming frames and the source of their types: a field that is not in the table is refused, so a
 * misspelt option is never silently ignored.
 */
import { LIMITS, type Problem, quoteInput, SensError } from "../base/index.ts";
import { type JsonValue, parseJsonObject } from "./guarded-json.ts";
import type { ChangeAnswer, ChangesEntry, ClaimState, Cursor, Notification, Proof, QueryForm, SubscribeAnswer } from "./operations.ts";

/** The subprotocol; a browser adds `bearer.<base64url of the token>` as a second one, which is not echoed. */
export const SUBPROTOCOL = "sens.v1";
export const BEARER_SUBPROTOCOL_PREFIX = "bearer.";

interface Field<T> {
  /** Throws a SensError that names the field. Phantom-typed by what it answers. */
  readonly check: (value: JsonValue, name: string) => T;
}
interface OptionalField<T> extends Field<T> {
  readonly optional: true;
}
type Fields = { readonly [name: string]: Field<unknown> };

/** The request that a table of fields describes. */
type Checked<F extends Fields> = {
  readonly [K in keyof F as F[K] extends OptionalField<unknown> ? never : K]: F[K] extends Field<infer T> ? T : never;
} & {
  readonly [K in keyof F as F[K] extends OptionalField<unknown> ? K : never]?: F[K] extends Field<infer T> ? T : never;
};

const text: Field<string> = { check: checkText };
const flag: Field<boolean> = { check: checkFlag };
const texts: Field<readonly string[]> = { check: checkTexts };
/** Names become parts of addresses: letters, digits, `_`, `-`. */
const name: Field<string> = { check: checkName };
const waitMs: Field<number> = { check: (value, field) => checkInteger(value, field, 0, LIMITS.waitMaxMs) };
const leaseMs: Field<number> = { check: (value, field) => checkInteger(value, field, 1, LIMITS.leaseMaxMs) };
const deliver: Field<"triples" | "solutions"> = { check: (value, field) => checkOneOf(value, field, ["triples", "solutions"]) };
const claimState: Field<ClaimState> = { check: (value, field) => checkOneOf(value, field, ["held", "dead"]) };
const mode: Field<"while" | "once"> = { check: (value, field) => checkOneOf(value, field, ["while", "once"]) };

const document = { data: text, contentType: optional(text), graph: optional(text), baseIri: optional(text), key: optional(text) };
/** `format`: media type for the RDF of the answer instead of N-Triples. */
const wait = { query: text, timeout: optional(waitMs), format: optional(text) };
const take = { ...wait, lease: optional(leaseMs), graph: optional(text), key: optional(text) };
const named = { name };
const namedDocument = { name, data: text, contentType: optional(text) };
const resume = { from: optional(text), initial: optional(flag), reset: optional(flag), format: optional(text) };

/** Every operation and its fields beside `id` and `op`. */
export const OPERATIONS = {
  publish: document,
  retract: document,
  update: { update: text, key: optional(text), usingGraphs: optional(texts), usingNamedGraphs: optional(texts) },
  query: {
    query: text,
    defaultGraphs: optional(texts),
    namedGraphs: optional(texts),
    timeout: optional(waitMs),
    atLeast: optional(text),
    format: optional(text),
  },
  subscribe: { query: text, name: optional(name), removals: optional(flag), deliver: optional(deliver), ...resume },
  /** Takes up a subscription that exists, by its id: after a lost connection, say. */
  attach: { subscription: text, ...resume },
  /** Stops the notifications to this connection; the subscription stays for its grace. */
  detach: { subscription: text },
  unsubscribe: { subscription: text },
  subscriptions: {},
  subscription: { subscription: text },
  result: { subscription: text, format: optional(text) },
  receive: wait,
  tryReceive: wait,
  remove: take,
  tryRemove: take,
  confirm: { claim: text },
  release: { claim: text },
  extend: { claim: text, lease: optional(leaseMs) },
  claims: { state: optional(claimState) },
  claim: { claim: text },
  requeue: { claim: text },
  discard: { claim: text },
  registerInsertion: { query: text, name: optional(name), mode: optional(mode) },
  unregisterInsertion: { insertion: text },
  insertions: {},
  insertion: { insertion: text },
  putOntology: namedDocument,
  getOntology: named,
  deleteOntology: named,
  ontologies: {},
  putRule: namedDocument,
  getRule: named,
  deleteRule: named,
  rules: {},
  explain: { statement: text, depthMax: optional({ check: (value, field) => checkInteger(value, field, 1, 1000) } as Field<number>) },
  /** `watch`: after the answer, every further change comes as a `change` frame until `cancel`. */
  changes: {
    after: text,
    limit: optional({ check: (value, field) => checkInteger(value, field, 1, 10_000) } as Field<number>),
    watch: optional(flag),
  },
  /** Ends a waiting request, or a watch, of this connection; the waiting one is answered SENS_CANCELLED. */
  cancel: { request: text },
  /** Answers the cursor; for clients that cannot send ping frames. */
  ping: {},
} as const satisfies { readonly [op: string]: Fields };

export type Operation = keyof typeof OPERATIONS;
/** A checked request frame of one operation. */
export type RequestOf<O extends Operation> = { readonly id: string; readonly op: O } & Checked<(typeof OPERATIONS)[O]>;
export type RequestFrame = { [O in Operation]: RequestOf<O> }[Operation];

/** What the answers carry beside `id` and `ok`. Reads answer what the operation of the same name answers. */
export interface QueryResultFields {
  readonly cursor: Cursor;
  readonly form: QueryForm;
  /** construct, describe: N-Triples (or `format`). select, ask: the SPARQL 1.1 JSON results object. */
  readonly result: string | SparqlJson;
  readonly evaluator: "engine" | "comunica";
  readonly why?: string;
}
export interface WaitResultFields {
  /** Absent when there is none or time is up. */
  readonly result?: string;
  /** Triples in `result`. */
  readonly size?: number;
  readonly cursor: Cursor;
  readonly stillEntailed?: string;
  readonly stillEntailedCount?: number;
  readonly claim?: string;
  readonly deliveries?: number;
  readonly nothingAsserted?: boolean;
}
export interface AnswerFields {
  readonly publish: ChangeAnswer;
  readonly retract: ChangeAnswer;
  readonly update: ChangeAnswer;
  readonly query: QueryResultFields;
  readonly subscribe: SubscribeAnswer;
  readonly attach: SubscribeAnswer;
  readonly receive: WaitResultFields;
  readonly tryReceive: WaitResultFields;
  readonly remove: WaitResultFields;
  readonly tryRemove: WaitResultFields;
  readonly requeue: ChangeAnswer;
  readonly explain: { readonly proof: Proof };
  readonly changes: { readonly entries: readonly ChangesEntry[] };
  readonly ping: { readonly cursor: Cursor };
}

export interface SparqlJsonTerm {
  readonly type: "uri" | "literal" | "bnode" | "triple";
  readonly value: string | { readonly subject: SparqlJsonTerm; readonly predicate: SparqlJsonTerm; readonly object: SparqlJsonTerm };
  readonly "xml:lang"?: string;
  readonly "its:dir"?: string;
  readonly datatype?: string;
}
export interface SparqlJson {
  readonly head: { readonly vars?: readonly string[] };
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly { readonly [variable: string]: SparqlJsonTerm }[] };
}

export interface OkFrame {
  readonly id: string;
  readonly ok: true;
  readonly [field: string]: unknown;
}
export interface RefusalFrame {
  /** `null` when the frame could not be read far enough to know it. */
  readonly id: string | null;
  readonly ok: false;
  readonly error: Problem;
}
export interface NotificationFrame extends Notification {
  readonly type: "notification";
}
/** No more notifications will come; with SENS_SLOW_CONSUMER or SENS_SHUTTING_DOWN resume by the last cursor. */
export interface EndFrame {
  readonly type: "end";
  readonly subscription: string;
  readonly error: { readonly code: string; readonly detail: string };
}
export interface ChangeFrame extends ChangesEntry {
  readonly type: "change";
  /** The id of the `changes` request with `watch`. */
  readonly request: string;
}
export type ServerFrame = OkFrame | RefusalFrame | NotificationFrame | EndFrame | ChangeFrame;

/** A request, or why it is none together with the id to answer under, if one could be read. */
export type IncomingFrame =
  | { readonly ok: true; readonly request: RequestFrame }
  | { readonly ok: false; readonly id: string | null; readonly error: SensError };

/** Reads one frame a client sent. Never throws for what a client can send. */
export function readRequestFrame(frame: string): IncomingFrame {
  let id: string | null = null;
  try {
    const object = parseJsonObject(frame);
    if (typeof object.id !== "string" || object.id.length === 0 || object.id.length > ID_LENGTH_MAX) {
      throw new SensError("SENS_BAD_REQUEST", `"id" must be a string of 1 to ${ID_LENGTH_MAX} characters, chosen by the client.`);
    }
    id = object.id;
    return { ok: true, request: checkRequest(id, object) };
  } catch (error) {
    if (error instanceof SensError) return { ok: false, id, error };
    throw error;
  }
}

export const ID_LENGTH_MAX = 128;

function checkRequest(id: string, object: { readonly [key: string]: JsonValue }): RequestFrame {
  const { op } = object;
  if (typeof op !== "string") throw new SensError("SENS_BAD_REQUEST", `"op" must be the name of an operation, as a string.`);
  if (!Object.hasOwn(OPERATIONS, op)) {
    throw new SensError("SENS_UNKNOWN_OP", `There is no operation ${quoteInput(op)}. Known: ${Object.keys(OPERATIONS).join(", ")}.`);
  }
  return { id, op, ...checkFields(OPERATIONS[op as Operation], object, ["id", "op"]) } as RequestFrame;
}

/** Checks an object against a table of fields. Throws SENS_BAD_REQUEST or SENS_LIMIT naming the field. */
export function checkFields<F extends Fields>(
  fields: F,
  object: { readonly [key: string]: JsonValue },
  alsoAllowed: readonly string[] = [],
): Checked<F> {
  const checked: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const value = object[key];
    if (value !== undefined && value !== null) checked[key] = field.check(value, key);
    else if (!("optional" in field)) throw new SensError("SENS_BAD_REQUEST", `The field "${key}" is missing.`);
  }
  for (const key of Object.keys(object)) {
    if (!Object.hasOwn(fields, key) && !alsoAllowed.includes(key)) {
      const known = Object.keys(fields).join(", ") || "none";
      throw new SensError("SENS_BAD_REQUEST", `Unknown field ${quoteInput(key)}. Fields here: ${known}.`);
    }
  }
  return checked as Checked<F>;
}

/** The shape of `POST /subscriptions` and `POST /insertions`. */
export const SUBSCRIPTION_FIELDS = {
  query: text,
  name: optional(name),
  initial: optional(flag),
  removals: optional(flag),
  deliver: optional(deliver),
  format: optional(text),
} as const;
export const INSERTION_FIELDS = OPERATIONS.registerInsertion;

function optional<T>(field: Field<T>): OptionalField<T> {
  return { check: field.check, optional: true };
}

function refuse(field: string, wanted: string, value: JsonValue): never {
  throw new SensError("SENS_BAD_REQUEST", `"${field}" must be ${wanted}, not ${quoteInput(JSON.stringify(value))}.`);
}

function checkText(value: JsonValue, field: string): string {
  return typeof value === "string" ? value : refuse(field, "a string", value);
}

function checkFlag(value: JsonValue, field: string): boolean {
  return typeof value === "boolean" ? value : refuse(field, "true or false", value);
}

function checkTexts(value: JsonValue, field: string): readonly string[] {
  if (!Array.isArray(value) || value.length > TEXTS_MAX) refuse(field, `an array of at most ${TEXTS_MAX} strings`, value);
  return (value as readonly JsonValue[]).map((item) => checkText(item, field));
}

const TEXTS_MAX = 1000;

/** What names look like, everywhere. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

function checkName(value: JsonValue, field: string): string {
  return typeof value === "string" && NAME_PATTERN.test(value) ? value : refuse(field, "1 to 64 letters, digits, _ or -", value);
}

function checkInteger(value: JsonValue, field: string, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isInteger(value)) refuse(field, "a whole number", value);
  if (value < min || value > max) {
    throw new SensError("SENS_LIMIT", `"${field}" must be between ${min} and ${max}, not ${value}.`);
  }
  return value;
}

function checkOneOf<T extends string>(value: JsonValue, field: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  return found ?? refuse(field, choices.map((choice) => JSON.stringify(choice)).join(" or "), value);
}
