/**
 * `npm run test:full`: every test, the long ones included. Fails when a test fails, and also when one is skipped without a listed
 * reason: a suite whose input is absent must not pass for a suite that ran.
 *
 * A `skipped.tsv` anywhere under test/ lists `<name of the test> TAB <reason>`, where the name is the test's title, its full name,
 * or `<file>: <full name>`. The lists only shrink: an entry that matches no skipped test fails the run too.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { readTestReport, type TestResult } from "./test-report.ts";

const REPORT = "reports/full.json";

interface ListedSkip {
  readonly list: string;
  readonly name: string;
  readonly reason: string;
}

function listedSkips(): ListedSkip[] {
  return globSync("test/**/skipped.tsv").flatMap((list) => {
    const lines = readFileSync(list, "utf8").split("\n");
    return lines
      .filter((line) => line.trim() !== "" && !line.startsWith("#"))
      .map((line) => {
        const [name, reason] = line.split("\t");
        if (!name?.trim() || !reason?.trim()) throw new Error(`${list}: "${line}" is not <name> TAB <reason>.`);
        return { list, name: name.trim(), reason: reason.trim() };
      });
  });
}

function isNamedBy(test: TestResult, skip: ListedSkip): boolean {
  return skip.name === test.title || skip.name === test.fullName || skip.name === `${test.file}: ${test.fullName}`;
}

/** Names what is skipped and not listed, and what is listed and not skipped. */
function skipProblems(skipped: readonly TestResult[], listed: readonly ListedSkip[]): string[] {
  const unlisted = skipped.filter((test) => !listed.some((skip) => isNamedBy(test, skip)));
  const idle = listed.filter((skip) => !skipped.some((test) => isNamedBy(test, skip)));
  return [
    ...unlisted.map((test) => `skipped without a listed reason: ${test.file}: ${test.fullName}`),
    ...idle.map((skip) => `${skip.list} lists what was not skipped, remove it: ${skip.name}`),
  ];
}

rmSync(REPORT, { force: true });
const started = performance.now();
const run = spawnSync("vitest", ["run"], { stdio: "inherit", env: { ...process.env, SENS_FULL: "1", SENS_REPORT: "full" } });
if (run.error)
  throw new Error("vitest could not be started. Use npm run test:full, which puts node_modules/.bin on the path.", { cause: run.error });

const report = readTestReport(REPORT, (path) => relative(process.cwd(), path));
const skipped = report.tests.filter((test) => test.status === "skipped");
const problems = skipProblems(skipped, listedSkips());
for (const problem of problems) console.error(problem);

const seconds = ((performance.now() - started) / 1000).toFixed(0);
const count = (status: TestResult["status"]): number => report.tests.filter((test) => test.status === status).length;
console.log(`full: ${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped in ${report.files} files, ${seconds} s`);
process.exitCode = run.status === 0 && problems.length === 0 && report.brokenFiles.length === 0 ? 0 : 1;
