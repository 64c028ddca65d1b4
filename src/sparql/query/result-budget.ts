/**
 * Bounds the size of a result while it is gathered: the characters of its terms, each occurrence counted, because that is
 * what will be written. State: the length of each term seen, so that no term is decoded twice.
 */
import { LIMITS, SensError } from "../../base/index.ts";
import type { TermTable } from "../../rdf/index.ts";

export class ResultBudget {
  readonly #terms: TermTable;
  readonly #lengths = new Map<number, number>();
  #left: number;
  readonly #bytesMax: number;

  constructor(terms: TermTable, bytesMax: number = LIMITS.queryResultBytesMax) {
    this.#terms = terms;
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
  }

  /** Counts a row `copies` times. Throws SENS_RESULT_TOO_LARGE. */
  spend(row: readonly number[], copies: number): void {
    let length = 0;
    for (const id of row) {
      if (id === 0) continue;
      let known = this.#lengths.get(id);
      if (known === undefined) {
        known = this.#terms.value(id).length;
        this.#lengths.set(id, known);
      }
      length += known;
    }
    this.#left -= length * copies;
    if (this.#left < 0)
      throw new SensError("SENS_RESULT_TOO_LARGE", `The result is larger than ${this.#bytesMax} bytes. Ask for less of it at a time.`);
  }
}
