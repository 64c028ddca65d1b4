/** README.md beside this file names, for every case, a file with a test of that number; and no case is missing from it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const CASES = join(import.meta.dirname, "../../../shared/cases/CASES.md");
const AREAS = new Set(["parse", "store", "subscribe", "reason", "linda", "deliver", "persist"]);

const table = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
const entries = [...table.matchAll(/^\| (P\d+) \| (\S+) \| (.+) \|$/gm)].map(([, number, file, tested]) => ({ number, file, tested }));

it("every entry of the table has a test of its number in the file it names", () => {
  expect(entries.length).toBeGreaterThan(0);
  for (const { number, file } of entries)
    expect(readFileSync(join(import.meta.dirname, file), "utf8"), `${number} in ${file}`).toMatch(new RegExp(`["\`]${number}: `));
});

it("every case of the areas tested here is in the table, once", (ctx) => {
  if (!existsSync(CASES)) ctx.skip("../shared/cases/CASES.md is absent");
  const listed = [...readFileSync(CASES, "utf8").matchAll(/^## (P\d+)$[\s\S]*?^- Area: (\w+)$/gm)];
  const wanted = listed.filter(([, , area]) => AREAS.has(area)).map(([, number]) => number);
  expect(wanted.length).toBeGreaterThan(0);
  expect(entries.map(({ number }) => number).sort()).toEqual(wanted.sort());
});
