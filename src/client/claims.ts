/** Claims of all clients, and what becomes of dead letters. */
import type * as RDF from "@rdfjs/types";
import { SensError } from "../base/index.ts";
import type { ChangeAnswer, ClaimState, ClaimStatus } from "../protocol/index.ts";
import type { Connection } from "./connection.ts";
import { parseServerQuads } from "./ntriples.ts";
import { changeAnswer } from "./publishing.ts";
import { listOf } from "./results.ts";

/** As the server lists it. */
export interface ListedClaim extends Omit<ClaimStatus, "quads"> {
  readonly quads: readonly RDF.Quad[];
}

export interface ClaimsOptions {
  /** Only claims that clients hold, or only dead letters. */
  readonly state?: ClaimState;
  readonly signal?: AbortSignal;
}

export class ServerClaims {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async list({ state, signal }: ClaimsOptions): Promise<readonly ListedClaim[]> {
    const answer = await this.#connection.call("claims", { state }, { signal });
    return listOf<ClaimStatus>(answer, "claims").map((claim) => ({ ...claim, quads: parseServerQuads(claim.quads) }));
  }

  async requeue(claim: string, signal: AbortSignal | undefined): Promise<ChangeAnswer> {
    return changeAnswer(await this.#end("requeue", claim, signal));
  }

  async discard(claim: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#end("discard", claim, signal);
  }

  /** A request repeated after its answer was lost may find nothing because it was carried out. */
  async #end(op: "requeue" | "discard", claim: string, signal: AbortSignal | undefined) {
    let sendings = 0;
    const fields = (): object => {
      sendings++;
      return { claim };
    };
    try {
      return await this.#connection.call(op, fields, { signal });
    } catch (error) {
      if (sendings === 1 || !(error instanceof SensError) || error.code !== "SENS_NOT_FOUND") throw error;
      const what = `The answer to "${op}" of the dead letter ${claim} was lost, and there is no such dead letter now`;
      throw new SensError("SENS_OUTCOME_UNKNOWN", `${what}: it was carried out, or another client was first.`, { cause: error });
    }
  }
}
