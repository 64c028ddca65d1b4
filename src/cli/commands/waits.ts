/** `sens receive` and `sens remove`: wait for knowledge, or take it. */
import { spawn } from "node:child_process";
import { LIMITS } from "../../base/index.ts";
import { type NothingAsserted, type Received, type SensClient, type Taken, writeNQuads } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, type Invocation, JSON_OPTION } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { queryText } from "../rdf-file.ts";

const WAIT_OPTIONS = {
  timeout: { type: "string", value: "MS", help: "how long to wait; default 30000" },
  try: { type: "boolean", help: "do not wait" },
} as const satisfies Command["options"];

export const receiveCommand: Command = {
  name: "receive",
  summary: "wait until a CONSTRUCT query has a result, and print it",
  arguments: "QUERY",
  argumentsMin: 1,
  argumentsMax: 1,
  options: { ...WAIT_OPTIONS, ...JSON_OPTION, ...CONNECTION_OPTIONS },
  details: "Exit code 4 when time is up. QUERY is the text, @FILE or -.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const query = await queryText(invocation.args[0] as string, invocation.io);
      const options = { timeoutMs: waitMs(invocation), signal: invocation.io.interrupted };
      return printed(invocation, invocation.flag("try") ? await client.tryReceive(query, options) : await client.receive(query, options));
    }),
};

export const removeCommand: Command = {
  name: "remove",
  summary: "wait for a result, and take it: nobody else gets it",
  arguments: "QUERY",
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    ...WAIT_OPTIONS,
    graph: { type: "string", value: "IRI", help: "take from this named graph" },
    exec: {
      type: "string",
      value: "COMMAND",
      help: "run a shell command with the result as its input; the result goes back unless it exits with 0",
    },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details: "Exit code 4 when time is up; with --exec, 1 when the command failed. QUERY is the text, @FILE or -.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const query = await queryText(invocation.args[0] as string, invocation.io);
      const options = {
        timeoutMs: waitMs(invocation),
        graph: invocation.text("graph"),
        signal: invocation.io.interrupted,
      };
      const shell = invocation.text("exec");
      if (shell !== undefined) return takeAndRun(client, query, shell, invocation);
      return printed(invocation, invocation.flag("try") ? await client.tryRemove(query, options) : await client.remove(query, options));
    }),
};

function waitMs(invocation: Invocation): number | undefined {
  return invocation.number("timeout", 0, 2 ** 31 - 1);
}

function printed(invocation: Invocation, result: Received | NothingAsserted | undefined): number {
  if (!result || "nothingAsserted" in result) return nothing(invocation, result);
  const text = writeNQuads(result.quads);
  invocation.io.out(
    invocation.json ? `${JSON.stringify({ ...result, quads: undefined, stillEntailed: undefined, result: text })}\n` : text,
  );
  return EXIT.ok;
}

/** There was nothing, or nothing that can be taken, which is said. */
function nothing({ io }: Invocation, result: NothingAsserted | undefined): number {
  if (result) io.err("sens: there is a result, but it only follows from other statements; there is nothing to take\n");
  return EXIT.nothing;
}

async function takeAndRun(client: SensClient, query: string, shell: string, invocation: Invocation): Promise<number> {
  const options = {
    timeoutMs: waitMs(invocation),
    graph: invocation.text("graph"),
    signal: invocation.io.interrupted,
  };
  const taken = invocation.flag("try") ? await client.tryTake(query, options) : await client.take(query, options);
  if (!taken || taken.nothingAsserted) return nothing(invocation, taken);
  if ((await runShell(shell, taken, invocation)) === 0) {
    await taken.confirm();
    return EXIT.ok;
  }
  await taken.release();
  invocation.io.err(`sens: the command failed; what it was given went back (delivery ${taken.deliveries})\n`);
  return EXIT.refused;
}

/** Runs the command, and renews the lease for as long as it works. */
function runShell(shell: string, taken: Taken, invocation: Invocation): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...invocation.io.env, SENS_DELIVERIES: `${taken.deliveries}` },
    });
    const renewal = setInterval(() => {
      taken.extend().catch((error: unknown) => invocation.io.err(`sens: the lease could not be renewed: ${String(error)}\n`));
    }, LIMITS.waitDefaultMs / 3);
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") invocation.io.err(`sens: ${error.message}\n`);
    });
    child.stdin.end(writeNQuads(taken.quads));
    child.on("error", (error) => {
      clearInterval(renewal);
      reject(error);
    });
    child.on("close", (code) => {
      clearInterval(renewal);
      resolve(code ?? 1);
    });
  });
}
