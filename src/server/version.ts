/** The version of the package, from the one place that states it: package.json, two folders up in `src/` and in `dist/`. */
import { readFileSync } from "node:fs";

interface Manifest {
  readonly version: string;
}

export const VERSION: string = (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest).version;
