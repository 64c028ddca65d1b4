/** Feeds a whole text to a parser that is a Node stream, and stages the quads that come out of it. */
import { SensError } from "../base/index.ts";
import type { StagedQuad, StagingFactory } from "./staging-factory.ts";

/** What is used of the parsers' streams. */
export interface QuadTransform {
  on(event: "data", listener: (quad: StagedQuad) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  end(text: string): unknown;
  destroy(error?: Error): unknown;
}

/** Resolves when all quads are staged; rejects with the first fault, after which nothing more is staged. */
export async function stageStream(parser: unknown, text: string, factory: StagingFactory, signal: AbortSignal | undefined): Promise<void> {
  const stream = parser as QuadTransform;
  const abort = () => stream.destroy(new SensError("SENS_CANCELLED", "Parsing was cancelled."));
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      let failed = false;
      const fail = (error: Error) => {
        failed = true;
        reject(error);
      };
      stream.on("error", fail);
      stream.on("end", resolve);
      stream.on("data", (quad) => {
        if (failed) return;
        try {
          factory.stage(quad);
        } catch (error) {
          fail(error as Error);
          stream.destroy();
        }
      });
      stream.end(text);
    });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
