/**
 * owl:hasKey (prp-key): members of a class that share a value of each property of the key are the same.
 *
 *     x ~ y             <-  key_n(c, p1 … pn), x a c, y a c, x p1 z1, y p1 z1, … x pn zn, y pn zn
 *     agree(l, x, y)    <-  as above for the first DIRECT_MAX properties of a longer key, whose rest is the list l
 *     agree(l', x, y)   <-  key_cell(l, p, l'), agree(l, x, y), x p z, y p z
 *
 * The first two properties are one join, so the engine begins with whichever says more of the individual at hand; a longer join
 * would enumerate every combination of the values that two individuals share, where one is enough. Who agrees in the first
 * two is paired: a key should begin with telling properties. Cost of k individuals of one key: k² / 2 links.
 */
import type { Relation } from "../engine/index.ts";
import { type Argument, type Atom, type Premise, type RuleWriter, row } from "./rule-writer.ts";

const DIRECT_MAX = 2;

export function writeKeyRules(writer: RuleWriter): void {
  const { hasKey, thing, resource } = writer.words;
  const key = writer.axioms("key", 2);
  const keyOfAll = writer.axioms("key_of_everything", 2);
  const told = [writer.quad("?c", hasKey, "?l"), writer.node("?l")];
  writer.rule("told hasKey", [...told, writer.notIn("?c", [thing, resource])], [row(key, "?c", "?l")]);
  for (const top of [thing, resource])
    writer.rule("told hasKey of everything", [writer.quad(top, hasKey, "?l"), writer.node("?l")], [row(keyOfAll, top, "?l")]);
  writeKeys(writer, key, (x) => [writer.quad(x, writer.words.type, "?c")]);
  writeKeys(writer, keyOfAll, () => []);
}

/** `isMember`: that an individual is in the class. */
function writeKeys(writer: RuleWriter, key: Relation, isMember: (x: "?x" | "?y") => Premise[]): void {
  const { links } = writer.equality;
  const { nil } = writer.words;
  const sharing = (properties: readonly `?${string}`[]): Premise[] => {
    const values = properties.flatMap((p, i): Atom[] => [writer.quad("?x", p, `?z${i}`), writer.quad("?y", p, `?z${i}`)]);
    return [...isMember("?x"), ...values, ...isMember("?y"), writer.before("?x", "?y")];
  };
  for (let n = 1; n <= DIRECT_MAX; n++) {
    const properties = variables("?p", n);
    const told = writer.axioms(`${key.name}, ${n} properties`, n + 1);
    writer.rule(`key of ${n}`, [row(key, "?c", "?l"), ...cells(writer, properties, nil)], [row(told, "?c", ...properties)]);
    writer.rule("hasKey", [row(told, "?c", ...properties), ...sharing(properties)], [row(links, "?x", "?y")]);
  }
  const properties = variables("?p", DIRECT_MAX);
  const longer = writer.axioms(`${key.name}, longer`, DIRECT_MAX + 2);
  const agree = writer.relation("agree_up_to", 3);
  writer.rule(
    "longer key",
    [row(key, "?c", "?l"), ...cells(writer, properties, "?r"), writer.notIn("?r", [nil])],
    [row(longer, "?c", ...properties, "?r")],
  );
  writer.rule("hasKey (longer)", [row(longer, "?c", ...properties, "?r"), ...sharing(properties)], [row(agree, "?r", "?x", "?y")]);
  writeRest(writer, longer, agree);
}

/** The properties of a longer key after the first ones, cell by cell. */
function writeRest(writer: RuleWriter, longer: Relation, agree: Relation): void {
  const { first, rest, nil } = writer.words;
  const reached = writer.axioms("key_rest", 1);
  const inner = writer.axioms("key_cell", 3);
  const last = writer.axioms("key_last", 2);
  writer.rule("rest of a longer key", [row(longer, "?c", ...variables("?p", DIRECT_MAX), "?r")], [row(reached, "?r")]);
  const cell = [row(reached, "?l"), writer.quad("?l", first, "?p"), writer.iri("?p")];
  writer.rule(
    "longer key, next",
    [...cell, writer.quad("?l", rest, "?r"), writer.notIn("?r", [nil])],
    [row(inner, "?l", "?p", "?r"), row(reached, "?r")],
  );
  writer.rule("longer key, last", [...cell, writer.quad("?l", rest, nil)], [row(last, "?l", "?p")]);
  const alike = [row(agree, "?l", "?x", "?y"), writer.quad("?x", "?p", "?z"), writer.quad("?y", "?p", "?z")];
  writer.rule("hasKey (longer, next)", [row(inner, "?l", "?p", "?r"), ...alike], [row(agree, "?r", "?x", "?y")]);
  writer.rule("hasKey (longer, last)", [row(last, "?l", "?p"), ...alike], [row(writer.equality.links, "?x", "?y")]);
}

/** The list `?l` has these properties and goes on with `end`. */
function cells(writer: RuleWriter, properties: readonly `?${string}`[], end: Argument): Premise[] {
  const { first, rest } = writer.words;
  return properties.flatMap((p, i): Premise[] => {
    const [at, next]: Argument[] = [i === 0 ? "?l" : `?l${i}`, i + 1 === properties.length ? end : `?l${i + 1}`];
    return [writer.quad(at, first, p), writer.iri(p), writer.quad(at, rest, next)];
  });
}

function variables(name: `?${string}`, count: number): `?${string}`[] {
  return Array.from({ length: count }, (_, i): `?${string}` => `${name}${i}`);
}
