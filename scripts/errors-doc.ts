/**
 * `docs/errors.md` is generated from ERROR_CODES, so that the page cannot lie. `node scripts/errors-doc.ts` writes it, with
 * `--check` it only compares.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { ERROR_CODES } from "../src/base/index.ts";

const PAGE = new URL("../docs/errors.md", import.meta.url);

const HEAD = `# Errors

<!-- Generated from ERROR_CODES in src/base/errors.ts by \`npm run docs\`. Do not edit. -->

Over HTTP a refusal is \`application/problem+json\` (RFC 9457); over WebSocket the same object is the member \`error\`; the SDK
throws it as \`SensError\`. \`code\` is stable and meant for programs; \`detail\` says what happened, with which value, and what to do,
and may be reworded. Syntax errors carry \`line\` and \`column\`, counted from 1.

"Retry" says whether the same request can succeed later without being changed. Send an \`Idempotency-Key\` (\`key\` on WebSocket)
with what changes the knowledge base: then a retry whose first try was carried out gets the first answer again.

| Code | HTTP | Retry | Meaning |
|---|---|---|---|
`;

function page(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, entry]) => `| \`${code}\` | ${entry.status} | ${entry.retryable ? "yes" : "no"} | ${entry.title} |\n`,
  );
  return HEAD + rows.join("");
}

function currentPage(): string {
  try {
    return readFileSync(PAGE, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

if (process.argv.includes("--check")) {
  if (currentPage() !== page()) {
    console.error("docs/errors.md differs from ERROR_CODES in src/base/errors.ts. Run: npm run docs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(PAGE, page());
}
