/**
 * The durable truth behind the event processor, as an interface: memory and SQLite implement it in `storage/`.
 *
 * A *change record* is what one processed operation made true; records are appended in order, several at a time, and a
 * batch is durable as a whole when `append` resolves. Terms travel as N-Quads text, never as ids: ids are private to a
 * process, so the dictionary is compacted at every start and the log can be read by people (docs/decisions/0002).
 *
 * Only assertions, registrations and what feeds may ask for are kept. Derived quads are recomputed.
 */

/** One knowledge event as the log keeps it. */
export interface LoggedTransaction {
  /** Contiguous from 1. */
  readonly revision: number;
  readonly wallMs: number;
  /** Canonical N-Quads lines (`s p o [g] .\n`) that became asserted / stopped being asserted. */
  readonly asserted: string;
  readonly retracted: string;
  /** N-Triples lines that became / stopped being visible by derivation only; kept while feeds may ask. */
  readonly derivedAdded: string;
  readonly derivedRemoved: string;
  /** Deltas of durable subscriptions in this transaction, by subscription id; N-Triples lines. */
  readonly notifications: readonly { readonly subscription: string; readonly added: string; readonly removed: string }[];
}

/** A named, durable subscription. */
export interface SubscriptionRecord {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  /** JSON of the options given when it was made (`removals`, `deliver`, …). */
  readonly options: string;
  /** Revision from which its deltas are kept. */
  readonly sinceRevision: number;
}

export interface InsertionRecord {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly mode: "while" | "once";
}

/** An ontology or rule document, kept as the bytes that were put. */
export interface DocumentRecord {
  readonly kind: "ontology" | "rules";
  readonly name: string;
  readonly contentType: string;
  readonly content: string;
}

/** Triples taken with a lease and not confirmed yet; with `dead` set, a dead letter. */
export interface ClaimRecord {
  readonly id: string;
  /** N-Quads lines taken, in their graph. */
  readonly quads: string;
  readonly leaseMs: number;
  /** How often these triples were handed out, this time included. */
  readonly deliveries: number;
  /** Place in the order of arrival, to return to. */
  readonly order: number;
  readonly dead: boolean;
}

/** Which request a key was used for, and what was answered. */
export interface IdempotencyRecord {
  readonly key: string;
  /** Digest of operation and body. */
  readonly digest: string;
  /** JSON of the answer. */
  readonly answer: string;
  readonly wallMs: number;
}

export type RegistrationChange =
  | { readonly put: "subscription"; readonly value: SubscriptionRecord }
  | { readonly put: "insertion"; readonly value: InsertionRecord }
  | { readonly put: "document"; readonly value: DocumentRecord }
  | { readonly put: "claim"; readonly value: ClaimRecord }
  | { readonly put: "idempotency"; readonly value: IdempotencyRecord }
  | { readonly delete: "subscription" | "insertion" | "claim"; readonly id: string }
  | { readonly delete: "document"; readonly kind: "ontology" | "rules"; readonly name: string };

/** What one operation made true: a transaction with a revision, changes of registrations, or both. */
export interface ChangeRecord {
  readonly transaction?: LoggedTransaction;
  readonly registrations: readonly RegistrationChange[];
}

/** Everything at one revision that a start needs. */
export interface Snapshot {
  readonly revision: number;
  /** Asserted quads as canonical N-Quads, in pieces that end at line ends. */
  readonly quads: AsyncIterable<string>;
}

/** What `open` found. The iterables are read once, quads before transactions. */
export interface RecoveredState {
  /** Random id of this database file's life; a restore makes a new one. */
  readonly epoch: string;
  /** Last revision in the log; 0 when it is empty. */
  readonly revision: number;
  readonly snapshot: Snapshot | undefined;
  /** Transactions after the snapshot, in order. */
  readonly transactions: AsyncIterable<LoggedTransaction>;
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly insertions: readonly InsertionRecord[];
  readonly documents: readonly DocumentRecord[];
  readonly claims: readonly ClaimRecord[];
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly revision: number;
  readonly transactions: number;
  /** What is damaged and where (revision, table), one sentence each. */
  readonly problems: readonly string[];
}

export interface ChangeLog {
  /** Opens, checks the chain and the high-water mark. Throws SENS_DATA_DAMAGED, SENS_DATA_LOCKED, SENS_CONFIG. */
  open(): Promise<RecoveredState>;
  /**
   * Makes the records durable, all or nothing. Calls must not overlap.
   * Throws SENS_STORAGE_FULL (nothing was written, may be tried again) or SENS_OUTCOME_UNKNOWN (stop and restart).
   */
  append(records: readonly ChangeRecord[]): Promise<void>;
  /** The answer recorded under a key, while it is kept. */
  idempotency(key: string): Promise<IdempotencyRecord | undefined>;
  /** Transactions after `revision`, oldest first, at most `limit`. `undefined` when they are no longer kept. */
  changesAfter(revision: number, limit: number): Promise<readonly LoggedTransaction[] | undefined>;
  /** Deltas of one durable subscription after `revision`, oldest first. `undefined` when no longer kept. */
  notificationsAfter(
    subscription: string,
    revision: number,
    limit: number,
  ): Promise<readonly { readonly revision: number; readonly added: string; readonly removed: string }[] | undefined>;
  /** Writes a snapshot beside the log; later starts replay only what follows it. */
  writeSnapshot(snapshot: Snapshot): Promise<void>;
  /** Forgets what retention no longer covers (feeds, keys). */
  trim(nowWallMs: number): Promise<void>;
  /** Reads everything and checks it. */
  verify(): Promise<VerifyReport>;
  close(): Promise<void>;
}
