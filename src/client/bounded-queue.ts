/**
 * A queue between one producer that cannot wait (the socket) and one consumer that may be slow (an async iterator).
 * It never holds more than its capacity: `push` answers false when it is full, and the producer must then arrange for
 * the item to come again. Items already in are always handed out before an end or an error is.
 */
type Waiter<T> = { readonly resolve: (result: IteratorResult<T, undefined>) => void; readonly reject: (error: unknown) => void };

export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  #waiter: Waiter<T> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#items.length;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** False when the queue is full; the item is then not in it. Items after the end are dropped. */
  push(item: T): boolean {
    if (this.#end) return true;
    const waiter = this.#waiter;
    if (waiter) {
      this.#waiter = undefined;
      waiter.resolve({ done: false, value: item });
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    return true;
  }

  /** Ends the queue; with an error, the consumer gets it once after what is queued. Later calls change nothing. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = error === undefined ? {} : { error };
    const waiter = this.#waiter;
    if (!waiter) return;
    this.#waiter = undefined;
    this.#settleEnd(waiter);
  }

  /** Forgets what is queued. */
  clear(): void {
    this.#items.length = 0;
  }

  /** The next item, in order. One call at a time. */
  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      const item = this.#items.shift();
      if (item !== undefined) resolve({ done: false, value: item });
      else if (this.#end) this.#settleEnd({ resolve, reject });
      else if (this.#waiter)
        reject(new TypeError("next() was called while an earlier call was still waiting. Await one call before the next."));
      else this.#waiter = { resolve, reject };
    });
  }

  #settleEnd(waiter: Waiter<T>): void {
    const error = this.#end?.error;
    this.#end = {};
    if (error === undefined) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(error);
  }
}
