/**
 * `test/skipped.tsv`: every test that may be skipped, with the reason; the list only shrinks. One line each:
 *
 *     <test> TAB <reason> [TAB present <path> | absent <path> | maybe]
 *
 * The test is its title, its full name or `<file>: <full name>`; `*` at the end stands for any rest. A line with `present` or
 * `absent` counts only where that path (seen from the repository) is or is not there. A line that counts is a promise: its
 * test is skipped. With `maybe` it depends on the machine.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
export const SKIP_LIST = "test/skipped.tsv";

export interface ListedSkip {
  readonly test: string;
  readonly reason: string;
  readonly when: "always" | "present" | "absent" | "maybe";
  /** Whether the line counts here. */
  readonly counts: boolean;
}

export function listedSkips(): ListedSkip[] {
  const lines = readFileSync(join(REPOSITORY, SKIP_LIST), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "" && !line.startsWith("#")).map(readLine);
}

function readLine(line: string): ListedSkip {
  const [test = "", reason = "", condition = "always"] = line.split("\t");
  const [, when, path] = /^(always|maybe|(?:present|absent)(?= (\S+)$))/.exec(condition) ?? [];
  if (!test.trim() || !reason.trim() || when === undefined)
    throw new Error(`${SKIP_LIST}: "${line}" is not <test> TAB <reason> [TAB present <path> | absent <path> | maybe].`);
  const counts = path === undefined || existsSync(join(REPOSITORY, path)) === (when === "present");
  return { test, reason, when: when as ListedSkip["when"], counts };
}

let reasons: Map<string, string> | undefined;

/** Why the test of that title is not run, when the list names it. */
export function skipReason(title: string): string | undefined {
  reasons ??= new Map(listedSkips().map(({ test, reason }) => [test, reason]));
  return reasons.get(title);
}
