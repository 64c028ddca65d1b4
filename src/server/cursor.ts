/** Cursors at the border: `epoch:revision`. The knowledge base checks those it gets; this checks the rest. */
import { quoteInput, SensError } from "../base/index.ts";
import type { Cursor, KnowledgeService } from "../protocol/index.ts";

export interface CursorParts {
  readonly epoch: string;
  readonly revision: number;
}

/** Throws SENS_CURSOR_INVALID. */
export function parseCursor(cursor: Cursor): CursorParts {
  const [, epoch, digits] = /^([A-Za-z0-9_-]{1,64}):(\d{1,16})$/.exec(cursor) ?? [];
  const revision = Number(digits);
  if (epoch === undefined || !Number.isSafeInteger(revision)) {
    throw new SensError("SENS_CURSOR_INVALID", `${quoteInput(cursor)} is not a cursor. A cursor is epoch:revision, as an answer gave it.`);
  }
  return { epoch, revision };
}

/**
 * Read your writes: what is read now includes the revision. Acknowledged revisions always are; a cursor of another
 * epoch or of the future is refused. Throws SENS_CURSOR_INVALID, SENS_CURSOR_FOREIGN or SENS_CURSOR_FUTURE.
 */
export function requireAtLeast(service: KnowledgeService, cursor: Cursor | undefined): void {
  if (cursor === undefined) return;
  const wanted = parseCursor(cursor);
  const now = parseCursor(service.cursor());
  if (wanted.epoch !== now.epoch)
    throw new SensError("SENS_CURSOR_FOREIGN", `The cursor ${quoteInput(cursor)} is of another database. Begin anew.`);
  if (wanted.revision > now.revision)
    throw new SensError("SENS_CURSOR_FUTURE", `Revision ${wanted.revision} is not there yet; the last is ${now.revision}.`);
}
