/**
 * Terms that are equal (owl:sameAs) by representatives: rows keep their own terms, classes of equal terms stand beside them.
 *
 *     links(a, b)        why two nodes are equal; derived by rules like any other row. A node is a term, or a negative
 *                        number (a *hub*: what several terms are equal through, such as a shared value of a key)
 *     tree(a, b)         a class is a tree of its nodes (union by size); its root represents it
 *     members(x, r)      r represents the class of x; rows only for terms that have an equal
 *     x ≡ y              x = y, or members(x, r) and members(y, r)
 *     quad*(s, p, o)     = { (a, p, b) | quad(s, p, o), a ≡ s, b ≡ o }          what queries see (equal-statements.ts)
 *
 * Rules join modulo ≡ (literal `same`, body.ts) and derive in the terms they found, so a class of n terms with f facts costs
 * n + f rows, not n² + n·f. Changes of `members` are deltas of an ordinary relation.
 * Ranks: an edge of the tree ranks above the link it came from and at least as high as all edges that it joins, so two
 * nodes are connected by links of ranks below the largest on the way between them; that largest is the rank of `x ≡ y`, and
 * what is derived modulo ≡ has premises of smaller rank like everything else: no class holds itself up. A larger class
 * taking in a smaller one changes no rank of a pair and is no loss. A lost link takes all edges of higher rank away; links
 * that are left put the pieces together again. One that leads to a leaf takes the leaf.
 * State: one row per node, one per member. Cost of a merge: the smaller class; of a lost link: the class at most.
 * Objects of rdf:type and predicates are not read modulo ≡: rules copy rows over equal classes and properties, which are
 * few, so that dispatch by class and predicate stays exact. Literals are never equal to anything.
 * Source: Motik, Nenov, Piro, Horrocks, "Handling owl:sameAs via rewriting", AAAI 2015, and "Combining rewriting and
 * incremental materialisation maintenance for Datalog programs with equality", IJCAI 2015.
 */

import { weightOf } from "./bindings.ts";
import { EqualStatements } from "./equal-statements.ts";
import type { Machine } from "./machine.ts";
import { AT, EITHER, type Mode, NOW } from "./mode.ts";
import type { ColumnIndex, Relation, RelationJournal, RelationOptions } from "./relation.ts";
import { emptied } from "./relation-lists.ts";
import type { EqualityChange, EqualityOptions, TermEquality } from "./term-equality.ts";

/** Journals of finished ticks that may still be read back from, oldest first. */
export type JournalsAfter = (relation: Relation, tick: number) => Iterable<RelationJournal>;

const FIRST = 1;
const SECOND = 2;

export class Equality implements TermEquality {
  readonly links: Relation;
  readonly members: Relation;
  /** (node, parent): a class is a tree of its nodes, hubs included; the representative is its root. */
  readonly tree: Relation;
  /** The predicate that says it. */
  readonly sameAs: number;
  /** What holds modulo equality. */
  readonly statements: EqualStatements;
  readonly #machine: Machine;
  readonly #journalsAfter: JournalsAfter;
  /** By root: the largest rank in the tree, and its number of nodes. Found again when missing. */
  readonly #top = new Map<number, number>();
  readonly #size = new Map<number, number>();
  readonly #hubs = new Map<string, number>();
  #pending: number[] = [];
  readonly #lost = new Set<number>();
  #orphans: number[] = [];

  constructor(
    machine: Machine,
    typePredicate: number,
    options: EqualityOptions,
    relation: (name: string, arity: number, options?: RelationOptions) => Relation,
    journalsAfter: JournalsAfter,
  ) {
    this.#machine = machine;
    this.sameAs = options.sameAs;
    this.statements = new EqualStatements(machine, this, typePredicate, options);
    this.#journalsAfter = journalsAfter;
    this.links = relation("equality_links", 2);
    this.members = relation("equal_terms", 2, { dispatching: true });
    this.tree = relation("equality_tree", 2);
  }

  /** Whether any state that can be read knows equal terms. */
  get active(): boolean {
    return this.members.held > 0;
  }

  /** The node that stands for what `values` say. Equal values, equal node. */
  hub(...values: readonly number[]): number {
    const key = values.join();
    let hub = this.#hubs.get(key);
    if (hub === undefined) {
      hub = -1 - this.#hubs.size;
      this.#hubs.set(key, hub);
    }
    return hub;
  }

