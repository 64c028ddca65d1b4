/** What a command sees of the world around it; the process gives the real one, tests give theirs. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Progress is drawn only for people. */
  readonly errIsTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): AsyncIterable<Uint8Array>;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly interrupted: AbortSignal;
}
