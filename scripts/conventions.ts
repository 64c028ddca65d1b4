/**
 * Conventions that no linter of ours knows, as patterns over the sources. A line may be excused by a comment
 * `convention: <name>, <reason>` on it or on the line before.
 */
import { globSync, readFileSync } from "node:fs";

interface Convention {
  readonly name: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  readonly pattern: RegExp;
  readonly advice: string;
}

const TEST = /\.test\.ts$/;

const CONVENTIONS: readonly Convention[] = [
  {
    name: "empty-catch",
    files: /^(src|test|scripts|bench|examples)\//,
    pattern: /catch\s*(\([^)]*\))?\s*\{\s*\}|\.catch\(\s*\(\w*\)\s*=>\s*\{\s*\}\s*\)/g,
    advice: "Handle the failure or hand it to something that reports it.",
  },
  {
    name: "clock",
    files: /^src\/(rdf|engine|sparql|reasoning|events|storage|protocol)\//,
    except: TEST,
    pattern: /\bDate\.now\(|\bperformance\.now\(|\bMath\.random\(|\b(setTimeout|setInterval)\(|\bprocess\.env\b/g,
    advice: "Time, random numbers and environment come in by constructor (base/clock.ts, base/random.ts).",
  },
  {
    name: "skip-with-reason",
    files: TEST,
    pattern: /\b(it|test|describe)\.(only|skip)\(\s*["'`]/g,
    advice: "Skip conditionally with ctx.skip(reason), and list it in test/skipped.tsv.",
  },
  {
    name: "no-junk-drawer",
    files: /(^|\/)(utils?|helpers?|misc|common)\.ts$/,
    pattern: /^/g,
    advice: "A helper lives beside its one user or earns a noun.",
  },
];

function problemsOf(file: string, text: string): string[] {
  const lines = text.split("\n");
  const problems: string[] = [];
  for (const convention of CONVENTIONS) {
    if (!convention.files.test(file) || convention.except?.test(file)) continue;
    for (const match of text.matchAll(convention.pattern)) {
      const line = text.slice(0, match.index).split("\n").length;
      const excuse = `convention: ${convention.name},`;
      if (lines[line - 1]?.includes(excuse) || lines[line - 2]?.includes(excuse)) continue;
      problems.push(`${file}:${line} ${convention.name}: ${lines[line - 1]?.trim()}\n    ${convention.advice}`);
    }
  }
  return problems;
}

/** `docs/dependencies.md` has one table row per dependency; a version is exact. */
function dependencyProblems(): string[] {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  const versions = { ...manifest.dependencies, ...manifest.devDependencies };
  const listed = [...readFileSync("docs/dependencies.md", "utf8").matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] as string);
  return [
    ...Object.keys(versions)
      .filter((name) => !listed.includes(name))
      .map((name) => `docs/dependencies.md has no line for ${name}`),
    ...listed.filter((name) => versions[name] === undefined).map((name) => `docs/dependencies.md lists ${name}, which is no dependency`),
    ...Object.entries(versions)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `package.json: ${name} "${version}" is not an exact version`),
  ];
}

const files = globSync("{src,test,scripts,bench,examples}/**/*.ts", { exclude: ["**/node_modules/**"] }).sort();
const sourceProblems = files
  .filter((file) => file !== "scripts/conventions.ts")
  .flatMap((file) => problemsOf(file, readFileSync(file, "utf8")));
const problems = [...sourceProblems, ...dependencyProblems()];
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
