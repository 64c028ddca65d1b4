/** A count per row for rows that have one; more of them than one Map can hold (2^24). */
const PAGE_BITS = 20;

export class SupportCounts {
  readonly #pages: (Map<number, number> | undefined)[] = [];

  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.get(row) ?? 0;
  }

  set(row: number, count: number): void {
    const page = row >>> PAGE_BITS;
    if (count === 0) this.#pages[page]?.delete(row);
    else {
      const counts = this.#pages[page] ?? new Map<number, number>();
      this.#pages[page] = counts.set(row, count);
    }
  }
}
