/**
 * The default graph read modulo equality of terms:
 *
 *     quad*(s, p, o) = { (a, p, b) | quad(s, p, o), a ≡ s, b ≡ o }
 *
 * A set: however many rows stand for a statement, it is there once. Two things do not pass on to equal terms: what a
 * predicate says of a term and itself where that says nothing, and membership in classes that everything is in.
 * State: none. Cost of a scan: its rows, and the statements that are asked for of them. Cost of the changes of a transaction:
 * the rows of the classes that changed, and the statements between their terms. Used only while terms are equal at all.
 */
import { grown } from "./columns.ts";
import type { Machine } from "./machine.ts";
import { AT, EITHER, type Mode, NOW, OLD } from "./mode.ts";
import { ALIVE } from "./quad-rows.ts";
import type { EqualityOptions, EqualStatement, StatementChange, StatementsModuloEquality, TermEquality } from "./term-equality.ts";

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

  *scan(s: number, p: number, o: number, mode: Mode): Generator<EqualStatement, void> {
    const { quads, rankLimit } = this.#machine;
    // Rows of equal terms stand for the same statements: the first speaks for all, unless its rank may be too high.
    const told = rankLimit === ALIVE && mode !== EITHER ? new Set<string>() : undefined;
    const subjects = s === 0 ? ANY : this.#equality.withEquals(s, mode);
    const objects = o === 0 ? ANY : p === this.#typePredicate ? [o, 0] : this.#equality.withEquals(o, mode);
    for (let i = 0; i < subjects.length; i += 2) {
      for (let k = 0; k < objects.length; k += 2) {
        for (const row of this.#rows(subjects[i], p, objects[k])) {
          this.#machine.spend(1);
          if (!this.#machine.sees(row, mode)) continue;
          yield* this.#expanded(row, s, o, Math.max(quads.rows.rank(row), subjects[i + 1], objects[k + 1]), mode, told);
        }
      }
    }
  }

  /** The rows that agree, in whatever state, before anything else is evaluated. */
  #rows(s: number, p: number, o: number): Int32Array {
    let rows = new Int32Array(16);
    let count = 0;
    this.#machine.quads.rowsMatching(s, p, o, 0, (row) => {
      if (count === rows.length) rows = grown(rows, count + 1);
      rows[count++] = row;
      return true;
    });
    return rows.subarray(0, count);
  }

  /** The statements that one visible row stands for, with s and o where they are given. */
  *#expanded(row: number, s: number, o: number, rank: number, mode: Mode, told: Set<string> | undefined): Generator<EqualStatement, void> {
    const { quads, rankLimit } = this.#machine;
    const [rs, p, ro] = [quads.rows.subject(row), quads.rows.predicate(row), quads.rows.object(row)];
    const isType = p === this.#typePredicate;
    if (isType && o !== 0 && o !== ro) return;
    const isUniversal = isType && this.#universal.has(ro);
    if (isUniversal && s !== 0 && s !== rs) return;
    const statement = { s: rs, p, o: ro, rank };
    const isIrreflexive = this.#irreflexive.has(p);
    // What is stated of a term and itself is told as it is.
    if (isIrreflexive && rs === ro && (s === 0 || s === rs) && (o === 0 || o === ro) && rank < rankLimit) yield statement;
    if (told && !isUniversal && !this.#isFirst(rs, p, ro, mode, told)) return;
    const subjects = s !== 0 ? [s, 0] : isUniversal ? [rs, 0] : this.#equality.withEquals(rs, mode);
    const objects = o !== 0 ? [o, 0] : isType ? [ro, 0] : this.#equality.withEquals(ro, mode);
    for (let i = 0; i < subjects.length; i += 2) {
      for (let k = 0; k < objects.length; k += 2) {
        if (isIrreflexive && subjects[i] === objects[k]) continue;
        statement.s = subjects[i];
        statement.o = objects[k];
        statement.rank = Math.max(rank, subjects[i + 1], objects[k + 1]);
        if (statement.rank >= rankLimit) continue;
        this.#machine.spend(1);
        yield statement;
      }
    }
  }

  /** Whether no row of equal terms was told before. */
  #isFirst(s: number, p: number, o: number, mode: Mode, told: Set<string>): boolean {
    const subject = this.#equality.representative(s, mode);
    const object = p === this.#typePredicate ? 0 : this.#equality.representative(o, mode);
    if (subject === 0 && object === 0) return true;
    const key = `${subject || s},${p},${object || o}`;
    if (told.has(key)) return false;
    told.add(key);
    return true;
  }

  ofRow(row: number, mode: Mode): Iterable<EqualStatement> {
    return this.#expanded(row, 0, 0, this.#machine.quads.rows.rank(row), mode, undefined);
  }

  /** Whether the statement holds in the default graph. */
  holds(s: number, p: number, o: number, mode: Mode): boolean {
    if (this.#rowAmong([s, 0], p, [o, 0], mode, UNBOUNDED) >= 0) return true;
    return !this.#isOwn(s, p, o) && this.#followsFromEquals(s, p, o, mode);
  }

  /** Whether only a row of these very terms can say it. */
  #isOwn(s: number, p: number, o: number): boolean {
    return s === o ? this.#irreflexive.has(p) : p === this.#typePredicate && this.#universal.has(o);
  }

  #followsFromEquals(s: number, p: number, o: number, mode: Mode): boolean {
    return this.#rowAmong(this.#equality.withEquals(s, mode), p, this.#objectsOf(p, o, mode), mode, UNBOUNDED) >= 0;
  }

  #objectsOf(p: number, o: number, mode: Mode): readonly number[] {
    return p === this.#typePredicate ? [o, 0] : this.#equality.withEquals(o, mode);
  }

  /** A visible row of rank below `bound` that stands for the statement; -1 when there is none. */
  rowFor(s: number, p: number, o: number, bound: number): number {
    return this.#rowAmong(this.#equality.withEquals(s, NOW), p, this.#objectsOf(p, o, NOW), NOW, bound);
  }

  #rowAmong(subjects: readonly number[], p: number, objects: readonly number[], mode: Mode, bound: number): number {
    const { quads } = this.#machine;
    let found = -1;
    for (let i = 0; i < subjects.length && found < 0; i += 2) {
      for (let k = 0; k < objects.length && found < 0; k += 2) {
        const fits = (row: number): boolean =>
          this.#machine.sees(row, mode) && Math.max(quads.rows.rank(row), subjects[i + 1], objects[k + 1]) < bound;
        if (mode === AT) {
          // An older row than the one the key names may be the one that was visible then.
          quads.rowsMatching(subjects[i], p, objects[k], 0, (row) => {
            if (fits(row)) found = row;
            return found < 0;
          });
          continue;
        }
        const row = quads.find(subjects[i], p, objects[k], 0);
        if (row >= 0 && fits(row)) found = row;
      }
    }
    return found;
  }

  *changes(rows: ArrayLike<number>, count: number, concerns: (p: number) => boolean): Generator<StatementChange, void> {
    const { quads, tick } = this.#machine;
    const together = new Together(this.#equality);
    const groups = new Map<string, readonly [subjects: readonly number[], p: number, objects: readonly number[]]>();
    const add = (row: number): void => {
      const p = quads.rows.predicate(row);
      if (quads.rows.graph(row) !== 0 || !concerns(p) || !this.#machine.sees(row, EITHER)) return;
      const subjects = together.of(quads.rows.subject(row));
      const objects = p === this.#typePredicate ? [quads.rows.object(row)] : together.of(quads.rows.object(row));
      groups.set(`${subjects[0]},${p},${objects[0]}`, [subjects, p, objects]);
    };
    const change: StatementChange = { s: 0, p: 0, o: 0, sign: 1 };
    for (let i = 0; i < count; i++) {
      const row = rows[i];
      const before = quads.wasVisible(row, tick);
      if (quads.rows.graph(row) !== 0 || before === quads.isAlive(row) || !concerns(quads.rows.predicate(row))) continue;
      if (this.#equality.estimate(quads.rows.subject(row)) + this.#equality.estimate(quads.rows.object(row)) > 0) add(row);
      else
        yield Object.assign(change, {
          s: quads.rows.subject(row),
          p: quads.rows.predicate(row),
          o: quads.rows.object(row),
          sign: before ? -1 : 1,
        });
    }
    for (const term of this.#equality.termsOfChangedClasses()) {
      for (const row of this.#rows(term, 0, 0)) add(row);
      for (const row of this.#rows(0, 0, term)) add(row);
    }
    for (const group of groups.values()) yield* this.#changesAmong(...group);
  }

  /** What changed of all statements between terms that are, or were, equal: asked once for each pair of classes. */
  *#changesAmong(subjects: readonly number[], p: number, objects: readonly number[]): Generator<StatementChange, void> {
    const change: StatementChange = { s: 0, p, o: 0, sign: 1 };
    const [before, now] = [this.#knownByClass(p, OLD), this.#knownByClass(p, NOW)];
    for (const s of subjects) {
      for (const o of objects) {
        this.#machine.spend(1);
        const isOwn = this.#isOwn(s, p, o);
        const was = isOwn ? this.holds(s, p, o, OLD) : before(s, o);
        if (was === (isOwn ? this.holds(s, p, o, NOW) : now(s, o))) continue;
        change.s = s;
        change.o = o;
        change.sign = was ? -1 : 1;
        yield change;
      }
    }
  }

  #knownByClass(p: number, mode: Mode): (s: number, o: number) => boolean {
    const known = new Map<string, boolean>();
    const equality = this.#equality;
    return (s, o) => {
      const key = `${equality.representative(s, mode) || s},${equality.representative(o, mode) || o}`;
      let holds = known.get(key);
      if (holds === undefined) {
        holds = this.#followsFromEquals(s, p, o, mode);
        known.set(key, holds);
      }
      return holds;
    };
  }
}

const ANY: readonly number[] = [0, 0];
const UNBOUNDED = ALIVE;

/** Sets of terms that are, or were when the transaction began, connected by equality. */
class Together {
  readonly #equality: TermEquality;
  readonly #sets = new Map<number, readonly number[]>();

  constructor(equality: TermEquality) {
    this.#equality = equality;
  }

  of(term: number): readonly number[] {
    const known = this.#sets.get(term);
    if (known) return known;
    const set = new Set([term]);
    for (const one of set) {
      const equals = this.#equality.equals(one, EITHER) ?? [];
      for (let i = 0; i < equals.length; i += 2) set.add(equals[i]);
    }
    const terms = [...set];
    for (const one of terms) this.#sets.set(one, terms);
    return terms;
  }
}
