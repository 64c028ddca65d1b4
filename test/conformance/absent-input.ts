/** A suite without its input is one skipped test, and a line that says so. */
import { describe, it } from "vitest";

export function skippedWithout(input: string, suite: string): void {
  const reason = `${input} is absent`;
  console.warn(`SKIPPED: ${suite}: ${reason}`);
  describe(suite, () => it(`reads ${input}`, (ctx) => ctx.skip(reason)));
}
