/** Help, made from the commands themselves. */
import type { Command, OptionSpec } from "./command.ts";

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    "sens: a knowledge-event server, and its clients",
    "",
    "Usage: sens COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    ...lines,
    `  ${"help".padEnd(width)}  show this, or help for a command`,
    `  ${"version".padEnd(width)}  show the version`,
    "",
    "Exit codes: 0 done, 1 refused, 2 usage or configuration, 3 damaged data, 4 nothing or time is up,",
    "5 no server answers, 6 the disk failed under a server, 130 interrupted.",
    "",
  ].join("\n");
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, spec]): readonly [string, string] => [spelling(name, spec), spec.help]);
  const width = Math.max(0, ...options.map(([name]) => name.length));
  return [
    `sens ${command.name}: ${command.summary}`,
    "",
    `Usage: sens ${command.name}${command.arguments ? ` ${command.arguments}` : ""} [OPTIONS]`,
    "",
    ...options.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
    ...(command.details ? ["", command.details] : []),
    "",
  ].join("\n");
}

function spelling(name: string, spec: OptionSpec): string {
  return spec.type === "boolean" ? `--${name}` : `--${name} ${spec.value ?? "VALUE"}${spec.multiple ? "..." : ""}`;
}
