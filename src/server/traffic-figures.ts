/** What the server itself counts, beside the figures of the knowledge base: requests, sockets, consumers cut off. */
import { monitorEventLoopDelay } from "node:perf_hooks";

export class TrafficFigures {
  #requests = 0;
  #refusals = 0;
  #inFlight = 0;
  #sockets = 0;
  #streams = 0;
  #slowConsumers = 0;
  #deadConnections = 0;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#loopDelay.enable();
  }

  requestBegins(): void {
    this.#inFlight++;
  }
  requestEnds(status: number): void {
    this.#inFlight--;
    this.#requests++;
    if (status >= 400) this.#refusals++;
  }
  socketOpens(): void {
    this.#sockets++;
  }
  socketCloses(): void {
    this.#sockets--;
  }
  streamOpens(): void {
    this.#streams++;
  }
  streamCloses(): void {
    this.#streams--;
  }
  slowConsumer(): void {
    this.#slowConsumers++;
  }
  deadConnection(): void {
    this.#deadConnections++;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  figures(): Readonly<Record<string, number>> {
    return {
      http_requests_total: this.#requests,
      http_refusals_total: this.#refusals,
      http_requests_in_flight: this.#inFlight,
      websocket_connections: this.#sockets,
      event_streams: this.#streams,
      slow_consumers_total: this.#slowConsumers,
      dead_connections_total: this.#deadConnections,
      event_loop_delay_p99_seconds: this.#loopDelay.percentile(99) / 1e9,
      resident_memory_bytes: process.memoryUsage.rss(),
    };
  }

  close(): void {
    this.#loopDelay.disable();
  }
}
