/** What transactions, pipelines and ad-hoc evaluation need of the engine. */
import type { CompiledRule } from "./compiled-rule.ts";
import type { Fixpoint } from "./fixpoint.ts";
import type { Levels } from "./levels.ts";
import type { Machine } from "./machine.ts";
import type { QuadJournal, QuadRelation } from "./quad-relation.ts";
import type { Relation, RelationJournal, RelationOptions } from "./relation.ts";
import type { Producer } from "./stratifier.ts";
import type { TransactionBudget } from "./transaction-budget.ts";

export interface SolveOptions {
  /** Tick to read at; now when absent. */
  readonly at?: number;
  /** Slots that are bound beforehand. */
  readonly preset?: readonly (readonly [slot: number, value: number])[];
  readonly rowsMax?: number;
  /** Monotonic ms by which it must end. */
  readonly deadlineMs?: number;
  /** Units of work after which it throws what `workExceeded` makes. */
  readonly workMax?: number;
  readonly workExceeded?: () => Error;
}

/** What undo and reclaim need of one tick. */
export interface TickJournal {
  readonly tick: number;
  readonly quads: QuadJournal | undefined;
  readonly relations: readonly (readonly [Relation, RelationJournal])[];
  /** Pipelines that got or lost an instance: an undo may leave them without any. */
  readonly concerned: readonly Machinery[];
  /** Pipelines that may have lost their last instance. */
  readonly unused: readonly Machinery[];
}

/** What the engine does with the machinery of a standing query. */
export interface Machinery {
  readonly producer: Producer | undefined;
  readonly final: CompiledRule | undefined;
  readonly levels: Levels;
  reset(): void;
  dropIfUnused(): void;
}

export interface EngineCore {
  readonly quads: QuadRelation;
  readonly machine: Machine;
  readonly fixpoint: Fixpoint;
  readonly levels: Levels;
  readonly budget: TransactionBudget;
  readonly typePredicate: number;
  readonly tick: number;
  /** Pipelines whose final rule must wait for its inputs. */
  readonly producing: ReadonlySet<Machinery>;
  readonly pipelines: Iterable<Machinery>;
  relation(name: string, arity: number, options?: RelationOptions): Relation;
  dropRelation(relation: Relation): void;
  nextInstance(): number;
  /** Relations touched since this was last asked. */
  takeTouched(): Relation[];
  recordTick(journal: TickJournal): void;
  undoAfter(tick: number): void;
  ended(transaction: object): void;
  /** Producers in the order they must run. Throws SENS_NOT_STRATIFIED. */
  stratify(): readonly { readonly producer: Producer; readonly pipeline: Machinery; readonly stage: number }[];
  /** Runs an evaluation under limits on a frame of its own; evaluations may nest. */
  evaluation(options: SolveOptions, slotCount: number, run: () => void): void;
  /** As `evaluation`, for a generator that rests where it yields; others may evaluate and change meanwhile. */
  pacedEvaluation(options: SolveOptions, slotCount: number, make: () => Generator<void, void>): Generator<void, void>;
}
