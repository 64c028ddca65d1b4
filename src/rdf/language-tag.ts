/** Language tags as Turtle and N-Triples write them: `[a-zA-Z]+ ('-' [a-zA-Z0-9]+)*`. Stored in lower case. */
const LANGUAGE_TAG = /^[a-zA-Z]+(?:-[a-zA-Z0-9]+)*$/;

export function isLanguageTag(tag: string): boolean {
  return LANGUAGE_TAG.test(tag);
}
