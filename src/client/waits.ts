/**
 * receive, remove and their kin: requests that wait for knowledge. The time-out travels to the server, so that a caller who
 * gave up takes nothing; a wait is sent again after a reconnection with the time that remains; longer ones than the server
 * allows are several, one after another. What a lost or late answer took is under a lease and goes back.
 */
import type * as RDF from "@rdfjs/types";
import { type Clock, LIMITS, type Random, SensError } from "../base/index.ts";
import type { Cursor, OkFrame, WaitResultFields } from "../protocol/index.ts";
import type { Connection } from "./connection.ts";
import { parseServerQuads } from "./ntriples.ts";
import { Claim, type Taken } from "./taken.ts";

export interface WaitOptions {
  /** Default 30 s; `Infinity` waits until the signal is aborted. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RemoveOptions extends WaitOptions {
  /** Remove from this named graph. */
  readonly graph?: string;
  /** `false`: without a lease. An answer that is lost on the way is then lost with what it took. */
  readonly lease?: boolean;
}

export interface TakeOptions extends WaitOptions {
  readonly graph?: string;
  /** How long the server keeps the triples for this worker; default 30 s. */
  readonly leaseMs?: number;
}

export interface Received {
  readonly quads: readonly RDF.Quad[];
  readonly cursor: Cursor;
}

export interface Removed extends Received {
  /** Triples of the result that stay visible, because they still follow from others. */
  readonly stillEntailed: readonly RDF.Quad[];
  /** How often these triples were handed out, this time included. */
  readonly deliveries: number;
  /** Tells it from `NothingAsserted`. */
  readonly nothingAsserted?: undefined;
}

/**
 * What the forms that do not wait answer when there is a result, but all of it only follows from other statements, so that
 * nothing can be taken. (`undefined` is their answer when there is no result.)
 */
export interface NothingAsserted {
  readonly nothingAsserted: true;
  readonly cursor: Cursor;
}

type WaitOp = "receive" | "tryReceive" | "remove" | "tryRemove";
type Answer = WaitResultFields & { readonly result: string; readonly resent: boolean; readonly nothingAsserted?: undefined };

const LEASE_MS = 30_000;
/** How much later than the server the client gives up by itself. */
const GRACE_MS = 2_000;

export class Waits {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #claims = new Set<Claim>();

  constructor(connection: Connection, clock: Clock, random: Random) {
    this.#connection = connection;
    this.#clock = clock;
    this.#random = random;
  }

