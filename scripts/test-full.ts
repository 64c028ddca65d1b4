/**
 * `npm run test:full`: every test, the long ones included. Fails when a test fails, and also when one is skipped that
 * `test/skipped.tsv` does not list, or listed and not skipped: a suite that did not run must not pass for one that ran.
 *
 * Tests whose input is kept outside the repository are skipped, and named, where it is absent. With `--inputs-required`
 * they fail the run.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { relative } from "node:path";
import { type ListedSkip, listedSkips, SKIP_LIST } from "../test/skip-list.ts";
import { readTestReport, type TestResult } from "./test-report.ts";

const REPORT = "reports/full.json";

function isNamedBy(test: TestResult, { test: name }: ListedSkip): boolean {
  const names = [test.title, test.fullName, `${test.file}: ${test.fullName}`];
  return name.endsWith("*") ? names.some((each) => each.startsWith(name.slice(0, -1))) : names.includes(name);
}

/** Names what is skipped and not listed, and what is listed and not skipped. */
function skipProblems(skipped: readonly TestResult[], listed: readonly ListedSkip[], inputsRequired: boolean): string[] {
  const problems: string[] = [];
  for (const test of skipped) {
    const line = listed.find((skip) => isNamedBy(test, skip));
    const name = `${test.file}: ${test.fullName}`;
    if (!line) problems.push(`skipped without a listed reason: ${name}`);
    else if (line.when === "absent" && inputsRequired) problems.push(`skipped, and its input is required: ${name}`);
    else if (line.when !== "always" && line.when !== "present") console.warn(`SKIPPED: ${name}: ${line.reason}`);
  }
  for (const line of listed) {
    if (line.when !== "maybe" && !skipped.some((test) => isNamedBy(test, line)))
      problems.push(`${SKIP_LIST} lists what was not skipped, remove it: ${line.test}`);
  }
  return problems;
}

rmSync(REPORT, { force: true });
const started = performance.now();
const run = spawnSync("vitest", ["run"], { stdio: "inherit", env: { ...process.env, SENS_FULL: "1", SENS_REPORT: "full" } });
if (run.error)
  throw new Error("vitest could not be started. Use npm run test:full, which puts node_modules/.bin on the path.", { cause: run.error });

const report = readTestReport(REPORT, (path) => relative(process.cwd(), path));
const skipped = report.tests.filter((test) => test.status === "skipped");
const listed = listedSkips().filter((line) => line.counts);
const problems = skipProblems(skipped, listed, process.argv.includes("--inputs-required"));
for (const problem of problems) console.error(problem);

const seconds = ((performance.now() - started) / 1000).toFixed(0);
const count = (status: TestResult["status"]): number => report.tests.filter((test) => test.status === status).length;
console.log(`full: ${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped in ${report.files} files, ${seconds} s`);
process.exitCode = run.status === 0 && problems.length === 0 && report.brokenFiles.length === 0 ? 0 : 1;
