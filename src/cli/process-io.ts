/** `sens` as a process: standard streams, signals, exit code. */
import { runCli } from "./run.ts";

/** Runs the command line of this process and sets its exit code. */
export async function runProcess(): Promise<void> {
  const interrupted = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    // The second one means it: nothing is waited for any more.
    if (interrupted.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    interrupted.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // The reader of a pipe may go first; what it did not want is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.exitCode = await runCli(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    errIsTerminal: process.stderr.isTTY === true,
    env: process.env,
    stdin: () => process.stdin,
    interrupted: interrupted.signal,
  });
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
}
