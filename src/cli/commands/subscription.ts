/** `sens subscription`: which there are, and their end. */
import { CONNECTION_OPTIONS, type Command, JSON_OPTION, usageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { oneLine } from "./one-line.ts";

export const subscriptionCommand: Command = {
  name: "subscription",
  summary: "list the subscriptions of the server, or end one",
  arguments: "list | delete ID or NAME",
  argumentsMin: 1,
  argumentsMax: 2,
  options: { ...JSON_OPTION, ...CONNECTION_OPTIONS },
  details: "A subscription with a name stays until it is deleted here or by a client that unsubscribes.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const { io, json, args } = invocation;
      const [action, argument] = args;
      if (action === "list" && argument === undefined) {
        for (const one of await client.subscriptions()) {
          const line = [one.subscription, one.name ?? "-", one.mode, `${one.attached} attached`, one.cursor, oneLine(one.query)].join("\t");
          io.out(json ? `${JSON.stringify(one)}\n` : `${line}\n`);
        }
        return EXIT.ok;
      }
      if (action === "delete" && argument !== undefined) {
        await client.unsubscribe(argument);
        return EXIT.ok;
      }
      throw usageError(invocation.command, `Needs ${invocation.command.arguments}.`);
    }),
};
