/** Lists that come and go: by relation, empty ones left out; and from one transaction to the next. */
import type { Relation } from "./relation.ts";

/** A list for the next use: the same while it is empty, so that a transaction which needs none makes none. */
export function emptied<T>(list: T[]): T[] {
  return list.length === 0 ? list : [];
}

export function append<T>(map: Map<Relation, T[]>, relation: Relation, item: T): void {
  const list = map.get(relation);
  if (list) list.push(item);
  else map.set(relation, [item]);
}

export function without<T>(map: Map<Relation, T[]>, relation: Relation, item: T): void {
  const list = map.get(relation);
  const index = list?.indexOf(item) ?? -1;
  if (list && index >= 0) list.splice(index, 1);
  if (list?.length === 0) map.delete(relation);
}
