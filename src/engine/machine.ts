/**
 * What all evaluations of one engine share: the frame, the state they read, and how far they have gone.
 */
import type { Frame } from "./body.ts";
import { AT, EITHER, type Mode, NOW, OLD } from "./mode.ts";
import type { QuadRelation } from "./quad-relation.ts";
import { ALIVE } from "./quad-rows.ts";
import type { TermEquality } from "./term-equality.ts";

/** Rows of the first literal between two pauses of a sliced evaluation: about 1 ms of joins. */
const SLICE_ROWS = 4096;
/** About 10 ms. */
const FIRST_TRY_WORK = 200_000;
/** About 5 ms. */
const PACE_WORK = 50_000;

/** Who works, so that the breach of a limit names somebody: what it did in the transaction that began with tick `since`. */
export interface WorkAccount {
  since: number;
  work: number;
  /** Rows it made. */
  rows: number;
  /** Whose of several it does, as far as the frame says; 0 when it does not. */
  instanceIn(frame: Frame): number;
}

/** What all evaluations of one engine share; the engine is single-threaded and evaluations nest like calls. */
export class Machine {
  readonly quads: QuadRelation;
  /** Which terms are equal; undefined where nothing can say so. */
  equality: TermEquality | undefined;
  frame: Frame = new Int32Array(64);
  /** The running transaction's tick. */
  tick = 1;
  at = 0;
  /** Product of weights on the way to the present solution. */
  weight = 1;
  /** Largest rank of a row on the way; rows of `rankLimit` and above are not used. */
  rank = 0;
  rankLimit = ALIVE;
  /** Set to leave all loops. */
  stopped = false;
  /** Fewer in tests, so that slicing is exercised; likewise below. */
  sliceRows = SLICE_ROWS;
  /** Work of an ad-hoc evaluation at full speed before it starts again with rests, and between two rests. */
  firstTryWork = FIRST_TRY_WORK;
  paceWork = PACE_WORK;
  /** Units of work since the machine was made; a unit is a row looked at. */
  work = 0;
  /** Called about every 4096 units; throws to end the evaluation. */
  checkLimits: () => void = () => {};
  #nextCheck = 4096;

  /** First tick of the running transaction: accounts are of one. */
  accountsSince = 0;
  #account: WorkAccount | undefined;
  #chargedAt = 0;

  constructor(quads: QuadRelation) {
    this.quads = quads;
  }

  /** What is done from now on is on this account; answers the one before. */
  charge(account: WorkAccount | undefined): WorkAccount | undefined {
    const last = this.#account;
    if (last) last.work += this.work - this.#chargedAt;
    if (account && account.since !== this.accountsSince) {
      account.since = this.accountsSince;
      account.work = 0;
      account.rows = 0;
    }
    this.#account = account;
    this.#chargedAt = this.work;
    return last;
  }

  /** A paced evaluation should rest now. */
  get restIsDue(): boolean {
    return this.work >= this.restAt;
  }

  /** Work at which a paced evaluation rests next. */
  restAt = 0;

  spend(units: number): void {
    this.work += units;
    if (this.work >= this.#nextCheck) {
      this.#nextCheck = this.work + 4096;
      this.checkLimits();
    }
  }

  /** Whether a row of the quads is visible in a mode. */
  sees(row: number, mode: Mode): boolean {
    const { quads, tick } = this;
    const high = mode === NOW || mode === EITHER ? tick : mode === OLD ? tick - 1 : this.at;
    const low = mode === NOW ? tick : mode === AT ? this.at : tick - 1;
    return quads.rows.born(row) <= high && quads.rows.died(row) > low;
  }

  /** Before an evaluation. The frame is all zero between evaluations: whoever sets a slot clears it. */
  ready(slots: number): void {
    if (this.frame.length < slots) this.frame = new Int32Array(slots * 2);
    this.weight = 1;
    this.rank = 0;
  }

  /** Forgets an evaluation that was left by an exception. Bodies must be reset too. */
  recover(): void {
    this.frame.fill(0);
    this.weight = 1;
    this.rank = 0;
    this.rankLimit = ALIVE;
    this.stopped = false;
  }
}
