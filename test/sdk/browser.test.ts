/** The SDK runs in browsers: nothing it loads is Node's, and nothing is a package. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const ENTRY = "src/client/index.ts";

/** Files an entry loads, and what else it imports; imports of types only are erased. */
function loadedFrom(entry: string): { readonly files: ReadonlySet<string>; readonly foreign: readonly string[] } {
  const files = new Set<string>();
  const foreign: string[] = [];
  const pending = [entry];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, names = "", source = ""] of text.matchAll(/^(?:import|export)\s+([^;'"]*?)from\s+"([^"]+)";/gms)) {
      const named = /^\{([\s\S]*)\}\s*$/
        .exec(names)?.[1]
        ?.split(",")
        .filter((name) => name.trim() !== "");
      if (/^type\s/.test(names) || named?.every((name) => /^\s*type\s/.test(name))) continue;
      if (source.startsWith(".")) pending.push(join(dirname(file), source));
      else foreign.push(`${file}: ${source}`);
    }
    if (/\bimport\(|\brequire\(/.test(text)) foreign.push(`${file}: dynamic import`);
  }
  return { files, foreign };
}

describe("the SDK", () => {
  const { files, foreign } = loadedFrom(ENTRY);

  it("loads no module of Node and no package", () => {
    expect(foreign).toEqual([]);
    expect(files.size).toBeGreaterThan(15);
  });

  it("loads only the folders client, base and protocol", () => {
    const folders = new Set([...files].map((file) => file.split("/")[1]));
    expect([...folders].sort()).toEqual(["base", "client", "protocol"]);
  });

  it("names no global of Node", () => {
    const named = [...files].filter((file) => /\b(process|Buffer|__dirname|setImmediate)\b\s*[.(]/.test(readFileSync(file, "utf8")));
    expect(named).toEqual([]);
  });
});