  reconnected(): void {
    for (const claim of this.#claims) claim.reconnected();
  }

  async receive(op: "receive" | "tryReceive", query: string, options: WaitOptions): Promise<Received | undefined> {
    const answer = taken(await this.#wait(op, () => ({ query }), options));
    return answer && { quads: parseServerQuads(answer.result), cursor: answer.cursor };
  }

  async take(query: string, options: TakeOptions): Promise<Taken | undefined> {
    return taken(await this.#take("remove", query, options, this.#deadline("remove", options)));
  }

  async tryTake(query: string, options: TakeOptions): Promise<Taken | NothingAsserted | undefined> {
    return this.#take("tryRemove", query, options, this.#deadline("tryRemove", options));
  }

  async remove(query: string, options: RemoveOptions): Promise<Removed | undefined> {
    return taken(await this.#remove("remove", query, options));
  }

  async tryRemove(query: string, options: RemoveOptions): Promise<Removed | NothingAsserted | undefined> {
    return this.#remove("tryRemove", query, options);
  }

  async #remove(op: "remove" | "tryRemove", query: string, options: RemoveOptions): Promise<Removed | NothingAsserted | undefined> {
    if (options.lease === false) {
      const answer = await this.#wait(op, () => ({ query, graph: options.graph, key: this.#random.id() }), options);
      return answer?.nothingAsserted ? answer : answer && removed(answer);
    }
    const deadline = this.#deadline(op, options);
    for (;;) {
      const taken = await this.#take(op, query, options, deadline);
      if (!taken || taken.nothingAsserted) return taken;
      try {
        await taken.confirm();
        return { quads: taken.quads, cursor: taken.cursor, stillEntailed: taken.stillEntailed, deliveries: taken.deliveries };
      } catch (error) {
        // Given back before it could be confirmed: as if it had not been taken.
        if (!(error instanceof SensError && error.code === "SENS_CLAIM_EXPIRED")) throw error;
      }
    }
  }

  async #take(
    op: "remove" | "tryRemove",
    query: string,
    options: TakeOptions,
    deadline: number,
  ): Promise<Taken | NothingAsserted | undefined> {
    const leaseMs = options.leaseMs ?? LEASE_MS;
    for (;;) {
      const fields = (): object => ({ query, graph: options.graph, lease: leaseMs, key: this.#random.id() });
      const answer = await this.#wait(op, fields, options, deadline);
      if (!answer || answer.nothingAsserted) return answer;
      if (answer.claim === undefined) throw new SensError("SENS_INTERNAL", "The server took triples without the lease that was asked for.");
      if (answer.resent && !(await this.#stillHeld(answer.claim, leaseMs))) continue;
      return new Claim({ ...removed(answer), claim: answer.claim, leaseMs }, this.#connection, this.#clock, this.#claims);
    }
  }

  /** An answer repeated after a reconnection may name a claim that has gone back meanwhile. */
  async #stillHeld(claim: string, leaseMs: number): Promise<boolean> {
    try {
      await this.#connection.call("extend", { claim, lease: leaseMs });
      return true;
    } catch (error) {
      if (error instanceof SensError && (error.code === "SENS_CLAIM_EXPIRED" || error.code === "SENS_NOT_FOUND")) return false;
      throw error;
    }
  }

  #deadline(op: WaitOp, options: WaitOptions): number {
    const timeoutMs = op === "receive" || op === "remove" ? (options.timeoutMs ?? LIMITS.waitDefaultMs) : 0;
    if (Number.isNaN(timeoutMs) || timeoutMs < 0) {
      throw new SensError("SENS_LIMIT", `timeoutMs must be 0 or more, not ${timeoutMs}. Infinity waits without end.`);
    }
    return this.#clock.monotonicMs() + timeoutMs;
  }

  /** Waits in as many requests as the time takes; `undefined` when there is none or time is up. */
  async #wait(
    op: WaitOp,
    fields: () => object,
    options: WaitOptions,
    deadline = this.#deadline(op, options),
  ): Promise<Answer | NothingAsserted | undefined> {
    if (op === "tryReceive" || op === "tryRemove") return this.#request(op, fields(), options.signal, undefined);
    for (;;) {
      const until = Math.min(deadline, this.#clock.monotonicMs() + LIMITS.waitMaxMs);
      const answer = await this.#request(op, fields(), options.signal, until);
      if (answer || this.#clock.monotonicMs() >= deadline - 1) return answer;
    }
  }

  async #request(
    op: WaitOp,
    fields: object,
    signal: AbortSignal | undefined,
    until: number | undefined,
  ): Promise<Answer | NothingAsserted | undefined> {
    const timeUp = new AbortController();
    const stop = until === undefined ? undefined : this.#clock.after(until - this.#clock.monotonicMs() + GRACE_MS, () => timeUp.abort());
    let sendings = 0;
    const frame = (): object => {
      sendings++;
      return until === undefined ? fields : { ...fields, timeout: Math.max(0, Math.ceil(until - this.#clock.monotonicMs())) };
    };
    try {
      const answer = await this.#connection.call(op, frame, {
        signal: signal ? AbortSignal.any([signal, timeUp.signal]) : timeUp.signal,
        staysWhenSignedOut: true,
        onLate: (late) => this.#giveBack(late),
      });
      const { result, nothingAsserted, ...rest } = answer as unknown as WaitResultFields;
      if (nothingAsserted) return { nothingAsserted, cursor: rest.cursor };
      return result === undefined ? undefined : { ...rest, result, resent: sendings > 1 };
    } catch (error) {
      if (timeUp.signal.aborted && !signal?.aborted) return undefined;
      throw error;
    } finally {
      stop?.();
    }
  }

  #giveBack(late: OkFrame): void {
    const { claim } = late as unknown as WaitResultFields;
    if (claim !== undefined) this.#connection.tell("release", { claim });
  }
}

/** Forms that wait go on waiting while nothing can be taken: they have a result, or none. */
function taken<T extends { readonly nothingAsserted?: undefined }>(answer: T | NothingAsserted | undefined): T | undefined {
  return answer?.nothingAsserted ? undefined : (answer as T | undefined);
}

function removed(answer: Answer): Removed {
  return {
    quads: parseServerQuads(answer.result),
    cursor: answer.cursor,
    stillEntailed: parseServerQuads(answer.stillEntailed ?? ""),
    deliveries: answer.deliveries ?? 1,
  };
}
