import { defineConfig } from "vitest/config";

/**
 * Two projects, one of which runs: `unit` (what `npm test` and `npm run check` run, within about three minutes on two cores) and,
 * with SENS_FULL=1, `full`: the same and the long ones. Property tests then draw more cases.
 * SENS_REPORT names the report files under reports/. Time-outs end what hangs; they are long, for the machine may be busy.
 */
const full = process.env.SENS_FULL === "1";
const report = process.env.SENS_REPORT ?? (full ? "full" : "unit");
const ignored = ["**/node_modules/**", "dist/**", "reports/**"];
const long = ["test/faults/**", "test/conformance/**", "test/packaging/**", "**/*.long.test.ts"];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: full ? "full" : "unit",
          environment: "node",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: full ? ignored : [...ignored, ...long],
          setupFiles: full ? ["test/long-property-runs.ts"] : [],
          pool: "forks",
          testTimeout: full ? 120_000 : 60_000,
          hookTimeout: full ? 120_000 : 60_000,
        },
      },
    ],
    maxWorkers: 2,
    reporters: ["default", "json", "junit"],
    outputFile: { json: `reports/${report}.json`, junit: `reports/${report}.junit.xml` },
  },
});
