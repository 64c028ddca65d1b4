/** The system clock with timers that keep a Node process alive: a client that is reconnecting has work to do. */
import { type Clock, systemClock } from "../base/index.ts";

export const waitingClock: Clock = {
  wallMs: () => systemClock.wallMs(),
  monotonicMs: () => systemClock.monotonicMs(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
