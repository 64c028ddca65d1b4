/** Reads the JSON report of a test run: one entry per test, and the files that broke before or outside their tests. */
import { readFileSync } from "node:fs";

export interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly fullName: string;
  readonly status: "passed" | "failed" | "skipped";
}

export interface TestReport {
  readonly tests: readonly TestResult[];
  readonly files: number;
  /** Files that failed without a failed test: an import that does not resolve, a hook that threw. */
  readonly brokenFiles: readonly string[];
}

/** The part of the reporter's format that is read here. */
interface ReportJson {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly title: string; readonly fullName: string; readonly status: string }[];
  }[];
}

export function readTestReport(path: string, shortName: (file: string) => string = (file) => file): TestReport {
  const json = JSON.parse(readFileSync(path, "utf8")) as ReportJson;
  const tests = json.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      file: shortName(file.name),
      title: test.title,
      fullName: test.fullName.trim(),
      status: statusOf(test.status),
    })),
  );
  const brokenFiles = json.testResults
    .filter((file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
    .map((file) => shortName(file.name));
  return { tests, files: json.testResults.length, brokenFiles };
}

function statusOf(status: string): TestResult["status"] {
  if (status === "passed" || status === "failed") return status;
  return "skipped";
}
