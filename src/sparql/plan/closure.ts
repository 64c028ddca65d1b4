/**
 * Paths of any length, on demand.
 *
 *     p+ = ⋃ pⁿ, n ≥ 1        p* = p+ ∪ identity        p? = p ∪ identity       as sets of pairs
 *
 * Breadth first with a visited set, so cycles end. The identity covers every node of the graph, and an end written as a
 * constant even when it occurs nowhere. State: the visited nodes of one start. Cost O(edges reached) for a given end, times the nodes of the
 * graph when both ends are free; the reader counts the work and ends it at the deadline. Source: SPARQL 1.1 Query Language, section 18.4 (ALP).
 */
import type { QuadReader } from "../../engine/index.ts";
import type { PropertyPath } from "../parse/index.ts";

/** Ids of the graphs that together are read; 0 is the default graph. */
export type PathGraph = readonly number[];

export interface PathData {
  readonly reader: QuadReader;
  readonly graphs: PathGraph;
  /** The id of a predicate of the path. */
  readonly idOf: (iri: { readonly value: string }) => number;
  /** An end is written as a constant: paths of length zero reach it even when it occurs nowhere. */
  readonly anyEnd: boolean;
}

type Emit = (from: number, to: number) => boolean;

/** Calls back for each pair that agrees with the given ends (0 = free), each once, until `emit` answers false. */
export function closurePairs(path: PropertyPath, from: number, to: number, data: PathData, emit: Emit): void {
  const start = from !== 0 ? from : to;
  // A variable that a join has bound still ranges over the nodes of the graph only.
  if (start !== 0 && !data.anyEnd && !isNode(start, data)) return;
  if (from !== 0) {
    for (const node of reached(path, from, true, data, to)) if ((to === 0 || node === to) && !emit(from, node)) return;
    return;
  }
  if (to !== 0) {
    for (const node of reached(path, to, false, data, 0)) if (!emit(node, to)) return;
    return;
  }
  for (const first of nodesOf(data)) {
    for (const node of reached(path, first, true, data, 0)) if (!emit(first, node)) return;
  }
}

/** Nodes reached from one end by a closure, or by one step of any other path, as a set. */
function reached(path: PropertyPath, start: number, forward: boolean, data: PathData, wanted: number): Set<number> {
  const found = new Set<number>();
  switch (path.type) {
    case "ZeroOrOnePath":
      found.add(start);
      step(path.path, start, forward, data, (node) => found.add(node));
      return found;
    case "ZeroOrMorePath":
      found.add(start);
      spread(path.path, [start], forward, data, found, wanted);
      return found;
    case "OneOrMorePath": {
      step(path.path, start, forward, data, (node) => found.add(node));
      spread(path.path, [...found], forward, data, found, wanted);
      return found;
    }
    default:
      step(path, start, forward, data, (node) => found.add(node));
      return found;
  }
}

function spread(path: PropertyPath, frontier: number[], forward: boolean, data: PathData, found: Set<number>, wanted: number): void {
  const queue = frontier;
  for (let at = 0; at < queue.length; at++) {
    if (wanted !== 0 && found.has(wanted)) return;
    step(path, queue[at] as number, forward, data, (node) => {
      if (found.has(node)) return;
      found.add(node);
      queue.push(node);
    });
  }
}

/** One step along `path` from `node`; may call back more than once for a node. */
function step(path: PropertyPath, node: number, forward: boolean, data: PathData, emit: (node: number) => void): void {
  switch (path.type) {
    case "link":
      follow(data, node, data.idOf(path.iri), forward, (_predicate, other) => emit(other));
      return;
    case "inv":
      step(path.path, node, !forward, data, emit);
      return;
    case "seq": {
      const parts = forward ? path.input : [...path.input].reverse();
      let nodes = new Set([node]);
      for (const part of parts) {
        const next = new Set<number>();
        for (const from of nodes) step(part, from, forward, data, (to) => next.add(to));
        nodes = next;
      }
      for (const to of nodes) emit(to);
      return;
    }
    case "alt":
      for (const part of path.input) step(part, node, forward, data, emit);
      return;
    case "nps": {
      const excluded = new Set(path.iris.map(data.idOf));
      follow(data, node, 0, forward, (predicate, other) => {
        if (!excluded.has(predicate)) emit(other);
      });
      return;
    }
    default:
      for (const other of reached(path, node, forward, data, 0)) emit(other);
  }
}

function follow(data: PathData, node: number, predicate: number, forward: boolean, emit: (predicate: number, other: number) => void): void {
  for (const graph of data.graphs) {
    data.reader.match(forward ? node : 0, predicate, forward ? 0 : node, graph, (s, p, o) => {
      emit(p, forward ? o : s);
      return true;
    });
  }
}

function isNode(node: number, data: PathData): boolean {
  let found = false;
  const stop = (): boolean => {
    found = true;
    return false;
  };
  for (const graph of data.graphs) {
    if (!found) data.reader.match(node, 0, 0, graph, stop);
    if (!found) data.reader.match(0, 0, node, graph, stop);
  }
  return found;
}

function nodesOf(data: PathData): Set<number> {
  const nodes = new Set<number>();
  for (const graph of data.graphs) {
    data.reader.match(0, 0, 0, graph, (s, _p, o) => {
      nodes.add(s);
      nodes.add(o);
      return true;
    });
  }
  return nodes;
}
