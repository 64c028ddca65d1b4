/** `sens ontology` and `sens rule`: documents kept under a name. */
import type { ChangeAnswer, SensClient } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, type Invocation, JSON_OPTION, usageError } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { contentTypeOf, openDocument } from "../rdf-file.ts";
import { changeLine } from "./documents.ts";

interface Shelf {
  readonly put: (client: SensClient, name: string, file: AsyncIterable<Uint8Array>, contentType: string) => Promise<ChangeAnswer>;
  readonly get: (client: SensClient, name: string) => Promise<{ readonly content: string }>;
  readonly delete: (client: SensClient, name: string) => Promise<ChangeAnswer>;
  readonly list: (client: SensClient) => Promise<readonly string[]>;
}

const optionsOf = (types: string) =>
  ({
    type: { type: "string", value: "TYPE", help: `${types} or a media type; default by file name` },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  }) as const satisfies Command["options"];

export const ontologyCommand: Command = {
  name: "ontology",
  summary: "keep ontology documents, by whose axioms the server reasons",
  arguments: "put NAME FILE | get NAME | delete NAME | list",
  argumentsMin: 1,
  argumentsMax: 3,
  options: optionsOf("ttl, rdf, jsonld"),
  run: (invocation) =>
    act(invocation, {
      put: (client, name, file, contentType) => client.putOntology(name, file, { contentType }),
      get: (client, name) => client.getOntology(name),
      delete: (client, name) => client.deleteOntology(name),
      list: (client) => client.ontologies(),
    }),
};

export const ruleCommand: Command = {
  name: "rule",
  summary: "keep documents of N3 rules, by which the server reasons",
  arguments: "put NAME FILE | get NAME | delete NAME | list",
  argumentsMin: 1,
  argumentsMax: 3,
  options: optionsOf("n3"),
  run: (invocation) =>
    act(invocation, {
      put: (client, name, file, contentType) => client.putRule(name, file, { contentType }),
      get: (client, name) => client.getRule(name),
      delete: (client, name) => client.deleteRule(name),
      list: (client) => client.rules(),
    }),
};

function act(invocation: Invocation, shelf: Shelf): Promise<number> {
  const [action, name, path] = invocation.args;
  const { io, json } = invocation;
  const change = (answer: ChangeAnswer): void =>
    io.out(json ? `${JSON.stringify(answer)}\n` : changeLine(answer, "no statement came or went"));
  return invocation.withClient(async (client) => {
    if (action === "list" && name === undefined) {
      const names = await shelf.list(client);
      io.out(json ? `${JSON.stringify(names)}\n` : names.map((one) => `${one}\n`).join(""));
    } else if (action === "get" && name !== undefined && path === undefined) {
      const document = await shelf.get(client, name);
      io.out(json ? `${JSON.stringify(document)}\n` : document.content);
    } else if (action === "delete" && name !== undefined && path === undefined) change(await shelf.delete(client, name));
    else if (action === "put" && name !== undefined && path !== undefined) {
      change(await shelf.put(client, name, openDocument(path, io), contentTypeOf(path, invocation.text("type"))));
    } else throw usageError(invocation.command, `Needs ${invocation.command.arguments}.`);
    return EXIT.ok;
  });
}
