/** The command line, for its tests. */
export type { Io } from "./io.ts";
export { runCli } from "./run.ts";
