/**
 * Property chains of any length (prp-spo2), from the right:
 *
 *     rest(l, x, z)  <-  cell(l, P, r), P(x, y), rest(r, y, z)          q(x, z)  <-  chain(q, l), cell(l, P, r), P(x, y), rest(r, y, z)
 *
 * A suffix is known by its list cell alone, so chains that share a tail share its pairs and cannot be mixed up. The two
 * last steps are joined directly: a chain of two properties, the usual case, keeps no pairs of its own.
 * A chain into itself, q ∘ P into q (or P ∘ q), needs base edges of P only: what transitivity derived of P is a path of
 * them, and q follows the path step by step. q ∘ q into q is transitivity and is run as such.
 * State: `rest` has one row per inner cell and pair of individuals that the suffix connects.
 */
import type { Relation } from "../engine/index.ts";
import type { RdfsRelations } from "./rdfs-rules.ts";
import { type Atom, type RuleWriter, row } from "./rule-writer.ts";

export function writeChainRules(writer: RuleWriter, { closing }: RdfsRelations, transitive: Relation): void {
  const { propertyChainAxiom, first, rest, nil, subPropertyOf } = writer.words;
  const told = writer.axioms("told_chain_of_two", 3);
  const chain = writer.axioms("chain", 2);
  const two = writer.axioms("chain_of_two", 3);
  const longer = writer.axioms("longer_chain", 3);
  const cell = writer.axioms("chain_cell", 1);
  const lastTwo = writer.axioms("chain_last_two", 3);
  const inner = writer.axioms("chain_inner", 3);
  const suffix = writer.relation("chain_rest", 3);
  const at = (l: `?${string}`, p: `?${string}`, r: `?${string}` | number): Atom[] => [writer.quad(l, first, p), writer.quad(l, rest, r)];
  const endsIn = (l: `?${string}`): Atom[] => [...at(l, "?p", "?r"), ...at("?r", "?p2", nil)];

  writer.rule(
    "told propertyChainAxiom",
    [writer.quad("?q", propertyChainAxiom, "?l"), writer.iri("?q"), writer.node("?l")],
    [row(chain, "?q", "?l")],
  );
  writer.rule("chain of one", [row(chain, "?q", "?l"), ...at("?l", "?p", nil), writer.iri("?p")], [writer.quad("?p", subPropertyOf, "?q")]);
  writer.rule(
    "chain of two",
    [row(chain, "?q", "?l"), ...endsIn("?l"), writer.iri("?p"), writer.iri("?p2")],
    [row(told, "?q", "?p", "?p2")],
  );
  writeChainsOfTwo(writer, told, two, closing, transitive);
  writer.rule(
    "longer chain",
    [row(chain, "?q", "?l"), ...at("?l", "?p", "?r"), writer.iri("?p"), writer.quad("?r", rest, "?more"), writer.notIn("?more", [nil])],
    [row(longer, "?q", "?p", "?r"), row(cell, "?r")],
  );
  writer.rule(
    "longer chain, next",
    [row(cell, "?l"), ...at("?l", "?p", "?r"), writer.iri("?p"), writer.quad("?r", rest, "?more"), writer.notIn("?more", [nil])],
    [row(inner, "?l", "?p", "?r"), row(cell, "?r")],
  );
  writer.rule(
    "longer chain, last two",
    [row(cell, "?l"), ...endsIn("?l"), writer.iri("?p"), writer.iri("?p2")],
    [row(lastTwo, "?l", "?p", "?p2")],
  );

  writer.rule(
    "propertyChainAxiom",
    [row(two, "?q", "?p", "?p2"), writer.quad("?x", "?p", "?y"), writer.quad("?y", "?p2", "?z")],
    [writer.quad("?x", "?q", "?z")],
  );
  writer.rule(
    "propertyChainAxiom (longer)",
    [row(longer, "?q", "?p", "?l"), writer.quad("?x", "?p", "?y"), row(suffix, "?l", "?y", "?z")],
    [writer.quad("?x", "?q", "?z")],
  );
  writer.rule(
    "end of a chain",
    [row(lastTwo, "?l", "?p", "?p2"), writer.quad("?x", "?p", "?y"), writer.quad("?y", "?p2", "?z")],
    [row(suffix, "?l", "?x", "?z")],
  );
  writer.rule(
    "rest of a chain",
    [row(inner, "?l", "?p", "?r"), writer.quad("?x", "?p", "?y"), row(suffix, "?r", "?y", "?z")],
    [row(suffix, "?l", "?x", "?z")],
  );
}

/** Sorts chains of two by whether they lead into themselves. */
function writeChainsOfTwo(writer: RuleWriter, told: Relation, two: Relation, closing: Relation, transitive: Relation): void {
  const { closed, inherited } = writer;
  const left = writer.axioms("chain_from_itself", 2);
  const right = writer.axioms("chain_to_itself", 2);
  writer.rule(
    "chain of two",
    [row(told, "?q", "?p", "?p2"), writer.distinct("?q", "?p"), writer.distinct("?q", "?p2")],
    [row(two, "?q", "?p", "?p2")],
  );
  const other = [writer.distinct("?q", "?p"), writer.notIn("?p", inherited)];
  writer.rule("chain from itself", [row(told, "?q", "?q", "?p"), ...other], [row(left, "?q", "?p")]);
  writer.rule("chain to itself", [row(told, "?q", "?p", "?q"), ...other], [row(right, "?q", "?p")]);
  for (const p of inherited) {
    writer.rule("chain from itself", [row(told, "?q", "?q", p), writer.notIn("?q", [p])], [row(two, "?q", "?q", p)]);
    writer.rule("chain to itself", [row(told, "?q", p, "?q"), writer.notIn("?q", [p])], [row(two, "?q", p, "?q")]);
  }
  writer.rule("chain of itself", [row(told, "?q", "?q", "?q"), writer.notIn("?q", closed)], [row(transitive, "?q"), row(closing, "?q")]);
  writer.rule(
    "propertyChainAxiom",
    [row(left, "?q", "?p"), writer.quad("?x", "?q", "?y"), writer.base("?y", "?p", "?z")],
    [writer.quad("?x", "?q", "?z")],
  );
  writer.rule(
    "propertyChainAxiom",
    [row(right, "?q", "?p"), writer.base("?x", "?p", "?y"), writer.quad("?y", "?q", "?z")],
    [writer.quad("?x", "?q", "?z")],
  );
}
