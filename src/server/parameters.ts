/** The query part of an address, read strictly: broken percent signs, repeats and unknown names are refused, not guessed. */
import { LIMITS, quoteInput, SensError } from "../base/index.ts";

export class Parameters {
  readonly #values = new Map<string, string[]>();

  /** Reads `a=b&c=d` (also form-encoded bodies). Throws SENS_BAD_REQUEST. */
  constructor(encoded: string) {
    for (const pair of encoded.split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const key = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
      const values = this.#values.get(key);
      if (values) values.push(value);
      else this.#values.set(key, [value]);
    }
  }

  static ofUrl(url: string): Parameters {
    const start = url.indexOf("?");
    return new Parameters(start < 0 ? "" : url.slice(start + 1));
  }

  /** Refuses every name that is not listed, so that a misspelt one is not silently ignored. */
  only(...names: readonly string[]): this {
    for (const key of this.#values.keys()) {
      if (!names.includes(key)) {
        const known = names.length === 0 ? "There are none here" : `Known here: ${names.join(", ")}`;
        throw new SensError("SENS_BAD_REQUEST", `Unknown parameter ${quoteInput(key)}. ${known}.`);
      }
    }
    return this;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The one value of a parameter. Throws when it is repeated. */
  one(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1)
      throw new SensError("SENS_BAD_REQUEST", `The parameter "${name}" is given ${values.length} times. Give it once.`);
    return values[0];
  }

  flag(name: string): boolean | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    if (value === "true" || value === "1" || value === "") return true;
    if (value === "false" || value === "0") return false;
    throw new SensError("SENS_BAD_REQUEST", `The parameter "${name}" must be true or false, not ${quoteInput(value)}.`);
  }

  /** A whole number in decimal digits. Throws SENS_BAD_REQUEST for other text, SENS_LIMIT beyond the bounds. */
  integer(name: string, min: number, max: number): number | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value)) {
      throw new SensError(
        "SENS_BAD_REQUEST",
        `The parameter "${name}" must be a whole number of milliseconds or items, not ${quoteInput(value)}.`,
      );
    }
    const number = Number(value);
    if (number < min || number > max) {
      throw new SensError("SENS_LIMIT", `The parameter "${name}" must be between ${min} and ${max}, not ${number}.`);
    }
    return number;
  }

  timeoutMs(): number | undefined {
    return this.integer("timeout", 0, LIMITS.waitMaxMs);
  }

  leaseMs(): number | undefined {
    return this.integer("lease", 1, LIMITS.leaseMaxMs);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new SensError("SENS_BAD_REQUEST", `The percent signs in ${quoteInput(text)} are not valid UTF-8 escapes.`, { cause });
  }
}
