/**
 * OWL 2 RL on properties: inverse, symmetric, transitive, equivalent (prp-inv, -symp, -trp, -eqp).
 *
 *     P(x, z)  <-  transitive(P), base P(x, y), P(y, z)
 *
 * A transitive property is closed over its base edges: what the closure derived is not joined with the closure again, so
 * a chain of n costs n² and not n³. The inverse of a transitive property is transitive; inverses and symmetries then
 * need base edges only, because reversed base edges close to the reversed closure.
 */
import type { RdfsRelations } from "./rdfs-rules.ts";
import { row, type RuleWriter } from "./rule-writer.ts";

export function writePropertyRules(writer: RuleWriter, { transitive }: RdfsRelations): void {
  const { type, words } = { type: writer.words.type, words: writer.words };
  const inverse = writer.axioms("inverse", 2);
  const symmetric = writer.axioms("symmetric", 1);
  // These two are closed by rules of their own, which know that nothing is said by `x sameAs x` and `c subClassOf c`.
  const closed = [words.sameAs, words.subClassOf, words.subPropertyOf];

  writer.rule("told inverseOf", [writer.quad("?p", words.inverseOf, "?q"), writer.iri("?p"), writer.iri("?q")], [row(inverse, "?p", "?q"), row(inverse, "?q", "?p")]);
  writer.rule("inverseOf", [row(inverse, "?p", "?q"), writer.base("?x", "?p", "?y"), writer.node("?y")], [writer.quad("?y", "?q", "?x")]);

  writer.rule("told symmetric", [writer.quad("?p", type, words.symmetric), writer.iri("?p"), writer.notIn("?p", closed)], [row(symmetric, "?p")]);
  writer.rule("symmetric", [row(symmetric, "?p"), writer.base("?x", "?p", "?y"), writer.node("?y")], [writer.quad("?y", "?p", "?x")]);

  writer.rule("told transitive", [writer.quad("?p", type, words.transitive), writer.iri("?p"), writer.notIn("?p", closed)], [row(transitive, "?p")]);
  writer.rule("inverse of a transitive property", [row(transitive, "?p"), row(inverse, "?p", "?q"), writer.notIn("?q", closed)], [row(transitive, "?q")]);
  writer.rule(
    "transitive",
    [row(transitive, "?p"), writer.base("?x", "?p", "?y"), writer.quad("?y", "?p", "?z")],
    [writer.quad("?x", "?p", "?z")],
    { transitive: true },
  );

  writer.rule(
    "equivalentProperty",
    [writer.quad("?p", words.equivalentProperty, "?q"), writer.iri("?p"), writer.iri("?q")],
    [writer.quad("?p", words.subPropertyOf, "?q"), writer.quad("?q", words.subPropertyOf, "?p")],
  );
}
