/** A process to be killed: `node storage-child.ts FILE SEED UNTIL`. Prints `ack N` when revision N is durable. */
import { writeSync } from "node:fs";
import { SensError } from "../../src/base/index.ts";
import { openLog, runWorkload } from "./storage-workload.ts";

const [file = "", seed = "1", until = "1000000"] = process.argv.slice(2);
const log = openLog(file);
try {
  const state = await log.open();
  writeSync(1, `open ${state.revision}\n`);
  await runWorkload(log, Number(seed), state.revision, Number(until), (revision) => writeSync(1, `ack ${revision}\n`));
  writeSync(1, "done\n");
} catch (error) {
  if (!(error instanceof SensError)) throw error;
  writeSync(1, `error ${error.code} ${error.message}\n`);
  // What failed once must be refused from now on, unless it was a full disk.
  const again = await log.append([]).then(
    () => "accepted",
    (e: unknown) => (e instanceof SensError ? e.code : String(e)),
  );
  writeSync(1, `again ${again}\n`);
}
await log.close();
