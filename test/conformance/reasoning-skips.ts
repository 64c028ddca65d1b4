/** W3C OWL 2 positive entailments that OWL 2 RL rules as we have them do not give, with the reason; the list may only shrink. */
export const OWL2_NOT_COVERED: Readonly<Record<string, string>> = {};
