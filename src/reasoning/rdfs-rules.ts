/**
 * RDFS: subClassOf, subPropertyOf, domain, range (rdfs2, 3, 5, 7, 9, 11).
 *
 *     told(c, d)  = base c subClassOf d          x a d  <-  told(c, d), x a c
 *     c subClassOf e  <-  base c subClassOf d, d subClassOf e           (linear closure, visible, not told)
 *
 * Individuals climb the told edges step by step: each edge of the closure is a path of told ones, so nothing is missed
 * and an instance of a class of depth n costs n steps instead of n².
 * State: one row per axiom in the told relations. Cost per instance quad: one look-up, plus what it derives.
 * Left out on purpose: axiomatic triples, `x a rdfs:Resource`, `C subClassOf C`.
 */
import type { Relation } from "../engine/index.ts";
import { type RuleWriter, row } from "./rule-writer.ts";

/** Relations other rules join. */
export interface RdfsRelations {
  /** (c, d): c is a direct subclass of d. */
  readonly subClass: Relation;
  /** (p, q): p is a direct subproperty of q. */
  readonly subProperty: Relation;
  /** (p): p is closed over its base edges, being transitive or the inverse of such. Empty in RDFS. */
  readonly closing: Relation;
}

export function writeRdfsRules(writer: RuleWriter): RdfsRelations {
  const subClass = writer.axioms("told_sub_class", 2);
  const subProperty = writer.axioms("told_sub_property", 2);
  const closing = writer.axioms("closing", 1);
  writeHierarchies(writer, subClass, subProperty);
  writeInstances(writer, { subClass, subProperty, closing });
  writeDomainAndRange(writer);
  return { subClass, subProperty, closing };
}

function writeHierarchies(writer: RuleWriter, subClass: Relation, subProperty: Relation): void {
  const { subClassOf, subPropertyOf } = writer.words;
  writer.rule(
    "told subClassOf",
    [writer.base("?c", subClassOf, "?d"), writer.distinct("?c", "?d"), writer.node("?d")],
    [row(subClass, "?c", "?d")],
  );
  writer.rule(
    "told subPropertyOf",
    [writer.base("?p", subPropertyOf, "?q"), writer.distinct("?p", "?q"), writer.iri("?p"), writer.iri("?q")],
    [row(subProperty, "?p", "?q")],
  );
  // Nobody is said to be an owl:Thing, so an edge leads past it.
  for (const top of [writer.words.thing, writer.words.resource])
    writer.rule(
      "told subClassOf",
      [row(subClass, "?c", top), row(subClass, top, "?d"), writer.distinct("?c", "?d")],
      [row(subClass, "?c", "?d")],
    );
  for (const [name, closed] of [
    ["subClassOf is transitive", subClassOf],
    ["subPropertyOf is transitive", subPropertyOf],
  ] as const)
    writer.rule(name, [writer.base("?c", closed, "?d"), writer.quad("?d", closed, "?e")], [writer.quad("?c", closed, "?e")], {
      transitive: true,
    });
}

function writeInstances(writer: RuleWriter, { subClass, subProperty, closing }: RdfsRelations): void {
  const { type } = writer.words;
  writer.rule("subClassOf", [row(subClass, "?c", "?d"), writer.quad("?x", type, "?c")], [writer.quad("?x", type, "?d")]);
  // What transitivity derived in ?p follows in a transitive ?q from the base edges alone; another ?q needs all of it.
  writer.rule("subPropertyOf", [row(subProperty, "?p", "?q"), writer.base("?x", "?p", "?y")], [writer.quad("?x", "?q", "?y")]);
  writer.rule(
    "subPropertyOf (of a transitive property)",
    [row(closing, "?p"), row(subProperty, "?p", "?q"), writer.quad("?x", "?p", "?y")],
    [writer.quad("?x", "?q", "?y")],
  );
  for (const closed of [...writer.closed, ...writer.inherited])
    writer.rule(
      "subPropertyOf (of a closed property)",
      [row(subProperty, closed, "?q"), writer.quad("?x", closed, "?y")],
      [writer.quad("?x", "?q", "?y")],
    );
}

function writeDomainAndRange(writer: RuleWriter): void {
  const { type } = writer.words;
  const domain = writer.axioms("domain", 2);
  const range = writer.axioms("range", 2);
  for (const [relation, word] of [
    [domain, writer.words.domain],
    [range, writer.words.range],
  ] as const)
    writer.rule(`told ${relation.name}`, [writer.base("?p", word, "?c"), writer.iri("?p"), writer.node("?c")], [row(relation, "?p", "?c")]);
  writer.rule("domain", [row(domain, "?p", "?c"), writer.quad("?x", "?p", "?y")], [writer.quad("?x", type, "?c")]);
  writer.rule("range", [row(range, "?p", "?c"), writer.quad("?x", "?p", "?y"), writer.node("?y")], [writer.quad("?y", type, "?c")]);
}
