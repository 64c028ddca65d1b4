/** The exit codes of `sens`; docs/cli.md lists them for scripts. */
import { SensError } from "../base/index.ts";

export const EXIT = {
  ok: 0,
  /** The server, or an expectation, said no. */
  refused: 1,
  usage: 2,
  damaged: 3,
  /** There was nothing, or time was up. */
  nothing: 4,
  /** No server answers, or the connection was lost for good. */
  unreachable: 5,
  /** `serve`: the disk failed; a new start reads what is on it. */
  failed: 6,
  interrupted: 130,
} as const;

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof SensError)) return 70;
  switch (error.code) {
    case "SENS_CONFIG":
    case "SENS_DATA_LOCKED":
      return EXIT.usage;
    case "SENS_DATA_DAMAGED":
      return EXIT.damaged;
    case "SENS_NOT_READY":
    case "SENS_SHUTTING_DOWN":
      return EXIT.unreachable;
    default:
      return EXIT.refused;
  }
}
