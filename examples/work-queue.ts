/**
 * A work queue without a queue: tasks are triples, workers take them. A worker that dies gives its task back, because what
 * is taken is only gone when it is confirmed. Run it against a server: node examples/work-queue.ts [URL]
 */
import { connect } from "../src/client/index.ts"; // in your own project: from "sens/client"

const url = process.argv[2] ?? process.env.SENS_URL ?? "http://127.0.0.1:7007";
const TASK = `
  PREFIX : <http://example.org/work#>
  CONSTRUCT { ?task :toDo ?what } WHERE { ?task :toDo ?what } LIMIT 1`;

const producer = await connect(url);
await producer.update(`
  PREFIX : <http://example.org/work#>
  INSERT DATA { :task1 :toDo "wash" . :task2 :toDo "dry" . :task3 :toDo "fold" }`);

// One worker takes a task and is never heard of again; its lease is short.
const unlucky = await connect(url);
const lost = await unlucky.take(TASK, { leaseMs: 1_000 });
console.log(`a worker dies over: ${lost?.quads[0]?.object.value}`);
unlucky.close();

const done: string[] = [];
await Promise.all([work("Ann"), work("Bob")]);
console.log(`done: ${done.sort().join(", ")}`);
producer.close();

/** Works until there has been nothing to do for a while. */
async function work(worker: string): Promise<void> {
  const client = await connect(url);
  for (;;) {
    const taken = await client.take(TASK, { timeoutMs: 3_000, leaseMs: 30_000 });
    if (!taken) break;
    const what = taken.quads[0]?.object.value ?? "";
    console.log(`${worker}: ${what}${taken.deliveries > 1 ? " (given out before)" : ""}`);
    done.push(what);
    await taken.confirm(); // only now is it gone
  }
  client.close();
}
