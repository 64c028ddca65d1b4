/** `sens claim`: what workers hold, and dead letters. */
import { writeNQuads } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, JSON_OPTION, usageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { oneLine } from "./one-line.ts";

export const claimCommand: Command = {
  name: "claim",
  summary: "list what is taken and not confirmed; put dead letters back, or drop them",
  arguments: "list | requeue ID | discard ID",
  argumentsMin: 1,
  argumentsMax: 2,
  options: {
    state: { type: "string", value: "STATE", help: "list only held (with a worker) or dead (dead letters)" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details: "What was given back too often is put aside as a dead letter. requeue asserts it again; discard forgets it.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const { io, json, args } = invocation;
      const [action, argument] = args;
      if (action === "list" && argument === undefined) {
        for (const { quads, ...claim } of await client.claims({ state: invocation.choice("state", ["held", "dead"]) })) {
          const text = writeNQuads(quads);
          const line = [claim.claim, claim.state, `${claim.deliveries} deliveries`, oneLine(text)].join("\t");
          io.out(json ? `${JSON.stringify({ ...claim, quads: text })}\n` : `${line}\n`);
        }
        return EXIT.ok;
      }
      if (action === "requeue" && argument !== undefined) {
        const { cursor, added } = await client.requeue(argument);
        io.out(json ? `${JSON.stringify({ cursor, added })}\n` : `added ${added}\n`);
        return EXIT.ok;
      }
      if (action === "discard" && argument !== undefined) {
        await client.discard(argument);
        return EXIT.ok;
      }
      throw usageError(invocation.command, `Needs ${invocation.command.arguments}.`);
    }),
};
