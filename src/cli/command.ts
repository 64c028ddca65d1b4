/** A command is data: what `help` shows is what the parser takes. */
import { parseArgs } from "node:util";
import { SensError } from "../base/index.ts";
import { connect, type SensClient } from "../client/index.ts";
import type { Io } from "./io.ts";

export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** What stands for the value in help. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Arguments as help shows them. */
  readonly arguments: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly details?: string;
  /** How many arguments it takes. */
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  run(invocation: Invocation): Promise<number>;
}

/** The options of every command that talks to a server. */
export const CONNECTION_OPTIONS = {
  url: { type: "string", value: "URL", help: "server; default $SENS_URL, or http://127.0.0.1:7007" },
  token: { type: "string", value: "TOKEN", help: "token; default $SENS_TOKEN, which other users cannot see in the process list" },
} as const satisfies Record<string, OptionSpec>;

export const JSON_OPTION = { json: { type: "boolean", help: "write JSON for scripts" } } as const satisfies Record<string, OptionSpec>;

const HELP_OPTION = { help: { type: "boolean", help: "show this" } } as const satisfies Record<string, OptionSpec>;
const DEFAULT_URL = "http://127.0.0.1:7007";

/** One command line, parsed. */
export class Invocation {
  readonly command: Command;
  readonly args: readonly string[];
  readonly io: Io;
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

  constructor(command: Command, argv: readonly string[], io: Io) {
    this.command = command;
    this.io = io;
    try {
      const options = Object.fromEntries(
        Object.entries<OptionSpec>({ ...command.options, ...HELP_OPTION }).map(([name, { type, multiple = false }]) => [
          name,
          { type, multiple },
        ]),
      );
      const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, allowNegative: true });
      this.#values = values;
      this.args = positionals;
    } catch (cause) {
      throw usageError(command, unreadableOptions(cause));
    }
    if (this.flag("help")) return;
    if (this.args.length < command.argumentsMin) throw usageError(command, `Needs ${command.arguments}.`);
    if (this.args.length > command.argumentsMax) throw usageError(command, `Takes only ${command.arguments || "options"}; quote queries.`);
  }

  get json(): boolean {
    return this.flag("json");
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** A whole number within bounds. */
  number(name: string, min: number, max: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max) {
      throw usageError(this.command, `--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`);
    }
    return Number(value);
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw usageError(this.command, `--${name} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}.`);
    return found;
  }

  /** Connects, lets the command work, and closes. */
  async withClient(work: (client: SensClient) => Promise<number>): Promise<number> {
    const { env, interrupted, err } = this.io;
    const client = await connect(this.text("url") ?? env.SENS_URL ?? DEFAULT_URL, {
      token: this.text("token") ?? env.SENS_TOKEN,
      signal: interrupted,
      onError: (error) => err(`sens: ${error.message}\n`),
      onStatus: (status) => {
        if (status.status === "disconnected") err(`sens: connection lost (${status.error.message}), retrying\n`);
        if (status.status === "signed-out") err(`sens: ${status.error.message}\n`);
      },
    });
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }
}

/** What Node says of options, as whole sentences on one line. */
function unreadableOptions(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const unknown = /^Unknown option '([^']*)'/.exec(message);
  if (unknown) return `There is no option ${unknown[1]}. An argument that begins with - is written after --.`;
  const line = message.replaceAll("\n", " ");
  return /[.?!]$/.test(line) ? line : `${line}.`;
}

export function usageError(command: Command, message: string): SensError {
  return new SensError("SENS_CONFIG", `${command.name}: ${message} See: sens help ${command.name}`);
}
