/**
 * OWL 2 RL on classes: equivalence, restrictions, intersection, union, enumeration (cax-eqc, cls-*, scm-int, scm-uni).
 *
 * Lists are walked by rules, cell by cell, so a list of any length works and a changed cell is a delta like any other:
 *     intersection of the cells from l on:   in_rest(l, x)  <-  cell(l, C, r), x a C, in_rest(r, x)
 * Intersections and unions also order their members: c subClassOf each part of its intersection, each part of its union
 * subClassOf c; instances then follow by subClassOf.
 * State: one row per axiom or list cell; in_rest has one row per cell and individual that is in all classes after it.
 */
import type { Relation } from "../engine/index.ts";
import { type Atom, type RuleWriter, row } from "./rule-writer.ts";
import type { Restrictions } from "./schema-rules.ts";

/** Answers the told restrictions. */
export function writeClassRules(writer: RuleWriter): Restrictions {
  const { subClassOf, equivalentClass } = writer.words;
  writer.rule(
    "equivalentClass",
    [writer.base("?c", equivalentClass, "?d"), writer.node("?d")],
    [writer.quad("?c", subClassOf, "?d"), writer.quad("?d", subClassOf, "?c")],
  );
  // Like the closure of subClassOf: for queries to see, not for rules to start from.
  writer.rule(
    "subClassOf both ways",
    [writer.quad("?c", subClassOf, "?d"), writer.quad("?d", subClassOf, "?c")],
    [writer.quad("?c", equivalentClass, "?d")],
    { transitive: true },
  );
  const restrictions = { hasValue: writeHasValue(writer), ...writeSomeValuesFrom(writer), allValuesFrom: writeAllValuesFrom(writer) };
  writeIntersection(writer);
  writeUnion(writer);
  writeEnumeration(writer);
  return restrictions;
}

/** The premises of a restriction `?c` on the property `?p`. */
function restriction(writer: RuleWriter, word: number, value: `?${string}` | number): Atom[] {
  return [writer.quad("?c", word, value), writer.quad("?c", writer.words.onProperty, "?p")];
}

function writeHasValue(writer: RuleWriter): Relation {
  const { type, hasValue } = writer.words;
  const told = writer.axioms("has_value", 3);
  writer.rule("told hasValue", [...restriction(writer, hasValue, "?v"), writer.iri("?p")], [row(told, "?c", "?p", "?v")]);
  writer.rule("hasValue", [row(told, "?c", "?p", "?v"), writer.quad("?x", type, "?c")], [writer.quad("?x", "?p", "?v")]);
  writer.rule("hasValue (membership)", [row(told, "?c", "?p", "?v"), writer.quad("?x", "?p", "?v")], [writer.quad("?x", type, "?c")]);
  return told;
}

function writeSomeValuesFrom(writer: RuleWriter): Pick<Restrictions, "someValuesFrom" | "someValue"> {
  const { type, someValuesFrom, thing, resource } = writer.words;
  const some = writer.axioms("some_values_from", 3);
  const any = writer.axioms("some_value", 2);
  writer.rule(
    "told someValuesFrom",
    [...restriction(writer, someValuesFrom, "?d"), writer.iri("?p"), writer.notIn("?d", [thing, resource])],
    [row(some, "?c", "?p", "?d")],
  );
  for (const top of [thing, resource])
    writer.rule(
      "told someValuesFrom of everything",
      [...restriction(writer, someValuesFrom, top), writer.iri("?p")],
      [row(any, "?c", "?p")],
    );
  writer.rule(
    "someValuesFrom",
    [row(some, "?c", "?p", "?d"), writer.quad("?x", "?p", "?y"), writer.quad("?y", type, "?d")],
    [writer.quad("?x", type, "?c")],
  );
  writer.rule("someValuesFrom (anything)", [row(any, "?c", "?p"), writer.quad("?x", "?p", "?y")], [writer.quad("?x", type, "?c")]);
  return { someValuesFrom: some, someValue: any };
}

function writeAllValuesFrom(writer: RuleWriter): Relation {
  const { type, allValuesFrom } = writer.words;
  const all = writer.axioms("all_values_from", 3);
  writer.rule(
    "told allValuesFrom",
    [...restriction(writer, allValuesFrom, "?d"), writer.iri("?p"), writer.node("?d")],
    [row(all, "?c", "?p", "?d")],
  );
  writer.rule(
    "allValuesFrom",
    [row(all, "?c", "?p", "?d"), writer.quad("?x", type, "?c"), writer.quad("?x", "?p", "?y"), writer.node("?y")],
    [writer.quad("?y", type, "?d")],
  );
  return all;
}

