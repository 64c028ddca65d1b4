/**
 * owl:sameAs, and what concludes it (eq-sym, eq-trans, eq-rep-*, prp-fp, prp-ifp, cls-maxc2, cls-maxqc3/4).
 *
 *     x sameAs z  <-  base x sameAs y, y sameAs z      (x ≠ z)
 *     same(x, y)  =   base x sameAs y                  x' p o  <-  same(x, x'), x p o      and so for objects and predicates
 *
 * Facts are copied along base edges: base edges connect a class of equal terms, so every member gets every fact. What
 * is equal is materialised (docs/decisions/0006-same-as.md has the cost and the reason).
 * Never `x sameAs x`, never with a literal.
 */
import type { Relation } from "../engine/index.ts";
import { type RuleWriter, row } from "./rule-writer.ts";

export function writeSameAsRules(writer: RuleWriter): void {
  writeEquality(writer);
  writeReplacement(writer);
  writeFunctional(writer);
  writeMaxCardinality(writer);
}

function writeEquality(writer: RuleWriter): void {
  const { sameAs } = writer.words;
  writer.rule("sameAs is symmetric", [writer.base("?x", sameAs, "?y"), writer.node("?y")], [writer.quad("?y", sameAs, "?x")]);
  writer.rule(
    "sameAs is transitive",
    [writer.base("?x", sameAs, "?y"), writer.quad("?y", sameAs, "?z"), writer.node("?z")],
    [writer.quad("?x", sameAs, "?z")],
    { transitive: true },
  );
}

function writeReplacement(writer: RuleWriter): void {
  const { sameAs } = writer.words;
  const same = writer.relation("same", 2);
  const sameProperty = writer.axioms("same_property", 2);
  const other = writer.notIn("?p", [sameAs]);
  writer.rule("told sameAs", [writer.base("?x", sameAs, "?y"), writer.node("?y"), writer.distinct("?x", "?y")], [row(same, "?x", "?y")]);
  writer.rule("told sameAs of properties", [row(same, "?p", "?q"), writer.iri("?p"), writer.iri("?q")], [row(sameProperty, "?p", "?q")]);
  writer.rule("sameAs (subject)", [row(same, "?x", "?y"), writer.quad("?x", "?p", "?o"), other], [writer.quad("?y", "?p", "?o")]);
  writer.rule("sameAs (object)", [row(same, "?x", "?y"), writer.quad("?s", "?p", "?x"), other], [writer.quad("?s", "?p", "?y")]);
  writeReplacementInSchema(writer, same);
  writer.rule("sameAs (predicate)", [row(sameProperty, "?p", "?q"), writer.quad("?x", "?p", "?o")], [writer.quad("?x", "?q", "?o")]);
}

/**
 * Where `x w x` and `x a owl:Thing` are left out, a path of base edges may lead through what is left out: there facts are
 * copied along all edges at once.
 */
function writeReplacementInSchema(writer: RuleWriter, same: Relation): void {
  const { sameAs, thing, resource, subClassOf, subPropertyOf, equivalentClass, equivalentProperty } = writer.words;
  for (const top of [thing, resource])
    writer.rule(
      "told sameAs",
      [writer.quad("?x", sameAs, top), writer.quad(top, sameAs, "?y"), writer.node("?y"), writer.distinct("?x", "?y")],
      [row(same, "?x", "?y")],
    );
  for (const word of [subClassOf, subPropertyOf, equivalentClass, equivalentProperty]) {
    writer.rule("sameAs (subject)", [writer.quad("?x", word, "?o"), writer.quad("?x", sameAs, "?y")], [writer.quad("?y", word, "?o")]);
    writer.rule(
      "sameAs (object)",
      [writer.quad("?s", word, "?x"), writer.quad("?x", sameAs, "?y"), writer.node("?y")],
      [writer.quad("?s", word, "?y")],
    );
    writer.rule(
      "sameAs (subject and object)",
      [writer.quad("?x", word, "?y"), writer.quad("?x", sameAs, "?y")],
      [writer.quad("?y", word, "?x")],
    );
  }
}

function writeFunctional(writer: RuleWriter): void {
  const { type, functional, inverseFunctional, sameAs } = writer.words;
  const one = writer.axioms("functional", 1);
  const oneInverse = writer.axioms("inverse_functional", 1);
  writer.rule("told functional", [writer.quad("?p", type, functional), writer.iri("?p"), writer.notIn("?p", [sameAs])], [row(one, "?p")]);
  writer.rule(
    "told inverse functional",
    [writer.quad("?p", type, inverseFunctional), writer.iri("?p"), writer.notIn("?p", [sameAs])],
    [row(oneInverse, "?p")],
  );
  const differentNodes = [writer.node("?a"), writer.node("?b"), writer.distinct("?a", "?b")];
  writer.rule(
    "functional",
    [row(one, "?p"), writer.quad("?x", "?p", "?a"), writer.quad("?x", "?p", "?b"), ...differentNodes],
    [writer.quad("?a", sameAs, "?b")],
  );
  writer.rule(
    "inverse functional",
    [row(oneInverse, "?p"), writer.quad("?a", "?p", "?x"), writer.quad("?b", "?p", "?x"), ...differentNodes],
    [writer.quad("?a", sameAs, "?b")],
  );
}

function writeMaxCardinality(writer: RuleWriter): void {
  const { type, maxCardinality, maxQualifiedCardinality, onProperty, onClass, one, oneInteger, sameAs, thing } = writer.words;
  const most = writer.axioms("at_most_one", 2);
  const qualified = writer.axioms("at_most_one_of", 3);
  const differentNodes = [writer.node("?a"), writer.node("?b"), writer.distinct("?a", "?b")];
  for (const count of [one, oneInteger]) {
    const on = [writer.quad("?c", onProperty, "?p"), writer.iri("?p")];
    writer.rule("told maxCardinality 1", [writer.quad("?c", maxCardinality, count), ...on], [row(most, "?c", "?p")]);
    writer.rule(
      "told maxQualifiedCardinality 1 of everything",
      [writer.quad("?c", maxQualifiedCardinality, count), writer.quad("?c", onClass, thing), ...on],
      [row(most, "?c", "?p")],
    );
    writer.rule(
      "told maxQualifiedCardinality 1",
      [writer.quad("?c", maxQualifiedCardinality, count), writer.quad("?c", onClass, "?d"), writer.notIn("?d", [thing]), ...on],
      [row(qualified, "?c", "?p", "?d")],
    );
  }
  writer.rule(
    "maxCardinality 1",
    [row(most, "?c", "?p"), writer.quad("?x", type, "?c"), writer.quad("?x", "?p", "?a"), writer.quad("?x", "?p", "?b"), ...differentNodes],
    [writer.quad("?a", sameAs, "?b")],
  );
  writer.rule(
    "maxQualifiedCardinality 1",
    [
      row(qualified, "?c", "?p", "?d"),
      writer.quad("?x", type, "?c"),
      writer.quad("?x", "?p", "?a"),
      writer.quad("?a", type, "?d"),
      writer.quad("?x", "?p", "?b"),
      writer.quad("?b", type, "?d"),
      ...differentNodes,
    ],
    [writer.quad("?a", sameAs, "?b")],
  );
}
