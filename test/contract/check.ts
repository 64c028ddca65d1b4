/** One check of the contract, and the words checks are written in. */
import { expect } from "vitest";
import type { ErrorCode } from "../../src/base/index.ts";
import type { ContractClient, Need } from "./client.ts";
import type { ServiceOptions } from "./service.ts";
import type { ObservedService } from "./waits-begun.ts";

export interface Bench {
  readonly client: ContractClient;
  readonly service: ObservedService;
  /** A further client of the same knowledge base. */
  another(): Promise<ContractClient>;
}
export interface Check {
  readonly claim: string;
  readonly needs?: readonly Need[];
  readonly options?: ServiceOptions;
  run(bench: Bench): Promise<void>;
}

/** Expects a refusal with this code. */
export async function refused(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(promise).rejects.toMatchObject({ code });
}

export const E = "http://example.org/";
/** One N-Triples line; names are in `http://example.org/`. */
export function triple(subject: string, predicate: string, object: string): string {
  const term = object.startsWith('"') ? object : `<${E}${object}>`;
  return `<${E}${subject}> <${E}${predicate}> ${term} .\n`;
}
export const like = (predicate: string): string => `CONSTRUCT WHERE { ?s <${E}${predicate}> ?o }`;
