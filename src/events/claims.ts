/**
 * Leases: triples that were taken and may come back.
 *
 *     take --lease--> claim --confirm--> gone
 *                      claim --release, lease over, connection lost--> returned (counted) --deliveriesMax--> dead letter
 *                                                                      dead letter --requeue--> asserted; --discard--> gone
 *
 * A claim is durable in the record of its take. What returns are assertions again, as far as they are absent; the choice
 * of a later take depends on terms and ORDER BY only, so they stand where they stood. `order` keeps the number of the first
 * delivery: claims that end together return in that order, and dead letters are listed in it.
 * State: the claims, an index of their quads, and for returned quads how often they were handed out (a record of its own
 * with lease 0, until they are taken again or gone).
 */
import { type ClaimRecord, quoteInput, type RegistrationChange, SensError } from "../base/index.ts";
import type { ChangeAnswer, ClaimState, ClaimStatus } from "../protocol/index.ts";
import { nquadsLine } from "../rdf/index.ts";
import type { Effects } from "./effects.ts";
import { freshId } from "./fresh-id.ts";
import type { Kernel } from "./kernel.ts";
import { type ClaimHolder, Leases } from "./leases.ts";
import type { Processor } from "./processor.ts";
import { queueChange } from "./queued-change.ts";
import { Phase, type Step } from "./step.ts";
import type { WriterQueue } from "./writer-queue.ts";

export type Quad = readonly [s: number, p: number, o: number, g: number];

interface Claim {
  readonly id: string;
  readonly quads: readonly Quad[];
  readonly leaseMs: number;
  readonly deliveries: number;
  readonly order: number;
  /** `held`: out with a client. `returned`: back among the quads, counted. `dead`: a dead letter. */
  readonly state: "held" | "returned" | "dead";
}

/** Confirmed claims that are remembered, so that a repeated confirm is not refused. */
const CONFIRMED_MAX = 10_000;
/** After a failed return the next attempt. */
const RETRY_MS = 1_000;

export class Claims {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  /** Set by the wiring. */
  processor!: Processor;
  readonly #claims = new Map<string, Claim>();
  /** Quads of held and of returned claims. */
  readonly #byQuad = new Map<string, string>();
  readonly #leases: Leases;
  readonly #confirmed = new Set<string>();
  #nextOrder = 1;

