/**
 * What waits to be sent on one WebSocket. One frame of any size may be under way and one more behind it; when what waits
 * behind the first exceeds the bound, the next frame finds a reader that is too slow, and cuts it off with `terminate()`
 * (a closing handshake would wait for it). So a large frame alone never ends a connection, and memory is bounded.
 * While much waits, no further requests are read, so that a client cannot pile up answers it does not take.
 */
import type { WebSocket } from "ws";

export interface OutboundLimits {
  readonly outboundBytesMax: number;
  readonly outboundBytesPause: number;
}

export class Outbound {
  readonly #socket: WebSocket;
  readonly #limits: OutboundLimits;
  readonly #onSlow: () => void;
  /** Sizes of the frames that are not yet handed to the kernel, oldest first. */
  readonly #waiting: number[] = [];
  #bytes = 0;

  constructor(socket: WebSocket, limits: OutboundLimits, onSlow: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#onSlow = onSlow;
  }

  send(frame: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const behindFirst = this.#waiting.length === 0 ? 0 : this.#bytes - this.#waiting[0];
    if (behindFirst > this.#limits.outboundBytesMax) {
      this.#onSlow();
      this.#socket.terminate();
      return;
    }
    const text = Buffer.from(JSON.stringify(frame));
    this.#waiting.push(text.length);
    this.#bytes += text.length;
    if (this.#bytes > this.#limits.outboundBytesPause) this.#socket.pause();
    this.#socket.send(text, { binary: false }, () => this.#sent());
  }

  #sent(): void {
    this.#bytes -= this.#waiting.shift() ?? 0;
    if (this.#bytes <= this.#limits.outboundBytesPause && this.#socket.isPaused) this.#socket.resume();
  }
}
