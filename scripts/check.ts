/**
 * The one-command check: `npm run check`. Each step is a command of its own; two run at a time, the tests alone at the end.
 * A step that passes prints one line; one that fails prints its output as well. Ends non-zero when any step failed.
 * `npm run check -- lint types` runs only the steps named.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { styleText } from "node:util";

interface Step {
  readonly name: string;
  readonly what: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

const CODE_FOLDERS = ["src", "test", "scripts", "bench", "examples"].filter((folder) => existsSync(folder));

/** Slow ones first, so that two at a time end together. */
const STATIC_STEPS: readonly Step[] = [
  { name: "types", what: "tsc", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "layers", what: "imports point one way", command: ["depcruise", "--output-type", "err-long", ...CODE_FOLDERS] },
  { name: "unused", what: "knip", command: ["knip", "--no-progress", "--no-config-hints"] },
  { name: "lint", what: "format and lint", command: ["biome", "check", "--error-on-warnings", "."] },
  { name: "conventions", what: "what STYLE asks and no linter knows", command: ["node", "scripts/conventions.ts"] },
  { name: "docs", what: "generated pages are current", command: ["node", "scripts/errors-doc.ts", "--check"] },
];

const TESTS: Step = {
  name: "tests",
  what: "unit and property tests",
  command: ["vitest", "run"],
  env: { SENS_REPORT: "check", SENS_FULL: "" },
};

/** The step's command is looked up in node_modules/.bin, which npm puts on the path. */
function run(step: Step): Promise<Outcome> {
  const started = performance.now();
  const [command, ...args] = step.command as [string, ...string[]];
  return new Promise((resolve) => {
    const chunks: string[] = [];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...step.env } });
    child.stdout.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
    const settle = (passed: boolean): void => resolve({ passed, seconds: (performance.now() - started) / 1000, output: chunks.join("") });
    child.on("error", (error) => {
      chunks.push(`${command} could not be started: ${error.message}. Use npm run check, which puts node_modules/.bin on the path.\n`);
      settle(false);
    });
    child.on("close", (code) => settle(code === 0));
  });
}

async function runAndReport(step: Step): Promise<boolean> {
  const outcome = await run(step);
  const mark = outcome.passed ? styleText("green", "ok  ") : styleText("red", "FAIL");
  console.log(`${mark} ${step.name.padEnd(12)} ${outcome.seconds.toFixed(1).padStart(6)} s  ${step.what}`);
  if (!outcome.passed) console.log(outcome.output.trimEnd());
  return outcome.passed;
}

/** Runs the steps two at a time; answers the names of those that failed. */
async function runPairwise(steps: readonly Step[]): Promise<string[]> {
  const waiting = [...steps];
  const failed: string[] = [];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) if (!(await runAndReport(step))) failed.push(step.name);
  };
  await Promise.all([lane(), lane()]);
  return failed;
}

async function main(wanted: readonly string[]): Promise<void> {
  const known = [...STATIC_STEPS, TESTS].map((step) => step.name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No such step: ${unknown.join(", ")}. There are: ${known.join(", ")}.`);
  const isWanted = (step: Step): boolean => wanted.length === 0 || wanted.includes(step.name);
  const started = performance.now();
  const failed = await runPairwise(STATIC_STEPS.filter(isWanted));
  if (isWanted(TESTS) && !(await runAndReport(TESTS))) failed.push(TESTS.name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(failed.length === 0 ? `check passed in ${seconds} s` : `check failed in ${seconds} s: ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
