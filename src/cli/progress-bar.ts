/** A bar on standard error while long work is under way; nothing when nobody looks. */
import type { Io } from "./io.ts";

const WIDTH = 30;
const REDRAW_MS = 100;

export class ProgressBar {
  readonly #io: Io;
  readonly #label: string;
  readonly #startedMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(io: Io, label: string) {
    this.#io = io;
    this.#label = label;
  }

  /** `total` is 0 when it is not known. */
  update(done: number, total: number, unit: string): void {
    const now = performance.now();
    if (!this.#io.errIsTerminal || now - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = now;
    this.#drawn = true;
    const seconds = (now - this.#startedMs) / 1000;
    const count = total > 0 ? `${compact(done)}/${compact(total)}` : compact(done);
    const rate = seconds > 0.2 ? `  ${compact(done / seconds)} ${unit}/s` : "";
    this.#io.err(`\r${this.#label} ${total > 0 ? bar(done / total) : ""} ${count} ${unit}${rate}\u001b[K`);
  }

  done(): void {
    if (this.#drawn) this.#io.err("\r\u001b[K");
    this.#drawn = false;
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}]`;
}

function compact(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)}G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(1)}k`;
  return `${Math.round(value)}`;
}
