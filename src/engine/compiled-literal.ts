/**
 * Literals made ready to run: constants and slots side by side, sub-bodies compiled, and when each may run.
 */
import { SensError } from "../base/index.ts";
import type { Arg, Body, Frame, Literal, Slot, UnionLiteral } from "./body.ts";
import type { Mode } from "./mode.ts";
import { QuadRelation } from "./quad-relation.ts";
import type { Relation } from "./relation.ts";

/** What a literal needs of the bodies inside it (compiled-body.ts). */
export interface SubBody {
  readonly literals: readonly CompiledLiteral[];
  readonly certain: ReadonlySet<Slot>;
  readonly slots: ReadonlySet<Slot>;
  setModes(mode: Mode): void;
  reset(): void;
  estimate(): number;
  hasSolution(): boolean;
  solve(then: () => void): void;
}

/** A slot, or -1 and a constant. */
export interface CompiledArg {
  readonly slot: Slot;
  readonly value: number;
}

const compileArg = (arg: Arg): CompiledArg => ("slot" in arg ? { slot: arg.slot, value: 0 } : { slot: -1, value: arg.value });

export interface CompiledQuadAtom {
  readonly kind: "quad";
  readonly source: Literal;
  readonly base: boolean;
  /** Read modulo equality of terms. */
  readonly expanded: boolean;
  /** Slots of s, p, o, g, -1 for a constant; and the constants. */
  readonly slots: readonly [number, number, number, number];
  readonly values: readonly [number, number, number, number];
}

export interface CompiledRelationAtom {
  readonly kind: "relation";
  readonly source: Literal;
  readonly relation: Relation;
  readonly bag: boolean;
  readonly args: readonly CompiledArg[];
}

export interface CompiledFilter {
  readonly kind: "filter" | "bind";
  readonly source: Literal;
  readonly reads: readonly Slot[];
  /** All reads (those of sub-bodies included) are bound in every solution: run as soon as they are. */
  readonly early: boolean;
  readonly exists: readonly SubBody[];
  readonly target: Slot;
  readonly test: (frame: Frame, exists: (index: number) => boolean) => boolean | number;
  /** Bound to the machine once. */
  readonly check: (index: number) => boolean;
}

export interface CompiledUnion {
  readonly kind: "union";
  readonly source: Literal;
  /** Slots that filters and assignments in the branches read but the branches do not surely bind. */
  readonly reads: readonly Slot[];
  readonly early: boolean;
  readonly branches: readonly SubBody[];
}

export interface CompiledValues {
  readonly kind: "values";
  readonly source: Literal;
  readonly slots: readonly Slot[];
  readonly rows: readonly (readonly number[])[];
}

export interface CompiledCall {
  readonly kind: "call";
  readonly source: Literal & { kind: "call" };
  readonly from: CompiledArg;
  readonly to: CompiledArg;
}

export interface CompiledSame {
  readonly kind: "same";
  readonly source: Literal;
  readonly left: CompiledArg;
  readonly right: CompiledArg;
}

/** `relation` stands for any relation but quad. */
export type CompiledLiteral =
  | CompiledQuadAtom
  | CompiledSame
  | CompiledRelationAtom
  | CompiledFilter
  | CompiledUnion
  | CompiledValues
  | CompiledCall;

type MakeBody = (body: Body) => SubBody;

/** `here`: slots of the enclosing bodies; `known`: those of them that are bound in every solution. */
export function compileLiteral(literal: Literal, here: ReadonlySet<Slot>, known: ReadonlySet<Slot>, make: MakeBody): CompiledLiteral {
  switch (literal.kind) {
    case "atom": {
      const args = literal.args.map(compileArg);
      if (args.length !== literal.relation.arity)
        throw new SensError(
          "SENS_INTERNAL",
          `Atom over ${literal.relation.name} has ${args.length} arguments, not ${literal.relation.arity}.`,
        );
      if (literal.relation instanceof QuadRelation)
        return {
          kind: "quad",
          source: literal,
          base: literal.reading === "base",
          expanded: literal.expanded === true,
          slots: args.map((a) => a.slot) as unknown as CompiledQuadAtom["slots"],
          values: args.map((a) => a.value) as unknown as CompiledQuadAtom["values"],
        };
      return { kind: "relation", source: literal, relation: literal.relation, bag: literal.reading === "bag", args };
    }
    case "filter":
    case "bind": {
      const exists = (literal.exists ?? []).map(make);
      const reads = new Set(literal.reads);
      for (const body of exists) for (const slot of body.slots) if (here.has(slot)) reads.add(slot);
      return {
        kind: literal.kind,
        source: literal,
        reads: [...reads],
        early: [...reads].every((slot) => known.has(slot)),
        exists,
        target: literal.kind === "bind" ? literal.target : -1,
        test: literal.kind === "bind" ? literal.compute : literal.test,
        check: (index) => exists[index].hasSolution(),
      };
    }
    case "union":
      return compileUnion(literal, here, known, make);
    case "values":
      return { kind: "values", source: literal, slots: literal.slots, rows: literal.rows };
    case "same":
      return { kind: "same", source: literal, left: compileArg(literal.left), right: compileArg(literal.right) };
    case "call":
      return { kind: "call", source: literal, from: compileArg(literal.from), to: compileArg(literal.to) };
  }
}

function compileUnion(literal: UnionLiteral, here: ReadonlySet<Slot>, known: ReadonlySet<Slot>, make: MakeBody): CompiledUnion {
  const branches = literal.branches.map(make);
  const reads = new Set<Slot>();
  for (const branch of branches) {
    for (const inner of branch.literals) {
      if (inner.kind !== "filter" && inner.kind !== "bind" && inner.kind !== "union") continue;
      for (const slot of inner.reads) if (here.has(slot) && !branch.certain.has(slot)) reads.add(slot);
    }
  }
  return { kind: "union", source: literal, branches, reads: [...reads], early: [...reads].every((slot) => known.has(slot)) };
}

export function argValue(arg: CompiledArg, frame: Frame): number {
  return arg.slot < 0 ? arg.value : frame[arg.slot];
}
