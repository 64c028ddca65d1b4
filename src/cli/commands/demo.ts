/** `sens demo`: a server in memory, the scenario played against it, and whether all of it held. */
import { fileURLToPath } from "node:url";
import type { Command } from "../command.ts";
import { playScenario } from "../demo/scenario.ts";
import { EXIT } from "../exit-code.ts";
import { readOntologyFiles } from "../ontology-files.ts";

/** The same from src/cli/commands and from dist/cli/commands. */
const FAMILY_ONTOLOGY = fileURLToPath(new URL("../../../ontologies/family.ttl", import.meta.url));

export const demoCommand: Command = {
  name: "demo",
  summary: "play the story of Randy against a server of its own, in seconds",
  arguments: "",
  argumentsMin: 0,
  argumentsMax: 0,
  options: {},
  details: "Exit code 0 only when everything happened as told.",
  async run({ io }) {
    const { startServer } = await import("../../server/index.ts");
    const started = performance.now();
    const server = await startServer({
      host: "127.0.0.1",
      port: 0,
      data: ":memory:",
      reasoning: "owl",
      ontologies: await readOntologyFiles([FAMILY_ONTOLOGY]),
    });
    try {
      io.out(`A server in memory at ${server.url}; it knows ontologies/family.ttl.\n`);
      const { checks, failures } = await playScenario(server.url, (line) => io.out(`${line}\n`));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      io.out(
        `\n${failures === 0 ? `All ${checks} expectations held` : `${failures} of ${checks} expectations did not hold`}, in ${seconds} s.\n`,
      );
      return failures === 0 ? EXIT.ok : EXIT.refused;
    } finally {
      await server.close();
    }
  },
};
