/** What every part of the event processor works with: the engine, the terms, time, chance, bounds. Built once, in `knowledge-base.ts`. */
import type { ChangeLog, Clock, Limits, Logger, Random } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { BlankNodeLabels, TermDictionary } from "../rdf/index.ts";
import type { Counters } from "./counters.ts";
import type { Positions } from "./positions.ts";

export interface Kernel {
  readonly engine: Engine;
  readonly terms: TermDictionary;
  readonly labels: BlankNodeLabels;
  readonly log: ChangeLog;
  readonly positions: Positions;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: Limits;
}
