/** How the asynchronous log reaches its synchronous core: directly in memory mode, through a worker thread otherwise. */
import type { LogCore } from "./log-core.ts";

type MethodName = { [K in keyof LogCore]: LogCore[K] extends (...args: never[]) => unknown ? K : never }[keyof LogCore];
export type LogOperation = Exclude<MethodName, "close">;

export interface LogPort {
  /** Calls run one at a time, in the order in which they were made. */
  call<K extends LogOperation>(operation: K, ...args: Parameters<LogCore[K]>): Promise<ReturnType<LogCore[K]>>;
  /** Waits for the calls made before. Idempotent. */
  close(): Promise<void>;
}

export class DirectPort implements LogPort {
  readonly #core: LogCore;

  constructor(core: LogCore) {
    this.#core = core;
  }

  async call<K extends LogOperation>(operation: K, ...args: Parameters<LogCore[K]>): Promise<ReturnType<LogCore[K]>> {
    return invoke(this.#core, operation, args);
  }

  async close(): Promise<void> {
    this.#core.close();
  }
}

export function invoke<K extends LogOperation>(core: LogCore, operation: K, args: Parameters<LogCore[K]>): ReturnType<LogCore[K]> {
  const method = core[operation] as (...args: Parameters<LogCore[K]>) => ReturnType<LogCore[K]>;
  return method.apply(core, args);
}
