/** `sens serve`: a server, until a signal ends it. */
import { access } from "node:fs/promises";
import { SensError } from "../../base/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { logLines } from "../log-lines.ts";
import { readOntologyFiles } from "../ontology-files.ts";
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
    "is done (exit code 0), a second one at once. When the disk fails it ends with exit code 6: start it again.",
  async run(invocation: Invocation) {
    const { io } = invocation;
    const { logLevel, ontologies, ...options } = readServeOptions(invocation);
    if (options.restored) await requireFile(options.data);
    const documents = await readOntologyFiles(ontologies);
    const { startServer } = await import("../../server/index.ts");
    const server = await startServer({ ...options, ontologies: documents, logger: logLines(logLevel, io.err) });
    io.out(`listening on ${server.url}\n`);
    io.err(`sens: try it in a browser: ${server.url}/docs\n`);
    for (const [name, value] of Object.entries(server.summary)) if (name !== "bind") io.err(`sens: ${name}: ${value}\n`);
    const failure = await Promise.race([interruption(io.interrupted), server.whenFailed()]);
    io.err(failure ? `sens: stopping, start again: ${failure.code}: ${failure.message}\n` : "sens: stopping\n");
    await server.close();
    return failure ? EXIT.failed : EXIT.ok;
  },
};

/** A misspelt name must not become a new, empty database. */
async function requireFile(path: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    throw new SensError("SENS_CONFIG", `There is no ${path} to restore. Copy the backup there first, or leave --restored out.`, { cause });
  });
}

function interruption(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
