/** Where and with what the figures were made. */
import { readFileSync } from "node:fs";
import { cpus, loadavg, platform, release, totalmem } from "node:os";

export function machineLines(): string[] {
  const [first] = cpus();
  return [
    `- ${new Date().toISOString().slice(0, 10)}, ${first?.model ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()}`,
    `- Node ${process.versions.node}, ${versions()}`,
    `- load average at the end ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`,
  ];
}

function versions(): string {
  const of = (lock: string, names: readonly string[]): string[] => {
    const { packages } = JSON.parse(readFileSync(new URL(lock, import.meta.url), "utf8")) as {
      packages: Record<string, { version?: string }>;
    };
    return names.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? "?"}`);
  };
  return [
    ...of("../../package-lock.json", ["n3", "@comunica/query-sparql-rdfjs", "better-sqlite3"]),
    ...of("../package-lock.json", ["@tanstack/db-ivm"]),
  ].join(", ");
}
