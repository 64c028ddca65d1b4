/**
 * Sums the reports of several test runs: `node scripts/test-totals.ts check unit full`. Its last line is `N passed, N failed`;
 * a missing report and a file that broke outside its tests count as failures.
 */
import { existsSync } from "node:fs";
import { readTestReport } from "./test-report.ts";

let passed = 0;
let failed = 0;
for (const name of process.argv.slice(2)) {
  const path = `reports/${name}.json`;
  if (!existsSync(path)) {
    console.log(`${name}: no report, the run did not get that far`);
    failed++;
    continue;
  }
  const { tests, brokenFiles } = readTestReport(path);
  const passedHere = tests.filter((test) => test.status === "passed").length;
  const failedHere = tests.filter((test) => test.status === "failed").length + brokenFiles.length;
  console.log(
    `${name}: ${passedHere} passed, ${failedHere} failed, ${tests.length - passedHere - failedHere + brokenFiles.length} skipped`,
  );
  passed += passedHere;
  failed += failedHere;
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
