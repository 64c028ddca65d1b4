import { describe, expect, it } from "vitest";
import { systemClock } from "../base/index.ts";
import type { Kernel } from "./kernel.ts";
import { E, open, outcomeOf, triple } from "./knowledge-base.fixture.ts";

describe("a query", () => {
  it("holds its revision no longer than a pin may last, and lets it go when its time is up", { timeout: 20_000 }, async () => {
    const { kb, session } = await open({ clock: systemClock, limits: { pinMaxMs: 4_000 } });
    await session.publish({ data: Array.from({ length: 400 }, (_, n) => triple(`n${n}`, "p", `m${n}`)).join("") });
    await expect(session.query({ query: "ASK {}", timeoutMs: 4_001 })).rejects.toMatchObject({
      code: "SENS_LIMIT",
      message: expect.stringContaining("0 to 4000 ms"),
    });
    const query = `SELECT * { ?a <${E}p> ?x . ?b <${E}p> ?y . ?c <${E}p> ?z FILTER(STRLEN(CONCAT(STR(?x), STR(?y), STR(?z))) < 0) }`;
    const answer = outcomeOf(session.query({ query }));
    const { engine } = (kb as unknown as { readonly kernel: Kernel }).kernel;
    await session.retract({ data: triple("n0", "p", "m0") });
    const rows = (): number => {
      let count = 0;
      engine.quads.rowsMatching(0, 0, 0, undefined, () => ++count > 0);
      return count;
    };
    expect(rows()).toBe(400);
    expect(await answer).toBe("SENS_QUERY_TIMEOUT");
    expect(rows()).toBe(399);
  });
});
