/** From a command line to an exit code. */
import { SensError } from "../base/index.ts";
import { type Command, Invocation } from "./command.ts";
import { claimCommand } from "./commands/claim.ts";
import { demoCommand } from "./commands/demo.ts";
import { publishCommand, retractCommand } from "./commands/documents.ts";
import { explainCommand } from "./commands/explain.ts";
import { insertionCommand } from "./commands/insertion.ts";
import { ontologyCommand, ruleCommand } from "./commands/named-documents.ts";
import { queryCommand, updateCommand } from "./commands/query.ts";
import { serveCommand } from "./commands/serve.ts";
import { subscribeCommand } from "./commands/subscribe.ts";
import { subscriptionCommand } from "./commands/subscription.ts";
import { verifyCommand } from "./commands/verify.ts";
import { receiveCommand, removeCommand } from "./commands/waits.ts";
import { EXIT, exitCodeOf } from "./exit-code.ts";
import { commandHelp, overview } from "./help.ts";
import type { Io } from "./io.ts";

const COMMANDS: readonly Command[] = [
  serveCommand,
  publishCommand,
  retractCommand,
  queryCommand,
  updateCommand,
  subscribeCommand,
  subscriptionCommand,
  receiveCommand,
  removeCommand,
  claimCommand,
  insertionCommand,
  ontologyCommand,
  ruleCommand,
  explainCommand,
  verifyCommand,
  demoCommand,
];

/** Runs one command line. Never throws for what a user can type or a server can answer. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h") return help(rest[0], io, first === undefined);
  if (first === "--version" || first === "version") return version(io);
  const command = COMMANDS.find(({ name }) => name === first);
  if (!command) {
    io.err(`sens: there is no command ${JSON.stringify(first)}. See: sens help\n`);
    return EXIT.usage;
  }
  try {
    const invocation = new Invocation(command, rest, io);
    if (invocation.flag("help")) return help(command.name, io, false);
    return await command.run(invocation);
  } catch (error) {
    if (io.interrupted.aborted) return EXIT.interrupted;
    report(error, rest.includes("--json"), io);
    return exitCodeOf(error);
  }
}

async function version(io: Io): Promise<number> {
  const { VERSION } = await import("../server/index.ts");
  io.out(`sens ${VERSION}\n`);
  return EXIT.ok;
}

function help(name: string | undefined, io: Io, isMistake: boolean): number {
  if (name === undefined) {
    (isMistake ? io.err : io.out)(overview(COMMANDS));
    return isMistake ? EXIT.usage : EXIT.ok;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) {
    io.err(`sens: there is no command ${JSON.stringify(name)}. See: sens help\n`);
    return EXIT.usage;
  }
  io.out(commandHelp(command));
  return EXIT.ok;
}

function report(error: unknown, json: boolean, io: Io): void {
  if (!(error instanceof SensError)) io.err(`sens: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  else if (json) io.err(`${JSON.stringify(error.toProblem())}\n`);
  else io.err(`sens: ${error.code} ${error.message}\n`);
}
