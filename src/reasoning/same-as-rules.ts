/**
 * owl:sameAs, and what concludes it (eq-*, prp-fp, prp-ifp, cls-maxc2, cls-maxqc3/4).
 *
 *     link(x, y)              <-  base x sameAs y
 *     link(a, h(p, x))        <-  functional(p), x p a, x has several values or equals
 *     link(h(p, x), h(p, y))  <-  functional(p), tree(x, y)
 *     x sameAs y              <-  tree(x, y)                                         (all pairs follow modulo equality)
 *
 * The engine joins links to classes with representatives (engine/equality.ts) and reads statements modulo these classes,
 * so nothing is copied from term to equal term. The many terms that one value of a key makes equal are linked to a hub
 * h(p, x), one link each, not pairwise.
 * Copied, because rules are dispatched by them: statements whose predicate has equals, memberships in classes that have.
 * Never `x sameAs x`, never with a literal.
 */
import type { Relation } from "../engine/index.ts";
import { type Atom, type Computed, type RuleWriter, row } from "./rule-writer.ts";

export function writeSameAsRules(writer: RuleWriter): void {
  writeEquality(writer);
  writeCopies(writer);
  writeFunctional(writer);
  writeMaxCardinality(writer);
}

function writeEquality(writer: RuleWriter): void {
  const { sameAs } = writer.words;
  const { links, tree } = writer.equality;
  writer.rule("sameAs", [writer.base("?x", sameAs, "?y"), writer.node("?y"), writer.distinct("?x", "?y")], [row(links, "?x", "?y")]);
  // Not a base row: it follows from the links and must not hold them up.
  writer.rule("sameAs", [row(tree, "?x", "?y"), writer.node("?x"), writer.node("?y")], [writer.quad("?x", sameAs, "?y")], {
    transitive: true,
  });
}

/** The relations of those in use file the rules under predicates and classes that have equals, and under no other. */
function writeCopies(writer: RuleWriter): void {
  const { type } = writer.words;
  const { members } = writer.equality;
  const property = writer.axioms("property_with_equals", 1);
  const typed = writer.axioms("class_with_equals", 1);
  writer.exactRule("used class", [row(members, "?c", "?r"), writer.quad("?x", type, "?c")], [row(typed, "?c")]);
  writer.exactRule("used predicate", [row(members, "?p", "?r"), writer.iri("?p"), writer.quad("?x", "?p", "?y")], [row(property, "?p")]);
  writer.exactRule(
    "sameAs (class)",
    [row(typed, "?c"), writer.same("?c", "?d"), writer.distinct("?c", "?d"), writer.quad("?x", type, "?c")],
    [writer.quad("?x", type, "?d")],
  );
  writer.exactRule(
    "sameAs (predicate)",
    [row(property, "?p"), writer.same("?p", "?q"), writer.distinct("?p", "?q"), writer.iri("?q"), writer.quad("?x", "?p", "?y")],
    [writer.quad("?x", "?q", "?y")],
  );
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
  writeKey(writer, "functional", one, (value) => writer.quad("?x", "?p", value));
  writeKey(writer, "inverse functional", oneInverse, (value) => writer.quad(value, "?p", "?x"));
}

/** All values that `?x` has in `says` are equal: they are linked to its hub, and the hubs of equal terms to each other. */
function writeKey(writer: RuleWriter, name: string, axioms: Relation, says: (value: `?${string}`) => Atom): void {
  const { equality } = writer;
  const { links, members, tree } = equality;
  const hub = (target: `?${string}`, x: `?${string}`): Computed => ({
    target,
    from: ["?p", x],
    compute: (p, of) => equality.hub(axioms.id, p, of),
  });
  // Which values there are does not matter for this: the engine looks for one pair, not for all.
  const several = writer.relation(`several values (${name})`, 2);
  writer.exactRule(
    name,
    [row(axioms, "?p"), says("?a"), says("?b"), writer.node("?a"), writer.node("?b"), writer.distinct("?a", "?b")],
    [row(several, "?p", "?x")],
  );
  writer.exactRule(
    name,
    [row(axioms, "?p"), row(several, "?p", "?x"), says("?a"), writer.node("?a"), hub("?h", "?x")],
    [row(links, "?a", "?h")],
  );
  writer.exactRule(
    name,
    [row(axioms, "?p"), row(members, "?x", "?r"), says("?a"), writer.node("?a"), hub("?h", "?x")],
    [row(links, "?a", "?h")],
  );
  writer.exactRule(
    name,
    [row(axioms, "?p"), row(tree, "?x", "?y"), writer.node("?x"), writer.node("?y"), hub("?h", "?x"), hub("?k", "?y")],
    [row(links, "?h", "?k")],
  );
}

function writeMaxCardinality(writer: RuleWriter): void {
  const { type, maxCardinality, maxQualifiedCardinality, onProperty, onClass, one, oneInteger, thing } = writer.words;
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
    [row(writer.equality.links, "?a", "?b")],
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
    [row(writer.equality.links, "?a", "?b")],
  );
}
