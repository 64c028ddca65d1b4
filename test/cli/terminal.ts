/** A terminal for tests: runs a command line in this process, and keeps what it wrote. */
import { runCli } from "../../src/cli/index.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly interrupted?: AbortSignal;
  readonly errIsTerminal?: boolean;
  /** Told of everything written to standard output. */
  readonly onOut?: (text: string) => void;
}

export async function sens(argv: readonly string[], given: Given = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await runCli(argv, {
    out: (text) => {
      out += text;
      given.onOut?.(text);
    },
    err: (text) => {
      err += text;
    },
    errIsTerminal: given.errIsTerminal ?? false,
    env: given.env ?? {},
    stdin: () => bytes(given.stdin ?? ""),
    interrupted: given.interrupted ?? new AbortController().signal,
  });
  return { code, out, err };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}
