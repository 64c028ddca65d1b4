/** `sens insertion`: continuous insertions. */
import { CONNECTION_OPTIONS, type Command, JSON_OPTION, usageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { queryText } from "../rdf-file.ts";
import { oneLine } from "./one-line.ts";

export const insertionCommand: Command = {
  name: "insertion",
  summary: "keep the result of a CONSTRUCT query in the knowledge base",
  arguments: "add QUERY | list | delete ID or NAME",
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    name: { type: "string", value: "NAME", help: "name of the insertion" },
    mode: { type: "string", value: "MODE", help: "while (default): as long as it holds; once: stated, and stays" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details: "QUERY is the text, @FILE or - for standard input.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const { io, json, args } = invocation;
      const [action, argument] = args;
      if (action === "list" && argument === undefined) {
        const all = await client.insertions();
        for (const one of all) {
          const state = one.suspended === undefined ? "" : `\tsuspended: ${one.suspended}`;
          io.out(json ? `${JSON.stringify(one)}\n` : `${one.insertion}\t${one.mode}\t${oneLine(one.query)}${state}\n`);
        }
        return EXIT.ok;
      }
      if (action === "delete" && argument !== undefined) {
        await client.unregisterInsertion(argument);
        return EXIT.ok;
      }
      if (action === "add" && argument !== undefined) {
        const query = await queryText(argument, io);
        const status = await client.registerInsertion(query, {
          name: invocation.text("name"),
          mode: invocation.choice("mode", ["while", "once"]),
        });
        io.out(json ? `${JSON.stringify(status)}\n` : `${status.insertion}\n`);
        return EXIT.ok;
      }
      throw usageError(invocation.command, `Needs ${invocation.command.arguments}.`);
    }),
};
