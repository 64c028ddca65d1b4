/** A proof as an indented tree for people. */
import type { Proof } from "../protocol/index.ts";

const DEPTH_MAX = 100;

/** One line per step, premises below what they support. Spelling of terms is the caller's: `spell` gets each statement. */
export function formatProof(proof: Proof, spell: (statement: string) => string = (statement) => statement.trim()): string {
  const lines: string[] = [];
  addLines(proof, 0, spell, lines);
  return `${lines.join("\n")}\n`;
}

function addLines(proof: Proof, depth: number, spell: (statement: string) => string, lines: string[]): void {
  const indent = "  ".repeat(depth);
  lines.push(`${indent}${spell(proof.statement)}  [${reason(proof)}]`);
  if (proof.cut || depth >= DEPTH_MAX) lines.push(`${indent}  ...`);
  else for (const premise of proof.premises ?? []) addLines(premise, depth + 1, spell, lines);
}

function reason(proof: Proof): string {
  switch (proof.kind) {
    case "asserted":
      return "stated";
    case "ontology":
      return "ontology";
    case "derived":
      return `follows by ${proof.rule ?? "a rule"}`;
    case "unknown":
      return "not known";
  }
}
