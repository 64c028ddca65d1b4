/**
 * How much waits for one consumer. One message of any size may be under way and one more behind it; when what waits behind
 * the first exceeds the bound, the consumer is too slow. So a large message alone never ends a connection, and memory is
 * bounded. Sizes in bytes, oldest first.
 */
export class Backlog {
  readonly #bytesMax: number;
  readonly #waiting: number[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Of everything that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the next message finds a consumer that is too slow. */
  get exceeded(): boolean {
    return this.#waiting.length > 0 && this.#bytes - this.#waiting[0] > this.#bytesMax;
  }

  add(bytes: number): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes;
  }

  /** The oldest message was handed to the operating system. */
  sent(): void {
    this.#bytes -= this.#waiting.shift() ?? 0;
  }
}