  constructor(kernel: Kernel, queue: WriterQueue) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#leases = new Leases(kernel.clock, kernel.limits.claimDisconnectGraceMs, (id, holder) =>
      queue.internal("return a claim", () => this.#returnFor(id, holder)),
    );
  }

  get held(): number {
    return this.#count("held");
  }

  get dead(): number {
    return this.#count("dead");
  }

  /** A take with a lease, in its step. */
  create(quads: readonly Quad[], leaseMs: number, holder: ClaimHolder, step: Step): { readonly id: string; readonly deliveries: number } {
    let deliveries = 0;
    let order = Number.POSITIVE_INFINITY;
    for (const quad of quads) {
      const earlier = this.#claimOf(quad);
      if (!earlier) continue;
      deliveries = Math.max(deliveries, earlier.deliveries);
      order = Math.min(order, earlier.order);
    }
    this.#withoutQuads(quads, step);
    if (order === Number.POSITIVE_INFINITY) order = this.#nextOrder++;
    const claim: Claim = {
      id: freshId(this.#kernel.random, 12, this.#claims),
      quads,
      leaseMs,
      deliveries: deliveries + 1,
      order,
      state: "held",
    };
    this.#put(claim, step);
    this.#leases.hold(claim.id, leaseMs, holder);
    step.whenUndone(() => this.#leases.disarm(claim.id));
    return { id: claim.id, deliveries: claim.deliveries };
  }

  /** The client is done with it. Throws SENS_CLAIM_EXPIRED. */
  async confirm(id: string): Promise<void> {
    if (this.#confirmed.has(id)) return;
    return this.#queue.submit<void>(0, async (settle) => {
      const claim = this.#held(id);
      this.processor.enter((step) => {
        this.#delete(claim, step);
        step.whenUndone(() => {
          // Its lease ended meanwhile and found nothing to return.
          if (!this.#leases.runs(id)) this.#leases.arm(id, RETRY_MS);
        });
        step.whenDurable(Phase.acknowledge, () => {
          this.#leases.disarm(id);
          this.#rememberConfirmed(id);
          settle.resolve();
        });
      }, settle.reject);
    });
  }

  /** Gives the triples back at once. Throws SENS_CLAIM_EXPIRED. */
  release(id: string): Promise<void> {
    return this.#queue.submit<void>(0, async (settle) => {
      this.#held(id);
      await this.#return(id, settle.resolve, settle.reject);
    });
  }

  /** A new full lease, held by `holder` from now on. Throws SENS_CLAIM_EXPIRED. */
  extend(id: string, leaseMs: number | undefined, holder: ClaimHolder): Promise<void> {
    return this.#queue.submit<void>(0, async (settle) => {
      const claim = this.#held(id);
      this.processor.enter((step) => {
        this.#put({ ...claim, leaseMs: leaseMs ?? claim.leaseMs }, step);
        const before = this.#leases.holderOf(id);
        // At once: the former lease must not end while the extension is on its way to the disk.
        this.#leases.hold(id, leaseMs ?? claim.leaseMs, holder);
        step.whenUndone(() => {
          if (before) this.#leases.hold(id, claim.leaseMs, before);
          else this.#leases.arm(id, claim.leaseMs);
        });
        step.whenDurable(Phase.acknowledge, settle.resolve);
      }, settle.reject);
    });
  }

  /** Held claims and dead letters, first delivered first; only those in `state` if given. */
  list(state?: ClaimState): ClaimStatus[] {
    return [...this.#claims.values()]
      .filter((claim) => claim.state !== "returned" && (state === undefined || claim.state === state))
      .sort((a, b) => a.order - b.order)
      .map((claim) => this.#status(claim));
  }

  /** Throws SENS_NOT_FOUND. */
  status(id: string): ClaimStatus {
    const claim = this.#claims.get(id);
    if (!claim || claim.state === "returned") throw new SensError("SENS_NOT_FOUND", `There is no claim ${quoteInput(id)}.`);
    return this.#status(claim);
  }

  /** A dead letter's triples are asserted again, not counted as delivered. Throws SENS_NOT_FOUND. */
  requeue(id: string): Promise<ChangeAnswer> {
    let letter: Claim;
    return queueChange(this.#queue, this.processor, {
      bytes: 0,
      keep: () => [],
      stage: (transaction) => {
        letter = this.#deadLetter(id);
        for (const [s, p, o, g] of letter.quads) transaction.assert(s, p, o, g);
      },
      applied: (_outcome, step) => this.#delete(letter, step),
    });
  }

  /** A dead letter is forgotten. Throws SENS_NOT_FOUND. */
  discard(id: string): Promise<void> {
    return this.#queue.submit<void>(0, async (settle) => {
      const letter = this.#deadLetter(id);
      this.processor.enter((step) => {
        this.#delete(letter, step);
        step.whenDurable(Phase.acknowledge, settle.resolve);
      }, settle.reject);
    });
  }

  /** Its connection is lost: the claims come back soon, unless extended or confirmed over another. */
  lost(holder: ClaimHolder): void {
    this.#leases.lost(holder);
  }

  /** Its taker had gone when the take became durable: back as if it had not been. */
  giveBack(id: string): void {
    this.#leases.arm(id, 0);
  }

  /** These quads were to be retracted: what of them is claimed does not return. */
  retracted(rows: Int32Array, step: Step): void {
    if (this.#byQuad.size === 0) return;
    const quads: Quad[] = [];
    for (let at = 0; at < rows.length; at += 4) quads.push([rows[at], rows[at + 1], rows[at + 2], rows[at + 3]]);
    this.#withoutQuads(quads, step);
  }

  graphCleared(graph: number | "named" | "all", step: Step): void {
    if (this.#byQuad.size === 0) return;
    const inGraph = ([, , , g]: Quad): boolean => graph === "all" || (graph === "named" ? g !== 0 : g === graph);
    for (const claim of [...this.#claims.values()])
      if (claim.state !== "dead" && claim.quads.some(inGraph)) this.#withoutQuads(claim.quads.filter(inGraph), step);
  }

  /** Of what came back and is gone now, the count is forgotten. */
  noticed(effects: Effects, step: Step): void {
    if (effects.removed === 0 || this.#byQuad.size === 0) return;
    const gone: Quad[] = [];
    for (const { asserted, s, p, o, g } of effects.stated) {
      if (asserted >= 0) continue;
      const claim = this.#claimOf([s, p, o, g]);
      if (claim?.state === "returned") gone.push([s, p, o, g]);
    }
    if (gone.length > 0) this.#withoutQuads(gone, step);
  }

  /** At start: everything as it was, each claim with a full lease. `quads` are the record's, as ids. */
  restore(record: ClaimRecord, quads: readonly Quad[]): void {
    const state = record.dead ? "dead" : record.leaseMs === 0 ? "returned" : "held";
    this.#set({ id: record.id, quads, leaseMs: record.leaseMs, deliveries: record.deliveries, order: record.order, state });
    this.#nextOrder = Math.max(this.#nextOrder, record.order + 1);
    if (state === "held") this.#leases.arm(record.id, record.leaseMs);
  }

  close(): void {
    this.#leases.close();
  }

  #held(id: string): Claim {
    const claim = this.#claims.get(id);
    if (claim?.state === "held") return claim;
    throw new SensError(
      "SENS_CLAIM_EXPIRED",
      `The claim ${quoteInput(id)} is over: it was confirmed, released, or its lease ended. What it held may be with another client.`,
    );
  }

  #deadLetter(id: string): Claim {
    const claim = this.#claims.get(id);
    if (claim?.state === "dead") return claim;
    const hint = claim?.state === "held" ? " It is a claim that a client holds: confirm or release it." : "";
    throw new SensError("SENS_NOT_FOUND", `There is no dead letter ${quoteInput(id)}.${hint}`);
  }

  #status({ id, state, quads, deliveries, leaseMs }: Claim): ClaimStatus {
    return { claim: id, state: state === "dead" ? "dead" : "held", quads: this.#text(quads), deliveries, leaseMs };
  }

  #text(quads: readonly Quad[]): string {
    return quads.map(([s, p, o, g]) => nquadsLine(this.#kernel.terms, s, p, o, g)).join("");
  }

  /** In the writer: the triples come back, or become a dead letter. */
  async #return(id: string, resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    const claim = this.#claims.get(id);
    if (claim?.state !== "held") {
      resolve();
      return;
    }
    const { limits, counters } = this.#kernel;
    const dead = claim.deliveries >= limits.deliveriesMax;
    await this.processor.transact({
      stage: (transaction) => {
        if (!dead) for (const [s, p, o, g] of claim.quads) transaction.assert(s, p, o, g);
      },
      applied: (_outcome, step) => {
        if (claim.quads.length === 0) this.#delete(claim, step);
        else this.#put({ ...claim, state: dead ? "dead" : "returned" }, step);
        this.#leases.disarm(id);
        step.whenUndone(() => this.#leases.arm(id, RETRY_MS));
        step.whenDurable(Phase.acknowledge, () => {
          if (dead) counters.deadLetters++;
          else counters.claimsReturned++;
          resolve();
        });
      },
      failed: reject,
    });
  }

  /** Its lease has ended. */
  async #returnFor(id: string, holder: ClaimHolder | undefined): Promise<void> {
    // Extended meanwhile: another timer runs.
    if (this.#leases.runs(id) || this.#leases.holderOf(id) !== holder) return;
    try {
      await this.#return(
        id,
        () => {},
        () => {},
      );
    } catch (error) {
      this.#leases.arm(id, RETRY_MS);
      throw error;
    }
  }

  /** Takes quads out of the claims that have them. */
  #withoutQuads(quads: readonly Quad[], step: Step): void {
    const touched = new Map<string, Set<string>>();
    for (const quad of quads) {
      const id = this.#byQuad.get(quad.join());
      if (id === undefined) continue;
      const keys = touched.get(id) ?? new Set();
      keys.add(quad.join());
      touched.set(id, keys);
    }
    for (const [id, keys] of touched) {
      const claim = this.#claims.get(id) as Claim;
      const rest = claim.quads.filter((quad) => !keys.has(quad.join()));
      if (rest.length === 0 && claim.state === "returned") this.#delete(claim, step);
      else this.#put({ ...claim, quads: rest }, step);
    }
  }

  #put(claim: Claim, step: Step): void {
    const before = this.#claims.get(claim.id);
    this.#unset(before);
    this.#set(claim);
    step.registrations.push(this.#record(claim));
    step.whenUndone(() => {
      this.#unset(claim);
      if (before) this.#set(before);
    });
  }

  #delete(claim: Claim, step: Step): void {
    this.#unset(claim);
    step.registrations.push({ delete: "claim", id: claim.id });
    step.whenUndone(() => this.#set(claim));
  }

  #set(claim: Claim): void {
    this.#claims.set(claim.id, claim);
    if (claim.state !== "dead") for (const quad of claim.quads) this.#byQuad.set(quad.join(), claim.id);
  }

  #unset(claim: Claim | undefined): void {
    if (!claim) return;
    this.#claims.delete(claim.id);
    for (const quad of claim.quads) if (this.#byQuad.get(quad.join()) === claim.id) this.#byQuad.delete(quad.join());
  }

  #record({ id, quads, leaseMs, deliveries, order, state }: Claim): RegistrationChange {
    return {
      put: "claim",
      value: { id, quads: this.#text(quads), leaseMs: state === "returned" ? 0 : leaseMs, deliveries, order, dead: state === "dead" },
    };
  }

  #claimOf(quad: Quad): Claim | undefined {
    const id = this.#byQuad.get(quad.join());
    return id === undefined ? undefined : this.#claims.get(id);
  }

  #rememberConfirmed(id: string): void {
    this.#confirmed.add(id);
    if (this.#confirmed.size > CONFIRMED_MAX)
      for (const oldest of this.#confirmed) {
        this.#confirmed.delete(oldest);
        break;
      }
  }

  #count(state: Claim["state"]): number {
    let count = 0;
    for (const claim of this.#claims.values()) if (claim.state === state) count++;
    return count;
  }
}