  // ---- classes follow links; called by the fixpoint ---------------------------------------------------------------

  begin(): void {
    this.#pending = emptied(this.#pending);
    if (this.#lost.size > 0) this.#lost.clear();
    this.#orphans = emptied(this.#orphans);
  }

  /** After an undo: what is kept beside the relations is not to be trusted. */
  forget(): void {
    this.#top.clear();
    this.#size.clear();
  }

  /** A link came. Takes effect with `merge`. */
  gain(row: number): void {
    this.#pending.push(row);
  }

  /** A link is gone. Takes effect with `split`. */
  lose(row: number): void {
    this.#lost.add(row);
  }

  get hasGained(): boolean {
    return this.#pending.length > 0;
  }

  /** Classes that links connect become one. Answers the rows that came. */
  merge(): EqualityChange[] {
    const changes: EqualityChange[] = [];
    const pending = this.#pending;
    this.#pending = [];
    for (const row of pending) {
      if (this.links.weight[row] <= 0) continue;
      const [left, right] = this.links.values(row).map((node) => this.#rootOf(node));
      if (left !== right) this.#attach(left, right, this.links.rank[row] + 1, changes);
    }
    return changes;
  }

  #attach(left: number, right: number, rank: number, changes: EqualityChange[]): void {
    const [large, small] = this.#isAbove(left, right) ? [left, right] : [right, left];
    const top = Math.max(rank, this.#topOf(large), this.#topOf(small));
    const size = this.#sizeOf(large) + this.#sizeOf(small);
    const moved = this.#nodesUnder(small).filter((node) => node > 0);
    this.#change(this.tree, [small, large], 1, top, changes);
    for (const map of [this.#top, this.#size]) map.delete(small);
    this.#top.set(large, top);
    this.#size.set(large, size);
    if (moved.length === 0 || large < 0) return;
    // Who moves on is as equal to those it came with as before: nothing is lost.
    for (const term of moved) if (this.#isMember(term, small)) this.members.change([term, small], -1, this.#machine.tick);
    if (!this.#isMember(large, large)) moved.push(large);
    for (const term of moved) this.#change(this.members, [term, large], 1, 0, changes);
  }

  /** A term before a hub, the larger class before the smaller. */
  #isAbove(a: number, b: number): boolean {
    if (a > 0 !== b > 0) return a > 0;
    const difference = this.#sizeOf(a) - this.#sizeOf(b);
    return difference === 0 ? a < b : difference > 0;
  }

  /** Terms leave the classes that lost links held together. Answers the rows that went. */
  split(): EqualityChange[] {
    const changes: EqualityChange[] = [];
    for (const row of this.#lost) {
      this.#lost.delete(row);
      if (this.links.weight[row] > 0) continue;
      const [a, b] = this.links.values(row);
      const root = this.#rootOf(a);
      if (root !== this.#rootOf(b)) continue;
      const leaf = [a, b].find((node) => node !== root && this.#isLeaf(node));
      this.#cut(root, leaf === undefined ? this.#edgesAbove(root, this.links.rank[row]) : [this.#edgeOf(leaf)], changes);
    }
    return changes;
  }

  #cut(root: number, edges: readonly number[], changes: EqualityChange[]): void {
    const roots = [root, ...edges.map((edge) => this.tree.columns[0][edge])];
    for (const edge of edges) this.#change(this.tree, this.tree.values(edge), -1, 0, changes);
    for (const part of roots) {
      for (const map of [this.#top, this.#size]) map.delete(part);
      const nodes = this.#nodesUnder(part);
      if (part !== root) for (const node of nodes) this.#orphans.push(node);
      const terms = nodes.filter((node) => node > 0);
      for (const term of terms) {
        if (part === root && terms.length > 1) break;
        if (this.#isMember(term, root)) this.#change(this.members, [term, root], -1, 0, changes);
        if (terms.length > 1) this.members.change([term, part], 1, this.#machine.tick);
      }
    }
  }

  /** Links that are left gather the nodes that `split` set free; takes effect with `merge`. */
  regather(): void {
    for (const node of this.#orphans) for (const row of this.#linksOf(node)) this.#pending.push(row);
    this.#orphans = [];
  }

  #change(relation: Relation, values: readonly number[], delta: 1 | -1, rank: number, changes: EqualityChange[]): void {
    const row = relation.change(values, delta, this.#machine.tick, rank);
    changes.push({ relation, row, present: delta > 0 });
  }

  #isMember(term: number, of: number): boolean {
    const row = this.members.find([term, of]);
    return row >= 0 && this.members.weight[row] > 0;
  }

  /** The tree row from a node to its parent, or -1. */
  #edgeOf(node: number): number {
    const { tree } = this;
    const index = tree.index(FIRST);
    let row = this.#first(index, node);
    while (row >= 0 && tree.weight[row] <= 0) row = index.next[row];
    return row;
  }

  #rootOf(node: number): number {
    let root = node;
    for (let edge = this.#edgeOf(root); edge >= 0; edge = this.#edgeOf(root)) root = this.tree.columns[1][edge];
    return root;
  }

  /** The node and everything below it. */
  #nodesUnder(root: number): number[] {
    const { tree } = this;
    const index = tree.index(SECOND);
    const nodes = [root];
    for (let i = 0; i < nodes.length; i++)
      for (let row = this.#first(index, nodes[i]); row >= 0; row = index.next[row])
        if (tree.weight[row] > 0) nodes.push(tree.columns[0][row]);
    return nodes;
  }

  #edgesAbove(root: number, rank: number): number[] {
    return this.#nodesUnder(root)
      .map((node) => (node === root ? -1 : this.#edgeOf(node)))
      .filter((edge) => edge >= 0 && this.tree.rank[edge] > rank);
  }

  #sizeOf(root: number): number {
    return cached(this.#size, root, () => this.#nodesUnder(root).length);
  }

  #topOf(root: number): number {
    const { rank } = this.tree;
    return cached(this.#top, root, () => this.#edgesAbove(root, -1).reduce((top, edge) => Math.max(top, rank[edge]), 0));
  }

  /** Nothing hangs on the node. Links that are lost but still to be looked at count: they have not split the class yet. */
  #isLeaf(node: number): boolean {
    const { tree } = this;
    const below = tree.index(SECOND);
    for (let row = this.#first(below, node); row >= 0; row = below.next[row]) if (tree.weight[row] > 0) return false;
    return this.#linksOf(node, this.#lost).length === 0;
  }

  /** Present links of a node, and those of `more`. */
  #linksOf(node: number, more?: ReadonlySet<number>): number[] {
    const { links } = this;
    const rows: number[] = [];
    for (const mask of [FIRST, SECOND]) {
      const index = links.index(mask);
      for (let row = this.#first(index, node); row >= 0; row = index.next[row]) if (links.weight[row] > 0 || more?.has(row)) rows.push(row);
    }
    return rows;
  }

  // ---- reading ----------------------------------------------------------------------------------------------------

  /** Terms equal to `term` but not itself, each followed by the rank of their equality; undefined when there are none. */
  equals(term: number, mode: Mode): readonly number[] | undefined {
    const byTerm = this.members.index(FIRST);
    let row = this.#first(byTerm, term);
    if (row < 0) return undefined;
    const { columns } = this.members;
    const path = mode === NOW ? this.#pathFrom(term) : undefined;
    const byClass = this.members.index(SECOND);
    const found: number[] = [];
    for (; row >= 0; row = byTerm.next[row]) {
      if (this.#weight(row, mode) <= 0) continue;
      for (let other = this.#first(byClass, columns[1][row]); other >= 0; other = byClass.next[other]) {
        if (columns[0][other] === term || this.#weight(other, mode) <= 0) continue;
        found.push(columns[0][other], path ? this.#rankAlong(path, columns[0][other]) : 0);
      }
    }
    return found.length === 0 ? undefined : found;
  }

  /** Rank of `a ≡ b`, 0 when they are the same term, -1 when they are not equal. */
  rankOf(a: number, b: number, mode: Mode): number {
    if (a === b) return 0;
    if (mode === NOW) return this.estimate(a) === 0 ? -1 : this.#rankAlong(this.#pathFrom(a), b);
    const { columns } = this.members;
    const index = this.members.index(FIRST);
    for (let row = this.#first(index, a); row >= 0; row = index.next[row]) {
      if (this.#weight(row, mode) <= 0) continue;
      const other = this.members.find([b, columns[1][row]]);
      if (other >= 0 && this.#weight(other, mode) > 0) return 0;
    }
    return -1;
  }

  /** A node and those above it, each with the largest rank on the way. */
  #pathFrom(node: number): Map<number, number> {
    const path = new Map([[node, 0]]);
    let rank = 0;
    for (let edge = this.#edgeOf(node); edge >= 0; edge = this.#edgeOf(this.tree.columns[1][edge])) {
      rank = Math.max(rank, this.tree.rank[edge]);
      path.set(this.tree.columns[1][edge], rank);
    }
    return path;
  }

  /** Largest rank between `node` and where the path began, or -1 when they are in different trees. */
  #rankAlong(path: ReadonlyMap<number, number>, node: number): number {
    let rank = 0;
    for (let at = node; ; ) {
      const met = path.get(at);
      if (met !== undefined) return Math.max(rank, met);
      const edge = this.#edgeOf(at);
      if (edge < 0) return -1;
      rank = Math.max(rank, this.tree.rank[edge]);
      at = this.tree.columns[1][edge];
    }
  }

  /** Who represents the term, 0 when it has no equal. Where it was in two classes (EITHER), one of them. */
  representative(term: number, mode: Mode): number {
    const index = this.members.index(FIRST);
    for (let row = this.#first(index, term); row >= 0; row = index.next[row])
      if (this.#weight(row, mode) > 0) return this.members.columns[1][row];
    return 0;
  }

  /** About how many terms are equal to this one. */
  estimate(term: number): number {
    const row = this.#first(this.members.index(FIRST), term);
    if (row < 0) return 0;
    const index = this.members.index(SECOND);
    const head = this.#first(index, this.members.columns[1][row]);
    return head < 0 ? 0 : index.countAt(head);
  }

  readonly #probe = [0];

  #first(index: ColumnIndex, value: number): number {
    this.#probe[0] = value;
    return index.first(this.#probe);
  }

  #weight(row: number, mode: Mode): number {
    const { tick, at } = this.#machine;
    return mode === AT ? this.#weightAt(row, at) : weightOf(this.members, row, mode, tick);
  }

  /** Weight after tick `at`: what the first later change found. */
  #weightAt(row: number, at: number): number {
    for (const journal of this.#journalsAfter(this.members, at)) {
      const { entries } = journal;
      for (let i = 0; i < entries.length; i += 3) if (entries[i] === row) return entries[i + 1];
    }
    return this.members.weight[row];
  }

  /** The term itself, then its equals, each followed by the rank of the equality. */
  withEquals(term: number, mode: Mode): readonly number[] {
    const equals = this.equals(term, mode);
    return equals ? [term, 0, ...equals] : [term, 0];
  }

  /** Rows of `links`, of ranks below `bound`, that lead from one node to the other; undefined when none do. */
  linksBetween(from: number, to: number, bound: number): number[] | undefined {
    const { links } = this;
    const cameBy = new Map([[from, -1]]);
    const queue = [from];
    for (let i = 0; i < queue.length && !cameBy.has(to); i++) {
      for (const row of this.#linksOf(queue[i])) {
        const next = links.columns[0][row] === queue[i] ? links.columns[1][row] : links.columns[0][row];
        if (links.rank[row] >= bound || cameBy.has(next)) continue;
        cameBy.set(next, row);
        queue.push(next);
      }
    }
    const path: number[] = [];
    for (let node = to, row = cameBy.get(to); row !== -1; row = cameBy.get(node)) {
      if (row === undefined) return undefined;
      path.push(row);
      node = links.columns[0][row] === node ? links.columns[1][row] : links.columns[0][row];
    }
    return path;
  }

  /** Every term of a class, as it was or is, in which the running transaction changed something. */
  termsOfChangedClasses(): Set<number> {
    const { members } = this;
    const { tick } = this.#machine;
    const terms = new Set<number>();
    for (let i = 0; i < members.touchedCount(tick); i++) {
      const row = members.touchedAt(i);
      if (members.before[row] > 0 === members.weight[row] > 0) continue;
      const [term] = members.values(row);
      if (terms.has(term)) continue;
      const equals = this.withEquals(term, EITHER);
      for (let k = 0; k < equals.length; k += 2) terms.add(equals[k]);
    }
    return terms;
  }
}

function cached(map: Map<number, number>, key: number, make: () => number): number {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
