/** One case in a process of its own: settings in as an argument, the outcome out as a message to the runner. */

import type { BenchCase } from "./cases.ts";
import { makeContender } from "./contenders/make.ts";
import { measureDelete } from "./measure/delete.ts";
import { measureLoad } from "./measure/load.ts";
import { measureNotify } from "./measure/notify.ts";
import type { Outcome } from "./measure/outcome.ts";
import { measureStore } from "./measure/store.ts";
import { HORN_SHAPES } from "./workload/subscriptions.ts";

async function run(settings: BenchCase): Promise<Outcome> {
  const { contender, table } = settings;
  const make = () => makeContender(contender, table === "notify" || table === "surface");
  switch (table) {
    case "load":
      return measureLoad(make, settings);
    case "notify":
    case "surface":
      return measureNotify(make, settings, contender === "n3" ? HORN_SHAPES : undefined);
    case "delete":
      return measureDelete(make, settings);
    case "store":
      return measureStore(settings);
  }
}

const outcome = await run(JSON.parse(process.argv[2] ?? "{}") as BenchCase);
process.send?.(outcome, () => process.exit(0));
