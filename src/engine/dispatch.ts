/**
 * From a changed quad to the rule literals it may concern, without looking at any other rule.
 *
 *     triggers(s, p, o) = byPredicate[p] ∪ (p = rdf:type ? byClass[o] : ∅) ∪ any
 *
 * A literal whose predicate (class) is a column of a parameter relation is filed under each value that column has, kept
 * up to date by watching the column: rules are data, so what a delta can concern changes with the data.
 * Cost per changed quad: two hash look-ups plus the triggers that share its predicate; independent of all others.
 */
import type { Arg, Literal } from "./body.ts";
import { QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";

/** A column of a relation that decides what a literal concerns, row by row. */
export interface ColumnRef {
  readonly relation: Relation;
  readonly column: number;
  /** Where the column is a predicate and holds rdf:type: the column, or the constant, that is the class. */
  readonly classColumn?: number;
  readonly classValue?: number;
}

/** What one row makes the literal concern. */
export interface Node {
  readonly by: "predicate" | "class";
  readonly value: number;
}

/** A key that depends on the rows of a relation. */
export interface ColumnKey {
  readonly by: "predicate" | "class";
  readonly column: ColumnRef;
}

export type DispatchKey = { readonly by: "predicate" | "class"; readonly value: number } | ColumnKey | { readonly by: "any" };

export class Dispatch<T> {
  readonly #byPredicate = new Map<number, T[]>();
  readonly #byClass = new Map<number, T[]>();
  readonly #any: T[] = [];
  readonly #typePredicate: number;
  readonly #unwatch = new Map<T, (() => void)[]>();
  size = 0;

  constructor(typePredicate: number) {
    this.#typePredicate = typePredicate;
  }

  add(key: DispatchKey, item: T): void {
    this.size++;
    if (key.by === "any") {
      this.#any.push(item);
      return;
    }
    const map = key.by === "predicate" ? this.#byPredicate : this.#byClass;
    if ("value" in key) {
      push(map, key.value, item);
      this.#onRemove(item, () => drop(map, key.value, item));
      return;
    }
    const { relation } = key.column;
    const counts = { predicate: new Map<number, number>(), class: new Map<number, number>() };
    const watcher = {
      changed: (row: number, present: boolean): void => {
        const { by, value } = nodeOf(key, row, this.#typePredicate);
        const of = counts[by];
        const before = of.get(value) ?? 0;
        const now = present ? before + 1 : before - 1;
        if (now === 0) of.delete(value);
        else of.set(value, now);
        const target = by === "predicate" ? this.#byPredicate : this.#byClass;
        if (before === 0) push(target, value, item);
        else if (now === 0) drop(target, value, item);
      },
    };
    relation.watch(watcher);
    this.#onRemove(item, () => {
      relation.unwatch(watcher);
      for (const value of counts.predicate.keys()) drop(this.#byPredicate, value, item);
      for (const value of counts.class.keys()) drop(this.#byClass, value, item);
    });
  }

  remove(item: T): void {
    for (const undo of this.#unwatch.get(item) ?? []) undo();
    this.#unwatch.delete(item);
    const index = this.#any.indexOf(item);
    if (index >= 0) this.#any.splice(index, 1);
    this.size--;
  }

  forPredicate(p: number): readonly T[] | undefined {
    return this.#byPredicate.get(p);
  }

  /** Items filed under the class `o` when `p` is rdf:type. */
  forClass(p: number, o: number): readonly T[] | undefined {
    return p === this.#typePredicate ? this.#byClass.get(o) : undefined;
  }

  /** Every item filed under some class, once. */
  forAnyClass(): ReadonlySet<T> {
    const all = new Set<T>();
    for (const items of this.#byClass.values()) for (const item of items) all.add(item);
    return all;
  }

  get forAny(): readonly T[] {
    return this.#any;
  }

  /** Whether a change of this predicate can concern anything. */
  concerns(p: number): boolean {
    return this.#any.length > 0 || this.#byPredicate.has(p) || (p === this.#typePredicate && this.#byClass.size > 0);
  }

  #onRemove(item: T, undo: () => void): void {
    const list = this.#unwatch.get(item);
    if (list) list.push(undo);
    else this.#unwatch.set(item, [undo]);
  }
}

/** The node that a row of the key's relation stands for. */
export function nodeOf(key: ColumnKey, row: number, typePredicate: number): Node {
  const { relation, column, classColumn, classValue } = key.column;
  const value = relation.columns[column][row];
  if (key.by === "predicate" && value === typePredicate) {
    if (classColumn !== undefined) return { by: "class", value: relation.columns[classColumn][row] };
    if (classValue !== undefined) return { by: "class", value: classValue };
  }
  return { by: key.by, value };
}

/** How to file an atom or head with these arguments; `literals` is the body that may bind its predicate or class. */
export function dispatchKey(args: readonly Arg[], literals: readonly Literal[], typePredicate: number): DispatchKey {
  const [, p, o] = args;
  if ("value" in p) {
    if (p.value !== typePredicate) return { by: "predicate", value: p.value };
    if ("value" in o) return { by: "class", value: o.value };
    const column = bindingColumn(o.slot, literals);
    return column ? { by: "class", column } : { by: "predicate", value: p.value };
  }
  const column = bindingColumn(p.slot, literals);
  if (!column) return { by: "any" };
  if ("value" in o) return { by: "predicate", column: { ...column, classValue: o.value } };
  const ofClass = bindingColumn(o.slot, literals);
  return { by: "predicate", column: ofClass && ofClass.relation === column.relation ? { ...column, classColumn: ofClass.column } : column };
}

/** The column of a small relation atom of the body that binds the slot. */
function bindingColumn(slot: number, literals: readonly Literal[]): ColumnRef | undefined {
  for (const literal of literals) {
    if (literal.kind !== "atom" || literal.relation instanceof QuadRelation || !literal.relation.dispatching) continue;
    for (let column = 0; column < literal.args.length; column++) {
      const arg = literal.args[column];
      if ("slot" in arg && arg.slot === slot) return { relation: literal.relation, column };
    }
  }
  return undefined;
}

function push<T>(map: Map<number, T[]>, key: number, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function drop<T>(map: Map<number, T[]>, key: number, item: T): void {
  const list = map.get(key);
  if (!list) return;
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
  if (list.length === 0) map.delete(key);
}
