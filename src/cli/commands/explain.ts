/** `sens explain`: why a statement holds. */
import { formatProof } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, JSON_OPTION } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { queryText } from "../rdf-file.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "show what a statement follows from",
  arguments: "STATEMENT",
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    depth: { type: "string", value: "N", help: "steps to go back at most" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details: "STATEMENT is one line of N-Triples, @FILE or -. Exit code 4 when it does not hold.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const statement = await queryText(invocation.args[0] as string, invocation.io);
      const proof = await client.explain(statement, { depthMax: invocation.number("depth", 1, 1000), signal: invocation.io.interrupted });
      invocation.io.out(invocation.json ? `${JSON.stringify(proof)}\n` : formatProof(proof));
      return proof.kind === "unknown" ? EXIT.nothing : EXIT.ok;
    }),
};
