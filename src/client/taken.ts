/** Triples taken from the knowledge base under a lease: the server keeps them until they are confirmed, or gives them back. */
import type * as RDF from "@rdfjs/types";
import { type Clock, SensError } from "../base/index.ts";
import type { Cursor } from "../protocol/index.ts";
import type { Connection } from "./connection.ts";

export interface Taken {
  readonly quads: readonly RDF.Quad[];
  readonly cursor: Cursor;
  /** Triples of the result that stay visible, because they still follow from others. */
  readonly stillEntailed: readonly RDF.Quad[];
  /** How often these triples were handed out, this time included. */
  readonly deliveries: number;
  readonly claim: string;
  /** Tells it from `NothingAsserted`. */
  readonly nothingAsserted?: undefined;
  /** The work is done: the triples are gone for good. Rejects with SENS_CLAIM_EXPIRED when they were given back already. */
  confirm(): Promise<void>;
  /** Gives the triples back at once. */
  release(): Promise<void>;
  /** Starts the lease anew, with another length if given. */
  extend(leaseMs?: number): Promise<void>;
  /** `await using taken = ...` gives back what was not confirmed. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TakenContents {
  readonly quads: readonly RDF.Quad[];
  readonly cursor: Cursor;
  readonly stillEntailed: readonly RDF.Quad[];
  readonly deliveries: number;
  readonly claim: string;
  readonly leaseMs: number;
}

export class Claim implements Taken {
  readonly quads: readonly RDF.Quad[];
  readonly cursor: Cursor;
  readonly stillEntailed: readonly RDF.Quad[];
  readonly deliveries: number;
  readonly claim: string;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #open: Set<Claim>;
  #leaseMs: number;
  #settled = false;
  #stopTimer: (() => void) | undefined;

  constructor(contents: TakenContents, connection: Connection, clock: Clock, open: Set<Claim>) {
    this.quads = contents.quads;
    this.cursor = contents.cursor;
    this.stillEntailed = contents.stillEntailed;
    this.deliveries = contents.deliveries;
    this.claim = contents.claim;
    this.#leaseMs = contents.leaseMs;
    this.#connection = connection;
    this.#clock = clock;
    this.#open = open;
    open.add(this);
    this.#watchLease();
  }

  async confirm(): Promise<void> {
    let sendings = 0;
    const fields = (): object => {
      sendings++;
      return { claim: this.claim };
    };
    try {
      await this.#connection.call("confirm", fields, { staysWhenSignedOut: true });
    } catch (error) {
      if (sendings > 1 && error instanceof SensError && (error.code === "SENS_CLAIM_EXPIRED" || error.code === "SENS_NOT_FOUND")) {
        const what = `The answer to the confirmation of claim ${this.claim} was lost, and the claim is over now`;
        throw new SensError("SENS_OUTCOME_UNKNOWN", `${what}: it was confirmed, or given back. Ask for its triples with a query.`, {
          cause: error,
        });
      }
      throw error;
    } finally {
      this.#settle();
    }
  }

  async release(): Promise<void> {
    this.#settle();
    await this.#connection.call("release", { claim: this.claim });
  }

  async extend(leaseMs?: number): Promise<void> {
    if (leaseMs !== undefined) this.#leaseMs = leaseMs;
    await this.#connection.call("extend", { claim: this.claim, lease: this.#leaseMs });
    this.#watchLease();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#settled) await this.release();
  }

  /** A claim returns soon after its connection is lost, unless it is extended over another. */
  reconnected(): void {
    this.#connection.tell("extend", { claim: this.claim, lease: this.#leaseMs });
  }

  #watchLease(): void {
    this.#stopTimer?.();
    if (!this.#settled) this.#stopTimer = this.#clock.after(this.#leaseMs, () => this.#open.delete(this));
  }

  #settle(): void {
    this.#settled = true;
    this.#stopTimer?.();
    this.#open.delete(this);
  }
}
