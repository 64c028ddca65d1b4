/** What people read when a document is refused: the place, the value, and what to do. */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SensError } from "../../src/base/index.ts";
import { BlankNodeScope, parseDocument, ServerLabels, TermDictionary } from "../../src/rdf/index.ts";

const REFUSED: readonly (readonly [contentType: string, text: string])[] = [
  ["application/n-triples", "<http://e/s> <http://e/p> <http://e/o>\n"],
  ["application/n-triples", '<http://e/s> <http://e/p> "open\n'],
  ["application/n-triples", "<http://e/s> <http://e/p q> <http://e/o> .\n"],
  ["application/n-triples", "<s> <http://e/p> <http://e/o> .\n"],
  ["application/n-triples", "<http://e/s> _:p <http://e/o> .\n"],
  ["application/n-triples", '<http://e/s> <http://e/p> "\\q" .\n'],
  ["application/n-triples", "<_:nobody> <http://e/p> <http://e/o> .\n"],
  ["text/turtle", "@prefix e: <http://e/> .\ne:s e:p x:o .\n"],
  ["text/turtle", "<http://e/s> <http://e/p> <rel> .\n"],
  ["text/turtle", "<http://e/s> <http://e/p> << <http://e/a> <http://e/b> 1 >> .\n"],
  ["text/turtle", "<http://e/s> <http://e/p> <http://e/{x}> .\n"],
  ["application/ld+json", '{"@id":"http://e/s","name":"x"}'],
  ["application/ld+json", '{"@id":"http://e/s","http://e/p":1,"http://e/p":2}'],
  ["application/ld+json", '{"@context":"https://schema.org/","@id":"http://e/s"}'],
  ["application/ld+json", '{"@id":"http://e/s",}'],
  ["application/rdf+xml", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///x">]><r/>'],
  [
    "application/rdf+xml",
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="http://e/a b"/></rdf:RDF>',
  ],
  ["text/plain", "x"],
  ["text/turtle; charset=latin1", "x"],
];

it("refusals read as they did", async () => {
  let text = "";
  for (const [contentType, document] of REFUSED) {
    const options = { contentType, dictionary: new TermDictionary(), blankNodes: new BlankNodeScope(new ServerLabels("g", () => false)) };
    const error = await parseDocument(Buffer.from(document), options).then(
      () => undefined,
      (reason: unknown) => reason as SensError,
    );
    text += `${contentType}: ${JSON.stringify(document)}\n  ${error?.code} ${error?.message}\n`;
  }
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "rdf-messages.txt"));
});
