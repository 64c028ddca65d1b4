/** Storage: the durable truth behind the event processor (the ChangeLog interface of base), in memory and in SQLite. */
export { type ChangeLogOptions, MemoryChangeLog, openChangeLog, SqliteChangeLog, verifyFile } from "./open-change-log.ts";
export type { LogContext } from "./ported-change-log.ts";
