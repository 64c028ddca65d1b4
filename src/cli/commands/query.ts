/** `sens query` and `sens update`: SPARQL, once. */
import type * as RDF from "@rdfjs/types";
import { type Bindings, type QueryResult, writeNQuads, writeTerm } from "../../client/index.ts";
import { CONNECTION_OPTIONS, type Command, JSON_OPTION } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { queryText } from "../rdf-file.ts";
import { changeLine } from "./documents.ts";

export const queryCommand: Command = {
  name: "query",
  summary: "answer a SPARQL query once",
  arguments: "QUERY",
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    timeout: { type: "string", value: "MS", help: "time the server may take; default 5000" },
    "at-least": { type: "string", value: "CURSOR", help: "answer from this cursor or later" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details:
    "QUERY is the text, @FILE or - for standard input. SELECT gives tab-separated terms (SPARQL JSON results with --json),\n" +
    "CONSTRUCT and DESCRIBE give N-Triples, ASK gives true or false.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const result = await client.query(await queryText(invocation.args[0] as string, invocation.io), {
        timeoutMs: invocation.number("timeout", 1, 300_000),
        atLeast: invocation.text("at-least"),
        signal: invocation.io.interrupted,
      });
      invocation.io.out(invocation.json ? `${JSON.stringify(jsonOf(result))}\n` : textOf(result));
      return EXIT.ok;
    }),
};

export const updateCommand: Command = {
  name: "update",
  summary: "run a SPARQL update as one event",
  arguments: "UPDATE",
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    key: { type: "string", value: "KEY", help: "idempotency key: the same key and update have effect once" },
    ...JSON_OPTION,
    ...CONNECTION_OPTIONS,
  },
  details: "UPDATE is the text, @FILE or - for standard input.",
  run: (invocation) =>
    invocation.withClient(async (client) => {
      const update = await queryText(invocation.args[0] as string, invocation.io);
      const answer = await client.update(update, { key: invocation.text("key"), signal: invocation.io.interrupted });
      invocation.io.out(invocation.json ? `${JSON.stringify(answer)}\n` : changeLine(answer));
      return EXIT.ok;
    }),
};

function textOf(result: QueryResult): string {
  switch (result.form) {
    case "ask":
      return `${result.boolean}\n`;
    case "construct":
      return writeNQuads(result.quads);
    case "select": {
      const lines = result.rows.map((row) => result.variables.map((name) => cell(row.get(name))).join("\t"));
      return `${[result.variables.map((name) => `?${name}`).join("\t"), ...lines].join("\n")}\n`;
    }
  }
}

/** As in SPARQL 1.1 Query Results TSV; N-Triples strings hold no tab and no line end. */
function cell(term: RDF.Term | undefined): string {
  return term ? writeTerm(term) : "";
}

function jsonOf(result: QueryResult): object {
  switch (result.form) {
    case "ask":
      return { head: {}, boolean: result.boolean };
    case "construct":
      return { result: writeNQuads(result.quads) };
    case "select":
      return { head: { vars: result.variables }, results: { bindings: result.rows.map(rowJson) } };
  }
}

function rowJson(row: Bindings): object {
  return Object.fromEntries([...row].map(([name, term]) => [name, termJson(term)]));
}

function termJson(term: RDF.Term): object {
  switch (term.termType) {
    case "NamedNode":
      return { type: "uri", value: term.value };
    case "Literal":
      if (term.language)
        return { type: "literal", value: term.value, "xml:lang": term.language, ...(term.direction && { "its:dir": term.direction }) };
      if (term.datatype.value === "http://www.w3.org/2001/XMLSchema#string") return { type: "literal", value: term.value };
      return { type: "literal", value: term.value, datatype: term.datatype.value };
    case "Quad":
      return {
        type: "triple",
        value: { subject: termJson(term.subject), predicate: termJson(term.predicate), object: termJson(term.object) },
      };
    case "BlankNode":
    case "Variable":
    case "DefaultGraph":
      return { type: "bnode", value: term.value };
  }
}
