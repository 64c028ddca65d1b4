/** The command line, for its tests. */
export { EXIT } from "./exit-code.ts";
export type { Io } from "./io.ts";
export { runCli } from "./run.ts";
