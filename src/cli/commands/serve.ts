/** `sens serve`: a server, until a signal ends it. */
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readServeOptions, SERVE_OPTIONS } from "../serve-options.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "run a server",
  arguments: "",
  argumentsMin: 0,
  argumentsMax: 0,
  options: SERVE_OPTIONS,
  details:
    "Tokens are given in $SENS_TOKENS as name:role+role:token,... SIGTERM or SIGINT ends the server when what it was doing\n" +
    "is done (exit code 0), a second one at once.",
  async run(invocation: Invocation) {
    const { io } = invocation;
    const options = readServeOptions(invocation);
    const { startServer } = await import("../../server/index.ts");
    const server = await startServer(options);
    io.out(`listening on ${server.url}\n`);
    await interruption(io.interrupted);
    io.err("sens: stopping\n");
    await server.close();
    return EXIT.ok;
  },
};

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
