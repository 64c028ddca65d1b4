/** A thread that parses large documents, one after the other, into N-Quads that the server's thread reads in slices. */
import { parentPort } from "node:worker_threads";
import { assert, packError } from "../base/index.ts";
import { type DocumentAnswer, type DocumentTask, KeptLabels } from "./document-task.ts";
import { nquadsLine } from "./nquads-line.ts";
import { parseDocumentHere } from "./parse-document.ts";
import { TermDictionary } from "./term-dictionary.ts";

assert(parentPort, "the parsing worker is started by the server, not by itself");
const port = parentPort;

port.on("message", async (task: DocumentTask) => {
  try {
    const blankNodes = new KeptLabels(task.labelPrefix);
    const nquads = await asNQuads(task, blankNodes);
    const answer: DocumentAnswer = { ok: true, document: { nquads, addressed: [...blankNodes.addressed] } };
    port.postMessage(answer, [nquads.buffer]);
  } catch (error) {
    const answer: DocumentAnswer = { ok: false, error: packError(error) };
    port.postMessage(answer);
  }
});

async function asNQuads({ bytes, ...options }: DocumentTask, blankNodes: KeptLabels): Promise<Uint8Array<ArrayBuffer>> {
  const dictionary = new TermDictionary();
  const { quads } = await parseDocumentHere(bytes, { ...options, dictionary, blankNodes });
  const pieces: Buffer[] = [];
  let lines: string[] = [];
  for (let at = 0; at < quads.length; at += 4) {
    lines.push(nquadsLine(dictionary, quads[at], quads[at + 1], quads[at + 2], quads[at + 3]));
    if (lines.length < LINES_PER_PIECE) continue;
    pieces.push(Buffer.from(lines.join("")));
    lines = [];
  }
  pieces.push(Buffer.from(lines.join("")));
  // In memory of its own, which can be handed over.
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let length = 0;
  for (const piece of pieces) {
    all.set(piece, length);
    length += piece.length;
  }
  return all;
}

const LINES_PER_PIECE = 10_000;
