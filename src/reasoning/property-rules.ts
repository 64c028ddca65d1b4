/**
 * OWL 2 RL on properties: inverse, symmetric, transitive, equivalent (prp-inv, -symp, -trp, -eqp).
 *
 *     P(x, z)  <-  transitive(P), base P(x, y), P(y, z)
 *
 * A transitive property is closed over its base edges: what the closure derived is not joined with the closure again, so
 * a chain of n costs n² and not n³. The inverse of a transitive property is transitive; inverses and symmetries then
 * need base edges only, because reversed base edges close to the reversed closure.
 */
import type { Relation } from "../engine/index.ts";
import type { RdfsRelations } from "./rdfs-rules.ts";
import { type RuleWriter, row } from "./rule-writer.ts";

/** Answers the relation of properties that are transitive by themselves. */
export function writePropertyRules(writer: RuleWriter, { closing }: RdfsRelations): Relation {
  const transitive = writer.axioms("transitive", 1);
  writeInverse(writer, closing, transitive);
  const { type, equivalentProperty, subPropertyOf, symmetric: symmetricProperty, sameAs } = writer.words;
  const symmetric = writer.axioms("symmetric", 1);
  writer.rule(
    "told symmetric",
    [writer.quad("?p", type, symmetricProperty), writer.iri("?p"), writer.notIn("?p", [sameAs])],
    [row(symmetric, "?p")],
  );
  writer.rule("symmetric", [row(symmetric, "?p"), writer.base("?x", "?p", "?y"), writer.node("?y")], [writer.quad("?y", "?p", "?x")]);
  for (const word of writer.inherited)
    writer.rule("symmetric", [row(symmetric, word), writer.quad("?x", word, "?y"), writer.node("?y")], [writer.quad("?y", word, "?x")]);
  writer.rule(
    "equivalentProperty",
    [writer.base("?p", equivalentProperty, "?q"), writer.iri("?p"), writer.iri("?q")],
    [writer.quad("?p", subPropertyOf, "?q"), writer.quad("?q", subPropertyOf, "?p")],
  );
  writer.rule(
    "subPropertyOf both ways",
    [writer.quad("?p", subPropertyOf, "?q"), writer.quad("?q", subPropertyOf, "?p")],
    [writer.quad("?p", equivalentProperty, "?q")],
    { transitive: true },
  );
  return transitive;
}

function writeInverse(writer: RuleWriter, closing: Relation, transitive: Relation): void {
  const { words } = writer;
  const { type } = words;
  const inverse = writer.axioms("inverse", 2);
  const mirrored = writer.axioms("inverse_of_transitive", 1);
  // Those that are closed have rules of their own, which know that nothing is said by `x sameAs x` and `c subClassOf c`.
  const { closed, inherited } = writer;

  writer.rule(
    "told inverseOf",
    [writer.quad("?p", words.inverseOf, "?q"), writer.iri("?p"), writer.iri("?q")],
    [row(inverse, "?p", "?q"), row(inverse, "?q", "?p")],
  );
  writer.rule("inverseOf", [row(inverse, "?p", "?q"), writer.base("?x", "?p", "?y"), writer.node("?y")], [writer.quad("?y", "?q", "?x")]);
  for (const word of [...closed, ...inherited])
    writer.rule("inverseOf", [row(inverse, word, "?q"), writer.quad("?x", word, "?y"), writer.node("?y")], [writer.quad("?y", "?q", "?x")]);

  writer.rule(
    "told transitive",
    [writer.quad("?p", type, words.transitive), writer.iri("?p"), writer.notIn("?p", closed)],
    [row(transitive, "?p"), row(closing, "?p")],
  );
  writer.rule(
    "inverse of a transitive property",
    [row(closing, "?p"), row(inverse, "?p", "?q"), writer.notIn("?q", closed)],
    [row(mirrored, "?q"), row(closing, "?q")],
  );
  for (const word of inherited) {
    const whole = [writer.quad("?x", word, "?y"), writer.quad("?y", word, "?z")];
    writer.rule("transitive", [row(transitive, word), ...whole], [writer.quad("?x", word, "?z")]);
    writer.rule("transitive (by its inverse)", [row(mirrored, word), ...whole, writer.node("?z")], [writer.quad("?x", word, "?z")]);
  }
  const closure = [writer.base("?x", "?p", "?y"), writer.quad("?y", "?p", "?z")];
  writer.rule("transitive", [row(transitive, "?p"), ...closure], [writer.quad("?x", "?p", "?z")], { transitive: true });
  // What ends in a literal has no inverse, so the inverse's transitivity does not speak of it.
  writer.rule("transitive (by its inverse)", [row(mirrored, "?p"), ...closure, writer.node("?z")], [writer.quad("?x", "?p", "?z")], {
    transitive: true,
  });
}
