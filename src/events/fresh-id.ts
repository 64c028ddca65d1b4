/** Ids the server gives to what clients make: random, and not in use. */
import type { Random } from "../base/index.ts";

export function freshId(random: Random, bytes: number, taken: { has(id: string): boolean }): string {
  for (;;) {
    const id = random.id(bytes);
    if (!taken.has(id)) return id;
  }
}
