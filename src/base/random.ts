/** Random numbers, given by constructor; tests use `seededRandom` and print the seed. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Hexadecimal id of `bytes` random bytes. */
  id(bytes?: number): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  id(bytes = 12) {
    const buffer = crypto.getRandomValues(new Uint8Array(bytes));
    return Array.from(buffer, (b) => b.toString(16).padStart(2, "0")).join("");
  },
};

/** mulberry32 (Tommy Ettinger, public domain): small, fast, good enough for test data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    id(bytes = 12) {
      let out = "";
      for (let i = 0; i < bytes; i++)
        out += Math.floor(next() * 256)
          .toString(16)
          .padStart(2, "0");
      return out;
    },
  };
}
