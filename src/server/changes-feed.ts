/**
 * The feed of all changes, pulled page by page as the reader takes them: a slow reader costs one page, never a queue.
 * `watchChanges` only wakes the feed up.
 */
import type { ChangesEntry, Cursor, Session } from "../protocol/index.ts";

export interface ChangesReader {
  readonly closed: AbortSignal;
  entry(entry: ChangesEntry): void;
  drained(): Promise<void>;
}

/** Everything after the cursor, then (with `follow`) everything new until the reader closes. */
export async function feedChanges(session: Session, after: Cursor, pageMax: number, follow: boolean, reader: ChangesReader): Promise<void> {
  const bell = new Bell(reader.closed);
  const unwatch = follow ? session.watchChanges(() => bell.ring()) : (): void => {};
  try {
    for (let cursor = after; !reader.closed.aborted; ) {
      const page = await session.changes(cursor, pageMax);
      for (const entry of page) {
        reader.entry(entry);
        await reader.drained();
        if (reader.closed.aborted) return;
        cursor = entry.cursor;
      }
      if (page.length > 0) continue;
      if (!follow) return;
      await bell.rung();
    }
  } finally {
    unwatch();
  }
}

/** Remembers that it was rung, so that a change between two looks is not slept through. */
class Bell {
  #ringing = false;
  #wake: (() => void) | undefined;

  constructor(closed: AbortSignal) {
    closed.addEventListener("abort", () => this.ring(), { once: true });
  }

  ring(): void {
    this.#ringing = true;
    this.#wake?.();
  }

  async rung(): Promise<void> {
    if (!this.#ringing) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#ringing = false;
    this.#wake = undefined;
  }
}
