import { afterEach, describe, expect, it, vi } from "vitest";
import { grownColumn } from "./columns.ts";
import { thresholds } from "./thresholds.ts";

/** Appends 0 to `count` - 1. */
function filled(count: number): Int32Array {
  let column: Int32Array = new Int32Array(16);
  for (let i = 0; i < count; i++) {
    if (i >= column.length) column = grownColumn(column, i + 1);
    column[i] = i;
  }
  return column;
}

const isIntact = (column: Int32Array, count: number): boolean => column.subarray(0, count).every((number, i) => number === i);

describe("a column", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("keeps what it holds and has little room ahead, however large it grows", () => {
    const column = filled(1_000_000);
    expect(isIntact(column, 1_000_000)).toBe(true);
    expect(column.length).toBeLessThan(1.07 * 1_000_000);
  });

  it("grows in place from a size on: the view before is not usable any more", () => {
    const count = 2 * thresholds.columnInPlace;
    const before = filled(count);
    const after = grownColumn(before, 2 * before.length);
    expect([before.length, isIntact(after, count)]).toEqual([0, true]);
  });

  it("is copied where no memory is to be had", () => {
    const Memory = vi.fn(() => {
      throw new RangeError("no address space");
    });
    vi.stubGlobal("WebAssembly", { Memory });
    const column = filled(200_000);
    expect(isIntact(column, 200_000)).toBe(true);
    expect(Memory).toHaveBeenCalled();
    const copy = grownColumn(column, 2 * column.length);
    expect([isIntact(column, 200_000), isIntact(copy, 200_000)]).toEqual([true, true]);
  });

  it("that cannot grow in its memory is copied out of it", () => {
    const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow").mockImplementation(() => {
      throw new RangeError("Maximum memory size exceeded");
    });
    const column = filled(100_000);
    expect(isIntact(grownColumn(column, 1_000_000), 100_000)).toBe(true);
    expect(grow).toHaveBeenCalled();
    grow.mockRestore();
  });
});
