/**
 * What waits to be sent on one WebSocket. A reader that is too slow is cut off with `terminate()` (a closing handshake would
 * wait for it) and resumes by cursor. While much waits, no further requests are read, so that a client cannot pile up
 * answers it does not take.
 */
import type { WebSocket } from "ws";
import { Backlog } from "../backlog.ts";

export interface OutboundLimits {
  readonly outboundBytesMax: number;
  readonly outboundBytesPause: number;
}

export class Outbound {
  readonly #socket: WebSocket;
  readonly #backlog: Backlog;
  readonly #pauseBytes: number;
  readonly #onSlow: () => void;

  constructor(socket: WebSocket, limits: OutboundLimits, onSlow: () => void) {
    this.#socket = socket;
    this.#backlog = new Backlog(limits.outboundBytesMax);
    this.#pauseBytes = limits.outboundBytesPause;
    this.#onSlow = onSlow;
  }

  send(frame: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#backlog.exceeded) {
      this.#onSlow();
      this.#socket.terminate();
      return;
    }
    const text = Buffer.from(JSON.stringify(frame));
    this.#backlog.add(text.length);
    if (this.#backlog.bytes > this.#pauseBytes) this.#socket.pause();
    this.#socket.send(text, { binary: false }, () => this.#sent());
  }

  #sent(): void {
    this.#backlog.sent();
    if (this.#backlog.bytes <= this.#pauseBytes && this.#socket.isPaused) this.#socket.resume();
  }
}
