/**
 * What follows of the axioms themselves (scm-dom1, -dom2, -rng1, -rng2, -hv, -svf1, -svf2, -avf1, -avf2).
 *
 *     p domain d      <-  base q domain c, p subPropertyOf* q, c subClassOf* d         (closure rows: shown, not started from)
 *     c subClassOf d  <-  restrictions c, d of one kind, the property or the filler of one below that of the other
 *
 * Individuals get what the first rules imply from the told axioms, so these rows are for queries to see only. The second ones
 * make told edges: what is stated to be in a restriction is in every wider one.
 */
import type { Relation } from "../engine/index.ts";
import { type Premise, type RuleWriter, row } from "./rule-writer.ts";

/** Told restrictions: (class, property, value or filler). */
export interface Restrictions {
  readonly hasValue: Relation;
  readonly someValuesFrom: Relation;
  /** (class, property): some value of whatever kind. */
  readonly someValue: Relation;
  readonly allValuesFrom: Relation;
}

export function writeSchemaRules(writer: RuleWriter, restrictions: Restrictions): void {
  writeInherited(writer);
  writeWiderRestrictions(writer, restrictions);
}

/** Domains and ranges of subproperties, and classes above those stated. */
function writeInherited(writer: RuleWriter): void {
  const { subClassOf, subPropertyOf, thing, resource } = writer.words;
  const tops = [thing, resource];
  for (const [name, word] of [
    ["domain", writer.words.domain],
    ["range", writer.words.range],
  ] as const) {
    const told = [writer.base("?q", word, "?c"), writer.iri("?q"), writer.node("?c")];
    const below = [writer.quad("?p", subPropertyOf, "?q"), writer.iri("?p"), writer.notIn("?q", writer.closed)];
    const above = [writer.notIn("?c", tops), writer.quad("?c", subClassOf, "?d"), writer.node("?d")];
    const rule = (premises: readonly Premise[], p: "?p" | "?q", c: "?c" | "?d"): void =>
      writer.rule(`${name} (inherited)`, premises, [writer.quad(p, word, c)], { transitive: true });
    rule([...told, ...above], "?q", "?d");
    rule([...told, ...below], "?p", "?c");
    rule([...told, ...below, ...above], "?p", "?d");
    // Nobody is said to be an owl:Thing, so what is above it must be told.
    for (const top of tops)
      writer.rule(
        `${name} (inherited)`,
        [writer.base("?q", word, top), writer.iri("?q"), writer.quad(top, subClassOf, "?d"), writer.node("?d")],
        [writer.quad("?q", word, "?d")],
      );
    // Nobody is said to be the same as itself, so what is below owl:sameAs and its like must be told.
    for (const q of writer.closed)
      writer.rule(
        `${name} (inherited)`,
        [writer.base(q, word, "?c"), writer.node("?c"), writer.quad("?p", subPropertyOf, q), writer.iri("?p")],
        [writer.quad("?p", word, "?c")],
      );
  }
}

/** Restrictions that say the same are equivalent, too: an axiom is often written with a node of its own wherever it is needed. */
function writeWiderRestrictions(writer: RuleWriter, { hasValue, someValuesFrom, someValue, allValuesFrom }: Restrictions): void {
  const { subClassOf, subPropertyOf, thing, resource } = writer.words;
  const wider = (name: string, premises: readonly Premise[], isReversed = false): void =>
    writer.rule(`${name} (of restrictions)`, premises, [
      isReversed ? writer.quad("?d", subClassOf, "?c") : writer.quad("?c", subClassOf, "?d"),
    ]);
  const property = writer.quad("?p", subPropertyOf, "?q");
  const filler = writer.quad("?a", subClassOf, "?b");
  const equal = writer.same("?a", "?b");
  for (const [name, told] of [
    ["hasValue", hasValue],
    ["someValuesFrom", someValuesFrom],
    ["allValuesFrom", allValuesFrom],
  ] as const) {
    wider(name, [row(told, "?c", "?p", "?a"), equal, row(told, "?d", "?p", "?b")]);
    wider(name, [row(told, "?c", "?p", "?a"), property, equal, row(told, "?d", "?q", "?b")], told === allValuesFrom);
    if (told !== hasValue) wider(name, [row(told, "?c", "?p", "?a"), filler, row(told, "?d", "?p", "?b")]);
  }
  wider("someValuesFrom", [row(someValuesFrom, "?c", "?p", "?a"), row(someValue, "?d", "?p")]);
  wider("someValuesFrom", [row(someValue, "?c", "?p"), row(someValue, "?d", "?p")]);
  wider("someValuesFrom", [row(someValue, "?c", "?p"), property, row(someValue, "?d", "?q")]);
  for (const top of [thing, resource])
    wider("someValuesFrom", [row(someValue, "?c", "?p"), writer.quad(top, subClassOf, "?b"), row(someValuesFrom, "?d", "?p", "?b")]);
}
