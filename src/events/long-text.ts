/** A text of very many lines, joined piece by piece as it grows: one join of a million lines would be a pause of its own. */
const LINES_PER_PIECE = 1_024;

export class LongText {
  #text = "";
  #piece: string[] = [];
  /** How many lines it has. */
  size = 0;
  /** In UTF-16 units. */
  length = 0;

  add(line: string): void {
    this.size++;
    this.length += line.length;
    if (this.#piece.push(line) < LINES_PER_PIECE) return;
    this.#text += this.#piece.join("");
    this.#piece = [];
  }

  toString(): string {
    return this.#text + this.#piece.join("");
  }
}
