/**
 * The feed of all changes as an async iterable: pages until the present, then live; back to pages when the connection was
 * lost or the consumer fell behind. Every revision once and in order. State: the cursor of the last entry handed out, and a
 * bounded queue of live entries.
 */
import type * as RDF from "@rdfjs/types";
import type { ChangeFrame, ChangesEntry, Cursor } from "../protocol/index.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import type { Connection } from "./connection.ts";
import { isCovered, revisionOf } from "./cursor.ts";
import { parseServerQuads } from "./ntriples.ts";

export interface Change {
  readonly cursor: Cursor;
  readonly revision: number;
  /** What clients stated and withdrew. */
  readonly asserted: readonly RDF.Quad[];
  readonly retracted: readonly RDF.Quad[];
  /** What became, or ceased to be, visible only because it follows. */
  readonly derivedAdded: readonly RDF.Quad[];
  readonly derivedRemoved: readonly RDF.Quad[];
}

export interface ChangesOptions {
  /** Begin after this cursor; without it, with what happens from now on. */
  readonly after?: Cursor;
  /** End at the present instead of waiting for more. */
  readonly untilNow?: boolean;
  readonly signal?: AbortSignal;
}

const PAGE = 1_000;
const LIVE_MAX = 1_000;

export class ChangesFeeds {
  readonly #connection: Connection;
  /** Live queues, by the id of their request. */
  readonly #live = new Map<string, BoundedQueue<ChangesEntry>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  change(frame: ChangeFrame): void {
    const queue = this.#live.get(frame.request);
    if (queue && !queue.push(frame)) queue.end();
  }

  async *feed(options: ChangesOptions): AsyncGenerator<Change, void> {
    const { signal } = options;
    let after = options.after ?? (await this.#present(signal));
    for (;;) {
      const { entries } = await this.#page(after, signal);
      for (const entry of entries) {
        after = entry.cursor;
        yield readEntry(entry);
      }
      if (entries.length > 0) continue;
      if (options.untilNow) return;
      for await (const entry of this.#watch(after, signal)) {
        after = entry.cursor;
        yield readEntry(entry);
      }
    }
  }

  async #present(signal: AbortSignal | undefined): Promise<Cursor> {
    return ((await this.#connection.call("ping", {}, { signal })) as unknown as { cursor: Cursor }).cursor;
  }

  async #page(after: Cursor, signal: AbortSignal | undefined): Promise<{ readonly entries: readonly ChangesEntry[] }> {
    return (await this.#connection.call("changes", { after, limit: PAGE }, { signal })) as unknown as { entries: ChangesEntry[] };
  }

  /** Live entries after a cursor, until the connection is lost or too many wait. */
  async *#watch(after: Cursor, signal: AbortSignal | undefined): AsyncGenerator<ChangesEntry, void> {
    const queue = new BoundedQueue<ChangesEntry>(LIVE_MAX);
    const watch = this.#connection.watch("changes", { after, limit: PAGE, watch: true }, { signal, onEnd: (error) => queue.end(error) });
    this.#live.set(watch.request, queue);
    try {
      const answer = (await watch.answered) as unknown as { readonly entries: readonly ChangesEntry[] } | undefined;
      if (!answer) return;
      let seen = after;
      for (const entry of answer.entries) {
        seen = entry.cursor;
        yield entry;
      }
      for (let item = await queue.next(); !item.done; item = await queue.next()) {
        if (isCovered(item.value.cursor, seen)) continue;
        // Revisions have no holes: a step of more than one means that a page is missing, and pages are read again.
        if (item.value.revision !== revisionOf(seen) + 1) return;
        seen = item.value.cursor;
        yield item.value;
      }
    } finally {
      this.#live.delete(watch.request);
      watch.stop();
    }
  }
}

function readEntry(entry: ChangesEntry): Change {
  return {
    cursor: entry.cursor,
    revision: entry.revision,
    asserted: parseServerQuads(entry.asserted),
    retracted: parseServerQuads(entry.retracted),
    derivedAdded: parseServerQuads(entry.derivedAdded),
    derivedRemoved: parseServerQuads(entry.derivedRemoved),
  };
}
