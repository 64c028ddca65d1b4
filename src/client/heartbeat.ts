/**
 * Notices a connection that is dead without having been closed. Pages cannot send ping frames, so an operation `ping` is
 * sent after a silence; when the next interval brings neither a frame nor progress of what is being sent, it is lost.
 */
import type { Clock } from "../base/index.ts";

export interface HeartbeatEvents {
  ping(): void;
  bufferedBytes(): number;
  lost(silentMs: number): void;
}

export class Heartbeat {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #events: HeartbeatEvents;
  #heardMs = 0;
  #pinged = false;
  #bufferedBytes = 0;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, events: HeartbeatEvents) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#events = events;
  }

  start(): void {
    this.heard();
    this.#arm();
  }

  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
    this.#pinged = false;
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #arm(): void {
    this.#stop?.();
    this.#stop = this.#clock.after(this.#intervalMs, () => this.#beat());
  }

  #beat(): void {
    const silentMs = this.#clock.monotonicMs() - this.#heardMs;
    const buffered = this.#events.bufferedBytes();
    const sending = buffered > 0 && buffered !== this.#bufferedBytes;
    this.#bufferedBytes = buffered;
    if (this.#pinged && !sending) {
      this.stop();
      this.#events.lost(silentMs);
      return;
    }
    if (!this.#pinged && silentMs >= this.#intervalMs * 0.9) {
      this.#pinged = true;
      this.#events.ping();
    }
    this.#arm();
  }
}
