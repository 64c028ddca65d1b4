/** Which slots a body binds: always, perhaps, at all. */
import type { Arg, Body, Slot } from "./body.ts";

/** Slots that atoms, unions, rows and assignments of this body may bind. */
export function positiveSlots(body: Body): Set<Slot> {
  const slots = new Set<Slot>();
  for (const literal of body.literals) {
    if (literal.kind === "atom") for (const arg of literal.args) addSlot(slots, arg);
    else if (literal.kind === "values") for (const slot of literal.slots) slots.add(slot);
    else if (literal.kind === "bind") slots.add(literal.target);
    else if (literal.kind === "same") {
      addSlot(slots, literal.left);
      addSlot(slots, literal.right);
    } else if (literal.kind === "call") {
      addSlot(slots, literal.from);
      addSlot(slots, literal.to);
    } else if (literal.kind === "union") for (const branch of literal.branches) for (const slot of positiveSlots(branch)) slots.add(slot);
  }
  return slots;
}

/** Slots bound in every solution of this body. */
export function certainSlots(body: Body): Set<Slot> {
  const slots = new Set<Slot>();
  for (const literal of body.literals) {
    if (literal.kind === "atom") {
      for (let i = 0; i < literal.args.length; i++) if (!literal.relation.nullable || i === 0) addSlot(slots, literal.args[i]);
    } else if (literal.kind === "values") {
      for (let c = 0; c < literal.slots.length; c++) if (literal.rows.every((row) => row[c] !== 0)) slots.add(literal.slots[c]);
    } else if (literal.kind === "same") {
      addSlot(slots, literal.left);
      addSlot(slots, literal.right);
    } else if (literal.kind === "call") {
      addSlot(slots, literal.from);
      addSlot(slots, literal.to);
    } else if (literal.kind === "union") {
      const branches = literal.branches.map(certainSlots);
      if (branches.length > 0) for (const slot of branches[0]) if (branches.every((branch) => branch.has(slot))) slots.add(slot);
    }
  }
  return slots;
}

/** Every slot that occurs, sub-bodies and what filters read included. */
export function allSlots(body: Body): Set<Slot> {
  const slots = positiveSlots(body);
  const visit = (inner: Body): void => {
    for (const literal of inner.literals) {
      if (literal.kind === "filter" || literal.kind === "bind") {
        for (const slot of literal.reads) slots.add(slot);
        for (const sub of literal.exists ?? []) for (const slot of allSlots(sub)) slots.add(slot);
      } else if (literal.kind === "union") for (const branch of literal.branches) visit(branch);
    }
  };
  visit(body);
  return slots;
}

function addSlot(slots: Set<Slot>, arg: Arg): void {
  if ("slot" in arg) slots.add(arg.slot);
}
