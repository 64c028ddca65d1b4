/** The configuration of `sens serve`: command line over environment over defaults. */
import { type Limits, quoteInput, SensError } from "../base/index.ts";
import type { Invocation, OptionSpec } from "./command.ts";
import { LOG_LEVELS, type LogLevel } from "./log-lines.ts";

export interface ServeOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** File name, or `:memory:`. */
  readonly data: string;
  readonly reasoning: "none" | "rdfs" | "owl";
  /** Files of ontology documents. */
  readonly ontologies: readonly string[];
  readonly defaultGraph: "own" | "union";
  /** `name:role+role:token,…`; from the environment only, because command lines are visible to other users. */
  readonly tokens: string | undefined;
  /** Pages of these origins may use the server; its own may anyway. */
  readonly allowedOrigins: readonly string[];
  /** Names under which the server is reached, beside its address. */
  readonly allowedHosts: readonly string[];
  readonly logLevel: LogLevel;
  /** The file is a copy brought back: a new epoch begins. Never from the environment, where it would begin one at every start. */
  readonly restored: boolean;
  /** Bounds other than the usual ones. */
  readonly limits: Partial<Limits>;
}

const MIB = 1024 * 1024;
/** A body is decoded to one string, and Node's strings end at 512 MiB. */
const BODY_MIB_MAX = 256;
const COUNT_MAX = 10_000_000;

export const SERVE_OPTIONS = {
  host: { type: "string", value: "HOST", help: "address to listen on; default 127.0.0.1 ($SENS_HOST)" },
  port: { type: "string", value: "PORT", help: "port to listen on, 0 picks one; default 7007 ($SENS_PORT)" },
  data: { type: "string", value: "FILE", help: "database file, or :memory:; default ./sens.db ($SENS_DATA)" },
  reasoning: { type: "string", value: "LEVEL", help: "none, rdfs or owl (OWL 2 RL); default owl ($SENS_REASONING)" },
  ontology: {
    type: "string",
    multiple: true,
    value: "FILE",
    help: "ontology document to reason by; again for more ($SENS_ONTOLOGY, separated by commas)",
  },
  "default-graph": {
    type: "string",
    value: "WHICH",
    help: "own (as SPARQL says) or union of all graphs; default own ($SENS_DEFAULT_GRAPH)",
  },
  "allowed-origin": {
    type: "string",
    multiple: true,
    value: "ORIGIN",
    help: "web origin that may use the server ($SENS_ALLOWED_ORIGIN, commas)",
  },
  "allowed-host": {
    type: "string",
    multiple: true,
    value: "HOST",
    help: "further name of the server in addresses ($SENS_ALLOWED_HOST, commas)",
  },
  "max-connections": { type: "string", value: "N", help: "connections at a time; default 1024 ($SENS_MAX_CONNECTIONS)" },
  "max-subscriptions": { type: "string", value: "N", help: "subscriptions; default 200000 ($SENS_MAX_SUBSCRIPTIONS)" },
  "max-waits": { type: "string", value: "N", help: "receives and removes that wait; default 100000 ($SENS_MAX_WAITS)" },
  "max-body": { type: "string", value: "MIB", help: "largest body or frame, in MiB; default 64 ($SENS_MAX_BODY)" },
  "max-memory": {
    type: "string",
    value: "MIB",
    help: "memory for quads, terms and results, in MiB; default three quarters of the machine's ($SENS_MAX_MEMORY)",
  },
  restored: { type: "boolean", help: "the database file is a copy brought back: begin a new epoch, old cursors are refused" },
  "log-level": { type: "string", value: "LEVEL", help: "debug, info, warn, error or silent; default warn ($SENS_LOG_LEVEL)" },
} as const satisfies Record<string, OptionSpec>;

/** Throws SENS_CONFIG with the name of the option, or of the variable it came from. */
export function readServeOptions(invocation: Invocation): ServeOptions {
  const { env } = invocation.io;
  const given = (name: string): readonly [string, string] | undefined => {
    const value = invocation.text(name);
    if (value !== undefined) return [value, `--${name}`];
    const variable = variableOf(name);
    const fromEnv = env[variable];
    return fromEnv === undefined || fromEnv === "" ? undefined : [fromEnv, variable];
  };
  const list = (name: string): readonly string[] => {
    const fromCommand = invocation.texts(name);
    if (fromCommand.length > 0) return fromCommand;
    const entries = (env[variableOf(name)] ?? "").split(",").map((entry) => entry.trim());
    return entries.filter((entry) => entry !== "");
  };
  const data = given("data")?.[0] ?? "./sens.db";
  const restored = invocation.flag("restored");
  if (restored && data === ":memory:") {
    throw new SensError("SENS_CONFIG", "--restored is about a database file, and :memory: is none. Name the file with --data.");
  }
  return {
    host: given("host")?.[0] ?? "127.0.0.1",
    port: readPort(given("port")),
    data,
    reasoning: readChoice(given("reasoning"), ["none", "rdfs", "owl"], "owl"),
    ontologies: list("ontology"),
    defaultGraph: readChoice(given("default-graph"), ["own", "union"], "own"),
    tokens: env.SENS_TOKENS === undefined || env.SENS_TOKENS === "" ? undefined : env.SENS_TOKENS,
    allowedOrigins: list("allowed-origin"),
    allowedHosts: list("allowed-host"),
    logLevel: readChoice(given("log-level"), LOG_LEVELS, "warn"),
    restored,
    limits: {
      ...limit("connectionsMax", readCount(given("max-connections"), COUNT_MAX)),
      ...limit("subscriptionsMax", readCount(given("max-subscriptions"), COUNT_MAX)),
      ...limit("waitsMax", readCount(given("max-waits"), COUNT_MAX)),
      ...limit("bodyBytesMax", readCount(given("max-body"), BODY_MIB_MAX), MIB),
      ...limit("memoryBytesMax", readCount(given("max-memory"), COUNT_MAX), MIB),
    },
  };
}

/** `--default-graph` is SENS_DEFAULT_GRAPH in the environment. */
function variableOf(name: string): string {
  return `SENS_${name.replaceAll("-", "_").toUpperCase()}`;
}

function readPort(given: readonly [string, string] | undefined): number {
  if (!given) return 7007;
  const [value, source] = given;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65535) return Number(value);
  throw new SensError("SENS_CONFIG", `${source} must be a port from 0 to 65535, not ${quoteInput(value)}.`);
}

function readCount(given: readonly [string, string] | undefined, max: number): number | undefined {
  if (!given) return undefined;
  const [value, source] = given;
  if (/^\d{1,8}$/.test(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
  throw new SensError("SENS_CONFIG", `${source} must be a whole number from 1 to ${max}, not ${quoteInput(value)}.`);
}

function limit(name: keyof Limits, count: number | undefined, unit = 1): Partial<Limits> {
  return count === undefined ? {} : { [name]: count * unit };
}

function readChoice<T extends string>(given: readonly [string, string] | undefined, choices: readonly T[], otherwise: T): T {
  if (!given) return otherwise;
  const [value, source] = given;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new SensError("SENS_CONFIG", `${source} must be ${choices.join(" or ")}, not ${quoteInput(value)}.`);
}
