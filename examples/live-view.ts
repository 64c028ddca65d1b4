/**
 * A view that is always current: the initial result, then what is added and removed, and a fresh start should the server
 * no longer know what was missed. Run it against a server: node examples/live-view.ts [URL]
 */
import { connect, type Notification, writeNQuad } from "../src/client/index.ts"; // in your own project: from "sens/client"

const client = await connect(process.argv[2] ?? process.env.SENS_URL ?? "http://127.0.0.1:7007");
const view = new Set<string>();

await client.update(`PREFIX : <http://example.org/shop#> INSERT DATA { :tea :stock 3 . :coffee :stock 0 }`);

const available = await client.subscribe(
  `PREFIX : <http://example.org/shop#>
   CONSTRUCT { ?item :isAvailable true } WHERE { ?item :stock ?n FILTER (?n > 0) }`,
  { initial: true, removals: true },
);
const notifications = available[Symbol.asyncIterator]();

await show("at first");
await client.update(`PREFIX : <http://example.org/shop#> DELETE DATA { :coffee :stock 0 } ; INSERT DATA { :coffee :stock 8 }`);
await show("coffee arrives");
await client.update(`PREFIX : <http://example.org/shop#> DELETE DATA { :tea :stock 3 } ; INSERT DATA { :tea :stock 0 }`);
await show("tea is sold");

available.close();
await client.update(`PREFIX : <http://example.org/shop#> DELETE WHERE { ?item :stock ?n }`);
client.close();

async function show(when: string): Promise<void> {
  const { value } = await notifications.next();
  if (value) apply(value);
  const items = [...view].map((line) => line.match(/#(\w+)>/)?.[1]).sort();
  console.log(`${when}: ${items.join(", ")}`);
}

function apply({ initial, reset, added, removed }: Notification): void {
  if (initial || reset) view.clear();
  for (const quad of removed) view.delete(writeNQuad(quad));
  for (const quad of added) view.add(writeNQuad(quad));
}
