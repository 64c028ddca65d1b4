/** Figures as a reader wants them: three digits, thousands apart, nothing where nothing was measured. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  if (Math.abs(value) >= 1000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = `|${head.map((_, i) => (i === 0 ? " --- " : " ---: ")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
