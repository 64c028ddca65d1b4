/** The server's log: one JSON object per line on standard error, from a level on. */
import type { Logger } from "../base/index.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function logLines(level: LogLevel, write: (text: string) => void): Logger {
  const from = LOG_LEVELS.indexOf(level);
  const at = (name: LogLevel) => (fields: object, message: string) => {
    if (LOG_LEVELS.indexOf(name) < from) return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level: name, message, ...fields })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
