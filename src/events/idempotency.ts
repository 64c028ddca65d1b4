/**
 * Idempotency keys: a request with a key is applied once, whatever happens to its answer.
 *
 * The key, a digest of operation and body, and the answer become durable in the record of the effect itself. The same key
 * with the same body gets the recorded answer; with another body it is refused. Two that are under way at once join.
 * State: the requests under way; the rest is in the log, for `idempotencyKeyRetentionMs`.
 */
import { createHash } from "node:crypto";
import { quoteInput, type RegistrationChange, SensError } from "../base/index.ts";
import type { Kernel } from "./kernel.ts";

/** What a keyed request puts into its record; without a key nothing. */
export type KeepAnswer = (answer: unknown) => readonly RegistrationChange[];

const KEEP_NOTHING: KeepAnswer = () => [];

export class Idempotency {
  readonly #kernel: Kernel;
  readonly #underWay = new Map<string, { readonly digest: string; readonly answer: Promise<unknown> }>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Runs `work` unless the key was used. `parts` identify operation and body. Throws SENS_IDEMPOTENCY_CONFLICT, SENS_LIMIT. */
  async run<T>(
    key: string | undefined,
    parts: readonly (string | Uint8Array | undefined)[],
    work: (keep: KeepAnswer) => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work(KEEP_NOTHING);
    this.#check(key);
    const digest = digestOf(parts);
    const running = this.#underWay.get(key);
    if (running) {
      if (running.digest !== digest) throw conflict(key);
      return running.answer as Promise<T>;
    }
    const answer = this.#once(key, digest, work);
    this.#underWay.set(key, { digest, answer });
    try {
      return await answer;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #once<T>(key: string, digest: string, work: (keep: KeepAnswer) => Promise<T>): Promise<T> {
    const { log, clock } = this.#kernel;
    const known = await log.idempotency(key);
    if (known) {
      if (known.digest !== digest) throw conflict(key);
      return JSON.parse(known.answer) as T;
    }
    return work((answer) => [
      { put: "idempotency", value: { key, digest, answer: JSON.stringify(answer), wallMs: Math.floor(clock.wallMs()) } },
    ]);
  }

  #check(key: string): void {
    const { idempotencyKeyBytesMax } = this.#kernel.limits;
    if (key !== "" && Buffer.byteLength(key) <= idempotencyKeyBytesMax) return;
    throw new SensError("SENS_LIMIT", `An idempotency key has 1 to ${idempotencyKeyBytesMax} bytes, not ${Buffer.byteLength(key)}.`);
  }
}

function conflict(key: string): SensError {
  return new SensError(
    "SENS_IDEMPOTENCY_CONFLICT",
    `The idempotency key ${quoteInput(key)} was used for another request. Use a new key for each request.`,
  );
}

function digestOf(parts: readonly (string | Uint8Array | undefined)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    if (part === undefined) hash.update("-\n");
    else hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  }
  return hash.digest("base64url");
}
