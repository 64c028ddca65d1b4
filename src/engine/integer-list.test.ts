import { expect, it } from "vitest";
import { IntegerList } from "./integer-list.ts";

it("keeps what is appended in order, gives it up as a whole, and is filled again", () => {
  const list = new IntegerList();
  for (let round = 0; round < 3; round++) {
    const expected: number[] = [];
    for (let i = 0; i < 1000; i++) {
      list.push2(i, -i - 1);
      list.push5(i, 1, 2, 3, 0x7fffffff);
      expected.push(i, -i - 1, i, 1, 2, 3, 0x7fffffff);
      if (i % 7 !== 0) continue;
      list.push(i);
      expected.push(i);
    }
    expect(list.length).toBe(expected.length);
    expect(list.at(expected.length - 1)).toBe(expected.at(-1));
    expect(list.pop()).toBe(expected.pop());
    expect([...list.take()]).toEqual(expected);
    expect(list.length).toBe(0);
    expect(list.pop()).toBeUndefined();
  }
});
