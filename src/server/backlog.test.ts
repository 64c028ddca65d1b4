import { expect, it } from "vitest";
import { Backlog } from "./backlog.ts";

it("a large message alone, or one behind another, is no slow consumer", () => {
  const backlog = new Backlog(100);
  backlog.add(1);
  backlog.add(5_000);
  expect(backlog.exceeded).toBe(true); // the next one finds it so
  backlog.sent();
  expect(backlog.exceeded).toBe(false);
  expect(backlog.bytes).toBe(5_000);
});

it("many small messages behind the first exceed the bound together", () => {
  const backlog = new Backlog(100);
  for (let n = 0; n < 11; n++) backlog.add(10);
  expect(backlog.exceeded).toBe(false);
  backlog.add(10);
  expect(backlog.exceeded).toBe(true);
});

it("is empty when all was sent, however often that is told", () => {
  const backlog = new Backlog(0);
  backlog.add(7);
  backlog.sent();
  backlog.sent();
  expect([backlog.bytes, backlog.exceeded]).toEqual([0, false]);
});
