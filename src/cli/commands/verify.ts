/** `sens verify`: reads a whole database file and checks it. */
import { type Command, JSON_OPTION } from "../command.ts";
import { EXIT } from "../exit-code.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "check a database file",
  arguments: "FILE",
  argumentsMin: 1,
  argumentsMax: 1,
  options: JSON_OPTION,
  details: "Exit code 3 when it is damaged. A server may be using the file meanwhile.",
  async run({ args, io, json }) {
    const { verifyFile } = await import("../../server/index.ts");
    const report = await verifyFile(args[0] as string);
    if (json) io.out(`${JSON.stringify(report)}\n`);
    else if (report.ok) io.out(`${args[0]} is whole: ${report.transactions} transactions up to revision ${report.revision}\n`);
    else for (const problem of report.problems) io.err(`sens: ${problem}\n`);
    return report.ok ? EXIT.ok : EXIT.damaged;
  },
};
