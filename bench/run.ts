/**
 * `npm run bench`: every case in a process of its own, one after another, so that none disturbs the next.
 *   -- --quick        the short ones (under three minutes)
 *   -- --only <name>  that case, or all whose names start so: load-db-ivm-100k, notify-sens-engine
 *   -- --list         the names
 * Tables are printed and written to bench/results/latest.md.
 */
import { fork, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchCase, CASES } from "./cases.ts";
import { median } from "./measure/clock.ts";
import type { Outcome } from "./measure/outcome.ts";
import { report } from "./report/report.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Beyond its budget a case generates data, fills the knowledge base and checks the answers. */
const OVERTIME_SECONDS = 120;
const RESULT_LENGTH_MAX = 200;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" }, list: { type: "boolean" } } });
  if (values.list) return void console.log(CASES.map(({ name }) => name).join("\n"));
  const cases = chosenCases(values.quick ?? false, values.only);
  installPeers();
  const started = performance.now();
  const outcomes: [BenchCase, Outcome][] = [];
  mkdirSync(`${HERE}results`, { recursive: true });
  let text = "";
  for (const [i, benchCase] of cases.entries()) {
    const caseStarted = performance.now();
    const outcome = await runCase(benchCase);
    outcomes.push([benchCase, outcome]);
    const seconds = ((performance.now() - caseStarted) / 1000).toFixed(1);
    console.error(`[${i + 1}/${cases.length}] ${benchCase.name.padEnd(34)} ${seconds.padStart(6)} s  ${outcome.result}`);
    text = report(outcomes, { quick: values.quick ?? false, seconds: (performance.now() - started) / 1000 });
    // After each case, so that an interrupted run leaves what it has.
    if (values.only === undefined) writeFileSync(`${HERE}results/latest.md`, text);
  }
  console.log(text);
  process.exitCode = outcomes.some(([, { result }]) => result.startsWith("WRONG") || result.startsWith("failed")) ? 1 : 0;
}

function chosenCases(quick: boolean, only: string | undefined): BenchCase[] {
  const isExact = CASES.some(({ name }) => name === only);
  const isWanted = ({ isQuick, name }: BenchCase): boolean => {
    if (only === undefined) return !quick || isQuick;
    return isExact ? name === only : name.startsWith(only);
  };
  const cases = CASES.filter(isWanted);
  if (cases.length === 0) throw new Error(`No case begins with ${only}. See npm run bench -- --list.`);
  return cases.map((benchCase) => ({
    ...benchCase,
    quick,
    runs: quick ? 1 : benchCase.runs,
    budgetSeconds: quick ? Math.min(6, benchCase.budgetSeconds) : benchCase.budgetSeconds,
  }));
}

/** What only the benchmarks need is installed on first use. */
function installPeers(): void {
  if (existsSync(`${HERE}node_modules/@tanstack/db-ivm`)) return;
  console.error("bench: installing what only the benchmarks need (once)");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: HERE, stdio: "inherit" });
  if (status !== 0) throw new Error("npm ci in bench/ failed; its output is above.");
}

async function runCase(benchCase: BenchCase): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let run = 0; run < benchCase.runs; run++) {
    const outcome = await runOnce(benchCase);
    outcomes.push(outcome);
    if (outcome.result !== "ok") return { ...outcome, result: shortened(outcome.result) };
  }
  const names = Object.keys(outcomes[0].figures);
  return { result: "ok", figures: Object.fromEntries(names.map((name) => [name, median(outcomes.map(({ figures }) => figures[name]))])) };
}

function shortened(text: string): string {
  return text.length <= RESULT_LENGTH_MAX ? text : `${text.slice(0, RESULT_LENGTH_MAX)}…`;
}

function runOnce(benchCase: BenchCase): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = fork(`${HERE}case-process.ts`, [JSON.stringify(benchCase)], {
      execArgv: ["--expose-gc", "--max-old-space-size=6144", "--max-semi-space-size=16"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    let outcome: Outcome | undefined;
    let complaint = "";
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        child.kill("SIGKILL");
      },
      (benchCase.budgetSeconds + OVERTIME_SECONDS) * 1000,
    );
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-4000);
    });
    child.on("message", (message) => {
      // NaN and infinity do not survive the channel.
      const { result, figures } = message as Outcome;
      outcome = { result, figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value ?? Number.NaN])) };
    });
    child.on("close", () => {
      clearTimeout(timer);
      const why = late
        ? `stopped after ${benchCase.budgetSeconds + OVERTIME_SECONDS} s`
        : (/^\w*Error.*$/m.exec(complaint)?.[0] ?? complaint.slice(-300));
      resolve(outcome ?? { result: `failed: ${why}`, figures: {} });
    });
  });
}

await main();
