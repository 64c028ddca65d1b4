/**
 * The order of rules with negation or aggregation.
 *
 * Nodes are predicates, classes of rdf:type and other relations, so that everyday queries stratify. Monotone rules may run
 * at any time; only a non-monotone producer N must wait until what it negates or counts is final:
 *     N1 -> N2   when what N1 derives, closed under the monotone rules, meets an input of N2
 * A circle that passes through a negated or counted input is refused; otherwise stage(N) = longest path to N.
 * Cost: one walk over the rule instances reachable from each producer's heads; nothing when there is no producer.
 */
import { SensError } from "../base/index.ts";
import type { Arg, Literal } from "./body.ts";
import type { CompiledRule, Trigger } from "./compiled-rule.ts";
import { type ColumnKey, type DispatchKey, dispatchKey, type Node, nodeOf } from "./dispatch.ts";
import { QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";
import type { TermEquality } from "./term-equality.ts";

/** A set of nodes: predicates, classes, relations; or everything. */
export class NodeSet {
  readonly predicates = new Set<number>();
  readonly classes = new Set<number>();
  readonly relations = new Set<Relation>();
  /** Some class of rdf:type, which is not known. */
  anyClass = false;
  all = false;

  meets(other: NodeSet, typePredicate: number): boolean {
    if (this.all) return other.all || other.anyClass || other.predicates.size + other.classes.size > 0;
    if (other.all) return this.anyClass || this.predicates.size + this.classes.size > 0;
    for (const relation of this.relations) if (other.relations.has(relation)) return true;
    for (const p of this.predicates) if (other.predicates.has(p)) return true;
    const typed = this.anyClass || this.classes.size > 0;
    const otherTyped = other.anyClass || other.classes.size > 0;
    if (other.predicates.has(typePredicate) && typed) return true;
    if (this.predicates.has(typePredicate) && otherTyped) return true;
    if (this.anyClass && otherTyped) return true;
    if (other.anyClass && typed) return true;
    for (const c of this.classes) if (other.classes.has(c)) return true;
    return false;
  }
}

/** A query or rule with negation or aggregation that derives quads. */
export interface Producer {
  /** Key of its pipeline. */
  name: string;
  /** Rules whose heads are quads. */
  readonly final: CompiledRule;
  /** Rules of the steps before. */
  readonly inner: readonly CompiledRule[];
}

export interface RuleIndex {
  /** Triggers of monotone rules that a change of this node may concern. */
  forNode(kind: "predicate" | "class" | "anyClass" | "relation", value: number | Relation): Iterable<Trigger>;
  readonly typePredicate: number;
  /** Its members and trees follow from its links. */
  readonly equality: TermEquality | undefined;
}

/** Stage of each producer, from 1. Throws SENS_NOT_STRATIFIED naming the circle. */
export function stratify(producers: readonly Producer[], index: RuleIndex, forbidden: NodeSet): Map<Producer, number> {
  const derived = producers.map((producer) => closure(producer, index));
  for (let i = 0; i < producers.length; i++) {
    if (derived[i].meets(forbidden, index.typePredicate) && !derived[i].all)
      throw new SensError("SENS_NOT_STRATIFIED", `"${producers[i].name}" would derive ontology axioms through negation or aggregation.`);
  }
  const inputs = producers.map((producer) => producerInputs(producer, index));
  const edges = producers.map((_, i) => producers.map((__, j) => edge(derived[i], inputs[j], index.typePredicate)));
  const reach = edges.map((row) => row.map((value) => value !== "none"));
  for (let k = 0; k < reach.length; k++)
    for (let i = 0; i < reach.length; i++) if (reach[i][k]) for (let j = 0; j < reach.length; j++) if (reach[k][j]) reach[i][j] = true;
  for (let i = 0; i < producers.length; i++) {
    for (let j = 0; j < producers.length; j++) {
      if (edges[i][j] !== "negative" || !(i === j || reach[j][i])) continue;
      const path = negativeCycle(producers, index, inputs, edges, i, j);
      const names = path.filter(({ producer }) => producer).map(({ name }) => name);
      const circle = names.length === 1 ? `"${names[0]}" depends on itself` : `"${names.join('" and "')}" depend on each other`;
      throw new SensError("SENS_NOT_STRATIFIED", `${circle} through negation or aggregation. Break the cycle.`, {
        extra: { cycle: names, path },
      });
    }
  }
  const stage = producers.map(() => 1);
  for (let round = 0; round < producers.length; round++) {
    let changed = false;
    for (let i = 0; i < producers.length; i++) {
      for (let j = 0; j < producers.length; j++) {
        if (i === j || edges[i][j] === "none") continue;
        const least = reach[j][i] ? stage[i] : stage[i] + 1;
        if (stage[j] < least) {
          stage[j] = least;
          changed = true;
        }
      }
    }
    if (!changed) break;
  }
  return new Map(producers.map((producer, i) => [producer, stage[i]]));
}

interface Inputs {
  /** Atoms of the final rule's own positive part. */
  readonly positive: NodeSet;
  /** Negated, or read by the steps before the final rule. */
  readonly negative: NodeSet;
}

function edge(derived: NodeSet, inputs: Inputs, typePredicate: number): "none" | "positive" | "negative" {
  if (derived.meets(inputs.negative, typePredicate)) return "negative";
  return derived.meets(inputs.positive, typePredicate) ? "positive" : "none";
}

function producerInputs(producer: Producer, { typePredicate, equality }: RuleIndex): Inputs {
  const positive = new NodeSet();
  const negative = new NodeSet();
  for (const trigger of producer.final.triggers)
    addKey(trigger.kind === "atom" ? positive : negative, trigger, producer.final.literals, typePredicate);
  for (const rule of producer.inner) {
    for (const trigger of rule.triggers) {
      addKey(negative, trigger, rule.literals, typePredicate);
      if (equality && trigger.atom.expanded) negative.relations.add(equality.members);
    }
  }
  return { positive, negative };
}

function addKey(set: NodeSet, trigger: Trigger, literals: readonly Literal[], typePredicate: number): void {
  const { relation, args } = trigger.atom;
  if (!(relation instanceof QuadRelation)) {
    set.relations.add(relation);
    return;
  }
  addNodes(set, dispatchKey(args, literals, typePredicate), typePredicate);
}

function addNodes(set: NodeSet, key: DispatchKey, typePredicate: number): void {
  if (key.by === "any") {
    set.all = true;
    return;
  }
  for (const { by, value } of "value" in key ? [key] : nodesOf(key, typePredicate, undefined)) {
    if (by === "class") set.classes.add(value);
    else if (value === typePredicate) set.anyClass = true;
    else set.predicates.add(value);
  }
}

/** Rows of a relation for which a trigger's key stands for a given node. */
interface Origin {
  readonly key: ColumnKey;
  readonly node: Node;
}

/** What the rows of the key's relation stand for; with `origin`, only of the rows that the origin's node belongs to. */
function* nodesOf(key: ColumnKey, typePredicate: number, origin: Origin | undefined): Iterable<Node> {
  const { relation } = key.column;
  for (let row = 0; row < relation.end; row++) {
    if (relation.weight[row] <= 0) continue;
    if (origin && origin.key.column.relation === relation) {
      const node = nodeOf(origin.key, row, typePredicate);
      const same = node.by === origin.node.by && node.value === origin.node.value;
      // rdf:type as a predicate is any class.
      if (!same && !(origin.node.by === "class" && node.by === "predicate" && node.value === typePredicate)) continue;
    }
    yield nodeOf(key, row, typePredicate);
  }
}

/** What a producer may make change, and how: by which rule, from what. */
interface Reached {
  readonly kind: "predicate" | "class" | "anyClass" | "relation" | "any";
  readonly value: number | Relation;
  readonly rule: CompiledRule;
  readonly from: Reached | undefined;
}

/** Everything that may come to hold because of the producer's heads, through monotone rules. */
function closure(producer: Producer, index: RuleIndex): NodeSet {
  return reachedBy(producer, index).set;
}

/** As `closure`, each node with the way to it. */
function reachedBy(producer: Producer, index: RuleIndex): { readonly set: NodeSet; readonly queue: readonly Reached[] } {
  const set = new NodeSet();
  const queue: Reached[] = [];
  let rule = producer.final;
  let from: Reached | undefined;
  const push = (kind: Reached["kind"], value: number | Relation): void => {
    queue.push({ kind, value, rule, from });
  };
  const add = (kind: "predicate" | "class" | "relation", value: number | Relation): void => {
    if (kind === "relation") {
      if (set.relations.has(value as Relation)) return;
      set.relations.add(value as Relation);
      push(kind, value);
      if (index.equality && value === index.equality.links) {
        add(kind, index.equality.members);
        add(kind, index.equality.tree);
      }
    } else if (kind === "class") {
      if (set.classes.has(value as number) || set.anyClass) return;
      set.classes.add(value as number);
      push(kind, value);
    } else if (value === index.typePredicate) {
      if (set.anyClass) return;
      set.anyClass = true;
      push("anyClass", 0);
    } else if (!set.predicates.has(value as number)) {
      set.predicates.add(value as number);
      push(kind, value);
    }
  };
  const addHeads = (origin: Origin | undefined): void => {
    for (const head of rule.heads) {
      if (!(head.relation instanceof QuadRelation)) add("relation", head.relation);
      else addHead(head.args, rule, origin, add, set, index.typePredicate);
    }
  };
  addHeads(undefined);
  for (let at = 0; at < queue.length && !set.all; at++) {
    const { kind, value } = queue[at];
    from = queue[at];
    // "any" is only put in when the walk is over.
    if (kind === "any") break;
    for (const trigger of index.forNode(kind, value)) {
      rule = trigger.rule;
      const origin =
        "column" in trigger.key && typeof value === "number" && (kind === "predicate" || kind === "class")
          ? { key: trigger.key, node: { by: kind, value } }
          : undefined;
      addHeads(origin);
      if (set.all) break;
    }
  }
  if (set.all) push("any", 0);
  return { set, queue };
}

/** A rule or what it derives, on the way around a circle. */
export interface CycleStep {
  /** Of a rule; `producer`: of one that must wait for its inputs. */
  readonly name?: string;
  readonly producer?: true;
  /** Of what is derived. */
  readonly predicate?: number;
  readonly class?: number;
}

/** The way around: from producer `i`, whose results `j` negates or counts, back to it. */
function negativeCycle(
  producers: readonly Producer[],
  index: RuleIndex,
  inputs: readonly Inputs[],
  edges: readonly (readonly ("none" | "positive" | "negative")[])[],
  i: number,
  j: number,
): CycleStep[] {
  const around = i === j ? [i, i] : [i, ...shortest(edges, j, i)];
  const steps: CycleStep[] = [];
  for (let at = 0; at + 1 < around.length; at++) {
    const [a, b] = [around[at], around[at + 1]];
    steps.push({ name: producers[a].name, producer: true });
    const wanted = edges[a][b] === "negative" ? inputs[b].negative : inputs[b].positive;
    const met = reachedBy(producers[a], index).queue.find((reached) => nodeSetOf(reached).meets(wanted, index.typePredicate));
    const way: CycleStep[] = [];
    for (let reached = met; reached; reached = reached.from) {
      if (reached.kind === "predicate") way.unshift({ predicate: reached.value as number });
      else if (reached.kind === "class") way.unshift({ class: reached.value as number });
      else if (reached.kind === "anyClass") way.unshift({ predicate: index.typePredicate });
      if (reached.from) way.unshift({ name: reached.rule.name });
    }
    steps.push(...way);
  }
  return steps;
}

function nodeSetOf({ kind, value }: Reached): NodeSet {
  const set = new NodeSet();
  if (kind === "any") set.all = true;
  else if (kind === "anyClass") set.anyClass = true;
  else if (kind === "class") set.classes.add(value as number);
  else if (kind === "predicate") set.predicates.add(value as number);
  else set.relations.add(value as Relation);
  return set;
}

/** Nodes on a shortest way, both ends included; there is one. */
function shortest(edges: readonly (readonly string[])[], from: number, to: number): number[] {
  const before = new Map<number, number>([[from, from]]);
  const queue = [from];
  for (let at = 0; at < queue.length && !before.has(to); at++)
    for (let next = 0; next < edges.length; next++) {
      if (edges[queue[at]][next] === "none" || before.has(next)) continue;
      before.set(next, queue[at]);
      queue.push(next);
    }
  const way = [to];
  while (way[0] !== from) way.unshift(before.get(way[0]) as number);
  return way;
}

function addHead(
  args: readonly Arg[],
  rule: CompiledRule,
  from: Origin | undefined,
  add: (kind: "predicate" | "class", value: number) => void,
  set: NodeSet,
  typePredicate: number,
): void {
  const key = dispatchKey(args, rule.literals, typePredicate);
  if (key.by === "any") {
    set.all = true;
    return;
  }
  if ("value" in key) {
    add(key.by, key.value);
    return;
  }
  // Only the instances that the changed predicate (class) belongs to.
  for (const { by, value } of nodesOf(key, typePredicate, from)) add(by, value);
}
