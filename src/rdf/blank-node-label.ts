/**
 * Labels of blank nodes. Those the server gives out are `sens-<life>-<n>`: `life` is a random word of this process's
 * dictionary, `n` counts in base 36. They are short, never grow, and are told apart from labels users write by their
 * form together with the question whether the server knows them.
 */
const SERVER_LABEL = /^sens-[0-9a-z]{1,32}-[0-9a-z]{1,12}$/;
// PN_CHARS without ':' so that every syntax can carry the label.
const NAME_START =
  "A-Za-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}_0-9";
const NAME = `${NAME_START}\\-\\u00B7\\u0300-\\u036F\\u203F-\\u2040`;
const LABEL = new RegExp(`^[${NAME_START}](?:[${NAME}.]*[${NAME}])?$`, "u");

/** True for a label that Turtle, N-Triples and SPARQL can write. */
export function isBlankNodeLabel(label: string): boolean {
  return LABEL.test(label);
}

/** True for the reserved form of labels given out by a server (this one or another). */
export function isServerLabel(label: string): boolean {
  return SERVER_LABEL.test(label);
}

/** The `n`-th label of a life. `life` is 1 to 32 characters of [0-9a-z]. */
export function freshLabel(life: string, n: number): string {
  return `sens-${life}-${n.toString(36)}`;
}