function writeIntersection(writer: RuleWriter): void {
  const { type, subClassOf, intersectionOf, first, rest, nil } = writer.words;
  const intersection = writer.axioms("intersection", 2);
  const inner = writer.axioms("intersection_cell", 3);
  const last = writer.axioms("intersection_last", 2);
  const inRest = writer.relation("in_rest", 2);
  const cell = (at: `?${string}`, to: `?${string}` | number): Atom[] => [writer.quad(at, first, "?item"), writer.quad(at, rest, to)];
  writer.rule("told intersectionOf", [writer.quad("?c", intersectionOf, "?l"), writer.node("?l")], [row(intersection, "?c", "?l")]);
  writer.rule(
    "list of an intersection",
    [row(intersection, "?c", "?l"), ...cell("?l", "?r"), writer.notIn("?r", [nil])],
    [row(inner, "?l", "?item", "?r")],
  );
  writer.rule(
    "list of an intersection, continued",
    [row(inner, "?k", "?before", "?l"), ...cell("?l", "?r"), writer.notIn("?r", [nil])],
    [row(inner, "?l", "?item", "?r")],
  );
  writer.rule("end of the list of an intersection", [row(inner, "?k", "?before", "?l"), ...cell("?l", nil)], [row(last, "?l", "?item")]);
  writer.rule(
    "single intersection",
    [row(intersection, "?c", "?l"), ...cell("?l", nil), writer.node("?item")],
    [writer.quad("?item", subClassOf, "?c"), writer.quad("?c", subClassOf, "?item")],
  );
  writer.rule("member of the last class", [row(last, "?l", "?item"), writer.quad("?x", type, "?item")], [row(inRest, "?l", "?x")]);
  writer.rule(
    "member of the next class",
    [row(inner, "?l", "?item", "?r"), row(inRest, "?r", "?x"), writer.quad("?x", type, "?item")],
    [row(inRest, "?l", "?x")],
  );
  writer.rule("intersectionOf", [row(intersection, "?c", "?l"), row(inRest, "?l", "?x")], [writer.quad("?x", type, "?c")]);
  writer.rule(
    "intersectionOf (parts)",
    [row(intersection, "?c", "?l"), row(walk(writer, "intersection_item", intersection), "?l", "?item"), writer.node("?item")],
    [writer.quad("?c", subClassOf, "?item")],
  );
}

function writeUnion(writer: RuleWriter): void {
  const { subClassOf, unionOf } = writer.words;
  const union = writer.axioms("union", 2);
  writer.rule("told unionOf", [writer.quad("?c", unionOf, "?l"), writer.node("?l")], [row(union, "?c", "?l")]);
  writer.rule(
    "unionOf",
    [row(union, "?c", "?l"), row(walk(writer, "union_item", union), "?l", "?item"), writer.node("?item")],
    [writer.quad("?item", subClassOf, "?c")],
  );
}

function writeEnumeration(writer: RuleWriter): void {
  const { type, oneOf } = writer.words;
  const told = writer.axioms("one_of", 2);
  writer.rule("told oneOf", [writer.quad("?c", oneOf, "?l"), writer.node("?l")], [row(told, "?c", "?l")]);
  writer.rule(
    "oneOf",
    [row(told, "?c", "?l"), row(walk(writer, "one_of_item", told), "?l", "?item"), writer.node("?item")],
    [writer.quad("?item", type, "?c")],
  );
}

/** (list, item): the items of the lists in the second column of `lists`, found cell by cell. */
function walk(writer: RuleWriter, name: string, lists: Relation): Relation {
  const { first, rest } = writer.words;
  const cells = writer.axioms(`${name}_cell`, 2);
  const items = writer.axioms(name, 2);
  writer.rule(`${name}: first cell`, [row(lists, "?c", "?l")], [row(cells, "?l", "?l")]);
  writer.rule(`${name}: next cell`, [row(cells, "?l", "?k"), writer.quad("?k", rest, "?r")], [row(cells, "?l", "?r")]);
  writer.rule(`${name}: item`, [row(cells, "?l", "?k"), writer.quad("?k", first, "?item")], [row(items, "?l", "?item")]);
  return items;
}
