/**
 * The solutions of a body one after the other, with rests: the same joins as `CompiledBody.solve`, written as a generator
 * so that a long query can stop anywhere and go on later. About one and a half times slower than callbacks (measured on
 * a two-pattern join), so it is used only for what a bounded first try did not finish (evaluate-once.ts).
 */

import { bindQuadRow, expandedQuads, pathReader, quadRows, relationRows } from "./atom-rows.ts";
import { bindRow, bindStatement, unbindRow, weightOf } from "./bindings.ts";
import type { CompiledBody } from "./compiled-body.ts";
import {
  argValue,
  type CompiledCall,
  type CompiledQuadAtom,
  type CompiledRelationAtom,
  type CompiledSame,
  type CompiledValues,
} from "./compiled-literal.ts";
import { isExpanded } from "./literal-costs.ts";
import type { Machine } from "./machine.ts";
import { AT, type Mode } from "./mode.ts";

/** What the generator hands out: the frame holds a solution, or nothing is to be read and the caller may rest. */
export const SOLUTION = 1;
export const REST = 0;
type Mark = typeof SOLUTION | typeof REST;

export function* pacedSolutions(machine: Machine, body: CompiledBody): Generator<Mark, void> {
  if (body.isComplete) {
    yield SOLUTION;
    return;
  }
  const index = body.choose();
  if (index < 0) return;
  body.markDone(index);
  for (const mark of bindings(machine, body, index)) {
    if (mark === REST) yield REST;
    else yield* pacedSolutions(machine, body);
  }
  body.unmarkDone(index);
}

/** Binds one match of a literal after the other; each is unbound when the next is asked for. */
function* bindings(machine: Machine, body: CompiledBody, index: number): Generator<Mark, void> {
  const literal = body.literals[index];
  const mode = body.modes[index] as Mode;
  switch (literal.kind) {
    case "quad":
      yield* quadBindings(machine, body, literal, mode);
      break;
    case "relation":
      yield* relationBindings(machine, body, literal, mode);
      break;
    case "filter":
      if (literal.test(machine.frame, literal.check)) yield SOLUTION;
      break;
    case "bind":
      yield* assignment(machine, literal.target, literal.test(machine.frame, literal.check) as number);
      break;
    case "union":
      for (const branch of literal.branches) yield* pacedSolutions(machine, branch as CompiledBody);
      break;
    case "values":
      yield* valueBindings(machine, literal);
      break;
    case "same":
      yield* sameBindings(machine, literal, mode);
      break;
    case "call":
      yield* pathBindings(machine, literal);
      break;
  }
}

function* quadBindings(machine: Machine, _body: CompiledBody, literal: CompiledQuadAtom, mode: Mode): Generator<Mark, void> {
  const { rank } = machine;
  if (isExpanded(machine, literal)) {
    for (const { s, p, o } of expandedQuads(machine, literal, mode)) {
      if (machine.restIsDue) yield REST;
      const bound = bindStatement(machine.frame, literal, s, p, o, 0);
      if (bound < 0) continue;
      yield SOLUTION;
      unbindRow(machine.frame, literal.slots, bound);
    }
    return;
  }
  for (const row of quadRows(machine, literal)) {
    machine.spend(1);
    if (machine.restIsDue) yield REST;
    const bound = bindQuadRow(machine, literal, row, mode);
    if (bound < 0) continue;
    yield SOLUTION;
    unbindRow(machine.frame, literal.slots, bound);
    machine.rank = rank;
  }
}

function* relationBindings(machine: Machine, body: CompiledBody, literal: CompiledRelationAtom, mode: Mode): Generator<Mark, void> {
  const { relation } = literal;
  const slots = literal.args.map((arg) => arg.slot);
  const { weight } = machine;
  for (const row of relationRows(body.costs, literal)) {
    machine.spend(1);
    if (machine.restIsDue) yield REST;
    const rowWeight = weightOf(relation, row, mode, machine.tick);
    if (rowWeight <= 0) continue;
    const bound = bindRow(machine.frame, literal, row);
    if (bound < 0) continue;
    if (literal.bag) machine.weight = weight * rowWeight;
    yield SOLUTION;
    machine.weight = weight;
    unbindRow(machine.frame, slots, bound);
  }
}

function* sameBindings(machine: Machine, { left, right }: CompiledSame, mode: Mode): Generator<Mark, void> {
  const { frame, equality } = machine;
  const a = argValue(left, frame);
  const b = argValue(right, frame);
  if (a !== 0 && b !== 0) {
    if (a === b || (equality?.rankOf(a, b, mode) ?? -1) >= 0) yield SOLUTION;
    return;
  }
  if (a === 0 && b === 0) return;
  const slot = a === 0 ? left.slot : right.slot;
  const term = a === 0 ? b : a;
  const terms = [term, 0, ...(equality?.equals(term, mode) ?? [])];
  for (let i = 0; i < terms.length; i += 2) {
    frame[slot] = terms[i];
    yield SOLUTION;
    frame[slot] = 0;
  }
}

function* assignment(machine: Machine, target: number, value: number): Generator<Mark, void> {
  const { frame } = machine;
  const now = frame[target];
  if (value === 0 || now === value) yield SOLUTION;
  else if (now === 0) {
    frame[target] = value;
    yield SOLUTION;
    frame[target] = 0;
  }
}

function* valueBindings(machine: Machine, { slots, rows }: CompiledValues): Generator<Mark, void> {
  const { frame } = machine;
  for (const row of rows) {
    machine.spend(1);
    if (machine.restIsDue) yield REST;
    const free: number[] = [];
    const fits = slots.every((slot, c) => {
      if (row[c] === 0 || frame[slot] === row[c]) return true;
      if (frame[slot] !== 0) return false;
      frame[slot] = row[c];
      free.push(slot);
      return true;
    });
    if (fits) yield SOLUTION;
    for (const slot of free) frame[slot] = 0;
  }
}

/** The pairs of a path are found in one go; the deadline is checked meanwhile. */
function* pathBindings(machine: Machine, literal: CompiledCall): Generator<Mark, void> {
  const { frame } = machine;
  const from = argValue(literal.from, frame);
  const to = argValue(literal.to, frame);
  const pairs: number[] = [];
  literal.source.pairs(from, to, frame, pathReader(machine, AT), (f, t) => pairs.push(f, t) > 0);
  for (let i = 0; i < pairs.length; i += 2) {
    if (machine.restIsDue) yield REST;
    const bindFrom = literal.from.slot >= 0 && from === 0;
    if (bindFrom) frame[literal.from.slot] = pairs[i];
    if (literal.to.slot >= 0) yield* assignment(machine, literal.to.slot, pairs[i + 1]);
    else yield SOLUTION;
    if (bindFrom) frame[literal.from.slot] = 0;
  }
}
