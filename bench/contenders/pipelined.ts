/** Keeps a bounded number of requests under way; the first failure is thrown by the next call. */
const UNDER_WAY_MAX = 64;

export class Pipelined {
  readonly #underWay = new Set<Promise<unknown>>();
  #failure: unknown;

  /** Starts a request as soon as there is room for it. */
  async add(start: () => Promise<unknown>): Promise<void> {
    while (this.#underWay.size >= UNDER_WAY_MAX) await Promise.race(this.#underWay);
    if (this.#failure !== undefined) throw this.#failure;
    const request = start()
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#underWay.delete(request));
    this.#underWay.add(request);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure !== undefined) throw this.#failure;
  }
}
