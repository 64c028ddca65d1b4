/** What every system under test can do, so that each does the same work and is asked the same questions. */
import type { Fingerprint } from "../workload/closure.ts";
import type { Publication, Target } from "../workload/subscriptions.ts";

export type MaybePromise<T> = T | Promise<T>;

/** What one subscription is told after one publication: N-Triples lines, sorted when they are checked. */
export interface Told {
  readonly subscription: number;
  readonly added: readonly string[];
}

export interface Contender {
  /** Takes the statements of one document and brings all inferences up to date; several may be under way until `loaded`. */
  load(document: Buffer): MaybePromise<void>;
  /** Ends when all that was loaded is in. */
  loaded?(): Promise<void>;
  /** Withdraws the statements of one document, inferences included. */
  withdraw(document: Buffer): MaybePromise<void>;
  /** Everything it knows of the four relations of the closure. */
  closure(facts: Fingerprint): MaybePromise<void>;
  /** How many facts about patients it holds, stated and derived; undefined when it keeps only what its joins need. */
  factCount(): MaybePromise<number | undefined>;
  subscribe(target: Target): MaybePromise<void>;
  unsubscribe(target: Target): MaybePromise<void>;
  /** Publishes a document and answers who is told what. */
  publish(publication: Publication): MaybePromise<readonly Told[]>;
  /** Takes a publication back. Those that cannot keep up with deletes say so by `false` and keep it. */
  takeBack(publication: Publication): MaybePromise<boolean>;
  /** After a batch was taken back, outside what is measured: remembered answers are made current. */
  refresh?(): Promise<void>;
  /** Bytes of its data structures, where it can tell. */
  memory(): Readonly<Record<string, number>>;
  close(): MaybePromise<void>;
}
