/** A proof as an indented tree for people. */
import type { Proof } from "./operations.ts";

/**
 * One line per step, premises below what they support, `...` where the proof was cut. Spelling of terms is the caller's:
 * `spell` gets each statement. No recursion: proofs may be long.
 */
export function formatProof(root: Proof, spell: (statement: string) => string = (statement) => statement.trim()): string {
  const lines: string[] = [];
  const pending: { readonly proof: Proof; readonly depth: number }[] = [{ proof: root, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { proof, depth } = next;
    const indent = "  ".repeat(depth);
    lines.push(`${indent}${spell(proof.statement)}  [${reason(proof)}]`);
    if (proof.cut) lines.push(`${indent}  ...`);
    for (const premise of [...(proof.premises ?? [])].reverse()) pending.push({ proof: premise, depth: depth + 1 });
  }
  return `${lines.join("\n")}\n`;
}

function reason(proof: Proof): string {
  if (proof.kind === "derived") return `derived by ${proof.rule ?? "a rule"}`;
  return proof.kind === "unknown" ? "not known" : proof.kind;
}
