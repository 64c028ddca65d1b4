/** Lists by relation, empty ones left out. */
import type { Relation } from "./relation.ts";

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
