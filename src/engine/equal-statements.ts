/**
 * The default graph read modulo equality of terms:
 *
 *     quad*(s, p, o) = { (a, p, b) | quad(s, p, o), a ≡ s, b ≡ o }
 *
 * A set: however many rows stand for a statement, it is there once. Two things do not pass on to equal terms: what a
 * predicate says of a term and itself where that says nothing, and membership in classes that everything is in.
 * State: none. Cost: the rows, times their equals; used only while terms are equal at all.
 */

import type { Machine } from "./machine.ts";
import { AT, EITHER, type Mode, NOW, OLD } from "./mode.ts";
import type { EqualityOptions, StatementsModuloEquality, TermEquality } from "./term-equality.ts";

export class EqualStatements implements StatementsModuloEquality {
  readonly #machine: Machine;
  readonly #equality: TermEquality;
  readonly #typePredicate: number;
  readonly #irreflexive: ReadonlySet<number>;
  readonly #universal: ReadonlySet<number>;

  constructor(machine: Machine, equality: TermEquality, typePredicate: number, options: EqualityOptions) {
    this.#machine = machine;
    this.#equality = equality;
    this.#typePredicate = typePredicate;
    this.#irreflexive = new Set(options.irreflexive);
    this.#universal = new Set(options.universal);
  }

  /**
   * The statements of the default graph that agree with the bound positions (0 = any), as flat records of 4: s, p, o and
   * the rank of the row and the equalities that it takes. Each statement once.
   */
  scan(s: number, p: number, o: number, mode: Mode): number[] {
    const { quads, rankLimit } = this.#machine;
    const found: number[] = [];
    const seen = new Set<string>();
    const subjects = s === 0 ? ANY : this.#equality.withEquals(s, mode);
    const objects = o === 0 ? ANY : p === this.#typePredicate ? [o, 0] : this.#equality.withEquals(o, mode);
    for (let i = 0; i < subjects.length; i += 2) {
      for (let k = 0; k < objects.length; k += 2) {
        quads.rowsMatching(subjects[i], p, objects[k], 0, (row) => {
          this.#machine.spend(1);
          if (!this.#machine.sees(row, mode) || quads.rank[row] >= rankLimit) return true;
          const rank = Math.max(quads.rank[row], subjects[i + 1], objects[k + 1]);
          const several = subjects.length + objects.length > 4;
          this.#expand(row, s, o, rank, mode, (a, b, total, more) => {
            if (total >= rankLimit) return;
            if (several || more) {
              const key = `${a},${quads.p[row]},${b}`;
              if (seen.has(key)) return;
              seen.add(key);
            }
            found.push(a, quads.p[row], b, total);
          });
          return true;
        });
      }
    }
    return found;
  }

  /** Whether the statement holds in the default graph. */
  holds(s: number, p: number, o: number, mode: Mode): boolean {
    const { quads } = this.#machine;
    const exact = (a: number, b: number): boolean => {
      const row = quads.find(a, p, b, 0);
      return row >= 0 && this.#machine.sees(row, mode);
    };
    if (mode === AT) return this.scan(s, p, o, mode).length > 0;
    if (exact(s, o)) return true;
    const isType = p === this.#typePredicate;
    if ((s === o && this.#irreflexive.has(p)) || (isType && this.#universal.has(o))) return false;
    const subjects = this.#equality.withEquals(s, mode);
    const objects = isType ? [o, 0] : this.#equality.withEquals(o, mode);
    for (let i = 0; i < subjects.length; i += 2)
      for (let k = 0; k < objects.length; k += 2) if (exact(subjects[i], objects[k])) return true;
    return false;
  }

  /** The statements that one visible row stands for, with s and o where they are given. */
  #expand(
    row: number,
    s: number,
    o: number,
    rank: number,
    mode: Mode,
    visit: (a: number, b: number, rank: number, several: boolean) => void,
  ): void {
    const { quads } = this.#machine;
    const [rs, rp, ro] = [quads.s[row], quads.p[row], quads.o[row]];
    const isType = rp === this.#typePredicate;
    if (isType && o !== 0 && o !== ro) return;
    const exact = isType && this.#universal.has(ro);
    if (exact && s !== 0 && s !== rs) return;
    const as = s !== 0 ? [s, 0] : exact ? [rs, 0] : this.#equality.withEquals(rs, mode);
    const bs = o !== 0 ? [o, 0] : isType ? [ro, 0] : this.#equality.withEquals(ro, mode);
    const irreflexive = this.#irreflexive.has(rp);
    const several = as.length + bs.length > 4;
    for (let i = 0; i < as.length; i += 2) {
      for (let k = 0; k < bs.length; k += 2) {
        if (irreflexive && as[i] === bs[k] && (as[i] !== rs || bs[k] !== ro)) continue;
        visit(as[i], bs[k], Math.max(rank, as[i + 1], bs[k + 1]), several);
      }
    }
  }

  /** A visible row of rank below `bound`, or a stated one, that stands for the statement; -1 when there is none. */
  rowFor(s: number, p: number, o: number, bound: number): number {
    const { quads } = this.#machine;
    const objects = p === this.#typePredicate ? [o, 0] : this.#equality.withEquals(o, NOW);
    const subjects = this.#equality.withEquals(s, NOW);
    for (let i = 0; i < subjects.length; i += 2) {
      for (let k = 0; k < objects.length; k += 2) {
        const row = quads.find(subjects[i], p, objects[k], 0);
        if (row >= 0 && quads.isAlive(row) && Math.max(quads.rank[row], subjects[i + 1], objects[k + 1]) < bound) return row;
      }
    }
    return -1;
  }

  /** Calls back for each statement that a row of the default graph stands for. */
  expandRow(row: number, mode: Mode, visit: (s: number, o: number, rank: number) => void): void {
    this.#expand(row, 0, 0, this.#machine.quads.rank[row], mode, visit);
  }

  /**
   * What a transaction changed of quad*, as flat records of 4: s, p, o, and +1 or -1; only predicates that `concerns`
   * answers yes for. `rows`: quads touched by the transaction.
   */
  changes(rows: ArrayLike<number>, count: number, concerns: (p: number) => boolean): number[] {
    const { quads, tick } = this.#machine;
    const found: number[] = [];
    const open = new Set<number>();
    for (let i = 0; i < count; i++) {
      const row = rows[i];
      if (quads.g[row] !== 0 || !concerns(quads.p[row])) continue;
      const before = quads.wasVisible(row, tick);
      if (before === quads.isAlive(row)) continue;
      if (this.#equality.estimate(quads.s[row]) + this.#equality.estimate(quads.o[row]) > 0) open.add(row);
      else found.push(quads.s[row], quads.p[row], quads.o[row], before ? -1 : 1);
    }
    for (const term of this.#equality.termsOfChangedClasses()) {
      const visit = (row: number): boolean => {
        if (concerns(quads.p[row])) open.add(row);
        return true;
      };
      quads.rowsMatching(term, 0, 0, 0, visit);
      quads.rowsMatching(0, 0, term, 0, visit);
    }
    const seen = new Set<string>();
    for (const row of open) {
      if (!this.#machine.sees(row, EITHER)) continue;
      const p = quads.p[row];
      this.#expand(row, 0, 0, 0, EITHER, (a, b) => {
        const key = `${a},${p},${b}`;
        if (seen.has(key)) return;
        seen.add(key);
        this.#machine.spend(1);
        const before = this.holds(a, p, b, OLD);
        if (before !== this.holds(a, p, b, NOW)) found.push(a, p, b, before ? -1 : 1);
      });
    }
    return found;
  }
}

const ANY: readonly number[] = [0, 0];
