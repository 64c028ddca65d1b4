/** The thread that owns the database file, so that a sync of the disk never holds up the server's event loop. */
import { parentPort, workerData } from "node:worker_threads";
import { assert, packError } from "../base/index.ts";
import { LogCore } from "./log-core.ts";
import { invoke, type LogOperation } from "./log-port.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { verifyStore } from "./verify-store.ts";
import type { WorkerAnswer, WorkerRequest, WorkerTask } from "./worker-messages.ts";

assert(parentPort, "the storage worker is started by the server, not by itself");
const port = parentPort;
const task = workerData as WorkerTask;
if (task.task === "serve") serve(new LogCore(new SqliteStore(task.file), task.limits));
else answer(0, () => verifyReadOnly(task.file));

function serve(core: LogCore): void {
  port.on("message", (request: WorkerRequest) => {
    answer(request.id, () => {
      if (request.operation !== "close") return invoke(core, request.operation, request.args as Parameters<LogCore[LogOperation]>);
      core.close();
      return undefined;
    });
    if (request.operation === "close") port.close();
  });
}

/** The mark is read before the database: an append between the two leaves the mark behind, never ahead. */
function verifyReadOnly(file: string): unknown {
  const store = new SqliteStore(file, true);
  const mark = store.readMark();
  store.open();
  try {
    return verifyStore(store, mark);
  } finally {
    store.close();
  }
}

function answer(id: number, body: () => unknown): void {
  let message: WorkerAnswer;
  try {
    message = { id, ok: true, value: body() };
  } catch (error) {
    message = { id, ok: false, error: packError(error) };
  }
  port.postMessage(message);
}
