/** The two change logs. They differ in where rows are kept, and in the thread that keeps them; in nothing else. */
import { resolve } from "node:path";
import { type ChangeLog, type Clock, LIMITS, type Limits, type Logger, type Random, type VerifyReport } from "../base/index.ts";
import { LogCore } from "./log-core.ts";
import { DirectPort } from "./log-port.ts";
import { MemoryStore } from "./memory-store.ts";
import { type LogContext, PortedChangeLog } from "./ported-change-log.ts";
import { verifyInWorker, WorkerPort } from "./worker-port.ts";

export interface ChangeLogOptions {
  /** Path of the database file, made when absent; or `:memory:`. */
  readonly file: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: Partial<Limits>;
  /**
   * The file was brought back from a backup. It gets a new epoch, so that cursors of the life before are refused instead of
   * meaning other revisions; its mark file, which may be absent or ahead of it, is written anew. Everything else is checked.
   */
  readonly restored?: boolean;
}

/** Makes the log; nothing is opened before its `open` is called. */
export function openChangeLog(options: ChangeLogOptions): ChangeLog {
  const { file, clock, random, logger, restored } = options;
  const context = { clock, random, logger, limits: { ...LIMITS, ...options.limits }, restored };
  return file === ":memory:" ? new MemoryChangeLog(context) : new SqliteChangeLog(file, context);
}

/** For servers without a file: same semantics, gone with the process. */
export class MemoryChangeLog extends PortedChangeLog {
  constructor(context: LogContext) {
    super(new DirectPort(new LogCore(new MemoryStore(), context.limits)), context);
  }
}

/** In an SQLite file owned by a thread of its own. A relative path is taken from the working directory at this moment. */
export class SqliteChangeLog extends PortedChangeLog {
  readonly #file: string;

  constructor(file: string, context: LogContext) {
    const absolute = resolve(file);
    super(new WorkerPort(absolute, context.limits), context);
    this.#file = absolute;
  }

  /** Reads beside the log, on a connection of its own: appends go on. */
  override verify(): Promise<VerifyReport> {
    return verifyFile(this.#file);
  }
}

/** Reads and checks a whole database without opening it for writing. Throws SENS_CONFIG when there is none. */
export function verifyFile(file: string): Promise<VerifyReport> {
  return verifyInWorker(resolve(file));
}
