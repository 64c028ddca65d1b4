/**
 * Snapshots bound the time of a start: the assertions at one revision, written beside the log without stopping anybody.
 *
 * The writer gives out pieces between transactions. The rows of the revision stay where they are by a pin; whether a row
 * was asserted is not versioned, so while a snapshot is being written the first change of each quad's assertion is noted.
 */
import { SensError } from "../base/index.ts";
import { nquadsLine } from "../rdf/index.ts";
import type { Effects } from "./effects.ts";
import type { Kernel } from "./kernel.ts";
import type { WriterQueue } from "./writer-queue.ts";

/**
 * A snapshot is due after this many changes of assertions, or as many as there are assertions: a growing knowledge base
 * is written a logarithmic number of times. At close one is written when there were at least some.
 */
const CHANGES_MAX = 200_000;
const CHANGES_AT_CLOSE_MIN = 1_000;
const ROWS_PER_PIECE = 4_096;

export class Snapshots {
  readonly #kernel: Kernel;
  readonly #queue: WriterQueue;
  #changes = 0;
  #running: Promise<void> | undefined;
  /** Quads whose assertion changed since the snapshot's revision, with what it was then. */
  #before: Map<string, boolean> | undefined;
  #broken = false;

  readonly #outlives: boolean;

  /** `outlives`: the log is still there when this process is not. Otherwise nothing is written, old records are only trimmed. */
  constructor(kernel: Kernel, queue: WriterQueue, outlives: boolean) {
    this.#kernel = kernel;
    this.#queue = queue;
    this.#outlives = outlives;
  }

  /** Told of every transaction. */
  async noticed(effects: Effects): Promise<void> {
    this.#changes += effects.added + effects.removed;
    const before = this.#before;
    if (before)
      for (const { asserted, s, p, o, g } of effects.stated) {
        const key = `${s},${p},${o},${g}`;
        if (asserted !== 0 && !before.has(key)) before.set(key, asserted < 0);
        if (this.#queue.restIsDue) await this.#queue.restNow();
      }
    if (this.#isDue) this.#start();
  }

  get #isDue(): boolean {
    return this.#changes >= Math.max(CHANGES_MAX, this.#kernel.engine.quads.assertedSize);
  }

  /** What was noted is not true any more. */
  takenBack(): void {
    this.#broken = true;
  }

  /** At start: changes that a replay found after the last snapshot. */
  replayed(changes: number): void {
    this.#changes += changes;
    if (this.#isDue) this.#start();
  }

  /** Resolves when none is being written; at close writes one when it is worth it. */
  async close(): Promise<void> {
    await this.#running;
    if (!this.#outlives || this.#changes < CHANGES_AT_CLOSE_MIN) return;
    this.#start();
    await this.#running;
  }

  #start(): void {
    if (this.#running) return;
    this.#changes = 0;
    this.#running = this.#write()
      .catch((error: unknown) =>
        this.#kernel.logger.warn({ error: String(error) }, "a snapshot could not be written; the log has everything"),
      )
      .finally(() => {
        this.#running = undefined;
        this.#before = undefined;
      });
  }

  async #write(): Promise<void> {
    const { engine, positions, log, logger, clock, counters } = this.#kernel;
    const startedMs = clock.monotonicMs();
    if (!this.#outlives) return log.trim(Math.floor(clock.wallMs()));
    const { revision, pin } = await this.#queue.inTurn(async () => {
      this.#before = new Map();
      this.#broken = false;
      return { revision: positions.applied.revision, pin: engine.pin() };
    });
    try {
      await positions.whenDurable(revision);
      await log.writeSnapshot({ revision, quads: this.#pieces(pin.tick) });
      await log.trim(Math.floor(clock.wallMs()));
      counters.snapshots++;
      logger.info({ revision, ms: clock.monotonicMs() - startedMs }, "snapshot written");
    } finally {
      pin.release();
    }
  }

  async *#pieces(tick: number): AsyncGenerator<string> {
    let row = 0;
    for (;;) {
      const piece = await this.#queue.inTurn(async () => this.#piece(row, tick));
      if (piece.text !== "") yield piece.text;
      if (piece.next === undefined) return;
      row = piece.next;
    }
  }

  #piece(from: number, tick: number): { readonly text: string; readonly next: number | undefined } {
    if (this.#broken) throw new SensError("SENS_STORAGE_FULL", "The snapshot was given up: changes were taken back while it was written.");
    const { quads } = this.#kernel.engine;
    const end = Math.min(quads.rows.end, from + ROWS_PER_PIECE);
    const lines: string[] = [];
    for (let row = from; row < end; row++) {
      if (quads.rows.born(row) > tick || quads.rows.died(row) <= tick) continue;
      const [s, p, o, g] = [quads.rows.subject(row), quads.rows.predicate(row), quads.rows.object(row), quads.rows.graph(row)];
      if (this.#before?.get(`${s},${p},${o},${g}`) ?? quads.isAsserted(s, p, o, g)) lines.push(nquadsLine(this.#kernel.terms, s, p, o, g));
    }
    return { text: lines.join(""), next: end < quads.rows.end ? end : undefined };
  }
}
