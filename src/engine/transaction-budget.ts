/**
 * What one transaction may take: derivations, rows of results, time, memory; and the refusal that names whose work it was.
 *
 * State: counts of the running transaction, its ticks together; those of each rule stand with the rule. Cost: a few additions
 * per row; time is looked at about every 4096 units of work, memory about every 65,536 rows.
 */
import { type ErrorCode, SensError } from "../base/index.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { Emission } from "./emissions.ts";
import type { Machine, WorkAccount } from "./machine.ts";
import { QuadRelation } from "./quad-relation.ts";

export interface EngineLimits {
  /** Rows derived, and rows added to results of standing queries and to what stands between, in one transaction. */
  readonly derivationsMax: number;
  readonly standingRowsMax: number;
  readonly derivationRankMax: number;
  /** Values made by one rule instance from another's made value, in one transaction. */
  readonly inventionsMax: number;
  readonly transactionMs: number;
  /** Of everything that is kept; changes that add to it are refused above. */
  readonly memoryBytesMax: number;
}

/** Between two looks at the memory. */
const ROWS_BETWEEN_LOOKS = 65_536;
/** A rule that made fewer is not blamed for the memory that the change takes. */
const ROWS_TO_BLAME = 10_000;

export interface BudgetSources {
  readonly now: () => number;
  readonly usedBytes: () => number;
  readonly rules: () => Iterable<CompiledRule>;
}

export class TransactionBudget {
  readonly #machine: Machine;
  readonly #limits: EngineLimits;
  readonly #sources: BudgetSources;
  #startedMs = 0;
  #derivations = 0;
  #standingRows = 0;
  /** Assertions and registrations: without any, a transaction may run however little memory is left. */
  #stated = 0;
  #rowsSinceLook = 0;
  /** More memory was in use than there may be, when it was last looked at. */
  #full = false;

  constructor(machine: Machine, limits: EngineLimits, sources: BudgetSources) {
    this.#machine = machine;
    this.#limits = limits;
    this.#sources = sources;
  }

  /** A transaction begins; the machine asks about its limits from now on. */
  begin(firstTick: number): void {
    this.#machine.accountsSince = firstTick;
    this.#startedMs = this.#sources.now();
    this.#derivations = 0;
    this.#standingRows = 0;
    this.#stated = 0;
  }

  /** Time and memory. Throws SENS_DERIVATION_LIMIT, SENS_MEMORY_LIMIT. */
  check(): void {
    const { transactionMs } = this.#limits;
    if (this.#sources.now() - this.#startedMs > transactionMs)
      throw this.#refusal("SENS_DERIVATION_LIMIT", `more than ${transactionMs} ms`, "work", this.#atWork());
    this.checkMemory();
  }

  /** Throws SENS_MEMORY_LIMIT. */
  checkMemory(): void {
    if (this.#stated === 0 || (!this.#full && this.#rowsSinceLook < ROWS_BETWEEN_LOOKS)) return;
    this.#rowsSinceLook = 0;
    const { memoryBytesMax } = this.#limits;
    this.#full = this.#sources.usedBytes() > memoryBytesMax;
    if (!this.#full) return;
    const needs = `more than the ${Math.floor(memoryBytesMax / MIB)} MiB of memory for all that is kept`;
    throw this.#refusal("SENS_MEMORY_LIMIT", needs, "rows", this.#atWork(), Math.max(this.#stated, ROWS_TO_BLAME));
  }

  stated(): void {
    this.#stated++;
    this.#rowsSinceLook++;
  }

  /** A recursive rule made a row. Throws SENS_DERIVATION_LIMIT, SENS_NON_TERMINATING. */
  derived(emission: Emission): void {
    const { rule, rank, inventions } = emission;
    const { derivationsMax, derivationRankMax, inventionsMax } = this.#limits;
    rule.rows++;
    this.#rowsSinceLook++;
    if (++this.#derivations > derivationsMax) throw this.#tooManyDerivations(emission);
    if (rank >= derivationRankMax)
      throw this.#refusal("SENS_NON_TERMINATING", `derivations more than ${derivationRankMax} steps deep`, "rows", emission);
    if (inventions <= inventionsMax) return;
    const needs = `more than ${inventionsMax} new values, each made from the one before`;
    throw this.#refusal("SENS_NON_TERMINATING", needs, "rows", emission);
  }

  /** So many solutions of recursive rules wait to become rows. Throws SENS_DERIVATION_LIMIT. */
  pending(rule: CompiledRule, count: number): void {
    if (count <= this.#limits.derivationsMax) return;
    rule.rows += count;
    throw this.#tooManyDerivations(this.#atWork());
  }

  /** A rule of a standing query added a row to its results. Throws SENS_DERIVATION_LIMIT. */
  standingRow(rule: CompiledRule): void {
    rule.rows++;
    this.#rowsSinceLook++;
    const { standingRowsMax } = this.#limits;
    if (++this.#standingRows > standingRowsMax)
      throw this.#refusal("SENS_DERIVATION_LIMIT", `more than ${standingRowsMax} new rows of results`, "rows", this.#atWork());
  }

  #tooManyDerivations(at: AtWork): SensError {
    return this.#refusal("SENS_DERIVATION_LIMIT", `more than ${this.#limits.derivationsMax} derivations`, "rows", at);
  }

  /** Whose work is going on just now. */
  #atWork(): AtWork {
    const rule = this.#machine.charge(undefined);
    return { rule, instance: rule?.instanceIn(this.#machine.frame) ?? 0 };
  }

  /**
   * `needs` completes "The change needs …". Names the rule with most of what is counted, where that is more than `least`; of
   * a standing query also the instance, if it was one of its that was at work; 0 otherwise.
   */
  #refusal(code: ErrorCode, needs: string, counted: "work" | "rows", at: AtWork, least = 0): SensError {
    let most: CompiledRule | undefined;
    for (const rule of this.#sources.rules())
      if (rule.since === this.#machine.accountsSince && rule[counted] > (most?.[counted] ?? least)) most = rule;
    const instance = most?.parameters ? { instance: most === at.rule ? at.instance : 0 } : {};
    const blamed = most ? `; most of it comes from ${sourceOf(most)}` : "";
    const advice = code === "SENS_MEMORY_LIMIT" ? "; remove something, or allow more memory" : "";
    return new SensError(code, `The change needs ${needs}${blamed}. Nothing was changed${advice}.`, {
      extra: { ...(most ? { rule: most.name, ...instance } : {}), needs },
    });
  }
}

interface AtWork {
  readonly rule: WorkAccount | undefined;
  readonly instance: number;
}

const MIB = 1024 * 1024;

function sourceOf(rule: CompiledRule): string {
  if (!rule.parameters) return `"${rule.name}"`;
  return rule.heads.some(({ relation }) => relation instanceof QuadRelation) ? "a continuous insertion" : "a standing query";
}
