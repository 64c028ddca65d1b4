/** Entries of the SPARQL update suites that are not run, with the reason. The list may only shrink. */
export const UPDATE_SKIPS: Readonly<Record<string, string>> = {
  "sparql11/update-silent load-into-silent": "LOAD is switched off, and SILENT is about failures, not about permission",
};
