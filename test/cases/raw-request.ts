/** HTTP requests written to a socket in pieces, as networks cut them. */
import { connect } from "node:net";
import { atEnd } from "../surfaces/served.ts";

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** POSTs `body` chunked: every piece is a chunk of its own and a write of its own. */
export async function postInPieces(port: number, path: string, contentType: string, pieces: readonly Uint8Array[]): Promise<RawAnswer> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  atEnd(() => void socket.destroy());
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
  const write = (bytes: string | Uint8Array): Promise<void> => new Promise((resolve) => socket.write(bytes, () => resolve()));
  await write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
  );
  for (const piece of pieces) await write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
  await write("0\r\n\r\n");
  const text = await answer;
  const head = text.indexOf("\r\n\r\n");
  return { status: Number(text.slice(9, 12)), body: text.slice(head + 4) };
}

export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}
