/**
 * A whole knowledge base in a process whose disk is recorded: `node server-child.ts FILE UNTIL`. Publishes items, several at
 * a time, and prints `ack N` when item N is acknowledged. Claims, a durable subscription and an ontology document take part.
 */
import { writeSync } from "node:fs";
import { createKnowledgeBase } from "../../src/events/index.ts";
import { ITEM_SCHEMA, itemDocument } from "./server-items.ts";

const WRITERS = 3;
const [file = "", until = "100"] = process.argv.slice(2);
const service = await createKnowledgeBase({
  data: file,
  reasoning: "owl",
  ontologies: [{ name: "items", contentType: "text/turtle", content: ITEM_SCHEMA }],
});
const session = service.openSession();
await session.subscribe({ name: "things", query: "CONSTRUCT { ?s a <http://e/Told> } WHERE { ?s a <http://example.org/item#Thing> }" });
let next = 1;

async function write(): Promise<void> {
  while (next <= Number(until)) {
    const number = next++;
    await session.publish({ data: itemDocument(number), key: `item-${number}` });
    writeSync(1, `ack ${number}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, write));
await service.close();
writeSync(1, "done\n");
